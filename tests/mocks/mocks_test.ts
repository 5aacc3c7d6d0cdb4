import assert from "node:assert/strict";
import OpenAI from "openai";
import { startChatMock } from "./chat_upstream.ts";
import type { Plan } from "./plan.ts";
import { startResponsesMock } from "./responses_upstream.ts";
import type { Mock, MockOptions } from "./serve.ts";
import { until } from "../support/until.ts";

interface Started {
  readonly mock: Mock;
  readonly client: OpenAI;
}

type Test = (started: Started) => Promise<void>;

function using(startMock: () => Mock, test: Test) {
  return async () => {
    const mock = startMock();
    const client = new OpenAI({ apiKey: "test", baseURL: mock.url, maxRetries: 0 });
    try {
      await test({ mock, client });
    } finally {
      await mock.close();
    }
    assert.equal(mock.open(), 0);
  };
}

const responses = (test: Test, options: MockOptions = {}) => using(() => startResponsesMock(options), test);
const chat = (test: Test, options: MockOptions = {}) => using(() => startChatMock(options), test);

const plan: Plan = {
  items: [
    { type: "reasoning", thoughts: "", summary: ["a", "b"], encrypted: "c" },
    { type: "search", query: "q" },
    { type: "text", text: "Hello 🌍", citing: "https://example.org" },
    { type: "call", kind: "function", callId: "call_1", name: "f", namespace: "n", arguments: "{}" },
    { type: "call", kind: "custom", callId: "call_2", name: "c", arguments: "in" },
  ],
  finish: "stop",
  counts: { input: 1, output: 2, cached: 0, reasoning: 1 },
  pieces: [1, 2],
};

Deno.test(
  "the responses mock says the same streamed and whole, as the official accumulator sees it",
  responses(async ({ client }) => {
    const body = { model: "m", input: "Hi", store: false };
    const whole = await client.responses.create(body);
    const streamed = await client.responses.stream(body).finalResponse();
    const plain = (value: unknown) =>
      JSON.parse(
        JSON.stringify(value, (key, inner) =>
          key.startsWith("parsed") || key === "output_parsed" ? undefined : inner)
          .replaceAll(/mock\dx/g, ""),
      );
    assert.deepEqual(plain(streamed), plain(whole));
    assert.equal(whole.output_text, "Hello 🌍");
  }, { answer: () => plan }),
);

Deno.test(
  "the chat mock says the same streamed and whole, as the official accumulator sees it",
  chat(async ({ client }) => {
    const body = { model: "m", messages: [{ role: "user" as const, content: "Hi" }] };
    const whole = await client.chat.completions.create(body);
    const streamed = await client.chat.completions.stream({
      ...body,
      stream_options: { include_usage: true },
    })
      .finalChatCompletion();
    assert.equal(streamed.choices[0]?.message.content, whole.choices[0]?.message.content);
    assert.deepEqual(streamed.usage, whole.usage);
    assert.equal(whole.choices[0]?.finish_reason, "tool_calls");
  }, { answer: () => plan }),
);

Deno.test(
  "the responses mock answers tools, schemas, refusals, results and caps",
  responses(async ({ client }) => {
    const ask = (fields: object) => client.responses.create({ model: "m", input: "Hi", ...fields });
    const parameters = { type: "object", properties: { n: { type: "integer" }, s: { enum: ["a"] } } };
    const tools = [{ type: "function" as const, name: "f", parameters, strict: true }];
    assert.partialDeepStrictEqual((await ask({ tools, tool_choice: "required" })).output, [
      { type: "function_call", name: "f", arguments: '{"n":1,"s":"a"}' },
    ]);
    const format = { type: "json_schema" as const, name: "x", schema: parameters };
    assert.equal((await ask({ text: { format } })).output_text, '{"n":1,"s":"a"}');
    assert.partialDeepStrictEqual((await ask({ input: "Please refuse" })).output, [{
      content: [{ type: "refusal" }],
    }]);
    const call = { type: "function_call" as const, call_id: "c", name: "f", arguments: "{}" };
    const input = [call, { type: "function_call_output" as const, call_id: "c", output: "7" }];
    assert.equal((await ask({ input })).output_text, "The tool said: 7");
    assert.partialDeepStrictEqual(await ask({ input: "x".repeat(100), max_output_tokens: 3 }), {
      status: "incomplete",
      usage: { output_tokens: 3 },
    });
    const reasoning = { effort: "low", summary: "auto" };
    assert.partialDeepStrictEqual(
      (await ask({ reasoning, include: ["reasoning.encrypted_content"] })).output,
      [
        { type: "reasoning", encrypted_content: "gAAAAAB-cipher" },
        { type: "message" },
      ],
    );
  }),
);

