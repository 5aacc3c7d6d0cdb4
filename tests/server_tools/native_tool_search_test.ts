/** Searches of tools in the words of Anthropic's and OpenAI's APIs: answered in kind, and brought back. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { answerOf } from "./answered_turn.ts";
import {
  calls,
  itemsOf,
  outputOf,
  says,
  send,
  type ToolRig,
  upstreamWires,
  wholeOf,
  withTools,
} from "./rig.ts";

const schema = { type: "object", properties: { city: { type: "string" } } };
const weather = { name: "get_weather", description: "The weather forecast of a city.", input_schema: schema };
const mail = {
  name: "send_mail",
  description: "Sends an e-mail.",
  input_schema: { type: "object", properties: {} },
};
const plain = {
  name: "plain",
  description: "Does nothing.",
  input_schema: { type: "object", properties: {} },
};

interface Variant {
  readonly type: string;
  readonly name: string;
  readonly args: Json;
}

const variants: readonly Variant[] = [
  {
    type: "tool_search_tool_regex_20251119",
    name: "tool_search_tool_regex",
    args: { pattern: "(?i)WEATHER" },
  },
  { type: "tool_search_tool_regex", name: "tool_search_tool_regex", args: { pattern: "^get_" } },
  {
    type: "tool_search_tool_bm25_20251119",
    name: "tool_search_tool_bm25",
    args: { query: "forecast of the weather" },
  },
];

const messagesBody = (
  { model, variant: { type, name } }: {
    readonly model: string;
    readonly variant: Pick<Variant, "type" | "name">;
  },
): Json => ({
  model,
  max_tokens: 100,
  tools: [{ type, name }, plain, ...[weather, mail].map((one) => ({ ...one, defer_loading: true }))],
});

/** Whether a provider was offered functions of these names. */
const offers = (body: Json | undefined, name: string): boolean =>
  JSON.stringify([body?.tools, body?.toolConfig]).includes(`"${name}"`);

const withoutThoughts = (items: readonly Json[]): readonly Json[] =>
  items.filter(({ type }) => !/reasoning|thinking/.test(String(type)));

const question = { role: "user", content: "Is it sunny in Rome?" };

for (const wire of upstreamWires.filter((one) => one !== "messages")) {
  for (const stream of [false, true]) {
    Deno.test(`Anthropic's searches of tools work with models of the wire ${wire} (${stream})`, async () => {
      await withTools({}, async (rig) => {
        for (const variant of variants) await checkVariant(rig, { wire, stream, variant });
      });
    });
  }
}

interface Checked {
  readonly wire: (typeof upstreamWires)[number];
  readonly stream: boolean;
  readonly variant: Variant;
}

async function checkVariant({ gateway, plan, taken }: ToolRig, { wire, stream, variant }: Checked) {
  const { args, name } = variant;
  plan((turn) =>
    turn === 0 ? [calls("tool_search", { args })] : [calls("get_weather", { args: { city: "Rome" } })]
  );
  const body = { ...messagesBody({ model: `mock/${wire}`, variant }), messages: [question], stream };
  const answer = answerOf(await send(gateway, { api: "messages", body }), { api: "messages", stream });
  const [use, result, call, ...more] = withoutThoughts(asList(answer[0]?.content).map(asObject));
  assert.deepEqual([use?.type, use?.name, use?.input], ["server_tool_use", name, args]);
  assert.deepEqual(result, {
    type: "tool_search_tool_result",
    tool_use_id: use?.id,
    content: {
      type: "tool_search_tool_search_result",
      tool_references: [{ type: "tool_reference", tool_name: "get_weather" }],
    },
  });
  assert.deepEqual([call?.type, call?.name, more], ["tool_use", "get_weather", []]);
  const [first, second] = taken(wire);
  assert(offers(first, "tool_search") && offers(first, "plain") && !offers(first, "get_weather"));
  assert(offers(second, "get_weather") && !offers(second, "send_mail"));
  plan(() => [says("Sunny.")]);
  const back = [
    question,
    ...answer,
    { role: "user", content: [{ type: "tool_result", tool_use_id: call?.id, content: "Sun" }] },
  ];
  wholeOf(await send(gateway, { api: "messages", body: { ...body, messages: back, stream: false } }));
  const [again] = taken(wire);
  assert(offers(again, "get_weather") && !offers(again, "send_mail"), "found once, offered from then on");
  assert(JSON.stringify(again).includes("get_weather") && JSON.stringify(again).includes("Sun"));
}

