/** Events of a provider's Responses stream for tests, and what the wire makes of them. */

import type { ModelEvent } from "../../server/protocols/canonical/event.ts";
import type { JsonObject } from "../../server/protocols/canonical/item.ts";
import { parseEvents } from "../../server/protocols/responses/outbound/parse_events.ts";
import { foldEvents } from "../../server/protocols/stream/state_machine.ts";

export const parse = (...events: readonly JsonObject[]): readonly ModelEvent[] =>
  foldEvents(parseEvents, events.map((event) => ({ data: JSON.stringify(event) })));

export const created = { type: "response.created", response: { id: "resp_1", model: "one-2026" } };
export const message = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "in_progress",
  content: [],
};
export const added = (item: JsonObject, output_index = 0) => ({
  type: "response.output_item.added",
  output_index,
  item,
});
export const done = (item: JsonObject, output_index = 0) => ({
  type: "response.output_item.done",
  output_index,
  item,
});
export const ended = (response: JsonObject = {}) => ({
  type: "response.completed",
  response: { status: "completed", ...response },
});
export const delta = (type: string, fields: JsonObject) => ({
  type: `response.${type}.delta`,
  output_index: 0,
  ...fields,
});
export const received = (text: string) => ({
  ...message,
  status: "completed",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});

export const typesOf = (events: readonly ModelEvent[]) => events.map(({ type }) => type);
