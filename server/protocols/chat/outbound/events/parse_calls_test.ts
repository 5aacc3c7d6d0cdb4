import assert from "node:assert/strict";
import type { JsonObject, ToolCallItem } from "../../../canonical/item.ts";
import type { ModelEvent } from "../../../canonical/event.ts";
import type { FunctionTool, ModelRequest, Tool } from "../../../canonical/request.ts";
import { foldEvents } from "../../../stream/state_machine.ts";
import { modelRequest } from "../../../../../tests/support/requests.ts";
import { parseEvents } from "./parse_events.ts";

const fn = (name: string): FunctionTool => ({ type: "function", name, parameters: null });
const tools: readonly Tool[] = [
  fn("get_weather"),
  fn("get"),
  fn("now"),
  { type: "custom", name: "patch" },
  { type: "namespace", name: "crm", tools: [fn("find"), { type: "custom", name: "query" }] },
];

/** Each delta is a chunk of its own. */
function parse(
  deltas: readonly JsonObject[],
  { reason = "tool_calls", ...request }: Partial<Requested> = {},
) {
  const chunks = deltas.map((delta) => ({ choices: [{ index: 0, delta }] }));
  const last = { choices: [{ index: 0, delta: {}, finish_reason: reason }] };
  const frames = [...chunks, last].map((chunk) => ({ data: JSON.stringify(chunk) }));
  return foldEvents(parseEvents(modelRequest({ tools, ...request })), frames);
}

interface Requested extends ModelRequest {
  readonly reason: string;
}

const call = (...calls: readonly JsonObject[]) => ({ tool_calls: calls });
const named = (name: string, args = "", more: JsonObject = {}) => ({
  ...more,
  function: { name, arguments: args },
});
const more = (args: string, fields: JsonObject = {}) => ({ ...fields, function: { arguments: args } });

/** The calls that were told, each with what was streamed of it, and whether its item was closed. */
function callsOf(events: readonly ModelEvent[]) {
  return events.flatMap((event) =>
    event.type === "item" && event.item.type === "call" ? [tell(events, event.itemKey, event.item)] : []
  );
}

