/**
 * Token counts where the provider tells none (faults U14). Clients demand them: some end a turn without a total,
 * others reject the whole answer (client-requirements 2).
 */

import { brokenOff, type Usage } from "../../shared/usage.ts";
import type { AnswerEvent } from "../hub/event.ts";
import type { Item, Part } from "../hub/item.ts";
import type { ModelRequest } from "../hub/request.ts";
import { ToolUses } from "./tool_uses.ts";

/** What is usual for text in western languages; no tokenizer is loaded for an estimate. */
const CHARS_PER_TOKEN = 4;
/** Of what is no text: an image at low detail, roughly. */
const CHARS_OF_A_PART = 85 * CHARS_PER_TOKEN;

/** What so many characters of text are, in tokens. */
export const tokensOf = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN);

/** What a request is as input, in tokens. */
export const inputTokensOf = (request: ModelRequest): number => tokensOf(charsOf(request));

/** Counts an answer while it passes. */
export interface Metering {
  /** Pieces that came. */
  readonly deltas: number;
  /** Something of the answer is there. */
  readonly produced: boolean;
  /** The provider's name for its answer. */
  readonly upstreamId: string | undefined;
  /** What the provider's own tools did; undefined where they did nothing. */
  readonly tools?: ToolUses;
  see(batch: readonly AnswerEvent[]): void;
  /** What the answer has used so far; no more than the cap that was sent. */
  usage(request: ModelRequest, outputCap?: number): Usage;
}

/** Of an answer in words. */
export class Meter implements Metering {
  /** Characters of all that was said, and of what of it was thought. */
  #output = 0;
  #thoughts = 0;
  #input: number | undefined;
  /** What the provider counted at the beginning. */
  #told: Usage | undefined;
  /** Pieces that came. */
  deltas = 0;
  /** Something of the answer is there: words, or an item that is whole. */
  produced = false;
  /** The provider's name for its answer. */
  upstreamId: string | undefined;
  tools: ToolUses | undefined;

  see(batch: readonly AnswerEvent[]): void {
    for (const event of batch) {
      if ("delta" in event) {
        this.deltas++;
        this.#output += event.delta.length;
        if (event.delta !== "") this.produced = true;
        if (event.type === "thought" || event.type === "summary") this.#thoughts += event.delta.length;
      } else if (event.type === "item_done") {
        this.produced = true;
        if (event.item?.type === "foreign") (this.tools ??= new ToolUses()).saw(event.item);
      } else if (event.type === "begin") {
        this.upstreamId = event.upstreamId ?? this.upstreamId;
        this.#told = event.usage;
      }
    }
  }

  /** What the answer has used so far, as far as its beginning and its text tell; no more than the cap that was sent. */
  usage(request: ModelRequest, outputCap = Infinity): Usage {
    this.#input ??= tokensOf(charsOf(request));
    const outputTokens = Math.min(tokensOf(this.#output), outputCap);
    const counted: Usage = {
      inputTokens: this.#input,
      outputTokens,
      cachedTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: Math.min(tokensOf(this.#thoughts), outputTokens),
      estimated: true,
    };
    return this.#told === undefined ? counted : brokenOff({ ...this.#told, estimated: true }, counted);
  }
}

function charsOf({ instructions, input, tools }: ModelRequest): number {
  const told = tools.length === 0 ? 0 : JSON.stringify(tools).length;
  return input.reduce((sum, item) => sum + charsOfItem(item), (instructions?.length ?? 0) + told);
}

function charsOfItem(item: Item): number {
  switch (item.type) {
    case "message":
      return charsOfParts(item.parts);
    case "reasoning":
      return [...item.thoughts, ...item.summary].join("").length;
    case "call":
      return item.name.length + item.arguments.length;
    case "result":
      return typeof item.output === "string" ? item.output.length : charsOfParts(item.output);
    case "foreign":
      return item.told?.length ?? 0;
    default:
      return item satisfies never;
  }
}

const charsOfParts = (parts: readonly Part[]) =>
  parts.reduce((sum, part) => sum + ("text" in part ? part.text.length : CHARS_OF_A_PART), 0);
