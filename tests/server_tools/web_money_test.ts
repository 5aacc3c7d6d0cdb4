/**
 * Tests the cost of searches: under a race for little money, when the client leaves, and when an engine is too slow.
 */

import assert from "node:assert/strict";
import { listReceipts } from "../../server/billing/ledger/index/receipt_list.ts";
import { createReceiptReader } from "../../server/billing/ledger/journal/receipt_reader.ts";
import type { Receipt } from "../../shared/receipts.ts";
import { call, checkSpent, receiptOf, spentBy } from "../money/rig.ts";
import { fakeClock } from "../support/clock.ts";
import { type Gateway, patientCrowd } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { calls, itemsOf, paths, says, send, type Turns, wholeOf } from "./rig.ts";
import { withWeb } from "./web_rig.ts";

/** Nano-USD of a model call, and of a search. */
const COST = 120_000;
const SEARCH = 50_000;
const REQUESTS = 100;

const searching: Turns = (_turn, body) =>
  JSON.stringify(body).includes("call_a")
    ? [says("Done.")]
    : ["call_a", "call_b"].map((id) => calls("web_search", { args: { query: "x" }, id }));

const tools = [{ type: "service:web_search" }];

Deno.test("M1 holds with searches: no more is spent than there is, and each search stands on a receipt", async () => {
  await withWeb(
    { price: "0.00005", gateway: { limits: patientCrowd } },
    async ({ gateway, plan, engine }) => {
      plan(searching);
      const limit = 150 * COST / 1e9;
      const key = await gateway.addKey({ kind: "api", limit });
      const receipts = await Promise.all(Array.from({ length: REQUESTS }, async (_, at) => {
        const response = await call(gateway, {
          key,
          model: "mock/chat",
          stream: at % 2 === 0,
          cap: 400,
          more: { tools },
        });
        await response.text();
        return response.status === 402 ? undefined : await receiptOf(gateway, response);
      }));
      const made = receipts.filter((one) => one !== undefined);
      for (const receipt of made) {
        const models = (receipt.calls ?? []).filter(({ purpose, cost }) =>
          purpose === "model" && cost > 0
        ).length;
        assert.equal(receipt.cost, models * COST + (receipt.usage.web_searches ?? 0) * SEARCH);
      }
      const spent = await checkSpent({ gateway, key, limit, receipts: made });
      assert(spent > 50 * COST, `${spent}`);
      const searches = made.reduce((sum, { usage }) => sum + (usage.web_searches ?? 0), 0);
      assert.equal(engine("exa").requests.length, searches);
    },
  );
});

/** Undefined while it is not written. */
async function onlyReceipt({ store, ledger }: Gateway): Promise<Receipt | undefined> {
  await ledger.caughtUp();
  const deps = { store, batches: createReceiptReader(store) };
  const { receipts: [receipt] } = await listReceipts(deps, { filters: {}, limit: 1 });
  return receipt;
}

for (const stream of [false, true]) {
  Deno.test(`a client that leaves pays for the searches already sent (${stream ? "streamed" : "whole"})`, async () => {
    const gate = Promise.withResolvers<Response>();
    await withWeb({ response: () => gate.promise }, async ({ gateway, plan, engine }) => {
      plan(searching);
      const leaving = new AbortController();
      const asking = fetch(gateway.url + paths.responses, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "mock/chat", input: "?", tools, stream }),
        signal: leaving.signal,
      }).then((response) => response.text());
      const left = assert.rejects(asking);
      await until(() => engine("exa").requests.length === 2, { what: "that both searches are sent" });
      leaving.abort();
      await left;
      await until(async () => await onlyReceipt(gateway) !== undefined);
      gate.resolve(new Response());
      const receipt = await onlyReceipt(gateway);
      assert.equal(receipt?.status, "cancelled");
      assert.equal(receipt.usage.web_searches, 2);
      assert.equal(receipt.cost, COST + 2 * 7_000_000);
    });
  });
}

Deno.test("an engine that takes too long is a result, and may charge for it", async () => {
  const gate = Promise.withResolvers<Response>();
  const clock = fakeClock();
  await withWeb(
    { response: () => gate.promise, gateway: { clock } },
    async ({ gateway, plan, engine, taken }) => {
      plan(searching);
      const asking = send(gateway, { body: { model: "mock/chat", input: "?", tools } });
      await clock.advanceOnce(() => engine("exa").requests.length === 2, 20_000);
      const sent = await asking;
      gate.resolve(new Response());
      assert.deepEqual(itemsOf(wholeOf(sent)).slice(0, 2).map(({ status }) => status), [
        "incomplete",
        "incomplete",
      ]);
      assert.match(JSON.stringify(taken("chat").at(-1)), /did not answer within 20 s/);
      const receipt = await receiptOf(gateway, new Response(null, { headers: sent.headers }));
      assert.equal(receipt.usage.web_searches, 2);
    },
  );
});

/** Nano-USD of a search, and of each result beyond the tenth. */
const priceOfResults = { exa: [7_000_000, 1_000_000], parallel: [5_000_000, 1_000_000] } as const;

for (const [id, [search, further]] of Object.entries(priceOfResults)) {
  Deno.test(`further results are charged as they come, and reserved as they are asked for (${id})`, async () => {
    const engine = id === "exa" ? "exa" : "parallel";
    for (const came of [0, 4, 10, 20, 25, 40]) {
      const found = Array.from({ length: came }, (_, at) => ({
        // Half of them are on no list, and are not given to the model.
        url: `https://${at % 2 === 0 ? "a" : "b"}.example/${at}`,
        title: "t",
        text: "x",
      }));
      await withWeb({ engines: [engine], hits: found }, async ({ gateway, plan }) => {
        plan((turn) => turn === 0 ? [calls("web_search", { args: { query: "x" } })] : [says("Done.")]);
        const asked = { type: "service:web_search", max_results: 25, allowed_domains: ["a.example"] };
        const body = { model: "mock/chat", input: "?", tools: [asked], max_output_tokens: 500 };
        const key = await gateway.addKey({ kind: "api", limit: 1 });
        const sent = await send(gateway, { key, body });
        wholeOf(sent);
        const receipt = await receiptOf(gateway, new Response(null, { headers: sent.headers }));
        const cost = search + further * Math.max(0, Math.min(came, 25) - 10);
        assert.equal(receipt.cost, 2 * COST + cost, `${came} results`);
        assert.equal(await spentBy(gateway, key), receipt.cost);
        const line = receipt.lines.find(({ rate }) => rate === "web_search");
        assert.equal(Math.round(Number(line?.unit_price) * 1e9), cost);
      });
    }
  });
}
