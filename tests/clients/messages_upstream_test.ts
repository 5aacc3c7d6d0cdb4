import assert from "node:assert/strict";
import OpenAI from "openai";
import { startMessagesMock } from "../mocks/messages_upstream.ts";
import type { Plan, Planned } from "../mocks/plan.ts";
import type { Mock, MockOptions } from "../mocks/serve.ts";
import { PROVIDER_KEY, providerAt, startGateway } from "../support/gateway.ts";
import { asInput } from "./targets.ts";

interface Rig {
  readonly client: OpenAI;
  readonly mock: Mock;
}

interface Preference extends MockOptions {
  /** The models' names at the mock, which may ask for a fault. */
  readonly upstreams?: readonly string[];
}

/** The gateway in front of a mock of the Messages API, asked by OpenAI's own client. */
async function withAnthropic(
  { upstreams = ["claude-haiku-4-5-mock"], ...options }: Preference,
  test: (rig: Rig) => Promise<void>,
) {
  const mock = startMessagesMock({ apiKey: PROVIDER_KEY, ...options });
  try {
    const providers = upstreams.map((upstream_id, at) =>
      providerAt(mock.url, {
        id: `mock-${at}`,
        wire: "messages",
        models: [{ id: "mock/model", upstream_id, max_output_tokens: 64_000 }],
      })
    );
    await using gateway = await startGateway({ providers });
    await test({
      client: new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey, maxRetries: 0 }),
      mock,
    });
    assert.equal(mock.open(), 0);
  } finally {
    await mock.close();
  }
}

const model = "mock/model";

Deno.test("OpenAI's client talks to Anthropic, with its key and version in its own headers", () =>
  withAnthropic({}, async ({ client, mock }) => {
    const body = { model, input: "Hello 🌍", instructions: "Be kind." };
    const whole = await client.responses.create(body);
    assert.equal(whole.output_text, "You said: Hello 🌍");
    const streamed = await client.responses.stream(body).finalResponse();
    assert.equal(streamed.output_text, whole.output_text);
    assert.deepEqual(streamed.usage?.output_tokens, whole.usage?.output_tokens);
    const [requested] = mock.requests;
    assert.deepEqual(
      [
        requested?.path,
        requested?.headers["x-api-key"],
        requested?.headers["anthropic-version"],
        requested?.headers.authorization,
      ],
      ["/messages", PROVIDER_KEY, "2023-06-01", undefined],
    );
    assert.partialDeepStrictEqual(requested?.body, {
      max_tokens: 64_000,
      system: [{ type: "text", text: "Be kind." }],
    });
  }));

const thinks: Planned = { type: "reasoning", thoughts: "Look it up.", summary: [], encrypted: "cmVkYWN0ZWQ" };
const plan = (...items: readonly Planned[]): Plan => ({
  items,
  finish: "stop",
  counts: { input: 100, output: 50, cached: 60, reasoning: 20 },
  pieces: [4],
});
const call: Planned = {
  type: "call",
  kind: "function",
  callId: "toolu_1",
  name: "get",
  arguments: '{"a":1}',
};

/** The first answer calls the tool, the next says what came of it. */
const looksUp = ({ messages }: { readonly messages?: unknown }) =>
  Array.isArray(messages) && messages.length > 1 ? plan({ type: "text", text: "Done." }) : plan(thinks, call);

Deno.test("thoughts come back to Anthropic as it sealed them, in a loop of tools", () =>
  withAnthropic({ answer: looksUp }, async ({ client, mock }) => {
    const tools = [{ type: "function" as const, name: "get", parameters: { type: "object" }, strict: false }];
    const body = { model, tools, reasoning: { effort: "low" as const } };
    const include = ["reasoning.encrypted_content" as const];
    for (const stream of [false, true]) {
      const input = [{ role: "user" as const, content: "Go" }];
      const requested = { ...body, include, input };
      const first = stream
        ? await client.responses.stream(requested).finalResponse()
        : await client.responses.create(requested);
      assert.deepEqual(first.output.map(({ type }) => type), ["reasoning", "reasoning", "function_call"]);
      assert.deepEqual(first.usage?.input_tokens_details.cached_tokens, 60);
      assert.deepEqual([first.usage?.input_tokens, first.usage?.output_tokens_details.reasoning_tokens], [
        100,
        20,
      ]);
      const result = { type: "function_call_output" as const, call_id: "toolu_1", output: "42" };
      const second = await client.responses.create({
        ...requested,
        input: [...input, ...asInput(first.output), result],
      });
      assert.equal(second.output_text, "Done.");
      const sent = mock.requests.at(-1)?.body;
      assert.partialDeepStrictEqual(sent, {
        thinking: { type: "enabled", budget_tokens: 12_800 },
        messages: [{ role: "user" }, {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Look it up.", signature: "EqQBCkYIAxgCKkD-mock-signature" },
            { type: "redacted_thinking", data: "cmVkYWN0ZWQ" },
            { type: "tool_use", id: "toolu_1", name: "get", input: { a: 1 } },
          ],
        }, { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "42" }] }],
      });
    }
  }));

for (const fault of ["mock-529", "mock-error-before", "mock-429"]) {
  Deno.test(`U3 ${fault}: another endpoint answers where Anthropic is overloaded before the answer`, () =>
    withAnthropic(
      { upstreams: [`claude-haiku-4-5-${fault}`, "claude-haiku-4-5-mock"] },
      async ({ client, mock }) => {
        const response = await client.responses.stream({ model, input: "Hi" }).finalResponse();
        assert.equal(response.output_text, "You said: Hi");
        assert.ok(mock.requests.length <= 2);
      },
    ));
}

Deno.test("U9 an answer that is cut in mid-stream fails, and says what it had", () =>
  withAnthropic({ upstreams: ["claude-haiku-4-5-mock-cut"], gapMs: 2 }, async ({ client }) => {
    const stream = await client.responses.create({ model, input: "Hello, hello, hello", stream: true });
    let text = "";
    await assert.rejects(async () => {
      for await (const event of stream) {
        if (event.type === "response.output_text.delta") text += event.delta;
      }
    }, /broke off/);
    assert.ok("You said: Hello, hello, hello".startsWith(text) && text !== "", text);
  }));
