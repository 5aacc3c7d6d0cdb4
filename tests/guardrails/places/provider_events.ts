/** A Responses provider that says one item or one event: as a whole response, and as a stream. */

import type { Json } from "../../support/event_stream.ts";
import { sse } from "../../support/scripted.ts";

const usage = { input_tokens: 7, output_tokens: 5, total_tokens: 12 };
const base = { id: "resp_1", object: "response", created_at: 1, model: "m", usage };

export const frame = (value: Json): string =>
  `event: ${String(value.type)}\ndata: ${JSON.stringify(value)}\n\n`;

const begun = () =>
  frame({ type: "response.created", response: { ...base, status: "in_progress", output: [] } });

/** One item, told at its beginning and at its end, or as a whole. */
export function sayItem(item: Json, stream: boolean): Response {
  const response = { ...base, status: "completed", output: [item] };
  if (!stream) return Response.json(response);
  return sse([
    begun(),
    frame({ type: "response.output_item.added", output_index: 0, item }),
    frame({ type: "response.output_item.done", output_index: 0, item }),
    frame({ type: "response.completed", response }),
  ]);
}

/** The item that events of a type belong to. */
function itemOf(type: string): Json {
  const hosted = /^response\.(\w+?_call|mcp_list_tools)[._]/.exec(type)?.[1];
  if (/reasoning/.test(type)) return { type: "reasoning", id: "rs_1", summary: [] };
  if (/function_call/.test(type)) {
    return {
      type: "function_call",
      id: "fc_1",
      call_id: "call_1",
      name: "f",
      arguments: "",
      status: "in_progress",
    };
  }
  if (/custom_tool_call/.test(type)) {
    return {
      type: "custom_tool_call",
      id: "ct_1",
      call_id: "call_1",
      name: "f",
      input: "",
      status: "in_progress",
    };
  }
  if (hosted !== undefined) return { type: hosted, id: "ho_1", status: "in_progress", code: "", outputs: [] };
  return { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] };
}

/** Events of one item that has been opened. */
export function sayEvents(events: readonly Json[]): Response {
  const item = itemOf(String(events[0]?.type));
  const place = { item_id: item.id, output_index: 0, content_index: 0, summary_index: 0 };
  return sse([
    begun(),
    frame({ type: "response.output_item.added", output_index: 0, item }),
    ...events.map((event) => frame({ ...event, ...place })),
    frame({ type: "response.completed", response: { ...base, status: "completed", output: [] } }),
  ]);
}
