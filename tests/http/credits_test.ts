/** Credits: unlimited until they are set, then a limit over everybody (promises M1). */

import assert from "node:assert/strict";
import { auditCollection } from "../../server/management/audit/audit_log.ts";
import { hashKey } from "../../server/management/keys/key_rows.ts";
import { asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { dataOf, operate, rowsOf } from "../support/operate.ts";
import { says, scripted } from "../support/scripted.ts";

async function withGateway(test: (gateway: Gateway) => Promise<void>): Promise<void> {
  await using upstream = scripted(says("responses", "Hello there"));
  const pricing = { prompt: "0.001", completion: "0.002" };
  const providers = [providerAt(upstream.baseUrl, { models: [{ ...mockModel, pricing }] })];
  await using gateway = await startGateway({ providers });
  await test(gateway);
}

const by = ({ url, managementKey }: Gateway) => ({ url, key: managementKey });

const add = (gateway: Gateway, body: Json) =>
  operate(by(gateway), { method: "POST", path: "/credits", body });

const credits = async (gateway: Gateway) => dataOf(await operate(by(gateway), { path: "/credits" }));

/** 11 tokens: 0.007 + 0.004 USD. */
const request = { model: "mock/model", input: "Hi", max_output_tokens: 16 };

const generate = ({ url, apiKey }: Gateway) =>
  operate({ url, key: apiKey }, { method: "POST", path: "/responses", body: request });

Deno.test("credits are unlimited until they are set, and a limit over everybody from then on", () =>
  withGateway(async (gateway) => {
    assert.equal((await generate(gateway)).status, 200);
    assert.deepEqual(await credits(gateway), { total_credits: 0, total_usage: 0.011, unlimited: true });
    const first = await add(gateway, { amount_usd: 1, reason: "First month" });
    assert.deepEqual(dataOf(first), { total_credits: 1, total_usage: 0.011, unlimited: false });
    assert.match(
      String(first.body.notice),
      /^Spend was unlimited\. All keys together may now spend 1 USD.* 0\.011 USD of it are spent already\. DELETE \/v1\/credits/,
    );
    assert.equal((await generate(gateway)).status, 200);
    // Below what is spent already: the next request is refused, anyone who asks.
    const less = await add(gateway, { amount_usd: -0.99, reason: "Taken back" });
    assert.match(String(less.body.notice), /0\.022 USD are spent already, so every request that costs/);
    const { status, body } = await generate(gateway);
    assert.equal(status, 402, JSON.stringify(body));
    const metadata = asObject(asObject(body.error).metadata);
    assert.deepEqual([metadata.limit_source, metadata.limit_usd, metadata.spend_usd], [
      "credits",
      0.01,
      0.022,
    ]);
    const other = await gateway.addKey({ kind: "api" });
    assert.equal((await generate({ ...gateway, apiKey: other })).status, 402);
    const more = await add(gateway, { amount_usd: 5, reason: "More" });
    assert.equal(more.body.notice, undefined);
    assert.equal((await generate(gateway)).status, 200);
    assert.deepEqual(await credits(gateway), { total_credits: 5.01, total_usage: 0.033, unlimited: false });
  }));

Deno.test("GET /credits/history keeps every change, newest first", () =>
  withGateway(async (gateway) => {
    for (const amount_usd of [1, 2.5, -0.5, 0.000000001]) {
      await add(gateway, { amount_usd, reason: `${amount_usd}` });
    }
    const path = "/credits/history";
    const all = await operate(by(gateway), { path });
    assert.equal(all.body.total_count, 4);
    const shown = rowsOf(all).map((row) => [row.amount_usd, row.total_credits, row.reason]);
    assert.deepEqual(shown, [
      [0.000000001, 3.000000001, "1e-9"],
      [-0.5, 3, "-0.5"],
      [2.5, 3.5, "2.5"],
      [1, 1, "1"],
    ]);
    assert(
      rowsOf(all).every((row) => row.by === hashKey(gateway.managementKey)),
    );
    const page = rowsOf(await operate(by(gateway), { path: `${path}?offset=1&limit=2` }));
    assert.deepEqual(page.map((row) => row.amount_usd), [-0.5, 2.5]);
    assert.deepEqual(rowsOf(await operate(by(gateway), { path: `${path}?offset=9` })), []);
    const audited = (await auditCollection(gateway.store).list({ limit: 1_000 }))
      .filter(({ record }) => record.operation === "credits.add");
    // Those of one millisecond stand in any order.
    const totals = audited.map(({ record }) => asObject(record.after).total_credits);
    assert.deepEqual(totals.toSorted((a, b) => Number(a) - Number(b)), [1, 3, 3.000000001, 3.5]);
    assert.equal(audited.filter(({ record }) => record.before === null).length, 1);
  }));

Deno.test("DELETE /credits takes the limit away, keeps the history, and the next credits begin at nothing", () =>
  withGateway(async (gateway) => {
    const clear = () => operate(by(gateway), { method: "DELETE", path: "/credits" });
    const unlimited = { total_credits: 0, total_usage: 0, unlimited: true };
    // Nothing to clear: nothing is written.
    assert.deepEqual(dataOf(await clear()), unlimited);
    await add(gateway, { amount_usd: 0.001, reason: "Too little" });
    assert.equal((await generate(gateway)).status, 402);
    assert.deepEqual(dataOf(await clear()), unlimited);
    assert.equal((await generate(gateway)).status, 200);
    assert.deepEqual(dataOf(await clear()), { ...unlimited, total_usage: 0.011 });
    const again = await add(gateway, { amount_usd: 2, reason: "Meant" });
    assert.equal(dataOf(again).total_credits, 2);
    assert.match(String(again.body.notice), /^Spend was unlimited\./);
    const { body } = await operate(by(gateway), { path: "/credits/history" });
    assert.equal(body.total_count, 3);
    assert.deepEqual(
      rowsOf({ status: 200, body }).map((row) => [row.amount_usd, row.total_credits, row.unlimited]),
      [[2, 2, false], [-0.001, 0, true], [0.001, 0.001, false]],
    );
    const audited = (await auditCollection(gateway.store).list({ limit: 1_000 }))
      .filter(({ record }) => record.operation === "credits.clear");
    assert.deepEqual(audited.map(({ record }) => record.before), [{ total_credits: 0.001 }]);
  }));

Deno.test("POST /credits names the amount that cannot be, and changes nothing", () =>
  withGateway(async (gateway) => {
    await add(gateway, { amount_usd: 1, reason: "First" });
    const wrong: readonly (readonly [Json, string])[] = [
      [{ amount_usd: 0, reason: "x" }, "amount_usd"],
      [{ amount_usd: 0.0000000001, reason: "x" }, "amount_usd"],
      [{ amount_usd: 9_000_001, reason: "x" }, "amount_usd"],
      [{ amount_usd: 9_000_000, reason: "x" }, "amount_usd"],
      [{ amount_usd: -1.5, reason: "x" }, "amount_usd is -1.5"],
      [{ amount_usd: "1", reason: "x" }, "amount_usd"],
      [{ amount_usd: 1 }, "reason"],
      [{ amount_usd: 1, reason: "  " }, "reason"],
      [{ amount_usd: 1, reason: "x", key: "y" }, "key"],
    ];
    for (const [body, words] of wrong) {
      const answer = await add(gateway, body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      const message = String(asObject(answer.body.error).message);
      assert(message.startsWith("Cannot change credits: ") && message.includes(words), message);
    }
    assert.equal((await credits(gateway)).total_credits, 1);
    const { body } = await operate(by(gateway), { path: "/credits/history" });
    assert.equal(body.total_count, 1);
  }));

Deno.test("POST /credits loses no change among many at once", () =>
  withGateway(async (gateway) => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        add(gateway, { amount_usd: at % 2 === 0 ? 3 : -1, reason: "race" })),
    );
    const done = answers.flatMap(({ status }, at) =>
      status === 200 ? [at % 2 === 0 ? 3 : -1] : []
    );
    const total = done.reduce((sum, amount) => sum + amount, 0);
    assert.equal((await credits(gateway)).total_credits, total);
    const { body } = await operate(by(gateway), { path: "/credits/history?limit=100" });
    assert.equal(body.total_count, done.length);
    assert(done.length >= 20);
  }));
