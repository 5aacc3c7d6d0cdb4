import assert from "node:assert/strict";
import OpenAI from "openai";
import type { ResponseInputItem, ResponseOutputItem } from "openai/resources/responses/responses";
import { compatibleServers } from "../../server/providers/rows/compatible_servers.ts";
import { hostedProviders } from "../../server/providers/rows/hosted_providers.ts";
import { type HostDialect, hostDialects } from "../mocks/host_dialects.ts";
import { startHostMock } from "../mocks/host_upstream.ts";
import { isObject, objects } from "../mocks/published.ts";
import type { Mock } from "../mocks/serve.ts";
import { PROVIDER_KEY, startGateway } from "../support/gateway.ts";

interface Rig {
  readonly client: OpenAI;
  readonly mock: Mock;
  readonly host: HostDialect;
  readonly stream: boolean;
}

async function withHost(host: HostDialect, test: (rig: Rig) => Promise<void>) {
  const mock = startHostMock(host, { apiKey: PROVIDER_KEY });
  try {
    const env = { [`${host.prefix}_API_KEY`]: PROVIDER_KEY, [`${host.prefix}_BASE_URL`]: mock.url };
    await using gateway = await startGateway({ env });
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey, maxRetries: 0 });
    for (const stream of [false, true]) await test({ client, mock, host, stream });
    assert.equal(mock.open(), 0);
  } finally {
    await mock.close();
  }
}

type Body = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "model" | "stream">;

function ask({ client, host, stream }: Rig, body: Body): Promise<OpenAI.Responses.Response> {
  const all = { model: `${host.id}/some/model`, ...body };
  return stream ? client.responses.stream(all).finalResponse() : client.responses.create(all);
}

const lastBody = ({ mock }: Rig) => mock.requests.at(-1)?.body ?? {};

/** Everything that some of them refuse. */
const demanding = {
  instructions: "Be kind.",
  max_output_tokens: 500,
  temperature: 0.5,
  metadata: { a: "b" },
  prompt_cache_key: "k",
  safety_identifier: "u",
  service_tier: "default",
  text: { verbosity: "low" },
  parallel_tool_calls: true,
} as const;

async function tellsText(rig: Rig): Promise<void> {
  const answer = await ask(rig, { ...demanding, input: "Hello 🌍" });
  assert.equal(answer.output_text, "You said: Hello 🌍");
  assert.ok((answer.usage?.input_tokens ?? 0) > 0 && (answer.usage?.output_tokens ?? 0) > 0);
  const body = lastBody(rig);
  assert.equal(body.model, "some/model");
  assert.equal(body[rig.host.cap], 500);
  assert.deepEqual(objects(body.messages)[0], { role: "system", content: "Be kind." });
  const [message] = answer.output;
  const pages = message?.type === "message" ? objects(message.content).flatMap(pagesOf) : [];
  assert.deepEqual(pages, rig.host.searches ? ["https://page.example/"] : []);
}

const pagesOf = ({ annotations }: Readonly<Record<string, unknown>>) =>
  objects(annotations).map(({ url }) => url);

const thoughtsOf = (output: readonly ResponseOutputItem[]) =>
  output.flatMap((item) => item.type === "reasoning" ? (item.content ?? []).map(({ text }) => text) : []);

async function tellsThoughts(rig: Rig): Promise<void> {
  const answer = await ask(rig, { input: "Hello", reasoning: { effort: "high" } });
  assert.deepEqual(answer.output.map(({ type }) => type), ["reasoning", "message"]);
  assert.deepEqual(thoughtsOf(answer.output), ["Thinking it over."]);
  assert.equal(answer.output_text, "You said: Hello");
  assert.equal(answer.usage?.output_tokens_details.reasoning_tokens, 16);
  assert.equal(answer.usage?.output_tokens, 20);
  const body = lastBody(rig);
  for (const [key, value] of Object.entries(rig.host.requested)) assert.deepEqual(body[key], value);
}

const parameters = { type: "object", properties: { city: { const: "Paris" } }, required: ["city"] };
const tool = { type: "function" as const, name: "weather", parameters, strict: false };

