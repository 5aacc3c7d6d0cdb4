import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { type Json, type Rig, textOf, withLocal } from "./rig.ts";

const weather = {
  type: "function",
  name: "get_weather",
  parameters: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { location: { type: "string" }, days: { type: "integer", minimum: 1, maximum: 9 } },
    required: ["location", "days"],
    additionalProperties: false,
  },
};
const clock = { type: "function", name: "getTime", parameters: null };

function test(name: string, run: (rig: Rig) => Promise<void>): void {
  Deno.test(name, () => withLocal(run));
}

test("echo repeats the user's words as they are, the same each time", async ({ ask }) => {
  const input = 'Grüße, 漢字 👩‍👩‍👧 <|endoftext|>\n  "quoted"\t{json}';
  const [first, second] = [await ask({ input }), await ask({ input })];
  assert.equal(textOf(first), `You said: ${input}`);
  assert.equal(textOf(second), textOf(first));
  assert.notEqual(second.id, first.id);
  assert.equal(first.status, "completed");
});

test("echo counts tokens with the encoding's own numbers", async ({ ask }) => {
  const { usage, ...answer } = await ask({ input: "Say hello to the world", instructions: "Be brief." });
  assert.equal(usage.output_tokens, encode(textOf(answer)).length);
  assert.equal(
    usage.input_tokens,
    encode("user").length + encode("Say hello to the world").length + encode("Be brief.").length + 6,
  );
  assert.equal(usage.total_tokens, usage.input_tokens + usage.output_tokens);
  assert.deepEqual(usage.input_tokens_details, { cached_tokens: 0 });
});

test("echo counts tools and schemas as input", async ({ ask }) => {
  const tokens = async (body: Json) => (await ask({ input: "hi", ...body })).usage.input_tokens;
  const bare = await tokens({});
  assert.ok(await tokens({ tools: [weather] }) > bare + 40);
  assert.ok(
    await tokens({ text: { format: { type: "json_schema", name: "w", schema: weather.parameters } } }) >
      bare + 40,
  );
});

test("echo keeps to max_output_tokens in text, thoughts and calls", async ({ ask, stream }) => {
  const input = "one two three four five 👩‍👩‍👧 six seven";
  const cases: readonly Json[] = [
    { input },
    { input, reasoning: { effort: "high", summary: "auto" } },
    { input: "get_weather and getTime", tools: [weather, clock] },
    { input, text: { format: { type: "json_schema", name: "w", schema: weather.parameters } } },
  ];
  for (const body of cases) {
    const whole = await ask(body);
    for (let limit = 1; limit <= 30; limit++) {
      const answer = await ask({ ...body, max_output_tokens: limit });
      assert.ok(answer.usage.output_tokens <= limit);
      if (limit >= whole.usage.output_tokens) {
        assert.equal(answer.status, "completed");
        continue;
      }
      assert.equal(answer.status, "incomplete");
      assert.deepEqual(answer.incomplete_details, { reason: "max_output_tokens" });
      assert.ok(answer.usage.output_tokens >= limit - 3);
    }
    const events = await stream({ ...body, max_output_tokens: 2 });
    assert.equal(events.at(-1)?.type, "response.incomplete");
    assert.ok(events.at(-1)?.response.usage.output_tokens <= 2);
  }
});

test("echo calls the tool that the user names, with arguments that satisfy its schema", async ({ ask }) => {
  const { output } = await ask({
    input: "Please use get_weather for Paris, 3 days",
    tools: [clock, weather],
  });
  assert.equal(output.length, 1);
  const [call] = output;
  assert.deepEqual([call.type, call.name, call.status], ["function_call", "get_weather", "completed"]);
  assert.deepEqual(JSON.parse(call.arguments), { location: "Paris", days: 3 });
  assert.ok(new Ajv2020({ strict: false }).validate(weather.parameters, JSON.parse(call.arguments)));
  assert.match(call.call_id, /^call_\w{24}$/);
});

