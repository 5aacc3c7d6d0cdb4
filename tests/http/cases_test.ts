/** Black-box cases of specification, Clients that no other file tells; the numbers are those of its list. */

import assert from "node:assert/strict";
import { startChatMock } from "../mocks/chat_upstream.ts";
import type { Plan, Planned } from "../mocks/plan.ts";
import { startResponsesMock } from "../mocks/responses_upstream.ts";
import type { Mock, MockOptions } from "../mocks/serve.ts";
import { ask, readError, readJson } from "../support/call.ts";
import { asList, asObject, checkStream, type Json, readStream, resultText } from "../support/event_stream.ts";
import { type Gateway, providerAt, startGateway } from "../support/gateway.ts";
import { type Wire, wires } from "../support/scripted.ts";

interface Rig {
  readonly gateway: Gateway;
  readonly mock: Mock;
  readonly wire: Wire;
}

const starts = { responses: startResponsesMock, chat: startChatMock } as const;

function forWires(name: string, test: (rig: Rig) => Promise<void>, options: MockOptions = {}): void {
  for (const wire of wires) {
    Deno.test(`${name} (${wire})`, async () => {
      const mock = starts[wire](options);
      try {
        await using gateway = await startGateway({ providers: [providerAt(mock.url, { wire })] });
        await test({ gateway, mock, wire });
      } finally {
        await mock.close();
      }
    });
  }
}

const send = async ({ gateway }: Rig, body: Json) =>
  await readJson(await ask(gateway, { model: "mock/model", ...body }));
const stream = async ({ gateway }: Rig, body: Json) =>
  await readStream(await ask(gateway, { model: "mock/model", ...body, stream: true }));
const refused = async ({ gateway }: Rig, body: Json) =>
  await readError(await ask(gateway, { model: "mock/model", input: "Hi", ...body }));

const says = (...items: Planned[]): Plan => ({
  items,
  finish: "stop",
  counts: { input: 9, output: 9, cached: 3, reasoning: 2 },
  pieces: [1, 4],
});

const thought: Planned = { type: "reasoning", thoughts: "Hm.", summary: ["So."], encrypted: "c" };
const call = (name: string): Planned => ({
  type: "call",
  kind: "function",
  callId: `call_${name}`,
  name,
  arguments: '{"a":1}',
});
const mixed = [thought, { type: "text", text: "One moment." }, call("f"), call("g")] as const;
const tools = ["f", "g"].map((name) => ({ type: "function", name, parameters: null }));

forWires("1 2 6 7 POST /responses numbers and nests thoughts, text and calls alike", async (rig) => {
  const events = await stream(rig, { input: "Hi", tools });
  const result = checkStream(events);
  const types = asList(result.output).map((item) => asObject(item).type);
  assert.deepEqual(types, ["reasoning", "message", "function_call", "function_call"]);
  for (const kind of ["output_text", "function_call_arguments"]) assertAddUp(events.events, kind);
  const whole = await send(rig, { input: "Hi", tools });
  assert.deepEqual(asList(whole.output).map((item) => asObject(item).type), types);
}, { answer: () => says(...mixed) });

/** Deltas of each item, put together, are what its `done` tells. */
function assertAddUp(events: readonly Json[], kind: string): void {
  const grown = new Map<unknown, string>();
  for (const { type, item_id: id, delta, text, arguments: received } of events) {
    if (type === `response.${kind}.delta`) grown.set(id, (grown.get(id) ?? "") + delta);
    if (type === `response.${kind}.done`) assert.equal(grown.get(id) ?? "", text ?? received);
  }
  assert(grown.size > 0);
}

const replayed: Readonly<Record<string, readonly Json[]>> = {
  "8 an assistant message without id, status and annotations": [
    { role: "assistant", content: [{ type: "output_text", text: "Hello." }] },
  ],
  "8 an assistant message that is a string": [{ role: "assistant", content: "Hello." }],
  "9 a thought without id, with null content and status": [
    { type: "reasoning", summary: [], content: null, status: null, encrypted_content: "c2VjcmV0" },
  ],
  "9 a thought in plain words": [
    { type: "reasoning", id: "rs_1", summary: [], content: [{ type: "reasoning_text", text: "Hm." }] },
  ],
  "10 a web search": [
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "q" } },
  ],
  "an item reference": [{ type: "item_reference", id: "rs_gone" }],
  "a message without a type": [{ role: "developer", content: "Be brief." }],
};

for (const [what, items] of Object.entries(replayed)) {
  forWires(`POST /responses takes ${what}`, async (rig) => {
    const input = [{ role: "user", content: "Hi" }, ...items, { role: "user", content: "Go on" }];
    assert.equal(resultText(await send(rig, { input })), "You said: Go on");
  });
}

forWires("11 POST /responses takes calls after a message, and outputs in parallel", async (rig) => {
  const input = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "One moment." },
    { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
    { type: "function_call", call_id: "c2", name: "g", arguments: "{}" },
    { type: "function_call_output", call_id: "c1", output: "one" },
    { type: "function_call_output", call_id: "c2", output: "two" },
  ];
  await send(rig, { input, tools });
  const { messages } = rig.mock.requests[0]?.body ?? {};
  if (messages === undefined) return;
  const roles = asList(messages).map((message) => asObject(message).role);
  assert.deepEqual(roles, ["user", "assistant", "tool", "tool"]);
});

