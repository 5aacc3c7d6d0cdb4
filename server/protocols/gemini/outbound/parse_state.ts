/** State of the parser of a stream. */

import type { Usage } from "../../canonical/usage.ts";
import type { Failure, FinishReason, ModelEvent } from "../../canonical/event.ts";
import type { StepResult } from "../../stream/state_machine.ts";
import type { ToolNames } from "../../common/outbound/tool_names.ts";
import type { GeminiCitation, Grounding } from "./response_schema.ts";

/** Facts of the request that decide how its answer is read. */
interface ParseContext {
  readonly names: ToolNames;
  /** Calls beyond this many are left out: this wire has no word for `parallel_tool_calls`. */
  readonly maxCalls: number;
  /** The model that was asked for. */
  readonly model: string;
}

/** A reasoning item that is open; what was streamed is kept because a signature is told with the whole item. */
export interface OpenReasoning {
  readonly type: "reasoning";
  readonly at: number;
  readonly summary: string;
  readonly signature?: string;
}

/** A message that is open. */
export interface OpenMessage {
  readonly type: "message";
  readonly at: number;
  readonly text: string;
  /** Came when the text was told already, so it goes into an item behind the message. */
  readonly signature?: string;
}

/** How the answer ends, by the provider's last word on it. */
export type StreamEnd =
  | { readonly type: "finish"; readonly reason: FinishReason }
  | { readonly type: "failure"; readonly failure: Failure };

export interface GeminiState {
  readonly context: ParseContext;
  readonly begun: boolean;
  readonly over: boolean;
  /** Items opened so far; names the next one. */
  readonly items: number;
  readonly open?: OpenReasoning | OpenMessage;
  /** Ids of the calls so far; `""` where the provider gave none. */
  readonly calls: readonly string[];
  readonly end?: StreamEnd;
  /** The provider's own object: read once, at the end, for it comes with every chunk. */
  readonly usage?: unknown;
  /** Counts of before that the latest fall short of. */
  readonly fallenUsage?: Usage;
  readonly grounding?: Grounding;
  /** Queries of Google's search, each once; every chunk of a stream may name some of them. */
  readonly queries: ReadonlySet<string>;
  /** The model that answers, as Google calls it. */
  readonly modelVersion?: string;
  readonly citations?: readonly GeminiCitation[];
}

/** A state and what came out on the way to it. */
export type ParseStep = StepResult<GeminiState, ModelEvent>;

export function createState(requested: ParseContext): GeminiState {
  return { context: requested, begun: false, over: false, items: 0, calls: [], queries: new Set() };
}
