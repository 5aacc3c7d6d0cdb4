/** A tool search that the client runs stays the client's: its arguments, its answer and the tools in it, on every wire. */

import assert from "node:assert/strict";
import { isRecord } from "../../shared/util/json.ts";
import { asObject, type Json } from "../support/event_stream.ts";
import { calls, outputOf, says, send, type ToolRig, upstreamWires, withTools } from "./rig.ts";

const parameters = { type: "object", properties: { goal: { type: "string" } }, required: ["goal"] };
const search = {
  type: "tool_search",
  execution: "client",
  description: "Finds tools of the project by a goal.",
  parameters,
};
const weather = {
  type: "function",
  name: "weather",
  description: "The weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } } },
};
const question = { role: "user", content: "Is it sunny in Rome?" };

/** Every object in a body, however deep. */
const objectsIn = (value: unknown): readonly Json[] =>
  Array.isArray(value)
    ? value.flatMap(objectsIn)
    : isRecord(value)
    ? [value, ...Object.values(value).flatMap(objectsIn)]
    : [];

/** Names of the functions that a provider is offered. */
const offered = ({ tools, toolConfig }: Json): readonly string[] =>
  objectsIn(tools ?? toolConfig).flatMap(({ name }) => typeof name === "string" ? [name] : []);

interface Turn {
  readonly wire: (typeof upstreamWires)[number];
  readonly input: readonly Json[];
  readonly stream: boolean;
}

async function ask(rig: ToolRig, { wire, input, stream }: Turn): Promise<readonly Json[]> {
  const body = { model: `mock/${wire}`, input, tools: [search], stream };
  const sent = await send(rig.gateway, { api: "responses", body });
  return outputOf(sent);
}

for (const wire of upstreamWires.filter((one) => one !== "responses")) {
  for (const stream of [false, true]) {
    Deno.test(`a client's tool search is its own (${wire}, ${stream ? "streamed" : "whole"})`, async () => {
      await withTools({}, async (rig) => {
        rig.plan(() => [calls("tool_search", { args: { goal: "weather" }, id: "call_1" })]);
        const first = await ask(rig, { wire, input: [question], stream });
        const call = first.find(({ type }) => type === "tool_search_call");
        assert.deepEqual([call?.execution, call?.arguments, call?.call_id, call?.status], [
          "client",
          { goal: "weather" },
          "call_1",
          "completed",
        ]);
        const sent = rig.taken(wire).at(-1);
        assert(sent);
        assert.deepEqual(offered(sent).filter((name) => name !== "goal"), ["tool_search"]);
        assert(JSON.stringify(sent).includes(search.description));

        rig.plan(() => [calls("weather", { args: { city: "Rome" }, id: "call_2" })]);
        const found = {
          type: "tool_search_output",
          call_id: "call_1",
          execution: "client",
          tools: [weather],
        };
        const second = await ask(rig, { wire, input: [question, ...first, found], stream });
        const named = second.find(({ type }) => type === "function_call");
        assert.deepEqual([named?.name, named?.call_id], ["weather", "call_2"]);
        const later = rig.taken(wire).at(-1);
        assert(later);
        assert(offered(later).includes("weather"), JSON.stringify(later));
        const { tools: _, toolConfig: _config, ...conversation } = later;
        const json = JSON.stringify(conversation);
        assert(json.includes("call_1") && json.includes(weather.description), json);
        assert(json.indexOf("goal") < json.indexOf(weather.description));

        rig.plan(() => [says("It is.")]);
        const result = { type: "function_call_output", call_id: "call_2", output: "Sunny" };
        const last = await ask(rig, { wire, input: [question, ...first, found, ...second, result], stream });
        assert.equal(last.at(-1)?.type, "message");
      });
    });
  }
}

Deno.test("a client's tool search goes to a Responses provider as it is, and so does its answer", async () => {
  await withTools({}, async (rig) => {
    rig.plan(() => [says("It is.")]);
    const call = {
      type: "tool_search_call",
      call_id: "call_1",
      execution: "client",
      arguments: { goal: "weather" },
      status: "completed",
    };
    const found = {
      type: "tool_search_output",
      call_id: "call_1",
      execution: "client",
      status: "completed",
      tools: [weather],
    };
    await ask(rig, { wire: "responses", input: [question, call, found], stream: false });
    const { input, tools } = asObject(rig.taken("responses").at(-1));
    assert.deepEqual(tools, [search]);
    assert.deepEqual(objectsIn(input).filter(({ type }) => /^tool_search/.test(String(type))), [call, found]);
  });
});
