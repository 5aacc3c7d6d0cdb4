/** response-healing through the gateway: what changes of a response, and what does not. */

import assert from "node:assert/strict";
import { chatFrames, guarded } from "../guardrails/guarded.ts";
import type { Plan, Planned } from "../mocks/plan.ts";
import { pricedAt } from "../money/rig.ts";
import {
  calls,
  counts,
  eventsOf,
  paths,
  says,
  upstreamWires,
  wholeOf,
  withTools,
} from "../server_tools/rig.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { startGateway } from "../support/gateway.ts";
import { scripted } from "../support/scripted.ts";
import { type Api, apis, askWith, explained, type PluginAnswer, requestOn, stagesOf } from "./rig.ts";

const schema = {
  type: "object",
  properties: { city: { type: "string" }, celsius: { type: "number" } },
  required: ["city", "celsius"],
  additionalProperties: false,
};
const broken = "```json\n{'city': 'Bern', 'celsius': -3.5,}\n```";
const plugins = [{ id: "response-healing" }];
const planned = (items: readonly Planned[], finish: Plan["finish"] = "stop"): Plan => ({
  items,
  finish,
  counts,
  pieces: [2, 9],
});

const dataOf = (answer: PluginAnswer): Json | undefined => {
  const [stage] = stagesOf(answer);
  return stage === undefined ? undefined : asObject(stage.data);
};

/** Everything of a whole response but its text, and what is another one each time. */
function restOf(api: Api, { sent }: PluginAnswer): Json {
  const { id: _, created: _c, created_at: _a, completed_at: _d, service_metadata: _m, ...rest } = wholeOf(
    sent,
  );
  const pattern = /"(?:text|content|id)":"(?:[^"\\]|\\.)*"/g;
  const { plugins: _p, ...bare } = asObject(
    JSON.parse(JSON.stringify(rest).replace(pattern, '"left_out":""')),
  );
  return api === "responses" ? { ...bare, text: null } : bare;
}

Deno.test("healing changes the text of a response and nothing else, at every wire", async (t) => {
  await withTools({}, async (rig) => {
    rig.plan(() => planned([says(broken)]));
    for (const wire of upstreamWires) {
      for (const api of apis) {
        await t.step(`${wire} ${api}`, async () => {
          const body = requestOn(api, { text: "Weather?", schema, model: `mock/${wire}` });
          const plain = await askWith(rig.gateway, { api, stream: false, body });
          const healed = await askWith(rig.gateway, { api, stream: false, body: { ...body, plugins } });
          assert.equal(plain.text, broken);
          assert.deepEqual(JSON.parse(healed.text), { city: "Bern", celsius: -3.5 });
          assert.deepEqual(restOf(api, healed), restOf(api, plain));
          assert.deepEqual(dataOf(healed), {
            mode: "json_schema",
            improved: true,
            original_length: broken.length,
            healed_length: healed.text.length,
          });
        });
      }
    }
  });
});

Deno.test("a stream with healed JSON has its text in one piece, and ends as before", async () => {
  const isText = (event: Json) => {
    const [choice] = Array.isArray(event.choices) ? asList(event.choices).map(asObject) : [];
    if (choice !== undefined) {
      return typeof asObject(choice.delta).content === "string" && asObject(choice.delta).content !== "";
    }
    if (event.type === "response.output_text.delta") return true;
    return event.type === "content_block_delta" && asObject(event.delta).type === "text_delta";
  };
  await withTools({}, async (rig) => {
    rig.plan(() => planned([says(broken)]));
    for (const wire of upstreamWires) {
      for (const api of apis) {
        const body = requestOn(api, { text: "Weather?", schema, model: `mock/${wire}` });
        const plain = eventsOf((await askWith(rig.gateway, { api, stream: true, body })).sent);
        const healed = eventsOf(
          (await askWith(rig.gateway, { api, stream: true, body: { ...body, plugins } })).sent,
        );
        assert.equal(healed.filter(isText).length, 1, `${wire} ${api}`);
        const kinds = (events: readonly Json[]) =>
          events.filter((event) => !isText(event)).map(({ type, object }) => type ?? object);
        assert.deepEqual(kinds(healed), kinds(plain), `${wire} ${api}`);
        assert.deepEqual(usageOf(healed), usageOf(plain), `${wire} ${api}`);
      }
    }
  });
});