const calledIn = async ({ ask }: Pick<Rig, "ask">, body: Json) =>
  (await ask(body)).output.map(({ name, arguments: json, input }: Json) => [name, input ?? JSON.parse(json)]);

test("echo calls a tool with what it is told to", async (rig) => {
  const tools = [weather, clock, { type: "custom", name: "note" }];
  const input = `Use the get_weather tool with: {"location": "getTime", "days": 2}
Then use the note tool with: a {brace}
and use the Get Weather tool with: {"location": "Rome"} please`;
  assert.deepEqual(await calledIn(rig, { input, tools }), [
    ["get_weather", { location: "getTime", days: 2 }],
    ["note", "a {brace}\nand"],
  ]);
  const spread = 'Use the get_weather tool with: {\n  "location": "Oslo"\n}';
  assert.deepEqual(await calledIn(rig, { input: spread, tools }), [["get_weather", { location: "Oslo" }]]);
  assert.deepEqual(await calledIn(rig, { input, tools, parallel_tool_calls: false }), [
    ["get_weather", { location: "getTime", days: 2 }],
  ]);
  const [none] = (await rig.ask({ input, tools, tool_choice: "none" })).output;
  assert.equal(none.type, "message");
});

test("echo gives a tool the command that it is told to run", async (rig) => {
  const takes = (name: string, properties: Json) => ({
    type: "function",
    name,
    parameters: { type: "object", properties },
  });
  const tools = [
    takes("bash", { timeout_ms: { type: "integer" }, command: { type: "string" } }),
    takes("shell", { commands: { type: "array", items: { type: "string" } } }),
    { type: "custom", name: "python" },
  ];
  const input = "Use the bash tool to run: ls -l | wc\nUse the shell tool to run: pwd\n" +
    "Use the python tool to run: print(1)\nprint(2)";
  assert.deepEqual(await calledIn(rig, { input, tools }), [
    ["bash", { command: "ls -l | wc" }],
    ["shell", { commands: ["pwd"] }],
    ["python", "print(1)\nprint(2)"],
  ]);
});

test("echo calls no tool that is not named, or as part of a word", async ({ ask }) => {
  for (const input of ["What time is it?", "forget_weather", "get_weathers"]) {
    const { output } = await ask({ input, tools: [weather, clock] });
    assert.equal(output[0].type, "message", input);
  }
});

test("echo makes parallel calls in the order of the text, or one", async ({ ask }) => {
  const body = { input: "Use get time, then get weather in Rome.", tools: [weather, clock] };
  const names = async (more: Json) => (await ask({ ...body, ...more })).output.map((item: Json) => item.name);
  assert.deepEqual(await names({}), ["getTime", "get_weather"]);
  assert.deepEqual(await names({ parallel_tool_calls: null }), ["getTime", "get_weather"]);
  assert.deepEqual(await names({ parallel_tool_calls: false }), ["getTime"]);
});

test("echo obeys every form of tool_choice", async ({ ask, post }) => {
  const tools = [weather, clock, { type: "custom", name: "run" }, { type: "web_search" }];
  const called = async (tool_choice: unknown, input: string) =>
    (await ask({ input, tools, tool_choice })).output.map((item: Json) => item.name ?? item.type);
  assert.deepEqual(await called("none", "use get_weather"), ["message"]);
  assert.deepEqual(await called("required", "hello"), ["get_weather"]);
  assert.deepEqual(await called("required", "use getTime"), ["getTime"]);
  assert.deepEqual(await called({ type: "function", name: "getTime" }, "hello"), ["getTime"]);
  assert.deepEqual(await called({ type: "custom", name: "run" }, "hello"), ["run"]);
  assert.deepEqual(await called({ type: "web_search_preview" }, "hello"), ["message"]);
  const allowed = { type: "allowed_tools", tools: [{ type: "function", name: "getTime" }] };
  assert.deepEqual(await called({ ...allowed, mode: "auto" }, "use get_weather"), ["message"]);
  assert.deepEqual(await called({ ...allowed, mode: "auto" }, "use getTime"), ["getTime"]);
  assert.deepEqual(await called({ ...allowed, mode: "required" }, "use get_weather"), ["getTime"]);
  const unknown = await post({
    model: "echo",
    input: "x",
    tools,
    tool_choice: { type: "function", name: "nope" },
  });
  assert.equal(unknown.status, 400);
  assert.equal((await unknown.json()).error.param, "tool_choice");
});

