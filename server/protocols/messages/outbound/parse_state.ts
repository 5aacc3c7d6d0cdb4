/** What the parser of a stream remembers, and how its steps are strung together. */

import type { FinishReason, ModelEvent } from "../../../canonical/event.ts";
import type { Json } from "../../../canonical/item.ts";
import type { InputReader } from "../../common/outbound/parse_tool_input.ts";
import type { ToolNames } from "../../common/outbound/tool_names.ts";
import type { Citation, ContentBlock } from "./response_schema.ts";
import type { Counted } from "./parse_usage.ts";

/** What the request decides about how its answer is read. */
export interface Asked {
  readonly names: ToolNames;
  /** Calls beyond this many are left out: not every server honours `disable_parallel_tool_use`. */
  readonly maxCalls: number;
}

/** The block that the provider is in. Blocks come one after the other. */
export type Block =
  | { readonly type: "text"; readonly cited: readonly Citation[]; readonly from: number }
  | { readonly type: "thinking" }
  | { readonly type: "call" }
  | { readonly type: "server_tool"; readonly id: string; readonly json: string }
  | { readonly type: "ignored" };

/** A message that is open: texts that follow each other are one part, however many blocks they came in. */
export interface OpenMessage {
  readonly type: "message";
  readonly at: number;
  /** UTF-16 units of text so far. */
  readonly length: number;
}

/** A thought that is open. What was streamed is kept because a seal is told with the whole item. */
export interface OpenReasoning {
  readonly type: "reasoning";
  readonly at: number;
  readonly thought: string;
  readonly signature: string;
  readonly encrypted?: string;
  /** Whether its block has ended. */
  readonly ended: boolean;
}

export interface OpenCall {
  readonly type: "call";
  readonly at: number;
  readonly empty: boolean;
  /** Reads the text of a custom tool out of the arguments. */
  readonly input?: InputReader;
}

/** A tool of the provider's own that it called and whose result has not come yet. */
export interface OwnCall {
  readonly at: number;
  readonly block: ContentBlock;
}

/** How the provider says that it stopped; told on as it is to clients of this same wire. */
export interface Stopped {
  readonly reason: FinishReason;
  readonly extra: Json;
}

export interface MessagesState {
  readonly asked: Asked;
  readonly begun: boolean;
  readonly over: boolean;
  /** Items opened so far; names the next one. */
  readonly items: number;
  readonly calls: number;
  readonly block?: Block;
  readonly open?: OpenMessage | OpenReasoning | OpenCall;
  readonly ownCalls: ReadonlyMap<string, OwnCall>;
  readonly stopped?: Stopped;
  readonly counts?: Counted;
}

/** A state and what came out on the way to it. */
export type Step = readonly [MessagesState, readonly ModelEvent[]];

export function startState(asked: Asked): MessagesState {
  return { asked, begun: false, over: false, items: 0, calls: 0, ownCalls: new Map() };
}

/** Takes one step after the other and collects what comes out. */
export function inTurn(state: MessagesState, steps: readonly ((state: MessagesState) => Step)[]): Step {
  let now = state;
  const out: ModelEvent[] = [];
  for (const step of steps) {
    const [next, events] = step(now);
    now = next;
    for (const event of events) out.push(event);
  }
  return [now, out];
}
