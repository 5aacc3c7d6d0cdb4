import assert from "node:assert/strict";
import type { Item } from "../../canonical/item.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import type { EndpointTraits } from "../../wire.ts";
import { endpointTraits, modelRequest } from "../../../../tests/support/requests.ts";
import { renderRequest } from "./render_request.ts";

const user = (text: string): Item => ({ type: "message", role: "user", parts: [{ type: "text", text }] });

const render = (fields: Partial<ModelRequest> = {}, traits: Partial<EndpointTraits> = {}) =>
  renderRequest(
    modelRequest({ endUser: { user: "raw", safetyIdentifier: "raw" }, ...fields }),
    endpointTraits({ upstreamModel: "claude-opus-5-5", ...traits }),
  );

const version = { "anthropic-version": "2023-06-01" };
const least = {
  model: "claude-opus-5-5",
  max_tokens: 8_192,
  messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
  stream: false,
};

Deno.test("renderRequest sends no more than was asked", () => {
  assert.deepEqual(render(), { path: "/messages", body: least, headers: version, dropped: [] });
  assert.equal(render({ stream: true }).body.stream, true);
});

const caps:
  readonly (readonly [Partial<ModelRequest>, Partial<EndpointTraits>, number, readonly string[]])[] = [
    [{}, {}, 8_192, []],
    [{}, { outputLimit: 64_000 }, 64_000, []],
    [{ maxOutputTokens: 100 }, { outputLimit: 64_000 }, 100, []],
    [{ maxOutputTokens: 100 }, { maxOutputTokens: 50 }, 50, []],
    [{ maxOutputTokens: 100_000 }, { outputLimit: 64_000 }, 64_000, ["max_output_tokens above 64000"]],
  ];

Deno.test("renderRequest always caps the answer, for the provider demands it", () => {
  for (const [fields, traits, expected, dropped] of caps) {
    const call = render(fields, traits);
    assert.deepEqual(
      [call.body.max_tokens, call.dropped],
      [expected, dropped],
      JSON.stringify([fields, traits]),
    );
  }
});

Deno.test("renderRequest tells of the end user only what may leave the gateway", () => {
  assert.deepEqual(render({}, { safetyIdentifier: "hmac" }).body.metadata, { user_id: "hmac" });
  assert.ok(!JSON.stringify(render().body).includes("raw"));
});

const tiers: readonly (readonly [string | undefined, unknown, readonly string[]])[] = [
  [undefined, undefined, []],
  ["auto", "auto", []],
  ["default", "standard_only", []],
  ["priority", "auto", []],
  ["fast", "auto", []],
  ["flex", undefined, ["service_tier flex"]],
];

Deno.test("renderRequest says the tier in the provider's words", () => {
  for (const [serviceTier, expected, dropped] of tiers) {
    const call = render({ serviceTier });
    assert.deepEqual([call.body.service_tier, call.dropped], [expected, dropped]);
  }
});

Deno.test("renderRequest holds the answer to a schema, or asks for it in words", () => {
  const schema = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };
  const format = { type: "json_schema", name: "n", schema, description: "About." } as const;
  const held = render({ format, reasoning: { effort: "low" } });
  assert.deepEqual(held.body.output_config, {
    effort: "low",
    format: { type: "json_schema", schema: { ...schema, description: "About." } },
  });
  const older = render({ format, instructions: "Be kind." }, { upstreamModel: "claude-sonnet-4-0" });
  assert.equal(older.body.output_config, undefined);
  assert.match(JSON.stringify(older.body.system), /Be kind.*matches?|must match this JSON schema/);
  assert.deepEqual(older.dropped, ["text.format json_schema as a constraint"]);
  assert.match(JSON.stringify(render({ format: { type: "json_object" } }).body.system), /one JSON object/);
});

const call: Item = { type: "call", kind: "function", callId: "1", name: "get", arguments: "{}" };
const result: Item = { type: "result", kind: "function", callId: "1", output: "ok" };
const sealed: Item = {
  type: "reasoning",
  content: ["x"],
  summary: [],
  signature: "s",
  format: "anthropic-claude-v1",
};

const turns: readonly (readonly [string, readonly Item[], boolean])[] = [
  ["a new turn", [user("a"), call, result, { ...user("b") }], false],
  ["a turn that another model began", [user("a"), call, result], false],
  ["its own turn", [user("a"), sealed, call, result], true],
  ["its own turn, further on", [user("a"), sealed, call, result, { ...call, callId: "2" }, {
    ...result,
    callId: "2",
  }], true],
  ["after an answer", [user("a"), call, result, {
    ...user("b"),
    type: "message",
    role: "assistant",
    parts: [
      { type: "text", text: "c" },
    ],
  }, user("d")], true],
];

Deno.test("renderRequest lets older models think only in turns that begin with their own thoughts", async (t) => {
  for (const [name, input, thinks] of turns) {
    await t.step(name, () => {
      const { body } = render({ input, reasoning: { effort: "low" } }, {
        upstreamModel: "claude-haiku-4-5",
        outputLimit: 64_000,
      });
      assert.equal(body.thinking !== undefined, thinks);
    });
  }
});

Deno.test("renderRequest defines tools that were called earlier and are offered no more", () => {
  const { body } = render({ input: [user("a"), call, result] });
  assert.deepEqual(body.tools, [{ name: "get", input_schema: { type: "object", properties: {} } }]);
  assert.deepEqual(body.tool_choice, { type: "none" });
});

Deno.test("renderRequest names what this wire has no word for", () => {
  const { dropped, body } = render({
    verbosity: "low",
    modalities: ["text", "image"],
    include: ["message.output_text.logprobs"],
    sampling: { frequencyPenalty: 0.5, presencePenalty: 0, topLogprobs: 2, seed: 0, minP: 0.1 },
    stop: ["END", " "],
  });
  assert.deepEqual(dropped, [
    "blank stop text",
    "frequency_penalty",
    "top_logprobs",
    "min_p",
    "seed",
    "logprobs",
    "text.verbosity",
    "modalities image",
  ]);
  assert.deepEqual(body, { ...least, stop_sequences: ["END"] });
});

Deno.test("renderRequest passes betas on in the header, and nothing that is no name", () => {
  const { headers } = render({
    betas: ["interleaved-thinking-2025-05-14", "x\r\ny: z", "files-api-2025-04-14"],
  });
  assert.deepEqual(headers, {
    ...version,
    "anthropic-beta": "interleaved-thinking-2025-05-14,files-api-2025-04-14",
  });
  assert.deepEqual(render({ betas: [] }).headers, version);
});

Deno.test("renderRequest passes the keys that the endpoint's row lists", () => {
  const { body, dropped } = render(
    { extra: { messages: { speed: "fast", container: "c", user: "raw" }, chat: { x: 1 } } },
    { passKeys: ["speed", "user"] },
  );
  assert.deepEqual(body, { ...least, max_tokens: 8_192, speed: "fast" });
  assert.deepEqual(dropped, ["container", "user", "x"]);
});

Deno.test("renderRequest renders equal requests to equal bytes, so that provider caches hit", () => {
  const fields = {
    tools: [{ type: "function", name: "get", parameters: null }],
    input: [user("a"), call, result],
  } as const;
  assert.equal(JSON.stringify(render(fields).body), JSON.stringify(render(fields).body));
});
