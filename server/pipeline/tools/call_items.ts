/** Items of calls of server tools: how they open, what tells of their progress, and how they end. */

import { isRecord, omitUndefined } from "../../../shared/util/json.ts";
import { parseCallArguments } from "../../protocols/canonical/call_arguments.ts";
import type { ItemKey, OutputEvent } from "../../protocols/canonical/event.ts";
import type { JsonObject, PassthroughItem, ToolCallItem } from "../../protocols/canonical/item.ts";
import type { PlannedTool } from "./tool_plan.ts";

/** A call of a server tool. */
export interface ServerCall {
  readonly itemKey: ItemKey;
  readonly itemId: string;
  readonly tool: PlannedTool;
  /** Set when the turn is over. */
  call?: ToolCallItem;
}

/** Events that open the item of a call. */
export function openingEvents(call: ServerCall, item: ToolCallItem): readonly OutputEvent[] {
  const opened: OutputEvent = { type: "item", itemKey: call.itemKey, item: startedItem(call, item) };
  return [opened, ...progressEvents(call, call.tool.definition.progress?.started)];
}

/** Events of the Responses API on the item of a call. */
export function progressEvents(
  call: Pick<ServerCall, "itemKey">,
  events: readonly (string | ({ readonly type: string } & JsonObject))[] = [],
): readonly OutputEvent[] {
  return events.map((event) => itemEvent(call, typeof event === "string" ? { type: event } : event));
}

export const itemEvent = (
  { itemKey }: Pick<ServerCall, "itemKey">,
  value: { readonly type: string } & JsonObject,
): OutputEvent => ({ type: "foreign", wire: "responses", itemKey, value });

/** The kind of a tool's items in the canonical model. */
const kindOf = ({ definition: { kind, hosted }, itemType }: PlannedTool): string =>
  hosted?.itemType === itemType ? itemType : `service:${kind}`;

function startedItem({ itemId, tool }: ServerCall, { callId }: ToolCallItem): PassthroughItem {
  const { definition, itemType, settings } = tool;
  const value = omitUndefined({
    type: itemType,
    id: itemId,
    status: "in_progress",
    ...definition.itemFields({}, settings),
    call_id: callId,
    ...(definition.runsHere?.(settings) === false ? definition.clientFields?.({}) : {}),
  });
  return { type: "foreign", wire: "responses", kind: kindOf(tool), id: itemId, value };
}

/** The end of a call. */
interface CallEnd {
  readonly status: "completed" | "incomplete" | "failed";
  readonly fields: JsonObject;
  /** Result that the model reads; absent for a call that has not run. */
  readonly output?: string;
  /** The client answers it. */
  readonly forClient?: true;
}

/** The item of a call that is over, or that the client has to answer. */
export function finishedItem({ itemId, tool, call }: ServerCall, end: CallEnd): PassthroughItem {
  const { definition, itemType } = tool;
  const { callId = "", arguments: text = "" } = call ?? {};
  const { status, fields, output, forClient } = end;
  const base = omitUndefined({
    type: itemType,
    id: itemId,
    status,
    ...fields,
    call_id: callId,
    arguments: isRecord(fields.arguments) ? fields.arguments : text,
    ...(forClient === true ? definition.clientFields?.(parseCallArguments(text) ?? {}) : {}),
  });
  // A function of the client's may have the name of the tool.
  const shownName = definition.shownName ?? (forClient === true ? tool.name : definition.kind);
  const isToldByItem = output === undefined || definition.outputOf?.(base) === output;
  const value = isToldByItem ? base : { ...base, output };
  return {
    type: "foreign",
    wire: "responses",
    kind: kindOf(tool),
    id: itemId,
    value,
    call: { callId, name: shownName, arguments: text, output, forClient },
  };
}