test("echo calls custom tools and tools of a namespace", async ({ ask }) => {
  const format = { type: "grammar", syntax: "regex", definition: "^[a-c]{3}-\\d$" };
  const inner = [{ type: "custom", name: "pick", format }, { ...clock, name: "now" }];
  const tools = [{ type: "namespace", name: "desk", description: "d", tools: inner }, {
    type: "custom",
    name: "note",
  }];
  const { output } = await ask({ input: "pick, then now, then note", tools });
  const [pick, now, note] = output;
  assert.deepEqual([pick.type, pick.name, pick.namespace], ["custom_tool_call", "pick", "desk"]);
  assert.match(pick.input, /^[a-c]{3}-\d$/);
  assert.deepEqual([now.type, now.namespace, now.arguments], ["function_call", "desk", "{}"]);
  assert.deepEqual([note.namespace, note.input], [undefined, "pick, then now, then note"]);
});

test("echo quotes what a tool returned, and ends the loop", async ({ ask }) => {
  const input = [
    { role: "user", content: "use get_weather" },
    { type: "function_call", name: "get_weather", call_id: "call_1", arguments: "{}" },
    { type: "function_call_output", call_id: "call_1", output: '{"temp": 21}' },
    { type: "custom_tool_call_output", call_id: "call_2", output: [{ type: "input_text", text: "done" }] },
  ];
  const answer = await ask({ input, tools: [weather] });
  assert.equal(textOf(answer), 'get_weather returned: {"temp": 21}\n\nThe tool returned: done');
  const again = await ask({
    input: [...input, { role: "user", content: "use get_weather again" }],
    tools: [weather],
  });
  assert.equal(again.output[0].name, "get_weather");
});

test("echo says which turn it is, and takes every spelling of a message", async ({ ask }) => {
  const input = [
    { role: "user", content: "first" },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "You said: first" }] },
    { role: "developer", content: "x" },
    { type: "reasoning", id: "rs_1", summary: [], content: null, encrypted_content: "abc" },
    { type: "web_search_call", id: "ws_1", status: "completed" },
    {
      type: "message",
      role: "user",
      content: [{ type: "input_text", text: "second" }, { type: "input_text", text: "line" }],
    },
  ];
  assert.equal(textOf(await ask({ input })), "You said: second\nline\n\nThis is turn 2 of our conversation.");
  assert.equal(textOf(await ask({ input: [] })), "You sent no text.");
  assert.equal(textOf(await ask({})), "You sent no text.");
});

test("echo thinks when asked, and shows as much as asked", async ({ ask }) => {
  const think = async (reasoning: unknown, include?: readonly string[]) => {
    const { output, usage } = await ask({ input: "Think", reasoning, include });
    return { item: output[0], tokens: usage.output_tokens_details.reasoning_tokens };
  };
  for (
    const none of [undefined, null, {}, { effort: "none" }, { effort: null, summary: null }, {
      enabled: false,
    }]
  ) {
    const { item, tokens } = await think(none);
    assert.deepEqual([item.type, tokens], ["message", 0]);
  }
  const quiet = await think({ effort: "low" });
  assert.deepEqual([quiet.item.type, quiet.item.summary, quiet.item.encrypted_content], [
    "reasoning",
    [],
    undefined,
  ]);
  assert.ok(quiet.tokens > 0);
  const loud = await think({ effort: "high", summary: "auto" }, ["reasoning.encrypted_content"]);
  assert.ok(loud.tokens > quiet.tokens);
  assert.ok(loud.item.summary.length > 1);
  assert.ok(loud.item.encrypted_content.length > 20);
  assert.equal((await think({ summary: "concise" })).item.summary.length, 1);
  assert.ok((await think({ enabled: true })).tokens > 0);
  assert.equal((await think({ max_tokens: 5 })).tokens, 5);
});

