/** Conversations that are made to fit: at providers that count and refuse, with tools, on every API and wire. */

import assert from "node:assert/strict";
import type { SchemaViolation } from "../mocks/published.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { chatTurn, frame, scripted, sse } from "../support/scripted.ts";
import { loadedForTest } from "../support/tokenizer.ts";
import {
  calls,
  type MockedWire,
  says,
  send,
  type ToolRig,
  upstreamWires,
  withTools,
} from "../server_tools/rig.ts";
import { type Api, apis, askWith, explained, type PluginAnswer, stagesOf } from "./rig.ts";

const tokenizer = await loadedForTest();

/** Texts of a body, wherever they stand. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

const countOf = (body: Json): number => tokenizer.countNow(textsOf(body).join("\n"));

/** Refuses more tokens than that, as OpenAI says it. */
const atMost = (tokens: number) => (body: Json): SchemaViolation | undefined => {
  const count = countOf(body);
  if (count <= tokens) return undefined;
  const message =
    `This model's maximum context length is ${tokens} tokens. However, you requested ${count} tokens.`;
  return { message, type: "invalid_request_error", param: "messages", code: "context_length_exceeded" };
};

const CAP = 500;
const words = (name: string, count: number) => `${name} ${"abc def ghi jkl ".repeat(count / 4)}`;

/** An agent's conversation: a task, then calls one by one and side by side, each with its result. */
function agent(api: Api, turns: number): Json {
  const tool = { name: "read", description: "Reads a file", parameters: { type: "object", properties: {} } };
  const sizes = Array.from({ length: turns }, (_, at) => at % 3 === 0 ? 2 : 1);
  const idsOf = (at: number) => Array.from({ length: sizes[at] ?? 1 }, (_, place) => `call_${at}_${place}`);
  const output = (id: string) => words(`Result of ${id}`, 200);
  if (api === "responses") {
    const input = sizes.flatMap((_, at) => [
      ...idsOf(at).map((id) => ({ type: "function_call", call_id: id, name: "read", arguments: "{}" })),
      ...idsOf(at).map((id) => ({ type: "function_call_output", call_id: id, output: output(id) })),
    ]);
    const task = { type: "message", role: "user", content: "The task" };
    return { input: [task, ...input], tools: [{ type: "function", ...tool }], max_output_tokens: CAP };
  }
  if (api === "chat") {
    const messages = sizes.flatMap((_, at) => [
      {
        role: "assistant",
        content: null,
        tool_calls: idsOf(at).map((id) => ({
          id,
          type: "function",
          function: { name: "read", arguments: "{}" },
        })),
      },
      ...idsOf(at).map((id) => ({ role: "tool", tool_call_id: id, content: output(id) })),
    ]);
    return {
      messages: [{ role: "user", content: "The task" }, ...messages],
      tools: [{ type: "function", function: tool }],
      max_tokens: CAP,
    };
  }
  const messages = sizes.flatMap((_, at) => [
    {
      role: "assistant",
      content: idsOf(at).map((id) => ({ type: "tool_use", id, name: "read", input: {} })),
    },
    {
      role: "user",
      content: idsOf(at).map((id) => ({ type: "tool_result", tool_use_id: id, content: output(id) })),
    },
  ]);
  return {
    messages: [{ role: "user", content: "The task" }, ...messages],
    tools: [{ name: tool.name, description: tool.description, input_schema: tool.parameters }],
    max_tokens: CAP,
  };
}

const ON = { plugins: [{ id: "context-compression" }] };
const OFF = { plugins: [{ id: "context-compression", enabled: false }] };

const stageOf = (answer: PluginAnswer): Json | undefined =>
  stagesOf(answer).find(({ type }) => type === "context_compression");

function countsOf(answer: PluginAnswer): readonly [original: number, compressed: number] {
  const data = asObject(stageOf(answer)?.data);
  return [Number(data.original_count), Number(data.compressed_count)];
}

const ways = upstreamWires.flatMap((wire) =>
  apis.flatMap((api) => [false, true].map((stream) => ({ wire, api, stream })))
);
const CONTEXT = 12_000;

