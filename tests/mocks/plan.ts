/** Answer of a simulated model, in no wire's words: the mocks and the property tests render it in both. */

import { tryParseJson } from "../../shared/util/json.ts";

export type Planned =
  | { readonly type: "text" | "refusal"; readonly text: string; readonly citing?: string }
  | {
    readonly type: "reasoning";
    readonly thoughts: string;
    readonly summary: readonly string[];
    readonly encrypted?: string;
  }
  | {
    readonly type: "call";
    readonly kind: "function" | "custom";
    readonly callId: string;
    readonly name: string;
    readonly namespace?: string;
    /** JSON text of a function's arguments, or a custom tool's input. */
    readonly arguments: string;
  }
  | { readonly type: "search"; readonly query: string };

export interface Counts {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
}

export interface Plan {
  readonly items: readonly Planned[];
  readonly finish: "stop" | "length" | "content_filter";
  /** Absent: the provider counts nothing. */
  readonly counts?: Counts;
  /** Characters of a delta, over and over. */
  readonly pieces: readonly number[];
}

/** Arguments where a wire has them as a value: what is no JSON stands as a text, as lenient servers send it. */
export function valueOf(text: string): unknown {
  const value = tryParseJson(text);
  return value === undefined ? text : value;
}

/** A text in the plan's chunks; surrogate pairs stay whole, as they do at the provider. */
export function piecesOf(text: string, sizes: readonly number[]): readonly string[] {
  const points = [...text];
  const out: string[] = [];
  for (let at = 0, turn = 0; at < points.length; turn++) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
    out.push(points.slice(at, at + size).join(""));
    at += size;
  }
  return out;
}
