/** Ids of calls are unique over the whole conversation, whatever a provider or a client repeats. */

import assert from "node:assert/strict";
import { isRecord, tryParseJson } from "../../shared/util/json.ts";
import type { Planned } from "../mocks/plan.ts";
import type { Json } from "../mocks/published.ts";
import { asObject } from "../support/event_stream.ts";
import {
  type Api,
  apis,
  calls,
  eventsOf,
  outputOf,
  says,
  send,
  type Sent,
  type ToolRig,
  type Turns,
  upstreamWires,
  wholeOf,
  withTools,
} from "./rig.ts";

const QUESTION = "What is it like in Rome, and in Tokyo?";
const SAME = "call_0";

const at = (name: string, timezone: string): Planned => calls(name, { args: { timezone }, id: SAME });

interface ReportedCalls {
  readonly calls: readonly { readonly id: string; readonly zone: string }[];
  readonly results: readonly { readonly id: string; readonly text: string }[];
}

const empty: ReportedCalls = { calls: [], results: [] };

const textOf = (value: unknown) => typeof value === "string" ? value : JSON.stringify(value);

function zoneOf(args: unknown): string {
  const value = typeof args === "string" ? tryParseJson(args) : args;
  return isRecord(value) ? String(value.timezone) : "";
}

/** Reads calls or results from one object of a body, in the words of each wire. */
function callsOfObject(value: Json): ReportedCalls | undefined {
  const call = (id: unknown, args: unknown): ReportedCalls => ({
    calls: [{ id: String(id), zone: zoneOf(args) }],
    results: [],
  });
  const result = (id: unknown, text: unknown): ReportedCalls => ({
    calls: [],
    results: [{ id: String(id), text: textOf(text) }],
  });
  if (value.type === "function_call") return call(value.call_id, value.arguments);
  if (value.type === "function_call_output") return result(value.call_id, value.output);
  if (value.type === "function" && isRecord(value.function)) return call(value.id, value.function.arguments);
  if (value.role === "tool") return result(value.tool_call_id, value.content);
  if (value.type === "tool_use") return call(value.id, value.input);
  if (value.type === "tool_result") return result(value.tool_use_id, value.content);
  if (isRecord(value.functionCall)) return call(value.functionCall.id, value.functionCall.args);
  if (isRecord(value.functionResponse)) {
    return result(value.functionResponse.id, value.functionResponse.response);
  }
  if (isRecord(value.toolUse)) return call(value.toolUse.toolUseId, value.toolUse.input);
  if (isRecord(value.toolResult)) return result(value.toolResult.toolUseId, value.toolResult.content);
  return undefined;
}

function callsIn(value: unknown): ReportedCalls {
  const inner = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
  const own = isRecord(value) ? callsOfObject(value) : undefined;
  if (own !== undefined) return own;
  return inner.map(callsIn).reduce((all, one) => ({
    calls: [...all.calls, ...one.calls],
    results: [...all.results, ...one.results],
  }), empty);
}

/** Each call has an id of its own, and the one result that belongs to it. */
function assertPaired(body: Json | undefined, zones: readonly string[]): void {
  const { input, messages, contents } = body ?? {};
  const { calls: made, results } = callsIn(input ?? messages ?? contents);
  assert.deepEqual(made.map(({ zone }) => zone), zones);
  assert.equal(new Set(made.map(({ id }) => id)).size, zones.length, JSON.stringify(made));
  for (const { id, zone } of made) {
    const own = results.filter((result) => result.id === id);
    assert.equal(own.length, 1, `results of ${id}`);
    assert.ok(own[0]?.text.includes(zone), `${zone} is answered with ${own[0]?.text}`);
  }
}

function bodyOf(api: Api, more: Json): Json {
  if (api === "responses") return { input: QUESTION, ...more };
  const messages = [{ role: "user", content: QUESTION }];
  return { messages, ...(api === "messages" ? { max_tokens: 1_000 } : {}), ...more };
}

const weather = {
  name: "weather",
  parameters: { type: "object", properties: { timezone: { type: "string" } } },
};
const functions: Readonly<Record<Api, Json>> = {
  responses: { type: "function", ...weather },
  chat: { type: "function", function: weather },
  messages: { name: weather.name, input_schema: weather.parameters },
};

/** A conversation of earlier requests, in which both calls have one id. */
const histories: Readonly<Record<Api, Json>> = {
  responses: {
    input: ["Rome", "Tokyo"].flatMap((zone) => [
      { role: "user", content: zone },
      {
        type: "function_call",
        call_id: SAME,
        name: "weather",
        arguments: JSON.stringify({ timezone: zone }),
      },
      { type: "function_call_output", call_id: SAME, output: `Sunny in ${zone}` },
    ]),
  },
  chat: {
    messages: ["Rome", "Tokyo"].flatMap((zone) => [
      { role: "user", content: zone },
      {
        role: "assistant",
        content: null,
        tool_calls: [{
          id: SAME,
          type: "function",
          function: { name: "weather", arguments: JSON.stringify({ timezone: zone }) },
        }],
      },
      { role: "tool", tool_call_id: SAME, content: `Sunny in ${zone}` },
    ]),
  },
  messages: {
    messages: [
      { role: "user", content: "Rome" },
      ...["Rome", "Tokyo"].flatMap((zone) => [
        {
          role: "assistant",
          content: [{ type: "tool_use", id: SAME, name: "weather", input: { timezone: zone } }],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: SAME, content: `Sunny in ${zone}` }] },
      ]),
    ],
  },
};