Deno.test("an agent's conversation is made to fit, and every provider takes it", async (t) => {
  const model = { context_length: CONTEXT, max_output_tokens: 2_000 };
  await withTools({ model, refuses: atMost(CONTEXT - CAP) }, async ({ gateway, plan, taken }) => {
    for (const { wire, api, stream } of ways) {
      await t.step(`${api} to ${wire}, ${stream ? "streamed" : "whole"}`, async () => {
        plan(() => [says("Done.")]);
        const body = { model: `mock/${wire}`, ...agent(api, 60), ...ON };
        const answer = await askWith(gateway, { api, stream, body });
        assert.equal(answer.text, "Done.");
        const bodies = taken(wire);
        assert.equal(bodies.length, 1, "the first try fits");
        const [sent = {}] = bodies;
        assert(countOf(sent) > CONTEXT / 2, "no more is left out than has to be");
        assert(textsOf(sent).includes("The task"));
        const [original, compressed] = countsOf(answer);
        assert.equal(original, 141);
        assert(compressed > 20 && compressed < 100, `${compressed} messages were sent`);
        assert.equal(asObject(stageOf(answer)?.data).engine, "middle-out");
        await askWith(gateway, { api, stream, body });
        assert.deepEqual(taken(wire)[1], sent, "the same request gives the same prompt");
      });
    }
  });
});

Deno.test("a provider that counts more gets four fifths, and says so where that is too much as well", async (t) => {
  let most = CONTEXT;
  const model = { context_length: CONTEXT, max_output_tokens: 2_000 };
  await withTools({ model, refuses: (body) => atMost(most)(body) }, async ({ gateway, plan, taken }) => {
    for (const { wire, api, stream } of ways) {
      await t.step(`${api} to ${wire}, ${stream ? "streamed" : "whole"}`, async () => {
        plan(() => [says("Done.")]);
        most = 10_500;
        const body = { model: `mock/${wire}`, ...agent(api, 60), ...ON };
        const answer = await askWith(gateway, { api, stream, body });
        assert.equal(answer.text, "Done.");
        const [first = {}, second = {}, ...others] = taken(wire);
        assert.deepEqual(others, []);
        assert(countOf(second) < countOf(first) * 0.85);
        const tried = asList(answer.metadata.attempts).map((one) => asObject(one).status);
        assert.deepEqual(tried, [400, 200]);

        most = 1_000;
        plan(() => [says("Done.")]);
        const refused = await send(gateway, { api, body: { ...body, stream } });
        assert.equal(refused.status, 400, refused.text);
        assert.match(refused.text, /maximum context length/);
        assert.equal(taken(wire).length, 2);
      });
    }
  });
});

const chat = (messages: number): Json => ({
  messages: Array.from({ length: messages }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: words(`Message ${at}`, 300),
  })),
  max_tokens: CAP,
});

const errorOf = (text: string): Json => asObject(asObject(JSON.parse(text)).error);

Deno.test("small contexts are compressed for by default, and large ones when asked to", async (t) => {
  for (const [context, isSmall] of [[8_192, true], [8_193, false]] as const) {
    await withTools({ model: { context_length: context }, refuses: atMost(context) }, async (rig) => {
      for (const wire of upstreamWires) {
        await t.step(`${wire}, ${context} tokens`, async () => {
          const ask = (fields: Json) =>
            send(rig.gateway, { api: "chat", body: { model: `mock/${wire}`, ...chat(41), ...fields } });
          assert.equal((await ask({})).status, isSmall ? 200 : 400);
          assert.equal((await ask(ON)).status, 200);
          const off = await ask(OFF);
          assert.equal(off.status, 400);
          const { message, metadata } = errorOf(off.text);
          assert.match(String(message), /context-compression/);
          assert.equal(asObject(metadata).error_type, "context_length_exceeded");
          assert.equal(asObject(metadata).context_length, context);
          assert(Number(asObject(metadata).input_tokens) > 10_000);
        });
      }
    });
  }
});

Deno.test("what cannot be made to fit goes to the next model, and is 400 with the counts at last", async () => {
  await withTools({ model: { context_length: 4_096 } }, async ({ gateway, plan, taken }) => {
    const system = { role: "system", content: words("Rules", 6_000) };
    const ask = (models: readonly string[]) =>
      send(gateway, {
        api: "chat",
        body: { models, messages: [system, { role: "user", content: "Hi" }], max_tokens: 100 },
      });
    plan(() => [says("Done.")]);
    const refused = await ask(["mock/chat", "mock/messages"]);
    assert.equal(refused.status, 400, refused.text);
    const { message, metadata } = errorOf(refused.text);
    assert.match(String(message), /cannot be made short enough .* 4096 tokens .* about \d+ are its input/);
    assert.equal(asObject(metadata).context_length, 4_096);
    for (const wire of ["chat", "messages"] as const) assert.deepEqual(taken(wire), []);
  });
});