/** Counts and reasons of the end, wherever an API has them. */
function usageOf(events: readonly Json[]): readonly string[] {
  const text = JSON.stringify(events);
  const counted = text.match(
    /"(?:prompt|completion|input|output)_tokens":\d+|"(?:finish|stop)_reason":"\w+"/g,
  );
  assert(counted !== null);
  return [...new Set(counted)];
}

Deno.test("a response that reached its limit, and one that was refused, stay as they came", async () => {
  await withTools({}, async (rig) => {
    for (const api of apis) {
      for (const stream of [false, true]) {
        const body = requestOn(api, { text: "Weather?", schema, model: "mock/chat", plugins });
        rig.plan(() => planned([says("{'city': 'Bern', 'celsius': -3")], "length"));
        const cut = await askWith(rig.gateway, { api, stream, body });
        assert.equal(cut.text, "{'city': 'Bern', 'celsius': -3");
        assert.deepEqual(dataOf(cut), {
          mode: "json_schema",
          improved: false,
          reason: "token_limit",
          original_length: 30,
        });
        rig.plan(() => planned([says('{"city": "Bern", "celsius": 3}')], "length"));
        assert.equal(dataOf(await askWith(rig.gateway, { api, stream, body })), undefined);
        rig.plan(() => planned([{ type: "refusal", text: "I will not." }]));
        assert.equal(dataOf(await askWith(rig.gateway, { api, stream, body }))?.reason, "refusal");
        rig.plan(() => planned([says('{"city": "Bern", "celsius": "3"}')]));
        assert.equal(dataOf(await askWith(rig.gateway, { api, stream, body }))?.reason, "schema");
      }
    }
  });
});

Deno.test("arguments of tool calls and the text before them are not healed", async () => {
  await withTools({}, async (rig) => {
    rig.plan(() => planned([says("I look it up: {'a': 1,}"), calls("look", { args: "{'city': 'Bern',}" })]));
    for (const stream of [false, true]) {
      const tools = [{ type: "function", name: "look", parameters: { type: "object", properties: {} } }];
      const body = requestOn("responses", { text: "Weather?", schema, model: "mock/chat", plugins, tools });
      const answer = await askWith(rig.gateway, { api: "responses", stream, body });
      assert.equal(answer.text, "I look it up: {'a': 1,}");
      assert.equal(dataOf(answer), undefined);
      assert.match(answer.sent.text, /\{'city': 'Bern',\}/);
    }
  });
});

/** Frames of a stream; those behind the first text come when `rest` is there. */
function inTwo(frames: readonly string[], rest: Promise<void>): Response {
  const encoder = new TextEncoder();
  const parts = [frames.slice(0, 2), frames.slice(2)].map((part) => encoder.encode(part.join("")));
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (parts.length < 2) await rest;
      const part = parts.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(part);
    },
  }, { highWaterMark: 0 });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

Deno.test("a stream that breaks off is given as it came", async () => {
  const frames = chatFrames({ place: "text", pieces: ["{'city': ", "'Bern',"] }).slice(0, -3);
  let hasBegun = Promise.withResolvers<void>();
  await using upstream = scripted(() => inTwo(frames, hasBegun.promise));
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  for (const api of apis) {
    hasBegun = Promise.withResolvers();
    const fields = requestOn(api, { text: "Weather?", schema, model: "mock/model", plugins });
    const response = await fetch(`${gateway.url}${paths[api]}`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ ...fields, stream: true }),
    });
    hasBegun.resolve();
    const text = await response.text();
    assert.ok(text.includes("{'city': ") && text.includes("'Bern',"), text);
    assert.match(text, /"error"/);
  }
});

Deno.test("a request that asks for no JSON goes on without the plugin, and is told", async () => {
  await using rig = await guarded();
  rig.say({ place: "text", pieces: [broken] });
  for (const api of apis) {
    const { texts, response } = await rig.ask({ api, stream: false, more: { plugins } });
    assert.equal(texts.text, broken);
    assert.match(String(response.headers.get("x-tollgate-notes")), /response-healing did not act.*JSON only/);
  }
  const [would] = await explained(rig.gateway, { model: "mock/model", input: "Hi", plugins });
  assert.match(String(would?.would), /^do nothing/);
  const text = { format: { type: "json_schema", name: "a", schema } };
  const [heals] = await explained(rig.gateway, { model: "mock/model", input: "Hi", text, plugins });
  assert.match(String(heals?.would), /heal its JSON/);
});
