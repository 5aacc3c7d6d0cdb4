/** State of the parser of a stream. */

import type { Usage } from "../../../canonical/usage.ts";
import type { FinishReason, ModelEvent } from "../../../canonical/event.ts";
import type { Annotation } from "../../../canonical/item.ts";
import type { ToolInputReader } from "../../../common/outbound/parse_tool_input.ts";
import type { StepResult } from "../../../stream/state_machine.ts";
import type { ToolNames } from "../../../common/outbound/tool_names.ts";
import type { OwnFields } from "./parse_own_fields.ts";
import type { ChatAnnotation, ReasoningDetail } from "../response_schema.ts";

/** Facts of the request that decide how its answer is read. */
interface ParseContext {
  readonly names: ToolNames;
  /** Calls beyond this many are left out: not every provider honours `parallel_tool_calls` and `tool_choice`. */
  readonly maxCalls: number;
}

/** How far a text is that may begin with thoughts between tags; see parse_think_tags.ts. */
export interface ThinkTags {
  readonly at: "before" | "inside" | "after";
  /** Text that may be the beginning of a tag. */
  readonly held: string;
  /** White space around a tag belongs to neither side. */
  readonly trim: boolean;
}

/** A reasoning item that is open. What was streamed is kept because a seal is told with the whole item. */
export interface OpenReasoning {
  readonly type: "reasoning";
  readonly at: number;
  readonly text: string;
  readonly summary: string;
  readonly signature?: string;
  readonly encrypted?: string;
  readonly format?: string;
  readonly id?: string;
  /** Type and index of its last detail. */
  readonly last?: { readonly type: string; readonly index?: number };
}

/** A message that is open; `part` counts from 0, -1 before the first. */
export interface OpenMessage {
  readonly type: "message";
  readonly at: number;
  readonly part: number;
  readonly speaking?: "text" | "refusal";
  /** Citations that came before the text they belong to. */
  readonly citations: readonly Annotation[];
}

/** A call as it is pieced together. */
export interface PendingToolCall {
  /** The provider's own number for it. */
  readonly index?: number;
  readonly id: string;
  /** As the provider spells it. */
  readonly name: string;
  readonly arguments: string;
  /** Part of the arguments that has not been sent yet. */
  readonly unsentArguments: string;
  /** `naming`: its item is not open yet; `ignored`: beyond what was asked for. */
  readonly status: "naming" | "open" | "closed" | "ignored";
  readonly at: number;
  /** Reads the text of a custom tool out of the arguments. */
  readonly input?: ToolInputReader;
  /** Google's signature of the call. */
  readonly signature?: string;
}

export interface ChatState {
  readonly context: ParseContext;
  readonly hasStarted: boolean;
  readonly isFinished: boolean;
  /** Items opened so far; names the next one. */
  readonly items: number;
  readonly open?: OpenReasoning | OpenMessage;
  /** Seals that came while a message was open: they stand behind it. */
  readonly lateSeals: readonly ReasoningDetail[];
  /** Ids of thoughts so far. */
  readonly thoughtIds: readonly string[];
  readonly calls: readonly PendingToolCall[];
  readonly finish?: FinishReason;
  readonly usage?: Usage;
  readonly serviceTier?: string;
  /** Only where the server is known to put its thoughts into its text. */
  readonly tags?: ThinkTags;
  /** Pages that a searching model names beside its answer; they are told at its end. */
  readonly sources: readonly ChatAnnotation[];
  /** Fields that only clients of this same wire have a use for. */
  readonly own?: OwnFields;
}

/** A state and what came out on the way to it. */
export type ParseStep = StepResult<ChatState, ModelEvent>;

export function createState(requested: ParseContext, tags?: ThinkTags): ChatState {
  return {
    context: requested,
    hasStarted: false,
    isFinished: false,
    items: 0,
    lateSeals: [],
    thoughtIds: [],
    calls: [],
    sources: [],
    tags,
  };
}
