/**
 * Counts an answer while it passes, for where its provider does not (faults U14), or has not come to it: clients demand
 * counts, and a call that was cut is charged (promises M6).
 */

import { normalizeUsage, partialUsage, type Usage } from "../../../protocols/canonical/usage.ts";
import type { ItemKey, OutputEvent } from "../../../protocols/canonical/event.ts";
import type { OutputItem } from "../../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import type { Tokenizer } from "../../../billing/tokenizer/tokens.ts";
import type { Clock } from "../../../runtime.ts";
import type { PageCounts } from "../../../billing/pricing/media_estimate.ts";
import { estimateInput, type InputEstimate } from "../../../billing/pricing/input_estimate.ts";
import { TextSample } from "../../../billing/pricing/text_sample.ts";
import { ToolUseCounter } from "../../../billing/pricing/tool_use_counter.ts";
import { UnseenOutput } from "./unseen_output.ts";

/** How output is counted. */
export interface Counting {
  /** Tokens: no answer is longer. */
  readonly maxOutputTokens?: number;
  /** Absent: by scripts, which is quicker and less exact. */
  readonly tokenizer?: Tokenizer;
  /** Pages of the request's documents, as far as they could be counted. */
  readonly pages?: PageCounts;
}

/** Counts an answer while it passes. */
export interface UsageMeter {
  /** Chunks that came. */
  readonly deltas: number;
  /** Something of the answer is there. */
  readonly hasOutput: boolean;
  /** The provider's name for its answer. */
  readonly upstreamId: string | undefined;
  /** Images that came. */
  readonly images: number;
  /** Images that the provider has begun to draw and that have not come. */
  readonly openImages: number;
  /** Uses of the provider's own tools; undefined where there were none. */
  readonly tools?: ToolUseCounter;
  addEvents(batch: readonly OutputEvent[]): void;
  /** The provider has sent counts of the answer as it is now. */
  mark(): void;
  /** The answer is over: no more time passes for it. */
  end(): void;
  /** Usage of the answer so far. */
  usage(counting: Counting): Usage;
  /** Tokens of the text that came, reasoning that was shown included; without a tokenizer roughly. */
  deliveredTokens(tokenizer?: Tokenizer): number;
  /** Whether something came after the latest counts. */
  isBehind(reported: Usage): boolean;
  /** The latest counts, and what came after them. */
  continued(reported: Usage, counting: Counting): Usage;
}

interface MeterOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly request: ModelRequest;
  readonly endpoint: Endpoint;
  /** The endpoint's median output tokens a second; undefined where none was measured. */
  readonly speed: () => number | undefined;
}

/** Output tokens a second, where nothing was measured. */
const USUAL_SPEED = 50;

interface Output {
  readonly tokens: number;
  readonly reasoning: number;
}

/** Meters an answer in words. */
export class TextUsageMeter implements UsageMeter {
  deltas = 0;
  hasOutput = false;
  upstreamId: string | undefined;
  images = 0;
  tools: ToolUseCounter | undefined;
  readonly #options: MeterOptions;
  readonly #unseen: UnseenOutput;
  readonly #text: TextSample;
  readonly #thoughts: TextSample;
  /** Made with the first picture. */
  #drawing: Set<ItemKey> | undefined;
  #input: InputEstimate | undefined;
  #isInputExact = false;
  /** Usage that the provider counted at the beginning. */
  #begun: Usage | undefined;
  #marked = start;

  constructor(options: MeterOptions) {
    this.#options = options;
    this.#unseen = new UnseenOutput(options);
    const { upstreamModel } = options.endpoint;
    this.#text = new TextSample(upstreamModel);
    this.#thoughts = new TextSample(upstreamModel);
  }

  get openImages(): number {
    return this.#drawing?.size ?? 0;
  }