Deno.test("a later turn of a loop of server tools is made to fit as well, each call with its result", async (t) => {
  const model = { context_length: CONTEXT, max_output_tokens: 2_000 };
  await withTools({ model, refuses: atMost(CONTEXT - CAP) }, async ({ gateway, plan, taken }) => {
    for (const { wire, stream } of ways.filter(({ api }) => api === "responses")) {
      await t.step(`${wire}, ${stream ? "streamed" : "whole"}`, async () => {
        plan((turn) => turn < 3 ? [calls("datetime", { id: `now_${turn}` })] : [says("Done.")]);
        const { input } = agent("responses", 60);
        const tools = [{ type: "service:datetime" }, ...asList(agent("responses", 1).tools)];
        const body = { model: `mock/${wire}`, input, tools, max_output_tokens: CAP, ...ON };
        const answer = await askWith(gateway, { api: "responses", stream, body });
        assert.equal(answer.text, "Done.", answer.sent.text.slice(0, 500));
        const bodies = taken(wire);
        assert.equal(bodies.length, 4, "each turn fits in its first try");
        assert(bodies.every((one) => countOf(one) > CONTEXT / 2));
        assert.equal(stagesOf(answer).filter(({ type }) => type === "context_compression").length, 1);
        assert.equal(countsOf(answer)[0], 147, "the last turn is told");
      });
    }
  });
});

const readWhole = (rig: ToolRig, wire: MockedWire) => rig.taken(wire).map((body) => textsOf(body).join("\n"));

Deno.test("truncation auto leaves out the oldest, by the provider where it can and by the gateway elsewhere", async (t) => {
  const model = { context_length: CONTEXT, max_output_tokens: 2_000 };
  await withTools({ model, refuses: atMost(CONTEXT - CAP) }, async (rig) => {
    for (const wire of upstreamWires) {
      await t.step(wire, async () => {
        rig.plan(() => [says("Done.")]);
        const body = { model: `mock/${wire}`, ...agent("responses", 60), truncation: "auto" };
        const answer = await askWith(rig.gateway, { api: "responses", stream: false, body });
        assert.equal(answer.text, "Done.");
        const sent = readWhole(rig, wire);
        // The mock of this wire refuses what its service would trim.
        assert.equal(sent.length, wire === "responses" ? 2 : 1);
        const last = sent.at(-1) ?? "";
        assert(last.includes("Result of call_59_0") && last.includes("The task"));
        assert(!last.includes("Result of call_0_0") && !last.includes("Result of call_1_0"));
        assert.equal(stageOf(answer)?.name, "truncation");
        assert.equal(asObject(stageOf(answer)?.data).engine, "oldest-first");
      });
    }
  });
});

Deno.test("explain says what the call does", async () => {
  const model = { context_length: CONTEXT, max_output_tokens: 2_000 };
  await withTools({ model, refuses: atMost(CONTEXT - CAP) }, async ({ gateway }) => {
    const body = { model: "mock/chat", ...agent("responses", 60), ...ON };
    const [plugin] = await explained(gateway, body);
    const [original, compressed] = countsOf(
      await askWith(gateway, { api: "responses", stream: false, body }),
    );
    assert.deepEqual(plugin, {
      id: "context-compression",
      would: `send ${compressed} of ${original} messages, to fit into the 12000 tokens of mock/chat`,
    });
    const short = { model: "mock/chat", input: "Hi", ...ON };
    assert.deepEqual(await explained(gateway, short), [{
      id: "context-compression",
      would: "send the request as it is: it fits into the 12000 tokens of mock/chat",
    }]);
    const auto = { ...short, truncation: "auto" };
    assert.match(String((await explained(gateway, auto))[0]?.would), /^do nothing: truncation auto/);
    const endless = { ...short, instructions: words("Rules", 20_000) };
    assert.match(String((await explained(gateway, endless))[0]?.would), /^pass mock\/chat over/);
    assert.deepEqual(await explained(gateway, { ...short, ...OFF }), []);
  });
  await withTools({ model: { context_length: 8_192 } }, async ({ gateway }) => {
    const [plugin] = await explained(gateway, { model: "mock/chat", input: "Hi" });
    assert.equal(plugin?.id, "context-compression", "it is on for a small context");
  });
});

async function settle(gateway: Gateway, default_plugins: unknown): Promise<void> {
  const body = { default_plugins };
  const { status, body: reply } = await managed(gateway, { call: "PATCH /workspaces/default", body });
  assert.equal(status, 200, JSON.stringify(reply));
}