forWires("13 POST /responses refuses a tool's output without its call", async (rig) => {
  const result = { type: "function_call_output", call_id: "c1", output: "x" };
  const before = { type: "function_call", call_id: "c1", name: "f", arguments: "{}" };
  for (const input of [[result], [result, before], [{ role: "user", content: "Hi" }, result]]) {
    const { status, message } = await refused(rig, { input });
    assert.equal(status, 422);
    assert.match(message, /input\[\d\]\.call_id/);
  }
  assert.equal(rig.mock.requests.length, 0);
});

forWires("17 POST /responses calls allowed tools only", async (rig) => {
  const choice = { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "g" }] };
  await send(rig, { input: "Hi", tools, tool_choice: choice });
  const sent = JSON.stringify(rig.mock.requests[0]?.body);
  assert(/allowed_tools/.test(sent) || !/"name":"f"/.test(sent), sent);
});

const limits: readonly (readonly [Json, number])[] = [
  [{ max_tool_calls: 0 }, 400],
  [{ max_tool_calls: 30 }, 200],
  [{ max_tool_calls: 31 }, 400],
  [{ temperature: 3 }, 400],
  [{ temperature: 2 }, 200],
  [{ top_p: 1.5 }, 400],
  [{ tool_choice: "maybe" }, 400],
  [{ store: true }, 400],
  [{ store: false }, 200],
  [{ previous_response_id: "resp_1" }, 400],
  [{ previous_response_id: null }, 200],
  [{ metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, "v"])) }, 400],
  [{ metadata: { "a[b]": "v" } }, 400],
  [{ session_id: "s".repeat(257) }, 400],
  [{ user: "u".repeat(256) }, 200],
  [{ input: [{ type: "no_such_item" }] }, 400],
  [{ tools: [{ type: "no_such_tool" }] }, 400],
  [{ unheard_of: { deep: [1] } }, 200],
  [{ include: null, truncation: null, reasoning: {}, metadata: {}, user: "", instructions: "" }, 200],
  [{ text: {}, include: [], parallel_tool_calls: null, service_tier: null }, 200],
];

for (const [body, status] of limits) {
  forWires(`19 26 POST /responses answers ${status} to ${JSON.stringify(body).slice(0, 60)}`, async (rig) => {
    if (status === 200) return void await send(rig, { input: "Hi", ...body });
    const { status: got, error, message } = await refused(rig, body);
    assert.equal(got, status);
    const [key = ""] = Object.keys(body);
    assert(String(asObject(error.metadata).path).startsWith(key));
    assert(message.includes(key));
  });
}

forWires("22 POST /responses counts thoughts, and tells no summary that was not asked for", async (rig) => {
  const body = { input: "Hi", reasoning: { effort: "low" } };
  const result = await send(rig, body);
  const usage = asObject(result.usage);
  assert((asObject(usage.output_tokens_details).reasoning_tokens as number) > 0);
  assert(
    (usage.output_tokens as number) >= (asObject(usage.output_tokens_details).reasoning_tokens as number),
  );
  const thoughts = asList(result.output).map(asObject).filter(({ type }) => type === "reasoning");
  for (const { summary } of thoughts) assert.deepEqual(summary, []);
});

for (const tier of ["auto", "default", "flex", "priority"]) {
  forWires(`24 POST /responses tells the service tier that was used for ${tier}`, async (rig) => {
    const result = await send(rig, { input: "Hi", service_tier: tier });
    assert.equal(result.service_tier, "default", "the mock's own");
    assert.equal(rig.mock.requests[0]?.body.service_tier ?? "auto", tier);
  });
}

forWires("24 POST /responses sends fast as priority", async (rig) => {
  await send(rig, { input: "Hi", service_tier: "fast" });
  assert.equal(rig.mock.requests[0]?.body.service_tier, "priority");
});

forWires("27 POST /responses tells no error of an answer that is complete", async (rig) => {
  for (const result of [await send(rig, { input: "Hi" }), checkStream(await stream(rig, { input: "Hi" }))]) {
    assert.equal(result.error, null);
    assert.equal("error_type" in result, false);
  }
});

/** Every key that some client demands (client-requirements 1), with what stands there unless it was sent. */
const defaults = {
  background: false,
  frequency_penalty: 0,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: null,
  object: "response",
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: "default",
  store: false,
  temperature: 1,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: "disabled",
};

forWires("POST /responses sends every field that some client demands, everywhere", async (rig) => {
  const events = await stream(rig, { input: "Hi" });
  const objects = events.events.flatMap(({ response }) => response === undefined ? [] : [asObject(response)]);
  assert.equal(objects.length, 3);
  for (const result of [await send(rig, { input: "Hi" }), ...objects]) {
    for (const [key, value] of Object.entries(defaults)) assert.deepEqual(result[key], value, key);
    for (const key of ["id", "created_at", "completed_at", "status", "model", "output", "error", "usage"]) {
      assert(key in result, key);
    }
    assert(Number.isInteger(result.created_at));
  }
});
