/** What the parser of a stream remembers, and how its steps are strung together. */

import type { FinishReason, ModelEvent } from "../../../canonical/event.ts";
import type { JsonObject } from "../../../canonical/item.ts";
import type { ToolInputReader } from "../../common/outbound/parse_tool_input.ts";
import type { ToolNames } from "../../common/outbound/tool_names.ts";
import type { ContentBlock, MessagesCitation } from "./response_schema.ts";
import type { UsageCounts } from "./parse_usage.ts";

/** What the request decides about how its answer is read. */
export interface ParseContext {
  readonly names: ToolNames;
  /** Calls beyond this many are left out: not every server honours `disable_parallel_tool_use`. */
  readonly maxCalls: number;
}

/** The block that the provider is in. Blocks come one after the other. */
export type ProviderBlock =
  | { readonly type: "text"; readonly cited: readonly MessagesCitation[]; readonly from: number }
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
  readonly text: string;
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
  readonly input?: ToolInputReader;
}

/** A tool of the provider's own that it called and whose result has not come yet. */
export interface ProviderCall {
  readonly at: number;
  readonly block: ContentBlock;
}

/** How the provider says that it stopped; told on as it is to clients of this same wire. */
export interface StopReason {
  readonly reason: FinishReason;
  readonly extra: JsonObject;
}

export interface MessagesState {
  readonly context: ParseContext;
  readonly begun: boolean;
  readonly over: boolean;
  /** Items opened so far; names the next one. */
  readonly items: number;
  readonly calls: number;
  readonly block?: ProviderBlock;
  readonly open?: OpenMessage | OpenReasoning | OpenCall;
  readonly ownCalls: ReadonlyMap<string, ProviderCall>;
  readonly stopped?: StopReason;
  readonly counts?: UsageCounts;
}

/** A state and what came out on the way to it. */
export type ParseStep = readonly [MessagesState, readonly ModelEvent[]];

export function createState(asked: ParseContext): MessagesState {
  return { context: asked, begun: false, over: false, items: 0, calls: 0, ownCalls: new Map() };
}

/** Takes one step after the other and collects what comes out. */
export function runSteps(
  state: MessagesState,
  steps: readonly ((state: MessagesState) => ParseStep)[],
): ParseStep {
  let now = state;
  const out: ModelEvent[] = [];
  for (const step of steps) {
    const [next, events] = step(now);
    now = next;
    for (const event of events) out.push(event);
  }
  return [now, out];
}
