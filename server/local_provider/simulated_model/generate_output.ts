/** Says a plan within the output cap: cuts it by tokens, and counts what was said. */

import { Buffer } from "node:buffer";
import type { Runtime } from "../../runtime.ts";
import { newId } from "../new_id.ts";
import type { ImageOptions } from "../images/image_options.ts";
import type { PlannedItem } from "./output_plan.ts";
import { reasoningSummary } from "./reasoning_text.ts";
import type { Piece, Tokenizer } from "../../tokenizer/tokens.ts";
import type { CallableTool } from "./choose_tool_calls.ts";

interface GeneratedText {
  readonly id: string;
  /** False when the output cap came first. */
  readonly whole: boolean;
  readonly pieces: readonly Piece[];
}

/** An item of the answer as it goes out. */
export type GeneratedItem =
  | GeneratedText & { readonly type: "text" | "refusal" }
  | GeneratedText & { readonly type: "picture"; readonly prompt: string; readonly wish: ImageOptions }
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

export interface GenerateOptions {
  readonly tokenizer: Tokenizer;
  readonly runtime: Pick<Runtime, "randomToken">;
  /** The most tokens that the answer may have. */
  readonly maxTokens: number;
}

/** Thoughts, texts, pictures, names and arguments of calls all count; nothing is said beyond the cap. */
export function generateOutput(drafts: readonly PlannedItem[], speaker: GenerateOptions): GeneratedOutput {
  const items: GeneratedItem[] = [];
  let left = speaker.maxTokens;
  let reasoningTokens = 0;
  for (const draft of drafts) {
    const flat = flatTokensOf(draft, speaker);
    const own = draft.type === "reasoning" ? draft.thought.cap : Infinity;
    if (draft.type === "picture" ? left < flat : left <= flat) break;
    const said = truncateToTokens(piecesOf(draft, speaker), Math.min(left - flat, own));
    const whole = said.whole || own < left;
    left -= said.tokens + flat;
    if (draft.type === "reasoning") reasoningTokens = said.tokens;
    items.push(spoken(draft, { pieces: said.pieces, whole, speaker }));
    if (!whole) break;
  }
  const whole = items.length === drafts.length && items.every((item) => item.whole);
  return { items, outputTokens: speaker.maxTokens - left, reasoningTokens, isComplete: whole };
}

/** What is there whole or not at all: a picture, or the name of what is called. */
function flatTokensOf(draft: PlannedItem, { tokenizer }: GenerateOptions): number {
  if (draft.type === "picture") return draft.wish.tokens;
  return draft.type === "call" ? tokensOf(tokenizer.pieces(draft.tool.name)) : 0;
}

/** A picture has its words in it. */
const piecesOf = (draft: PlannedItem, { tokenizer }: GenerateOptions): Iterable<Piece> =>
  draft.type === "picture" ? [] : tokenizer.pieces(draft.text);

function tokensOf(pieces: Iterable<Piece>): number {
  let tokens = 0;
  for (const piece of pieces) tokens += piece.tokens;
  return tokens;
}

/** The beginning of a text that has room. */
function truncateToTokens(pieces: Iterable<Piece>, room: number) {
  const kept: Piece[] = [];
  let tokens = 0;
  for (const piece of pieces) {
    if (tokens + piece.tokens > room) return { pieces: kept, tokens, whole: false };
    kept.push(piece);
    tokens += piece.tokens;
  }
  return { pieces: kept, tokens, whole: true };
}

interface Cut {
  readonly pieces: readonly Piece[];
  readonly whole: boolean;
  readonly speaker: GenerateOptions;
}

const prefixes = { reasoning: "rs", text: "msg", refusal: "msg", call: "fc", picture: "ig" } as const;

function spoken(draft: PlannedItem, { pieces, whole, speaker }: Cut): GeneratedItem {
  const prefix = draft.type === "call" && draft.tool.kind === "custom" ? "ctc" : prefixes[draft.type];
  const said = { id: newId(prefix, speaker.runtime), whole, pieces };
  if (draft.type === "call") {
    return { ...said, type: "call", tool: draft.tool, callId: newId("call", speaker.runtime) };
  }
  if (draft.type === "picture") return { ...said, type: "picture", prompt: draft.text, wish: draft.wish };
  if (draft.type !== "reasoning") return { ...said, type: draft.type };
  const text = textOfPieces(pieces);
  const encrypted = draft.thought.encrypted ? Buffer.from(`thought:${text}`).toString("base64") : undefined;
  return { ...said, type: "reasoning", summary: reasoningSummary(draft.thought, text), encrypted };
}

export function textOfPieces(pieces: readonly Piece[]): string {
  return pieces.map((piece) => piece.text).join("");
}