Deno.test(
  "the chat mock answers tools, schemas, refusals, results and caps",
  chat(async ({ client }) => {
    const user = { role: "user" as const, content: "Hi" };
    const ask = async (fields: object) => {
      const answer = await client.chat.completions.create({ model: "m", messages: [user], ...fields });
      return answer.choices[0];
    };
    const parameters = { type: "object", properties: { n: { type: "number" }, l: { type: "array" } } };
    const tools = [{ type: "function" as const, function: { name: "f", parameters } }];
    for (const choice of ["required", { type: "function", function: { name: "f" } }]) {
      assert.partialDeepStrictEqual(await ask({ tools, tool_choice: choice }), {
        finish_reason: "tool_calls",
        message: {
          tool_calls: [{ type: "function", function: { name: "f", arguments: '{"n":1.5,"l":[]}' } }],
        },
      });
    }
    const format = { type: "json_schema", json_schema: { name: "x", schema: parameters } };
    assert.equal((await ask({ response_format: format }))?.message.content, '{"n":1.5,"l":[]}');
    const refuse = { messages: [{ role: "user", content: [{ type: "text", text: "Please refuse" }] }] };
    assert.ok((await ask(refuse))?.message.refusal);
    const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
    const turns = [user, { role: "assistant", tool_calls: [call] }, {
      role: "tool",
      tool_call_id: "c",
      content: "7",
    }];
    assert.equal((await ask({ messages: turns }))?.message.content, "The tool said: 7");
    assert.equal((await ask({ max_completion_tokens: 1 }))?.finish_reason, "length");
    assert.partialDeepStrictEqual((await ask({ reasoning_effort: "low" }))?.message, {
      reasoning_content: "Thinking it over.",
    });
    await assert.rejects(() => ask({ messages: turns.slice(0, 2) }), /did not have response messages: c/);
  }),
);

const badResponses: readonly (readonly [object, string])[] = [
  [{ models: ["a"] }, "models"],
  [{ provider: {} }, "provider"],
  [{ metadata: {}, plugins: [] }, "plugins"],
  [{ reasoning: { effort: "low", max_tokens: 3 } }, "reasoning.max_tokens"],
  [{ text: { format: { type: "text", x: 1 } } }, "text.format.x"],
  [{ tools: [{ type: "web_search", engine: "exa" }] }, "tools[0].engine"],
  [{ tools: [{ type: "openrouter:datetime" }] }, "tools[0].type"],
  [
    { tools: [{ type: "namespace", name: "n", description: "d", tools: [{ type: "function", x: 1 }] }] },
    "tools[0].tools[0].x",
  ],
  [{ input: [{ type: "service:files" }] }, "input[0].type"],
  [
    { input: [{ role: "user", content: [{ type: "input_text", text: "a", cache_control: {} }] }] },
    "input[0].content[0].cache_control",
  ],
  [{ input: [{ type: "message", id: "msg_1", role: "user", content: "a" }] }, "input[0].id"],
  [
    { input: [{ type: "function_call", id: "call_1", call_id: "c", name: "f", arguments: "" }] },
    "input[0].id",
  ],
  [{ input: [{ type: "reasoning", id: "rs_1", summary: [] }] }, "input"],
  [
    { input: [{ type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "a" }] }] },
    "input[0].content",
  ],
  [{ input: [{ type: "function_call_output", call_id: "c", output: "" }] }, "input"],
  [{ tool_choice: "required" }, "tool_choice"],
];