test("echo fills in json_schema formats and answers json_object with an object", async ({ ask }) => {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string" },
      date: { type: "string", format: "date" },
      guests: { type: "array", items: { type: "string" } },
    },
    required: ["name", "date", "guests"],
    additionalProperties: false,
  };
  const input = "Alice and Bob are going to a science fair on Friday.";
  for (const name of ["event", undefined]) {
    const answer = await ask({
      input,
      text: { format: { type: "json_schema", name, schema, strict: true } },
    });
    const filled = JSON.parse(textOf(answer));
    assert.deepEqual(Object.keys(filled), ["name", "date", "guests"]);
    assert.match(filled.date, /^\d{4}-\d\d-\d\d$/);
    assert.ok(input.includes(filled.name));
  }
  const object = JSON.parse(textOf(await ask({ input, text: { format: { type: "json_object" } } })));
  assert.equal(object.answer, `You said: ${input}`);
});

test("echo gives log probabilities when asked, at most as many as asked", async ({ ask, stream }) => {
  const none = await ask({ input: "hi there" });
  assert.deepEqual(none.output[0].content[0].logprobs, []);
  for (
    const [body, count] of [[{ top_logprobs: 3 }, 3], [
      { include: ["message.output_text.logprobs"] },
      0,
    ]] as const
  ) {
    const answer = await ask({ input: "hi there", ...body });
    const { text, logprobs } = answer.output[0].content[0];
    assert.equal(logprobs.map(({ token }: Json) => token).join(""), text);
    for (const { logprob, top_logprobs, token, bytes } of logprobs) {
      assert.ok(logprob <= 0);
      assert.deepEqual(bytes, [...new TextEncoder().encode(token)]);
      assert.equal(top_logprobs.length, count);
      assert.equal(new Set(top_logprobs.map((one: Json) => one.token)).size, count);
      assert.ok(top_logprobs.reduce((sum: number, one: Json) => sum + Math.exp(one.logprob), 0) <= 1.000001);
    }
    const deltas = (await stream({ input: "hi there", ...body })).filter(({ type }) =>
      type.endsWith("text.delta")
    );
    assert.deepEqual(deltas.flatMap((delta) => delta.logprobs), logprobs);
  }
});

test("echo refuses when the user says the words", async ({ ask }) => {
  const { output } = await ask({
    input: "Please refuse this, and do not call get_weather",
    tools: [weather],
  });
  assert.equal(output[0].content[0].type, "refusal");
  assert.match(output[0].content[0].refusal, /^I'm sorry/);
});

test("echo answers a prompt that is too long like a provider", async ({ post }) => {
  const response = await post({ model: "echo", input: "word ".repeat(140_000) });
  assert.equal(response.status, 400);
  assert.equal((await response.json()).error.code, "context_length_exceeded");
});

test("echo turns down what has the wrong shape, and names the place", async ({ post }) => {
  const cases: readonly (readonly [Json, string])[] = [
    [{ input: 5 }, "input"],
    [{ input: [{ role: "user", content: [{ type: "input_text", text: 5 }] }] }, "input[0].content[0].text"],
    [{ input: "x", max_output_tokens: 0 }, "max_output_tokens"],
    [{ input: "x", tools: [{ name: "f" }] }, "tools[0].type"],
    [{ input: "x", top_logprobs: 21 }, "top_logprobs"],
  ];
  for (const [body, param] of cases) {
    const response = await post({ model: "echo", ...body });
    const { error } = await response.json();
    assert.deepEqual([response.status, error.type, error.param], [400, "invalid_request_error", param]);
  }
});