Deno.test("a faulty search of Anthropic's is a result with its code and reason", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    for (const variant of variants) {
      const bad = variant.name.endsWith("regex") ? { pattern: "(" } : { query: 5 };
      plan((turn) => turn === 0 ? [calls("tool_search", { args: bad })] : [says("No.")]);
      const body = { ...messagesBody({ model: "mock/chat", variant }), messages: [question] };
      const [use, result] = asList(wholeOf(await send(gateway, { api: "messages", body })).content).map(
        asObject,
      );
      const { type, error_code, error_message } = asObject(result?.content);
      assert.deepEqual([use?.name, type, error_code], [
        variant.name,
        "tool_search_tool_result_error",
        "invalid_tool_input",
      ]);
      assert.match(String(error_message), /^(pattern|query) /);
    }
  });
});

Deno.test("on the Messages wire Anthropic's search and what is deferred go as they are", async () => {
  await withTools({}, async ({ gateway, plan, taken }) => {
    plan(() => [says("Hi.")]);
    const body: Json = {
      ...messagesBody({ model: "mock/messages", variant: variants[0] ?? asVariant() }),
      messages: [question],
    };
    wholeOf(await send(gateway, { api: "messages", body }));
    assert.deepEqual(taken("messages")[0]?.tools, body.tools);
  });
});

const asVariant = (): Variant => assert.fail("There is no variant.");

Deno.test("tools that Anthropic's search, or a function of the client's, has named are offered to other models", async () => {
  await withTools({}, async ({ gateway, plan, taken }) => {
    const references = [{ type: "tool_reference", tool_name: "get_weather" }];
    const searched = [
      {
        type: "server_tool_use",
        id: "srvtoolu_01",
        name: "tool_search_tool_regex",
        input: { pattern: "get" },
      },
      {
        type: "tool_search_tool_result",
        tool_use_id: "srvtoolu_01",
        content: { type: "tool_search_tool_search_result", tool_references: references },
      },
    ];
    const called = { type: "tool_use", id: "toolu_1", name: "plain", input: {} };
    const named = { type: "tool_result", tool_use_id: "toolu_1", content: references };
    const histories = [
      [{ role: "assistant", content: searched }, { role: "user", content: "Go on." }],
      [{ role: "assistant", content: [called] }, { role: "user", content: [named] }],
    ];
    for (const history of histories) {
      plan(() => [says("Hi.")]);
      const body = messagesBody({ model: "mock/chat", variant: variants[0] ?? asVariant() });
      wholeOf(await send(gateway, { api: "messages", body: { ...body, messages: [question, ...history] } }));
      const [sent] = taken("chat");
      assert(offers(sent, "get_weather") && !offers(sent, "send_mail"));
    }
  });
});

const fn = (
  { name, description, input_schema: parameters }: typeof plain,
  defer_loading?: boolean,
): Json => ({
  type: "function",
  name,
  description,
  parameters,
  ...(defer_loading === undefined ? {} : { defer_loading }),
});
const responsesTools = [{ type: "tool_search" }, fn(plain), fn(weather, true), fn(mail, true)];

