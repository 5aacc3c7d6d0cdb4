/** Events that tell of the calls of server tools: before they run, and how they end. */

import type { OutputEvent } from "../../../protocols/canonical/event.ts";
import type { JsonObject, PassthroughItem } from "../../../protocols/canonical/item.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import { parseArguments } from "../../tools/run_tool.ts";
import { approvalId } from "../../tools/mcp/approvals.ts";
import type { ToolOutcome } from "../../tools/tool_definition.ts";
import { finishedItem, progressEvents, type ServerCall } from "../../tools/call_items.ts";

const DIFF = "response.apply_patch_call_operation_diff";

/** How a call ends: with its outcome, or without one where the client answers it. */
export function endEvents(one: ServerCall, outcome: ToolOutcome | undefined): readonly OutputEvent[] {
  const { itemKey, tool: { definition, itemType } } = one;
  if (outcome === undefined) return clientCallEvents(one);
  // Nobody is asked for an approval of arguments that nobody can read: the model mends them.
  if (definition.opensLate === true) return [];
  const { output, fields } = outcome;
  const isHosted = definition.hosted?.itemType === itemType;
  const failedStatus = (isHosted ? definition.hostedFailedStatus : undefined) ?? definition.failedStatus;
  const endStatus = outcome.incomplete === true ? "incomplete" : "completed";
  const status = outcome.itemStatus ?? (outcome.failed === true ? failedStatus : endStatus);
  const { completed, failed = completed } = definition.progress ?? {};
  const progress = progressEvents(one, outcome.failed === true ? failed : completed);
  const shown = isHosted ? definition.hosted?.output : undefined;
  if (shown !== undefined) {
    const ofCall = new Set(shown.ofCall);
    const item = finishedItem(one, { status, fields: pick(fields, (key) => ofCall.has(key)), output });
    const value = { status, ...shown.empty, ...pick(fields, (key) => !ofCall.has(key)) };
    return [
      ...progress,
      { type: "item_done", itemKey, item },
      ...resultItem(one, { type: shown.type, fields: value }),
    ];
  }
  return [...progress, { type: "item_done", itemKey, item: finishedItem(one, { status, fields, output }) }];
}

const pick = (fields: JsonObject, isOf: (key: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => isOf(key)));

/** The results of a tool whose results are an item of their own. */
function resultItem(
  { itemKey, itemId, call }: ServerCall,
  { type, fields }: { readonly type: string; readonly fields: JsonObject },
): readonly OutputEvent[] {
  const id = `${itemId}_output`;
  const value = { type, id, call_id: call?.callId ?? "", ...fields };
  const item: PassthroughItem = { type: "foreign", wire: "responses", kind: type, id, value };
  const key = `${itemKey} output`;
  return [{ type: "item", itemKey: key, item }, { type: "item_done", itemKey: key, item }];
}

/** A call that the client answers, with the patch in it as the Responses API streams it. */
function clientCallEvents(one: ServerCall): readonly OutputEvent[] {
  const { itemKey, tool: { definition } } = one;
  if (definition.opensLate === true) return approvalEvents(one);
  const item = finishedItem(one, { status: "completed", fields: fieldsOfCall(one), forClient: true });
  const { operation } = item.value;
  const diff = isRecord(operation) ? operation.diff : undefined;
  const streamed: readonly JsonObject[] = typeof diff === "string"
    ? [{ type: `${DIFF}.delta`, delta: diff }, { type: `${DIFF}.done`, diff }]
    : [];
  return [
    ...streamed.map((value): OutputEvent => ({
      type: "foreign",
      wire: "responses",
      itemKey,
      value: { ...value, type: String(value.type) },
    })),
    { type: "item_done", itemKey, item },
  ];
}

/** A call that the client has to approve first. */
function approvalEvents(one: ServerCall): readonly OutputEvent[] {
  const { itemKey, itemId, call } = one;
  const fields = { ...fieldsOfCall(one), arguments: call?.arguments ?? "" };
  const id = approvalId(itemId.slice("st_".length), fields);
  const item = finishedItem({ ...one, itemId: id }, { status: "completed", fields, forClient: true });
  return [{ type: "item", itemKey, item }, { type: "item_done", itemKey, item }];
}

/** Fields of the item of a call that has not run. */
export function fieldsOfCall({ tool: { definition, settings }, call }: ServerCall): JsonObject {
  const args = parseArguments(definition, call?.arguments ?? "");
  return definition.itemFields(typeof args === "string" ? {} : args, settings);
}

/** Events that tell of a call before it runs, where its arguments can be read. */
export function requestEvents(one: ServerCall): readonly OutputEvent[] {
  const { definition } = one.tool;
  const { requested } = definition.progress ?? {};
  const text = one.call?.arguments ?? "";
  const args = requested === undefined ? "" : parseArguments(definition, text);
  return requested === undefined || typeof args === "string"
    ? []
    : progressEvents(one, requested(args, text));
}
