/** `weighted_avg` of `pareto-router`: what the input of a model has cost here, by receipts. */

import assert from "node:assert/strict";
import { asObject } from "../support/event_stream.ts";
import { messageItem, responseObject, type Script } from "../support/scripted.ts";
import { routed, type Traffic, vote, withTraffic } from "./receipts_rig.ts";

/** Counts a thousand tokens of a prompt, and takes all of them from the cache where the request says "again". */
const thousandTokens: Script = ({ body }) => {
  const cached = JSON.stringify(body).includes("again") ? 1_000 : 0;
  const usage = {
    input_tokens: 1_000,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 1_001,
  };
  return Response.json(responseObject({ output: [messageItem("Done.")], usage }));
};

const score = (coding: number) => ({ coding, source: "our evaluation", date: "2026-11-01" });
const scores = { "acme/cheap": score(10), "acme/middle": score(50), "acme/dear": score(90) };

/** The models that are chosen under a cap in USD per million tokens, and the error where there is none. */
async function underCap({ gateway, keys }: Traffic, cap: number): Promise<readonly [string, unknown]> {
  await gateway.renewEvidence();
  const plugins = [{ id: "pareto-router", max_price: cap, price_source: "weighted_avg" }];
  const { order, refusal } = await routed(gateway, {
    key: keys[0] ?? "",
    model: "service/pareto-code",
    more: { plugins },
  });
  return [order, refusal];
}

Deno.test("weighted_avg is the list price without traffic, and then what the input has cost", async () => {
  await using traffic = await withTraffic({ script: thousandTokens, file: { scores } });
  const { gateway, keys } = traffic;
  const dear = { keys, count: 1, model: "acme/dear" };
  assert.deepEqual(await underCap(traffic, 5), ["middle cheap", null]);
  await vote(gateway, { ...dear, more: { instructions: "Once again." } });
  assert.deepEqual(await underCap(traffic, 1), ["dear cheap", null], "0.90 instead of 9 USD");
  await vote(gateway, dear);
  assert.deepEqual(await underCap(traffic, 5), ["dear middle cheap", null], "4.95 USD");
  assert.deepEqual(await underCap(traffic, 4.9), ["middle cheap", null]);
});

Deno.test("a cap below every price that was paid is 404, and names the cap and the cheapest", async () => {
  await using traffic = await withTraffic({ script: thousandTokens, file: { scores } });
  const { gateway, keys } = traffic;
  for (const model of ["acme/cheap", "acme/middle", "acme/dear"]) {
    await vote(gateway, { keys, count: 1, model, more: { instructions: "Once again." } });
  }
  assert.deepEqual((await underCap(traffic, 0.5))[0], "middle cheap");
  const [order, refusal] = await underCap(traffic, 0.05);
  assert.equal(order, "");
  const { status, message } = asObject(refusal);
  assert.equal(status, 404);
  assert.match(String(message), /0\.05.*acme\/cheap.*0\.1\b/);
});