for (const wire of upstreamWires.filter((one) => one !== "responses")) {
  for (const stream of [false, true]) {
    Deno.test(`OpenAI's tool_search is a call and an output on the wire ${wire} (${stream})`, async () => {
      await withTools({}, async (rig) => {
        const { gateway, plan, taken } = rig;
        const args = { query: "weather" };
        plan((turn) => turn === 0 ? [calls("tool_search", { args, id: "call_1" })] : [calls("get_weather")]);
        const body = { model: `mock/${wire}`, input: [question], tools: responsesTools, stream };
        const sent = await send(gateway, { body });
        const items = withoutThoughts(outputOf(sent));
        const [call, output, next] = items;
        assert.deepEqual(
          [call?.type, call?.execution, call?.arguments, call?.status],
          ["tool_search_call", "server", args, "completed"],
        );
        assert.deepEqual(
          [output?.type, output?.execution, output?.call_id, output?.status],
          ["tool_search_output", "server", call?.call_id, "completed"],
        );
        const [found, ...more] = asList(output?.tools).map(asObject);
        assert.deepEqual([found?.type, found?.name, found?.parameters, found?.defer_loading, more], [
          "function",
          "get_weather",
          schema,
          true,
          [],
        ]);
        assert.equal(next?.name, "get_weather");
        await checkBroughtBack(rig, { wire, items });
        assert.equal(taken(wire).length, 2);
      });
    });
  }
}

/** As the gateway has shown the items, and as OpenAI does, whose searches have no ids of calls. */
async function checkBroughtBack(
  { gateway, plan, taken }: ToolRig,
  { wire, items }: { readonly wire: Checked["wire"]; readonly items: readonly Json[] },
) {
  plan(() => [says("Sunny.")]);
  const result = { type: "function_call_output", call_id: items[2]?.call_id, output: "Sun" };
  const asOpenAis = items.map((one) =>
    String(one.type).startsWith("tool_search") ? { ...one, call_id: null } : one
  );
  for (const shown of [items, asOpenAis]) {
    const input = [question, ...shown, result];
    wholeOf(await send(gateway, { body: { model: `mock/${wire}`, input, tools: responsesTools } }));
    const sent = taken(wire).at(-1);
    assert(offers(sent, "get_weather") && !offers(sent, "send_mail"));
    assert(JSON.stringify(sent).includes("The weather forecast of a city."));
  }
}

Deno.test("searches that the gateway has run go to OpenAI in the form of its own, and a client's with its id", async () => {
  await withTools({}, async ({ gateway, plan, taken }) => {
    const tools = responsesTools;
    plan((turn) => turn === 0 ? [calls("tool_search", { args: { query: "weather" } })] : [says("Hi.")]);
    const made = itemsOf(
      wholeOf(await send(gateway, { body: { model: "mock/chat", input: [question], tools } })),
    ).filter(({ type }) => String(type).startsWith("tool_search"));
    assert.deepEqual(made.map(({ type }) => type), ["tool_search_call", "tool_search_output"]);
    const forms: readonly (readonly [items: readonly Json[], callIds: readonly unknown[]])[] = [
      [made, [null, null]],
      [made.map((one) => ({ ...one, call_id: null })), [null, null]],
      [made.map((one) => ({ ...one, execution: "client", call_id: "call_9" })), ["call_9", "call_9"]],
    ];
    for (const [items, callIds] of forms) {
      plan(() => [says("Sunny.")]);
      const input = [question, ...items, question];
      wholeOf(await send(gateway, { body: { model: "mock/responses", input, tools } }));
      const sent = asList(taken("responses")[0]?.input).map(asObject).slice(1, 3);
      assert.deepEqual(sent.map(({ call_id }) => call_id), callIds);
      for (const { id = null } of sent) assert.match(String(id), /^(?:null|tsc_|tso_)/, JSON.stringify(sent));
    }
  });
});

Deno.test("a search of tools is 400 on Chat Completions, which has no word for what is deferred", async () => {
  await withTools({}, async ({ gateway }) => {
    for (const type of ["tool_search", "service:tool_search", "openrouter:tool_search"]) {
      const body = { model: "mock/chat", messages: [question], tools: [{ type }] };
      const { error } = wholeOf(await send(gateway, { api: "chat", body }), 400);
      assert.match(String(asObject(error).message), /^tools\[0\]\.type is a search of tools/);
    }
  });
});
