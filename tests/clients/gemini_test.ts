import assert from "node:assert/strict";
import OpenAI from "openai";
import type { ResponseInputItem, ResponseOutputItem } from "openai/resources/responses/responses";
import { startGeminiMock } from "../mocks/gemini_upstream.ts";
import type { Mock, MockOptions } from "../mocks/serve.ts";
import { type Gateway, PROVIDER_KEY, providerAt, startGateway } from "../support/gateway.ts";

interface Rig {
  readonly client: OpenAI;
  readonly mock: Mock;
  readonly gateway: Gateway;
}

interface Preference extends MockOptions {
  /** The model's name at the mock, which may ask for a fault. */
  readonly upstream?: string;
}

/** The gateway in front of a mock of the Gemini API, asked by OpenAI's own client. */
async function withGemini(
  { upstream = "gemini-4-mock", ...options }: Preference,
  test: (rig: Rig) => Promise<void>,
) {
  const mock = startGeminiMock({ apiKey: PROVIDER_KEY, ...options });
  try {
    const models = [{ id: "mock/model", upstream_id: upstream }];
    await using gateway = await startGateway({
      providers: [providerAt(mock.url, { wire: "gemini", models })],
    });
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey, maxRetries: 0 });
    await test({ client, mock, gateway });
    assert.equal(mock.open(), 0);
  } finally {
    await mock.close();
  }
}

const model = "mock/model";
const parameters = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { city: { $ref: "#/$defs/City" }, days: { type: "integer", exclusiveMinimum: 0 } },
  required: ["city", "days"],
  additionalProperties: false,
  $defs: { City: { const: "Paris" } },
};
const tool = { type: "function" as const, name: "weather", parameters, strict: true };

/** Casts the output to input: a client sends it back as it is. */
const asInput = (output: readonly ResponseOutputItem[]) => output as ResponseInputItem[];

Deno.test("OpenAI's client talks to a Gemini model, streamed and whole", () =>
  withGemini({}, async ({ client, mock }) => {
    const body = { model, input: "Hello 🌍", instructions: "Be kind." };
    const whole = await client.responses.create(body);
    assert.equal(whole.output_text, "You said: Hello 🌍");
    const streamed = await client.responses.stream(body).finalResponse();
    assert.equal(streamed.output_text, whole.output_text);
    assert.deepEqual(streamed.usage?.total_tokens, whole.usage?.total_tokens);
    assert.deepEqual(mock.requests.map(({ path, headers }) => [path, headers["x-goog-api-key"]]), [
      ["/models/gemini-4-mock:generateContent", PROVIDER_KEY],
      ["/models/gemini-4-mock:streamGenerateContent", PROVIDER_KEY],
    ]);
    assert.equal(mock.requests.some(({ headers }) => "authorization" in headers), false);
  }));

Deno.test("a signed call, its result and the next turn go round through OpenAI's client", () =>
  withGemini({}, async ({ client, mock }) => {
    const input: ResponseInputItem[] = [{ role: "user", content: "Weather?" }];
    const first = await client.responses.create({
      model,
      input,
      tools: [tool],
      tool_choice: "required",
      reasoning: { effort: "low", summary: "auto" },
    });
    assert.deepEqual(first.output.map(({ type }) => type), ["reasoning", "function_call"]);
    const call = first.output.find((item) => item.type === "function_call");
    assert.equal(call?.arguments, '{"city":"Paris","days":1}');
    const result = { type: "function_call_output" as const, call_id: call.call_id, output: "sunny" };
    const second = await client.responses.create({
      model,
      input: [...input, ...asInput(first.output), result],
      tools: [tool],
    });
    assert.equal(second.output_text, "The tool said: sunny");
    const contents: unknown = mock.requests.at(-1)?.body.contents;
    assert.ok(Array.isArray(contents));
    assert.deepEqual(contents[1], {
      role: "model",
      parts: [
        { text: "**Thinking it over**", thought: true },
        {
          functionCall: { id: "call_weather", name: "weather", args: { city: "Paris", days: 1 } },
          thoughtSignature: "bW9jay1zaWduYXR1cmU=",
        },
      ],
    });
  }));