  addEvents(batch: readonly OutputEvent[]): void {
    for (const event of batch) {
      this.#unseen.see(event);
      if ("delta" in event) {
        this.deltas++;
        if (event.delta !== "") this.hasOutput = true;
        const isThought = event.type === "thought" || event.type === "summary";
        (isThought ? this.#thoughts : this.#text).add(event.delta);
      } else if (event.type === "item") {
        if (isPicture(event.item)) (this.#drawing ??= new Set()).add(event.itemKey);
      } else if (event.type === "item_done") {
        this.hasOutput = true;
        this.#drawing?.delete(event.itemKey);
        if (event.item?.type !== "foreign") continue;
        (this.tools ??= new ToolUseCounter()).add(event.item);
        if (isPicture(event.item)) this.images++;
      } else if (event.type === "begin") {
        this.upstreamId = event.upstreamId ?? this.upstreamId;
        this.#begun = event.usage;
      }
    }
  }

  mark(): void {
    this.#marked = { text: this.#text.bytes, thoughts: this.#thoughts.bytes, ms: this.#unseen.ms };
  }

  end(): void {
    this.#unseen.end();
  }

  usage(counting: Counting): Usage {
    const { tokens, reasoning } = this.#outputSince(start, { ...counting, unseen: true });
    const counted = normalizeUsage({
      ...this.#inputOf(counting),
      outputTokens: tokens,
      reasoningTokens: reasoning,
      estimated: true,
    });
    return this.#begun === undefined || this.#begun.inputTokens === 0
      ? counted
      : partialUsage({ ...this.#begun, estimated: true }, counted);
  }

  deliveredTokens(tokenizer?: Tokenizer): number {
    return this.#text.tokens(tokenizer) + this.#thoughts.tokens(tokenizer);
  }

  isBehind({ outputTokens }: Usage): boolean {
    const { text, thoughts, ms } = this.#marked;
    if (this.#text.bytes + this.#thoughts.bytes > text + thoughts) return true;
    return outputTokens === 0 && this.#unseen.ms > ms;
  }

  continued(reported: Usage, counting: Counting): Usage {
    const { tokens, reasoning } = this.#outputSince(this.#marked, {
      tokenizer: counting.tokenizer,
      maxOutputTokens: Math.max(0, (counting.maxOutputTokens ?? Infinity) - reported.outputTokens),
      unseen: reported.outputTokens === 0,
    });
    return normalizeUsage({
      ...reported,
      outputTokens: reported.outputTokens + tokens,
      reasoningTokens: reported.reasoningTokens + reasoning,
      // It was of the counts before.
      reportedCost: undefined,
      estimated: true,
    });
  }

  #outputSince(mark: Mark, { maxOutputTokens = Infinity, tokenizer, unseen }: Counted): Output {
    // Vectors are no tokens, however long they take.
    if (this.#options.request.embeddings !== undefined) return { tokens: 0, reasoning: 0 };
    const text = tokensSince(this.#text, { bytes: mark.text, tokenizer });
    const thoughts = tokensSince(this.#thoughts, { bytes: mark.thoughts, tokenizer });
    const hidden = unseen ? this.#tokensIn(this.#unseen.ms - mark.ms) : 0;
    // What a stream does not show is reasoning, of which a summary may come; of a whole answer nothing has come yet.
    const reasoning = this.#options.request.stream ? Math.max(thoughts, hidden) : thoughts;
    const tokens = Math.min(maxOutputTokens, text + Math.max(thoughts, hidden));
    return { tokens, reasoning: Math.min(reasoning, tokens) };
  }

  #tokensIn(ms: number): number {
    return Math.floor(ms / 1_000 * (this.#options.speed() ?? USUAL_SPEED));
  }

  /** Worked out when it is first asked for, and once more with a tokenizer. */
  #inputOf({ tokenizer, pages }: Counting): InputEstimate {
    const exact = tokenizer !== undefined;
    if (this.#input === undefined || exact && !this.#isInputExact) {
      this.#input = estimateInput({ ...this.#options, tokenizer, pages });
      this.#isInputExact = exact;
    }
    return this.#input;
  }
}

const isPicture = (item: OutputItem): boolean =>
  item.type === "foreign" && item.kind === "image_generation_call";

/** How far an answer was: bytes of text and of thoughts, and milliseconds of what nobody saw. */
interface Mark {
  readonly text: number;
  readonly thoughts: number;
  readonly ms: number;
}

const start: Mark = { text: 0, thoughts: 0, ms: 0 };

interface Counted extends Counting {
  /** Count what nobody saw, too. */
  readonly unseen: boolean;
}

function tokensSince(
  text: TextSample,
  { bytes, tokenizer }: { readonly bytes: number; readonly tokenizer: Tokenizer | undefined },
): number {
  const since = text.bytes - bytes;
  return since === 0 ? 0 : Math.ceil(text.tokens(tokenizer) * since / text.bytes);
}