/** Casts the output to input: a client sends it back as it is. */
const asInput = (output: readonly ResponseOutputItem[]) => output as ResponseInputItem[];

async function goesRoundWithTools(rig: Rig): Promise<void> {
  const requested = { tools: [tool], reasoning: { effort: "high" as const } };
  const forced = { ...requested, tool_choice: "required" as const };
  if (rig.host.tools !== undefined) {
    await assert.rejects(() => ask(rig, { ...forced, input: "Weather?" }), /Cannot force a tool call/);
    return;
  }
  const input: ResponseInputItem[] = [{ role: "user", content: "Weather?" }];
  const first = await ask(rig, { ...forced, input });
  assert.deepEqual(first.output.map(({ type }) => type), ["reasoning", "function_call"]);
  const call = first.output.find((item) => item.type === "function_call");
  assert.equal(call?.arguments, '{"city":"Paris"}');
  const result = { type: "function_call_output" as const, call_id: call.call_id, output: "sunny" };
  const second = await ask(rig, { ...requested, input: [...input, ...asInput(first.output), result] });
  assert.equal(second.output_text, "The tool said: sunny");
  const assistant = objects(lastBody(rig).messages).find(({ role }) => role === "assistant");
  const { replays } = rig.host;
  if (replays !== undefined) assert.match(JSON.stringify(assistant?.[replays]), /Thinking it over\./);
}

async function fitsSchema(rig: Rig): Promise<void> {
  const format = { type: "json_schema" as const, name: "w", schema: parameters, strict: true };
  const answer = await ask(rig, { input: "Hi", text: { format } });
  assert.equal(answer.output_text, '{"city":"Paris"}');
  const sent = lastBody(rig).response_format;
  assert.equal(isObject(sent) && sent.type, rig.host.jsonModeOnly ? "json_object" : "json_schema");
}

for (const host of hostDialects) {
  Deno.test(`${host.id} is asked in its own dialect, and its answers are read in it`, async (t) => {
    await t.step("text", () => withHost(host, tellsText));
    await t.step("reasoning", () => withHost(host, tellsThoughts));
    await t.step("tools", () => withHost(host, goesRoundWithTools));
    await t.step("structured output", () => withHost(host, fitsSchema));
  });
}

Deno.test("every row of a compatible host is told of here", () => {
  const rows = [...hostedProviders, ...compatibleServers].map(({ id, keyEnv, baseUrlEnv }) => ({
    id,
    keyEnv,
    baseUrlEnv,
  }));
  const expected = hostDialects.map(({ id, prefix }) => ({
    id,
    keyEnv: `${prefix}_API_KEY`,
    baseUrlEnv: `${prefix}_BASE_URL`,
  }));
  assert.deepEqual(new Set(rows.filter(({ id }) => id !== "compatible")), new Set(expected));
  for (const { defaultBaseUrl: usualBaseUrl, id } of hostedProviders) {
    assert.ok(URL.parse(usualBaseUrl ?? "")?.protocol === "https:", id);
  }
});

Deno.test("a user's word right behind a tool's is answered in between where the host wants it", async () => {
  const [mistral] = hostDialects.filter(({ id }) => id === "mistral");
  assert.ok(mistral);
  await withHost(mistral, async (rig) => {
    const call = { type: "function_call" as const, call_id: "call_1", name: "weather", arguments: "{}" };
    const result = { type: "function_call_output" as const, call_id: "call_1", output: "sunny" };
    const input: ResponseInputItem[] = [
      { role: "user", content: "Weather?" },
      call,
      result,
      { role: "user", content: "So?" },
    ];
    await ask(rig, { input, tools: [tool] });
    const roles = objects(lastBody(rig).messages).map(({ role }) => role);
    assert.deepEqual(roles, ["user", "assistant", "tool", "assistant", "user"]);
    const calls = objects(objects(lastBody(rig).messages)[1]?.tool_calls);
    assert.ok(calls.every((one) => isObject(one) && /^[a-zA-Z0-9]{9}$/.test(String(one.id))));
  });
});