/** Ids of the calls that the client is to answer. */
function idsForClient(
  sent: Sent,
  { api, stream }: { readonly api: Api; readonly stream: boolean },
): readonly string[] {
  if (api === "responses") {
    return outputOf(sent).filter(({ type }) => type === "function_call")
      .map(({ call_id }) => String(call_id));
  }
  const objects: Json[] = [];
  const collect = (value: unknown): void => {
    if (isRecord(value)) objects.push(value);
    if (typeof value === "object" && value !== null) Object.values(value).forEach(collect);
  };
  collect(stream ? eventsOf(sent) : wholeOf(sent));
  return objects.filter(({ type, id }) =>
    (type === "tool_use" || type === "function") && typeof id === "string"
  )
    .map(({ id }) => String(id));
}

async function ask({ gateway, plan }: ToolRig, { api, body, turns }: {
  readonly api: Api;
  readonly body: Json;
  readonly turns: Turns;
}): Promise<Sent> {
  plan(turns);
  const sent = await send(gateway, { api, body });
  assert.equal(sent.status, 200, sent.text);
  return sent;
}

for (const wire of upstreamWires) {
  for (const id of ["call_1", ""]) {
    Deno.test(`an item of a server tool has its call_id when it opens (${wire}, ${id || "no id"})`, async () => {
      await withTools({}, async (rig) => {
        const turns: Turns = (turn) =>
          turn < 2 ? [calls("datetime", { args: { timezone: "Europe/Rome" }, id })] : [says("Done.")];
        const tools = [{ type: "service:datetime" }];
        const body = bodyOf("responses", { model: `mock/${wire}`, tools, stream: true });
        const events = eventsOf(await ask(rig, { api: "responses", turns, body }));
        const idsAt = (type: string) =>
          events.filter((event) => event.type === type).map(({ item }) => asObject(item))
            .filter((item) => item.type === "service:datetime").map(({ call_id }) => call_id);
        const added = idsAt("response.output_item.added");
        assert.equal(added.length, 2);
        assert(added.every((one) => typeof one === "string" && one !== ""), JSON.stringify(added));
        assert.equal(new Set(added).size, 2);
        assert.deepEqual(idsAt("response.output_item.done"), added);
      });
    });
  }

  for (const api of apis) {
    Deno.test(`a provider that repeats ids of calls in a loop (${wire}, ${api})`, async () => {
      await withTools({}, async (rig) => {
        const kinds: Readonly<Record<string, Turns>> = {
          "in one turn": (turn) =>
            turn === 0 ? [at("datetime", "Europe/Rome"), at("datetime", "Asia/Tokyo")] : [says("Done.")],
          "over turns": (turn) =>
            turn < 2 ? [at("datetime", turn === 0 ? "Europe/Rome" : "Asia/Tokyo")] : [says("Done.")],
        };
        for (const stream of [false, true]) {
          for (const [kind, turns] of Object.entries(kinds)) {
            const tools = [{ type: "service:datetime" }];
            const sent = await ask(rig, {
              api,
              turns,
              body: bodyOf(api, { model: `mock/${wire}`, tools, stream }),
            });
            assertPaired(rig.taken(wire).at(-1), ["Europe/Rome", "Asia/Tokyo"]);
            if (api !== "responses") continue;
            const items = outputOf(sent);
            const ids = items.filter(({ type }) => type === "service:datetime").map(({ call_id }) => call_id);
            assert.equal(new Set(ids).size, 2, `${kind}: ${ids}`);
          }
        }
      });
    });

    Deno.test(`a provider that repeats ids of calls that the client answers (${wire}, ${api})`, async () => {
      await withTools({}, async (rig) => {
        const turns: Turns = () => [at("weather", "Rome"), at("weather", "Tokyo")];
        const about = { model: `mock/${wire}`, tools: [functions[api]] };
        for (const stream of [false, true]) {
          const fresh = await ask(rig, { api, turns, body: bodyOf(api, { ...about, stream }) });
          const ids = idsForClient(fresh, { api, stream });
          assert.equal(ids.length, 2, fresh.text);
          assert.equal(new Set(ids).size, 2, "in one turn");
          const later = await ask(rig, {
            api,
            turns,
            body: { ...bodyOf(api, about), ...histories[api], stream },
          });
          const further = idsForClient(later, { api, stream });
          assert.equal(new Set([SAME, ...further]).size, 3, `over turns: ${further}`);
        }
      });
    });

    Deno.test(`a client that brings calls back under one id (${wire}, ${api})`, async () => {
      await withTools({}, async (rig) => {
        const body = {
          ...bodyOf(api, { model: `mock/${wire}`, tools: [functions[api]] }),
          ...histories[api],
        };
        await ask(rig, { api, body, turns: () => [says("Done.")] });
        const [first] = rig.taken(wire);
        assertPaired(first, ["Rome", "Tokyo"]);
        await ask(rig, { api, body, turns: () => [says("Done.")] });
        assert.deepEqual(rig.taken(wire)[0], first, "the same ids again");
      });
    });
  }
}

Deno.test("ids that differ stay different where a wire takes fewer characters", async () => {
  await withTools({}, async (rig) => {
    const ids = ["call.0", "call_0", "call:0", `${"x".repeat(80)}1`, `${"x".repeat(80)}2`];
    const zones = ids.map((_, index) => `Zone ${index}`);
    const input = [
      { role: "user", content: "?" },
      ...ids.map((call_id, index) => ({
        type: "function_call",
        call_id,
        name: "weather",
        arguments: JSON.stringify({ timezone: zones[index] }),
      })),
      ...ids.map((call_id, index) => ({
        type: "function_call_output",
        call_id,
        output: `Sunny in ${zones[index]}`,
      })),
    ];
    for (const wire of upstreamWires) {
      const body = { model: `mock/${wire}`, input, tools: [functions.responses] };
      await ask(rig, { api: "responses", body, turns: () => [says("Done.")] });
      assertPaired(asObject(rig.taken(wire)[0]), zones);
    }
  });
});