Deno.test("a schema that OpenAI takes is cleaned into one that Gemini takes", () =>
  withGemini({}, async ({ client }) => {
    const format = { type: "json_schema" as const, name: "w", schema: parameters, strict: true };
    const { output_text: text } = await client.responses.create({ model, input: "Hi", text: { format } });
    assert.equal(text, '{"city":"Paris","days":1}');
  }));

Deno.test("Gemini's refusals and broken streams reach OpenAI's client as such (U2–U4, U9)", async (t) => {
  const ask = (upstream: string, stream: boolean) =>
    withGemini({ upstream }, async ({ client }) => {
      const body = { model, input: "Hello there, how are you?" };
      if (!stream) return void await client.responses.create(body);
      const { status } = await client.responses.stream(body).finalResponse();
      assert.notEqual(status, "completed");
      throw new Error(`it was ${status}`);
    });
  // "The model is overloaded" with 503 is what others say with 529.
  const statuses: Readonly<Record<string, number>> = {
    401: 502,
    403: 502,
    404: 404,
    429: 429,
    500: 502,
    503: 529,
  };
  for (const [theirs, ours] of Object.entries(statuses)) {
    await t.step(theirs, () =>
      assert.rejects(() => ask(`mock-${theirs}`, false), (error) => {
        assert.ok(error instanceof OpenAI.APIError);
        assert.equal(error.status, ours);
        assert.doesNotMatch(error.message, /API key/);
        return true;
      }));
  }
  for (const fault of ["cut", "end", "malformed", "error-before", "error-after"]) {
    await t.step(fault, () => assert.rejects(() => ask(`mock-${fault}`, true)));
  }
});

Deno.test("the mock refuses what the Gemini API does not have, in its words", async () => {
  const mock = startGeminiMock();
  const ask = async (body: object, path = "gemini-4-mock:generateContent") => {
    const answer = await fetch(`${mock.url}/models/${path}`, { method: "POST", body: JSON.stringify(body) });
    const text = await answer.text();
    return `${answer.status} ${/"message":"(.*?[^\\])"/.exec(text)?.[1] ?? ""}`;
  };
  const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
  const call = { functionCall: { name: "f", args: {} } };
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ contents, top_k: 3 }, /Unknown name \\"top_k\\"/],
    [{ contents: [{ role: "user", parts: [{ text: "", x: 1 }] }] }, /"x\\" at 'contents\[0\].parts\[0\]'/],
    [{ contents, generationConfig: { responseJsonSchema: { $schema: "x" } } }, /\$schema/],
    [{ contents, generationConfig: { presencePenalty: 1 } }, /Penalty is not enabled/],
    [{ contents, toolConfig: {} }, /without function_declarations/],
    [{ contents: [] }, /contents is not specified/],
    [{ contents: [{ role: "assistant", parts: [{ text: "" }] }] }, /valid role/],
    [{ contents: [...contents, { role: "model", parts: [call] }] }, /thought_signature/],
    [{
      contents: [
        ...contents,
        { role: "model", parts: [{ ...call, thoughtSignature: "" }] },
        { role: "user", parts: [{ text: "a" }] },
      ],
    }, /number of function response parts/],
    [
      { contents: [{ role: "user", parts: [{ functionResponse: { name: "f", response: {} } }] }] },
      /immediately after/,
    ],
  ];
  try {
    for (const [body, expected] of cases) assert.match(await ask(body), expected);
    assert.match(await ask({ contents }, "gemini-4-mock:streamGenerateContent"), /^404/);
    assert.match(await ask({ contents }), /^200/);
  } finally {
    await mock.close();
  }
});
