import assert from "node:assert/strict";
import { collect } from "../../../../tests/support/collect.ts";
import {
  added,
  created,
  delta,
  done,
  ended,
  message,
  parse,
  received,
  typesOf,
} from "../../../../tests/support/responses_events.ts";

Deno.test("parseEvents keeps the first of ids that change on the way", () => {
  const { items } = collect(parse(
    created,
    added({ ...message, id: "a" }),
    delta("output_text", { item_id: "b", delta: "Hey" }),
    done({ ...received("Hey"), id: "c" }),
    ended({ output: [{ ...received("Hey"), id: "d" }] }),
  ));
  assert.deepEqual(items.map(({ id }) => id), ["a"]);
});

Deno.test("parseEvents tells items that only the terminal event holds", () => {
  const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "f", arguments: "{}" };
  const { items } = collect(parse(
    created,
    added(message),
    delta("output_text", { delta: "He" }),
    ended({
      output: [{ type: "reasoning", id: "rs_1", summary: [] }, { ...received("Hey"), id: "new" }, call],
    }),
  ));
  assert.partialDeepStrictEqual(items, [
    { type: "message", id: "msg_1", parts: [{ text: "Hey" }] },
    { type: "reasoning", id: "rs_1" },
    { type: "call", callId: "call_1", arguments: "{}" },
  ]);
});

Deno.test("parseEvents puts up with servers that open nothing, number nothing or name nothing", () => {
  const bare = parse(
    { type: "response.output_text.delta", item_id: "x", delta: "He" },
    { type: "response.output_text.delta", item_id: "x", delta: "y" },
    { type: "response.function_call_arguments.delta", item_id: "y", output_index: 1, delta: "{}" },
    done({ type: "function_call", id: "y", call_id: "call_1", name: "f", arguments: "{}" }, 1),
    ended(),
  );
  assert.partialDeepStrictEqual(collect(bare).items, [
    { type: "message", id: "x", parts: [{ text: "Hey" }] },
    { type: "call", name: "f", arguments: "{}" },
  ]);
  const zeros = parse(
    created,
    added({ ...message, id: "a" }),
    delta("output_text", { delta: "A" }),
    done({ ...received("A"), id: "a" }),
    added({ ...message, id: "b" }),
    delta("output_text", { delta: "B" }),
    ended(),
  );
  assert.partialDeepStrictEqual(collect(zeros).items, [{ id: "a" }, { id: "b", parts: [{ text: "B" }] }]);
  const nameless = parse(
    { type: "response.output_item.added", item: { type: "message", content: [] } },
    { type: "response.output_text.delta", delta: "A" },
    { type: "response.output_item.done", item: { type: "message", content: "AB" } },
    ended(),
  );
  assert.partialDeepStrictEqual(collect(nameless).items, [{ parts: [{ text: "AB" }] }]);
});

Deno.test("parseEvents closes an item when another opens in its place", () => {
  const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "f", arguments: "" };
  const { items } = collect(parse(created, added(message), added(message), added(call), done(call), ended()));
  assert.deepEqual(items.map(({ type }) => type), ["message", "call"]);
  const swapped = collect(parse(created, added(message), done({ ...call, arguments: "{}" }), ended())).items;
  assert.partialDeepStrictEqual(swapped, [{ type: "message" }, { type: "call", arguments: "{}" }]);
});

Deno.test("parseEvents gives no two items one id", () => {
  const call = { type: "function_call", id: "x", call_id: "c", name: "f", arguments: "{}" };
  const other = { ...call, name: "g" };
  const { items } = collect(parse(created, done(call), done(other, 1), ended({ output: [call, other] })));
  assert.partialDeepStrictEqual(items, [{ id: "x", callId: "c" }, {
    id: undefined,
    callId: "c_1",
    name: "g",
  }]);
});

Deno.test("parseEvents finds the item of a tool's progress that names none", () => {
  const step = { type: "response.web_search_call.searching" };
  const search = { type: "web_search_call", id: "ws_1", status: "in_progress" };
  const events = parse(created, step, added(search), step, added(message, 1), step, ended());
  assert.deepEqual(events.flatMap((event) => event.type === "foreign" ? [event.itemKey] : []), [0, 0]);
});

Deno.test("parseEvents takes text that a part opens with, and none for items that hold none", () => {
  const events = parse(
    created,
    added(message),
    { type: "response.content_part.added", output_index: 0, part: { type: "output_text", text: "A" } },
    { type: "response.content_part.added", output_index: 0, part: { type: "output_audio", data: "" } },
    done(received("A")),
    delta("output_text", { delta: "late" }),
    added({ type: "advisor", id: "adv" }, 1),
    delta("output_text", { output_index: 1, delta: "psst" }),
    { type: "response.output_text.done", output_index: 1, text: "psst" },
    delta("function_call_arguments", { output_index: 1, delta: "{}" }),
    ended(),
  );
  assert.deepEqual(typesOf(events), [
    "begin",
    "item",
    "text",
    "item_done",
    "item",
    "foreign",
    "foreign",
    "foreign",
    "item_done",
    "finish",
  ]);
});