Deno.test("a workspace's default switches it on and off, and a request cannot change a locked one", async () => {
  const on = { id: "context-compression" };
  const off = { ...on, enabled: false };
  const cases = [
    { context: 12_000, defaults: null, fields: {}, is: false },
    { context: 12_000, defaults: [on], fields: {}, is: true },
    { context: 12_000, defaults: [on], fields: OFF, is: false },
    { context: 12_000, defaults: [{ ...on, locked: true }], fields: OFF, is: true },
    { context: 8_000, defaults: null, fields: {}, is: true },
    { context: 8_000, defaults: [off], fields: {}, is: false },
    { context: 8_000, defaults: [off, { id: "web-fetch" }], fields: {}, is: false },
    { context: 8_000, defaults: [off], fields: ON, is: true },
    { context: 8_000, defaults: [{ ...off, locked: true }], fields: ON, is: false },
  ];
  for (const context of [12_000, 8_000]) {
    await withTools({ model: { context_length: context } }, async ({ gateway }) => {
      for (const { defaults, fields, is } of cases.filter((one) => one.context === context)) {
        await settle(gateway, defaults);
        const body = { model: "mock/chat", ...chat(61), ...fields };
        const answer = await send(gateway, {
          api: "chat",
          body,
          headers: { "x-service-metadata": "enabled" },
        });
        const what = JSON.stringify({ context, defaults, fields });
        // Without it routing knows already that the request is too long.
        assert.equal(answer.status, is ? 200 : 400, `${what}: ${answer.text}`);
        assert.equal(answer.text.includes('"context_compression"'), is, what);
        const plugins = await explained(gateway, { model: "mock/chat", input: "Hi", ...fields });
        assert.equal(plugins.some(({ id }) => id === "context-compression"), is, what);
      }
    });
  }
});

Deno.test("a provider that tells of the length in its stream is tried once more as well", async () => {
  await using upstream = scripted(({ body }, number) => {
    if (number > 0) return chatTurn(body, { content: "Done." });
    const message = "This model's maximum context length is 9000 tokens.";
    return sse([
      frame({ error: { message, type: "invalid_request_error", code: "context_length_exceeded" } }),
    ]);
  });
  await using gateway = await startGateway({
    providers: [
      providerAt(upstream.baseUrl, { wire: "chat", models: [{ ...mockModel, context_length: 12_000 }] }),
    ],
  });
  const body = { model: "mock/model", ...agent("chat", 60), ...ON };
  const answer = await askWith(gateway, { api: "chat", stream: true, body });
  assert.equal(answer.text, "Done.");
  const [first = 0, second = 0] = upstream.requested.map((one) => countOf(one.body));
  assert(second < first * 0.85 && second > first * 0.6, `${first}, then ${second}`);
});

Deno.test("a model into which a request cannot be made to fit makes room for the next one", async () => {
  await using upstream = scripted(({ body }) => chatTurn(body, { content: "Done." }));
  const models = [["small", 8_000], ["middle", 12_000], ["large", 20_000]].map(([name, context]) => ({
    ...mockModel,
    id: `mock/${name}`,
    upstream_id: name,
    context_length: context,
  }));
  await using gateway = await startGateway({
    providers: [providerAt(upstream.baseUrl, { wire: "chat", models })],
  });
  const body = {
    models: models.map(({ id }) => id),
    messages: [{ role: "system", content: words("Rules", 12_000) }, { role: "user", content: "Hi" }],
    max_tokens: 100,
    ...ON,
  };
  const answer = await askWith(gateway, { api: "chat", stream: false, body });
  assert.equal(answer.text, "Done.");
  assert.deepEqual(upstream.requested.map((one) => one.body.model), ["large"]);
  assert.equal(stageOf(answer), undefined, "it fits there");
});

Deno.test("what a guardrail blocks is blocked, also where it would have been left out", async () => {
  await withTools({ model: { context_length: 8_000 } }, async ({ gateway, taken }) => {
    const { key, record } = await createKey(gateway);
    const content_filters = [{ pattern: "planted-secret", action: "block" }];
    const made = await managed(gateway, {
      call: "POST /guardrails",
      body: { name: "No secrets", content_filters },
    });
    const { id } = asObject(made.body.data);
    const assigned = await managed(gateway, {
      call: `POST /guardrails/${String(id)}/assignments/keys`,
      body: { key_hashes: [record.hash] },
    });
    assert(assigned.status < 300, JSON.stringify(assigned.body));
    const { messages, ...rest } = chat(61);
    const planted = asList(messages).map((one, at) =>
      at === 30 ? { ...asObject(one), content: "planted-secret" } : one
    );
    const answer = await send(gateway, {
      api: "chat",
      body: { model: "mock/chat", messages: planted, ...rest },
      key,
    });
    assert.equal(answer.status, 403, answer.text);
    assert.deepEqual(taken("chat"), []);
  });
});
