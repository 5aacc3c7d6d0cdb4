/** Says a plan within the output cap: cuts it by tokens, and counts what was said. */

import { Buffer } from "node:buffer";
import type { Runtime } from "../../runtime.ts";
import { newId } from "../new_id.ts";
import type { ImageOptions } from "../images/image_options.ts";
import type { PlannedItem } from "./output_plan.ts";
import { reasoningSummary } from "./reasoning_text.ts";
import type { Chunk, Tokenizer } from "../../billing/tokenizer/tokens.ts";
import type { CallableTool } from "./tool_instructions.ts";

interface GeneratedText {
  readonly id: string;
  /** False when the output cap came first. */
  readonly whole: boolean;
  readonly pieces: readonly Chunk[];
}

/** An item of the answer as it goes out. */
export type GeneratedItem =
  | GeneratedText & { readonly type: "text" | "refusal" }
  | GeneratedText & { readonly type: "picture"; readonly prompt: string; readonly imageOptions: ImageOptions }
  | GeneratedText & { readonly type: "call"; readonly tool: CallableTool; readonly callId: string }
  | GeneratedText & {
    readonly type: "reasoning";
    readonly summary: readonly string[];
    readonly encrypted?: string;
  };

export interface GeneratedOutput {
  readonly items: readonly GeneratedItem[];
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** False when the output cap came first. */
  readonly isComplete: boolean;
}

interface GenerateOptions {
  readonly tokenizer: Tokenizer;
  readonly runtime: Pick<Runtime, "randomToken">;
  /** The most tokens that the answer may have. */
  readonly maxTokens: number;
}

/** Thoughts, texts, images, names and arguments of calls all count; nothing is said beyond the cap. */
export function generateOutput(drafts: readonly PlannedItem[], speaker: GenerateOptions): GeneratedOutput {
  const items: GeneratedItem[] = [];
  let left = speaker.maxTokens;
  let reasoningTokens = 0;
  for (const draft of drafts) {
    const flat = flatTokensOf(draft, speaker);
    const own = draft.type === "reasoning" ? draft.thought.cap : Infinity;
    if (draft.type === "picture" ? left < flat : left <= flat) break;
    const received = truncateToTokens(chunksOf(draft, speaker), Math.min(left - flat, own));
    const whole = received.whole || own < left;
    left -= received.tokens + flat;
    if (draft.type === "reasoning") reasoningTokens = received.tokens;
    items.push(speech(draft, { pieces: received.pieces, whole, speaker }));
    if (!whole) break;
  }
  const whole = items.length === drafts.length && items.every((item) => item.whole);
  return { items, outputTokens: speaker.maxTokens - left, reasoningTokens, isComplete: whole };
}

/** Tokens of an item that is there whole or not at all: an image, or the name of what is called. */
function flatTokensOf(draft: PlannedItem, { tokenizer }: GenerateOptions): number {
  if (draft.type === "picture") return draft.imageOptions.tokens;
  return draft.type === "call" ? tokensOf(tokenizer.chunks(draft.tool.name)) : 0;
}

/** An image has its words in it. */
const chunksOf = (draft: PlannedItem, { tokenizer }: GenerateOptions): Iterable<Chunk> =>
  draft.type === "picture" ? [] : tokenizer.chunks(draft.text);

function tokensOf(chunks: Iterable<Chunk>): number {
  let tokens = 0;
  for (const chunk of chunks) tokens += chunk.tokens;
  return tokens;
}

/** The beginning of a text that has room. */
function truncateToTokens(chunks: Iterable<Chunk>, room: number) {
  const kept: Chunk[] = [];
  let tokens = 0;
  for (const chunk of chunks) {
    if (tokens + chunk.tokens > room) return { pieces: kept, tokens, whole: false };
    kept.push(chunk);
    tokens += chunk.tokens;
  }
  return { pieces: kept, tokens, whole: true };
}

interface Cut {
  readonly pieces: readonly Chunk[];
  readonly whole: boolean;
  readonly speaker: GenerateOptions;
}

const prefixes = { reasoning: "rs", text: "msg", refusal: "msg", call: "fc", picture: "ig" } as const;

function speech(draft: PlannedItem, { pieces, whole, speaker }: Cut): GeneratedItem {
  const prefix = draft.type === "call" && draft.tool.kind === "custom" ? "ctc" : prefixes[draft.type];
  const received = { id: newId(prefix, speaker.runtime), whole, pieces };
  if (draft.type === "call") {
    return { ...received, type: "call", tool: draft.tool, callId: newId("call", speaker.runtime) };
  }
  if (draft.type === "picture") {
    return { ...received, type: "picture", prompt: draft.text, imageOptions: draft.imageOptions };
  }
  if (draft.type !== "reasoning") return { ...received, type: draft.type };
  const text = textOfChunks(pieces);
  const encrypted = draft.thought.encrypted ? Buffer.from(`thought:${text}`).toString("base64") : undefined;
  return { ...received, type: "reasoning", summary: reasoningSummary(draft.thought, text), encrypted };
}

export function textOfChunks(chunks: readonly Chunk[]): string {
  return chunks.map((chunk) => chunk.text).join("");
}
