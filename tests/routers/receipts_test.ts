/** Receipts as evidence: who votes, from how many votes and keys on, for how long, and what a generation costs. */

import assert from "node:assert/strict";
import { everything } from "../support/journal.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { createKey, managed } from "../support/manage.ts";
import { shiftedClock } from "../support/ticking_clock.ts";
import { routed, type Traffic, vote, withTraffic } from "./receipts_rig.ts";

const DAY_MS = 86_400_000;

/** The source that ranks once receipts are read anew, and what it chooses. */
async function rankedBy({ gateway, keys }: Traffic, more = {}): Promise<readonly unknown[]> {
  await gateway.renewEvidence();
  const { evidence, order } = await routed(gateway, { key: keys[0] ?? "", more });
  return [evidence, order];
}

const byPrice = ["price", "cheap"];
const byReceipts = ["receipts", "dear"];

Deno.test("receipts rank from 20 votes of 3 keys on, and not before they are read", async () => {
  await using traffic = await withTraffic();
  const { gateway, keys } = traffic;
  await vote(gateway, { keys, count: 19 });
  assert.deepEqual(await rankedBy(traffic), byPrice);
  await vote(gateway, { keys, count: 1 });
  const { evidence } = await routed(gateway, { key: keys[0] ?? "" });
  assert.equal(evidence, "price");
  assert.deepEqual(await rankedBy(traffic), byReceipts);
});

Deno.test("receipts of two keys rank nothing, and the third one's first vote is enough", async () => {
  await using traffic = await withTraffic();
  const { gateway, keys } = traffic;
  await vote(gateway, { keys: keys.slice(0, 2), count: 30 });
  assert.deepEqual(await rankedBy(traffic), byPrice);
  await vote(gateway, { keys: keys.slice(2), count: 1 });
  assert.deepEqual(await rankedBy(traffic), byReceipts);
});

Deno.test("votes count under their macro where a task has too few, and for no other macro", async () => {
  await using traffic = await withTraffic();
  const { gateway, keys } = traffic;
  await vote(gateway, { keys, count: 20 });
  await gateway.renewEvidence();
  const ask = async (input: string) => {
    const { router, evidence } = await routed(gateway, { key: keys[0] ?? "", more: { input } });
    return [router.task_type, evidence, router.evidence_task];
  };
  assert.deepEqual(
    await ask("Write a TypeScript function that sorts a list of numbers by their last digit."),
    [
      "code:general_impl",
      "receipts",
      "code",
    ],
  );
  const translation = await ask("Translate this sentence into German: The weather is nice today.");
  assert.deepEqual(translation, ["translation", "price", undefined]);
});

Deno.test("requests whose model a router or a default chose do not vote", async () => {
  await using traffic = await withTraffic({ file: { default_model: "acme/dear" } });
  const { gateway, keys } = traffic;
  await vote(gateway, { keys, count: 19 });
  await vote(gateway, { keys, count: 20, model: "service/auto" });
  const chosen = {
    model: "openrouter/auto-beta",
    plugins: [{ id: "auto-beta-router", allowed_models: ["acme/dear"] }],
  };
  await vote(gateway, { keys, count: 20, more: chosen });
  await vote(gateway, { keys, count: 20, more: { model: undefined } });
  await vote(gateway, { keys, count: 20, more: { model: undefined, plugins: [{ id: "auto-router" }] } });
  assert.deepEqual(await rankedBy(traffic), byPrice);
  await vote(gateway, { keys, count: 1 });
  assert.deepEqual(await rankedBy(traffic), byReceipts);
});

Deno.test("share of spend ranks, and a generation costs its average from 20 generations of the model on", async () => {
  await using traffic = await withTraffic();
  const { gateway, keys } = traffic;
  // 7 tokens in and 2 out: a dear generation costs nine times a cheap one.
  await vote(gateway, { keys, count: 19, model: "acme/cheap" });
  await vote(gateway, { keys, count: 3, model: "acme/dear" });
  await gateway.renewEvidence();
  const wide = { plugins: [{ id: "auto-router", cost_quality_tradeoff: 0 }] };
  const found = async () => {
    const { router, order } = await routed(gateway, { key: keys[0] ?? "", more: wide });
    const [first] = asList(router.candidates).map(asObject);
    return [order, first?.share, first?.cost_by, first?.cost_usd];
  };
  // The dear one is above the 90th percentile of two.
  const [order, share, by] = await found();
  assert.deepEqual([order, by], ["cheap", "price"]);
  assert.ok(Math.abs(Number(share) - 19 / 46) < 1e-9, String(share));
  await vote(gateway, { keys, count: 1, model: "acme/cheap" });
  await gateway.renewEvidence();
  const [, more, averaged, cost] = await found();
  assert.deepEqual([averaged, cost], ["receipts", 0.000027]);
  assert.ok(Math.abs(Number(more) - 20 / 47) < 1e-9, String(more));
});

Deno.test("votes of a workspace that is deleted go, and leave no record", async () => {
  await using traffic = await withTraffic();
  const { gateway } = traffic;
  const { body } = await managed(gateway, {
    call: "POST /workspaces",
    body: { name: "Other", slug: "other" },
  });
  const id = String(asObject(body.data).id);
  const made = await Promise.all([0, 1, 2].map(() => createKey(gateway, { workspace_id: id })));
  await vote(gateway, { keys: made.map(({ key }) => key), count: 20 });
  assert.deepEqual(await rankedBy(traffic), byReceipts);
  const sums = async () => (await everything(gateway.store, ["usage_task"])).length;
  assert.notEqual(await sums(), 0);
  for (const { record: { hash } } of made) await managed(gateway, { call: `DELETE /keys/${hash}` });
  const { status } = await managed(gateway, { call: `DELETE /workspaces/${id}` });
  assert.deepEqual([status, await sums()], [200, 0]);
  assert.deepEqual(await rankedBy(traffic), byPrice);
});

Deno.test("votes count for seven days", async () => {
  const time = { ahead: 0 };
  await using traffic = await withTraffic({ clock: shiftedClock(time) });
  const { gateway, keys } = traffic;
  await vote(gateway, { keys, count: 10 });
  time.ahead = 4 * DAY_MS;
  await vote(gateway, { keys, count: 10 });
  assert.deepEqual(await rankedBy(traffic), byReceipts);
  time.ahead = 7 * DAY_MS - 7_200_000;
  assert.deepEqual(await rankedBy(traffic), byReceipts);
  time.ahead = 7 * DAY_MS;
  assert.deepEqual(await rankedBy(traffic), byPrice);
  await vote(gateway, { keys, count: 10 });
  assert.deepEqual(await rankedBy(traffic), byReceipts);
});
