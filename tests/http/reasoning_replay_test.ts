/** Tests that replayed reasoning reaches its provider unchanged, also where clients keep `encrypted_content` alone. */

import assert from "node:assert/strict";
import { recordedRequests } from "../fuzz/recorded.ts";
import type { Plan } from "../mocks/plan.ts";
import { type MockedWire, upstreams } from "../mocks/upstreams.ts";
import { ask, readJson } from "../support/call.ts";
import { asList, asObject, checkStream, isObject, type Json, readStream } from "../support/event_stream.ts";
import { mockModel, providerAt, type ProviderSpec, startGateway } from "../support/gateway.ts";

const THOUGHTS = 'First: "Größe" 🚀,\n\n  then\u2028{"a": 1}\\ and\ttrailing ';

/** An item as the client stores it, without `undefined`. */
type Keep = (item: Json) => Json;

/** Codex writes every field that it knows of a reasoning item, and none that it does not. */
const codex: Keep = ({ id, summary, encrypted_content }) => ({
  type: "reasoning",
  id,
  summary,
  content: null,
  encrypted_content,
});
const aiSdk: Keep = ({ id, summary, encrypted_content }) => ({
  type: "reasoning",
  id,
  encrypted_content,
  summary,
});
/** Libraries that return items as they came. */
const verbatim: Keep = (item) => item;

interface Replay {
  readonly wire: MockedWire;
  readonly provider?: ProviderSpec;
  readonly keep: Keep;
  readonly stream: boolean;
  readonly body: Json;
  readonly redacted?: boolean;
}

const recorded = (name: string): Json => {
  const found = recordedRequests().find((one) => one.name === name);
  assert(found);
  return asObject(found.body);
};

/** The two turns; what the provider was sent in the second one. */
async function secondTurn({ wire, provider, keep, stream, body, redacted = false }: Replay): Promise<Json> {
  const reasoning = redacted
    ? { type: "reasoning", thoughts: "", summary: [], encrypted: "Cipher+/==" } as const
    : { type: "reasoning", thoughts: THOUGHTS, summary: [] } as const;
  const plan: Plan = {
    items: [reasoning, {
      type: "call",
      kind: "function",
      callId: "call_1",
      name: "exec_command",
      arguments: '{"cmd":"ls"}',
    }],
    finish: "stop",
    pieces: [3],
  };
  const mock = upstreams[wire].start({ answer: () => plan });
  try {
    const upstream_id = `${upstreams[wire].prefix}mock`;
    const models = [{ ...mockModel, upstream_id }];
    await using gateway = await startGateway({
      providers: [providerAt(mock.url, { wire, models, ...provider })],
    });
    const first = { ...body, model: "mock/model", stream };
    const response = await ask(gateway, first);
    const result = stream ? checkStream(await readStream(response)) : await readJson(response);
    const output = asList(result.output).map(asObject).map((item) =>
      item.type === "reasoning" ? asObject(JSON.parse(JSON.stringify(keep(item)))) : item
    );
    const answer = { type: "function_call_output", call_id: "call_1", output: "file" };
    const input = [...asList(body.input), ...output, answer];
    const second = await ask(gateway, { ...first, input });
    const text = await second.text();
    // The mock of chat holds requests against OpenAI's schema, which has no place for reasoning.
    if (wire !== "chat") assert(!text.includes('"error":{'), text.slice(0, 500));
    return asObject(mock.requests.at(-1)?.body);
  } finally {
    await mock.close();
  }
}

const tools = [{ type: "function", name: "exec_command", parameters: { type: "object", properties: {} } }];
const effort = { effort: "low" };
const codexTurn = recorded("codex-cli-0.169-01.json");
const aiSdkTurn = {
  ...recorded("ai-sdk-7-03.json"),
  tools,
  store: false,
  reasoning: effort,
  include: ["reasoning.encrypted_content"],
};
const cases: readonly (readonly [name: string, Pick<Replay, "keep" | "body">])[] = [
  ["Codex", { keep: codex, body: { ...codexTurn, reasoning: { effort: "low", summary: "auto" } } }],
  ["the AI SDK", { keep: aiSdk, body: aiSdkTurn }],
  ["the AI SDK with summaries", {
    keep: aiSdk,
    body: { ...aiSdkTurn, reasoning: { ...effort, summary: "detailed" } },
  }],
  ["a client that keeps all", { keep: verbatim, body: aiSdkTurn }],
  ["a client that keeps all but asks for nothing", { keep: verbatim, body: { ...aiSdkTurn, include: [] } }],
  ["a client that keeps all, of summaries", {
    keep: verbatim,
    body: { ...aiSdkTurn, include: [], reasoning: { ...effort, summary: "auto" } },
  }],
];

/** Blocks and fields of the assistant's messages. */
const assistants = (body: Json): readonly Json[] =>
  asList(body.messages).map(asObject).filter(({ role }) => role === "assistant");
const blocks = (body: Json): readonly Json[] =>
  assistants(body).flatMap(({ content }) => Array.isArray(content) ? content.filter(isObject) : []);

for (const [name, one] of cases) {
  for (const stream of [true, false]) {
    const how = stream ? "streamed" : "whole";
    Deno.test(`the second turn of ${name} brings Messages its thinking back, ${how}`, async () => {
      const thinking = { type: "thinking", thinking: THOUGHTS, signature: "EqQBCkYIAxgCKkD-mock-signature" };
      const sent = await secondTurn({ ...one, wire: "messages", stream });
      assert.deepEqual(blocks(sent).filter(({ type }) => /thinking/.test(String(type))), [thinking]);
    });

    Deno.test(`the second turn of ${name} brings Bedrock its reasoning back, ${how}`, async () => {
      const sent = await secondTurn({ ...one, wire: "bedrock", stream });
      const found = blocks(sent).flatMap(({ reasoningContent }) => reasoningContent ?? []);
      assert.equal(found.length, 1);
      const { text, signature } = asObject(asObject(found[0]).reasoningText);
      assert.equal(text, THOUGHTS);
      assert.equal(typeof signature, "string");
    });

    Deno.test(`the second turn of ${name} brings chat providers their reasoning back, ${how}`, async () => {
      const provider = { quirks: { reasoning_replay: "reasoning_content" } };
      const sent = await secondTurn({ ...one, wire: "chat", provider, stream });
      assert.deepEqual(assistants(sent).map((message) => message.reasoning_content), [THOUGHTS]);
    });
  }
}

Deno.test("the second turn of Codex brings Messages its redacted thinking back", async () => {
  const [[, one] = []] = cases;
  assert(one);
  const sent = await secondTurn({ ...one, wire: "messages", stream: true, redacted: true });
  assert.deepEqual(blocks(sent)[0], { type: "redacted_thinking", data: "Cipher+/==" });
});