function tell(
  ...[events, at, { kind, name, namespace, callId }]: readonly [readonly ModelEvent[], unknown, ToolCallItem]
) {
  const text = events.flatMap((event) =>
    event.type === "arguments" && event.itemKey === at ? [event.delta] : []
  )
    .join("");
  const closed = events.some((event) => event.type === "item_done" && event.itemKey === at);
  const full = namespace === undefined ? name : `${namespace}/${name}`;
  return `${kind === "custom" ? "custom " : ""}${full}(${text})${callId === "" ? "" : ` #${callId}`}${
    closed ? "" : " open"
  }`;
}

const cases: Readonly<Record<string, readonly [readonly JsonObject[], readonly string[]]>> = {
  "as OpenAI streams it": [[
    call({ index: 0, id: "a", type: "function", ...named("get_weather") }),
    call({ index: 0, ...more('{"ci') }),
    call({ index: 0, ...more('ty":1}') }),
  ], ['get_weather({"city":1}) #a']],
  "parallel, one after the other": [[
    call({ index: 0, id: "a", ...named("get_weather") }),
    call({ index: 0, ...more('{"x":1}') }),
    call({ index: 1, id: "b", ...named("now") }),
    call({ index: 1, ...more("{}") }),
  ], ['get_weather({"x":1}) #a', "now({}) #b"]],
  "parallel, interleaved": [[
    call({ index: 0, id: "a", ...named("get_weather") }),
    call({ index: 1, id: "b", ...named("now") }),
    call({ index: 0, ...more('{"x"') }, { index: 1, ...more('{"y"') }),
    call({ index: 1, ...more(":2}") }),
    call({ index: 0, ...more(":1}") }),
  ], ['get_weather({"x":1}) #a', 'now({"y":2}) #b']],
  "whole in one chunk": [[call({ index: 0, id: "a", ...named("get_weather", '{"x":1}') })], [
    'get_weather({"x":1}) #a',
  ]],
  "two whole ones in one chunk without an index": [[
    call({ id: "a", ...named("now", "{}") }, { id: "b", ...named("now", "{}") }),
  ], ["now({}) #a", "now({}) #b"]],
  "two whole ones in one chunk without index or id": [[call(named("now", "{}"), named("now", '{"z":1}'))], [
    "now({})",
    'now({"z":1})',
  ]],
  "every call numbered 0": [[
    call({ index: 0, id: "a", ...named("now", "{}") }),
    call({ index: 0, id: "b", ...named("now", '{"z":1}') }),
  ], ["now({}) #a", 'now({"z":1}) #b']],
  "every call numbered 0 in one chunk, without ids": [[
    call({ index: 0, ...named("now", "{}") }, { index: 0, ...named("now", '{"z":1}') }),
  ], ["now({})", 'now({"z":1})']],
  "without an index": [[
    call({ id: "a", ...named("get_weather") }),
    call(more('{"x":')),
    call(more("1}")),
    call({ id: "b", ...named("now") }),
    call(more("{}")),
  ], ['get_weather({"x":1}) #a', "now({}) #b"]],
  "without index and id": [[
    call(named("get_weather")),
    call(more('{"x":1}')),
    call(named("now")),
    call(more("{}")),
  ], ['get_weather({"x":1})', "now({})"]],
  "the id comes late": [[
    call({ index: 0, ...named("get") }),
    call({ index: 0, id: "a", ...more("{}") }),
  ], ["get({}) #a"]],
  "the id is repeated": [[
    call({ index: 0, id: "a", ...named("now", "{") }),
    call({ index: 0, id: "a", ...more("}") }),
  ], ["now({}) #a"]],
  "the id changes with every piece": [[
    call({ index: 0, id: "a", ...named("now", "{") }),
    call({ index: 0, id: "b", function: { name: null, arguments: "}" } }),
  ], ["now({}) #a"]],
  "the name is repeated": [[
    call({ index: 0, id: "a", ...named("get_weather") }),
    call({ index: 0, id: "a", ...named("get_weather", "{") }),
    call({ index: 0, id: "a", ...named("get_weather", "}") }),
  ], ["get_weather({}) #a"]],
  "the name grows": [[
    call({ index: 0, id: "a", ...named("get") }),
    call({ index: 0, ...named("get_weather") }),
    call({ index: 0, ...more("{}") }),
  ], ["get_weather({}) #a"]],
  "the name comes in pieces": [[
    call({ index: 0, id: "a", ...named("get") }),
    call({ index: 0, ...named("_wea") }),
    call({ index: 0, ...named("ther") }),
    call({ index: 0, ...more("{}") }),
  ], ["get_weather({}) #a"]],
  "a name that another one goes on from": [[call({ index: 0, id: "a", ...named("get") })], ["get({}) #a"]],
  "a name nobody offered": [[call({ index: 0, id: "a", ...named("made_up", "{}") })], ["made_up({}) #a"]],
  "arguments before the name": [[
    call({ index: 0, id: "a", ...more('{"x"') }),
    call({ index: 0, ...named("now", ":1}") }),
  ], ['now({"x":1}) #a']],
  "arguments as an object": [[call({ index: 0, id: "a", function: { name: "now", arguments: { x: 1 } } })], [
    'now({"x":1}) #a',
  ]],
  "arguments as an object, with the names of an object's own": [[
    call({ index: 0, id: "a", function: { name: "now", arguments: JSON.parse('{"__proto__":{"x":1}}') } }),
  ], ['now({"__proto__":{"x":1}}) #a']],
  "no arguments": [[call({ index: 0, id: "a", ...named("now") })], ["now({}) #a"]],
  "arguments of null": [[call({ index: 0, id: "a", function: { name: "now", arguments: null } })], [
    "now({}) #a",
  ]],
  "the same id twice": [[
    call({ index: 0, id: "x", ...named("now", "{}") }),
    call({ index: 1, id: "x", ...named("now", '{"z":1}') }),
  ], ["now({}) #x", 'now({"z":1})']],
  "the older function_call": [[
    { function_call: { name: "now", arguments: "" } },
    { function_call: { arguments: '{"x":' } },
    { function_call: { arguments: "1}" } },
  ], ['now({"x":1})']],
  "a tool of a namespace": [[call({ index: 0, id: "a", ...named("crm__find", "{}") })], ["crm/find({}) #a"]],
  "a custom tool": [[
    call({ index: 0, id: "a", ...named("patch") }),
    call({ index: 0, ...more('{"input":"a\\') }),
    call({ index: 0, ...more('nb"}') }),
  ], ["custom patch(a\nb) #a"]],
  "a custom tool of a namespace": [[
    call({ index: 0, id: "a", ...named("crm__query", '{"input":"select"}') }),
  ], [
    "custom crm/query(select) #a",
  ]],
  "a custom tool called with the text alone": [[call({ index: 0, id: "a", ...named("patch", "raw") })], [
    "custom patch(raw) #a",
  ]],
  "nothing in the list": [[call(), { content: "a" }], []],
};

Deno.test("parseEvents puts calls together however they are split", async (t) => {
  for (const [name, [deltas, expected]] of Object.entries(cases)) {
    await t.step(name, () => {
      const events = parse(deltas);
      assert.deepEqual(callsOf(events), expected);
      assert.equal(events.at(-1)?.type, "finish");
    });
  }
});

Deno.test("a custom tool's input streams as plain text", () => {
  const chunks = ['{"input', '":"Be', "gin\\", "n*** ", 'end"', "}"];
  const events = parse([
    call({ index: 0, id: "a", ...named("patch") }),
    ...chunks.map((args) => call({ index: 0, ...more(args) })),
  ]);
  const deltas = events.flatMap((event) => event.type === "arguments" ? [event.delta] : []);
  assert.deepEqual(deltas, ["Be", "gin", "\n*** ", "end"]);
});

Deno.test("a call's item opens with its first piece", () => {
  const first = parse([call({ index: 0, id: "a", ...named("get_weather") })], { reason: "" });
  assert.deepEqual(first.map(({ type }) => type), ["begin", "item", "failure"]);
});

Deno.test("items close when the next kind begins; a call only once it is whole", () => {
  const order = (deltas: readonly JsonObject[]) =>
    parse(deltas).flatMap((event) =>
      event.type === "item" ? [`+${event.itemKey}`] : event.type === "item_done" ? [`-${event.itemKey}`] : []
    );
  const first = call({ index: 0, id: "a", ...named("now", "{}") });
  const second = call({ index: 1, id: "b", ...named("now", "{}") });
  assert.deepEqual(order([{ reasoning: "hm" }, { content: "a" }, first, second]), [
    "+0",
    "-0",
    "+1",
    "-1",
    "+2",
    "-2",
    "+3",
    "-3",
  ]);
  const begun = call({ index: 0, id: "a", ...named("now", '{"x"') });
  assert.deepEqual(order([begun, second, call({ index: 0, ...more(":1}") })]), ["+0", "+1", "-0", "-1"]);
  assert.deepEqual(order([first, { content: "after" }, second]), ["+0", "-0", "+1", "-1", "+2", "-2"]);
});

Deno.test("calls beyond what was asked for are left out", async (t) => {
  const two = [
    { content: "Let me see" },
    call({ index: 0, id: "a", ...named("now", '{"x"') }),
    call({ index: 1, id: "b", ...named("now", '{"y"') }),
    call({ index: 1, ...more(":2}") }, { index: 0, ...more(":1}") }),
  ];
  const both = ['now({"x":1}) #a', 'now({"y":2}) #b'];
  const requested: readonly (readonly [string, Partial<ModelRequest>, readonly string[]])[] = [
    ["as a rule all are told", {}, both],
    ["parallel calls wanted", { parallelToolCalls: true }, both],
    ["parallel calls not wanted", { parallelToolCalls: false }, both.slice(0, 1)],
    ["no calls wanted", { toolChoice: { type: "none" } }, []],
  ];
  for (const [name, request, expected] of requested) {
    await t.step(name, () => {
      const events = parse(two, request);
      assert.deepEqual(callsOf(events), expected);
      assert.equal(events.at(-1)?.type, "finish");
    });
  }
});

Deno.test("a call cut short stays open, and one without a name is a failure", () => {
  const cut = parse([call({ index: 0, id: "a", ...named("now", '{"x"') })], { reason: "length" });
  assert.deepEqual(callsOf(cut), ['now({"x") #a open']);
  assert.partialDeepStrictEqual(cut.at(-1), { type: "finish", reason: "length" });
  const nameless = parse([call({ index: 0, id: "a", ...more("{}") })]);
  assert.partialDeepStrictEqual(nameless.at(-1), { type: "failure", failure: { kind: "upstream_failed" } });
});