Deno.test(
  "the responses mock refuses what the service refuses, naming it",
  responses(async ({ mock }) => {
    for (const [fields, param] of badResponses) {
      const body = JSON.stringify({ model: "m", input: "Hi", ...fields });
      const answer = await fetch(`${mock.url}/responses`, { method: "POST", body });
      assert.equal(answer.status, 400, param);
      assert.equal((await answer.json()).error.param, param);
    }
  }),
);

const badChats: readonly (readonly [object, string])[] = [
  [{ top_k: 3 }, "top_k"],
  [
    { response_format: { type: "json_schema", json_schema: { name: "a", x: 1 } } },
    "response_format.json_schema.x",
  ],
  [{ tools: [{ type: "web_search" }] }, "tools[0].type"],
  [
    { messages: [{ role: "assistant", content: "a", reasoning_content: "b" }] },
    "messages[0].reasoning_content",
  ],
  [{ messages: [{ role: "user", content: [{ type: "input_text" }] }] }, "messages[0].content[0].type"],
  [{ messages: [{ role: "tool", tool_call_id: "a", content: "b" }] }, "messages[0]"],
  [{ stream_options: { include_usage: true } }, "stream_options"],
  [{ parallel_tool_calls: true }, "parallel_tool_calls"],
  [{ messages: [] }, "messages"],
];

Deno.test(
  "the chat mock refuses what the service refuses, naming it",
  chat(async ({ mock }) => {
    for (const [fields, param] of badChats) {
      const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hi" }], ...fields });
      const answer = await fetch(`${mock.url}/chat/completions`, { method: "POST", body });
      assert.equal(answer.status, 400, param);
      assert.equal((await answer.json()).error.param, param);
    }
  }),
);

Deno.test(
  "the mocks break as their model's name says",
  responses(async ({ mock }) => {
    const ask = (model: string, stream: boolean, signal?: AbortSignal) =>
      fetch(`${mock.url}/responses`, {
        method: "POST",
        body: JSON.stringify({ model, input: "Hi", stream }),
        signal,
      });
    const limited = await ask("mock-429", true);
    assert.equal(limited.headers.get("retry-after"), "1");
    assert.equal((await limited.json()).error.code, "rate_limit_exceeded");
    await assert.rejects(async () => await (await ask("mock-cut", true)).text());
    await assert.rejects(async () => await (await ask("mock-cut", false)).text());
    assert.match(await (await ask("mock-html", false)).text(), /nginx/);
    assert.equal(await (await ask("mock-empty", true)).text(), "");
    assert.doesNotMatch(await (await ask("mock-end", true)).text(), /completed"/);
    assert.match(await (await ask("mock-error-before", true)).text(), /^event: error/);
    assert.match(await (await ask("mock-wrong-usage", false)).text(), /"output_tokens":1000000000000000000/);
    const before = performance.now();
    await (await ask("mock-slow-60", false)).text();
    assert.ok(performance.now() - before > 50);
  }),
);

Deno.test(
  "the mocks count who hangs up on them",
  responses(async ({ mock }) => {
    const ask = async (model: string) => {
      const abort = new AbortController();
      const body = JSON.stringify({ model, input: "Hi", stream: true });
      const answer = fetch(`${mock.url}/responses`, { method: "POST", body, signal: abort.signal });
      if (model === "mock-stall") await (await answer).body?.getReader().read();
      else await until(() => mock.open() === 1);
      assert.equal(mock.open(), 1);
      abort.abort();
      await Promise.allSettled([answer]);
      await until(() => mock.open() === 0);
    };
    await ask("mock-hang");
    await ask("mock-stall");
    assert.equal(mock.aborted(), 2);
    assert.equal(mock.requests.length, 2);
    assert.equal(mock.requests[0]?.path, "/responses");
  }),
);
