/** `POST /v1/route/explain` shows the most that a run of fusion reserves: each figure is the one that the call reserves. */

import assert from "node:assert/strict";
import { receiptOf } from "../money/rig.ts";
import { says, send, wholeOf } from "../server_tools/rig.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { explainedFor, heldWhile, type Keyed, nano } from "../support/held.ts";
import { createKey } from "../support/manage.ts";
import { fusionTool, withFusion } from "./rig.ts";

interface Asking {
  readonly outer: string;
  readonly panel: readonly string[];
}

/** Bodies by the way in which the run comes in. */
const ways: Readonly<Record<string, (asking: Asking) => Json>> = {
  slug: ({ outer, panel }) => ({
    model: "openrouter/fusion",
    plugins: [{ id: "fusion", model: outer, analysis_models: panel }],
  }),
  "service slug": ({ outer, panel }) => ({
    model: "service/fusion",
    plugins: [{ id: "fusion", model: outer, analysis_models: panel, tools: [] }],
  }),
  flash: ({ outer, panel }) => ({
    model: "openrouter/fusion-flash",
    plugins: [{ id: "fusion", model: outer, analysis_models: panel, max_tool_calls: 1 }],
  }),
  plugin: ({ outer, panel }) => ({ plugins: [{ id: "fusion", model: outer, analysis_models: panel }] }),
  "slug among models": ({ outer, panel }) => ({
    models: ["nobody/here", "openrouter/fusion"],
    plugins: [{ id: "fusion", model: outer, analysis_models: panel }],
  }),
  tool: ({ outer, panel }) => ({ model: outer, tools: [fusionTool(panel)] }),
  "tool with options": ({ outer, panel }) => ({
    model: outer,
    tools: [fusionTool(panel, { tools: [], max_completion_tokens: 9_000, temperature: 1 })],
    stream: true,
  }),
  "tool with plugin": ({ outer, panel }) => ({
    model: outer,
    plugins: [{ id: "fusion", analysis_models: panel, tools: [{ type: "datetime" }] }],
    tools: [{ type: "service:fusion" }],
  }),
};

const bodyOf = (way: string, asking: Asking): Json => ({
  input: "Greet me.",
  max_output_tokens: 100,
  ...ways[way]?.(asking),
});

interface Explained {
  readonly outer: number;
  readonly panel: readonly number[];
  readonly analyst: number;
}

interface Called extends Keyed {
  readonly body: Json;
}

async function explained({ body, ...keyed }: Called): Promise<Explained> {
  const reservation = asObject((await explainedFor(keyed, body)).reservation);
  const fusion = asObject(reservation.fusion);
  const outer = nano(reservation.reserved_usd);
  const panel = asList(fusion.panel).map((member) => nano(asObject(member).reserved_usd));
  const analyst = nano(asObject(fusion.analyst).reserved_usd);
  assert.equal(nano(fusion.worst_case_usd), panel.reduce((sum, cost) => sum + cost, outer + analyst));
  return { outer, panel, analyst };
}

const dear = { pricing: { prompt: "0.001", completion: "0.001" } };
const names = ["outer/mock-stall", "alpha/mock", "beta/mock", "alpha/mock-stall", "beta/mock-stall"];
const members = ["alpha/mock", "beta/mock"];
const stalling = ["alpha/mock-stall", "beta/mock-stall"];

for (const way of Object.keys(ways)) {
  Deno.test(`explain shows what each call of a run reserves (${way})`, async () => {
    const facts = { "outer/mock": dear };
    await withFusion({ models: names, facts }, async ({ gateway, plan, sentTo, mock }) => {
      const { key } = await createKey(gateway, { limit: 10_000 });
      const longest = way === "tool with options" ? 9_000 : 16_000;
      plan({ member: () => [says("x".repeat(longest))] });
      const silent = { gateway, key, body: bodyOf(way, { outer: "outer/mock-stall", panel: members }) };
      const { outer } = await explained(silent);
      const model = "outer/mock";
      const isAsked = () => sentTo("outer/mock-stall").length === 1 && mock.open() === 1;
      assert.equal(await heldWhile({ ...silent, model, isAsked }), outer);
      const hung = { gateway, key, body: bodyOf(way, { outer: "outer/mock", panel: stalling }) };
      const { panel } = await explained(hung);
      const areAsked = () => mock.open() === 2 && stalling.every((member) => sentTo(member).length === 1);
      const held = await heldWhile({ ...hung, model, isAsked: areAsked });
      assert.equal(held, panel.reduce((sum, cost) => sum + cost, 0));
      plan({ member: () => [says("x".repeat(longest))] });
      const whole = { gateway, key, body: bodyOf(way, { outer: "outer/mock", panel: members }) };
      const { analyst } = await explained(whole);
      const receipt = await receiptOf(gateway, await send(gateway, whole));
      assert.equal(receipt.status, "completed");
      assert.equal(receipt.reserved, analyst);
    });
  });
}

Deno.test("explain shows no run where none may start, and refuses one that nobody can make", async () => {
  await withFusion({ models: members }, async ({ gateway }) => {
    const { key } = await createKey(gateway, { limit: 10_000 });
    const explain = async (body: Json, headers: Readonly<Record<string, string>> = {}) => {
      const response = await fetch(`${gateway.url}/v1/route/explain`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
        body: JSON.stringify({ input: "Hi", ...body }),
      });
      return asObject(await response.json());
    };
    const slug = ways.slug?.({ outer: "outer/mock", panel: members }) ?? {};
    const off = [{ id: "fusion", model: "outer/mock", enabled: false }];
    const nested = { "x-openrouter-fusion-depth": "1" };
    for (
      const told of [
        await explain({ model: "outer/mock" }),
        await explain({ ...slug, plugins: off }),
        await explain(slug, nested),
        // The first of the models is not offered the tool.
        await explain({ ...slug, models: ["outer/mock", "openrouter/fusion"], model: undefined }),
      ]
    ) {
      assert.equal(asObject(told.reservation).fusion, undefined);
      assert.equal(told.refusal, null);
    }
    const nobody = {
      model: "outer/mock",
      tools: [fusionTool(["nobody/one"])],
      provider: { only: ["nobody"] },
    };
    const { refusal, reservation } = await explain(nobody);
    const sent = await send(gateway, { key, body: { input: "Hi", ...nobody } });
    const { message } = asObject(wholeOf(sent, 404).error);
    assert.deepEqual([asObject(refusal).status, asObject(refusal).message], [404, message]);
    assert.equal(reservation, null);
  });
});
