/** Money of what plugins buy: on the receipt, within the limits under a race, and nothing for what failed. */

import assert from "node:assert/strict";
import { createReceiptReader } from "../../server/billing/ledger/journal/receipt_reader.ts";
import { call, checkSpent, newestReceipt, receiptOf } from "../money/rig.ts";
import { fakeClock } from "../support/clock.ts";
import { patientCrowd } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { paths, says, send, type Turns } from "../server_tools/rig.ts";
import { withWeb } from "../server_tools/web_rig.ts";
import { apis, askWith, paramsOf, requestOn, stagesOf } from "./rig.ts";

/** Nano-USD of a model call, and of a search. */
const COST = 120_000;
const SEARCH = 50_000;
const REQUESTS = 100;

const plugins = [{ id: "web" }];
const done: Turns = () => [says("Done.")];

Deno.test("a search stands on the receipt with its price, and in the usage of the answer", async () => {
  await withWeb({ price: "0.00005" }, async ({ gateway, plan }) => {
    for (const api of apis) {
      for (const stream of [false, true]) {
        plan(done);
        const body = requestOn(api, { model: "mock/chat", text: "News?", plugins });
        const answer = await askWith(gateway, { api, stream, body });
        assert.equal(stagesOf(answer)[0]?.cost_usd, 0.00005);
        const receipt = await receiptOf(gateway, answer.sent);
        assert.equal(receipt.cost, COST + SEARCH);
        assert.equal(receipt.usage.web_searches, 1);
        assert.equal(receipt.usage.search_results, 2);
        const calls = receipt.calls?.map(({ purpose, provider, cost }) => [purpose, provider, cost]);
        assert.deepEqual(calls, [["model", "Mock", COST], ["plugin:web", "Exa", SEARCH]]);
        const lines = receipt.lines?.filter(({ rate }) => rate === "web_search");
        assert.deepEqual(lines.map(({ unit_price, quantity }) => [unit_price, quantity]), [["0.00005", 1]]);
      }
    }
  });
});

Deno.test("M1 holds with searches of the plugin: 100 requests at once spend no more than there is", async () => {
  await withWeb(
    { price: "0.001", gateway: { limits: patientCrowd } },
    async ({ gateway, plan, engine }) => {
      plan(done);
      const search = 1_000_000;
      const limit = 0.1;
      const key = await gateway.addKey({ kind: "api", limit });
      const receipts = await Promise.all(Array.from({ length: REQUESTS }, async (_, at) => {
        const response = await call(gateway, {
          key,
          model: "mock/chat",
          stream: at % 2 === 0,
          cap: 400,
          more: { plugins },
        });
        await response.text();
        await gateway.ledger.caughtUp();
        return await createReceiptReader(gateway.store).receipt(
          response.headers.get("x-generation-id") ?? "",
        );
      }));
      const made = receipts.filter((one) => one !== undefined);
      for (const receipt of made) {
        const models = (receipt.calls ?? []).filter(({ purpose, cost }) =>
          purpose === "model" && cost > 0
        ).length;
        assert.equal(receipt.cost, models * COST + (receipt.usage.web_searches ?? 0) * search);
      }
      const spent = await checkSpent({ gateway, key, limit, receipts: made });
      assert(spent > 20 * COST, `${spent}`);
      const searches = made.reduce((sum, { usage }) => sum + (usage.web_searches ?? 0), 0);
      assert.equal(engine("exa").requests.length, searches);
      assert(searches > 0 && searches < REQUESTS, `${searches}`);
    },
  );
});

Deno.test("a search that the limit does not allow is not made, and the model answers without it", async () => {
  await withWeb({ price: "5" }, async ({ gateway, plan, engine }) => {
    const key = await gateway.addKey({ kind: "api", limit: 1 });
    for (const api of apis) {
      plan(done);
      const body = requestOn(api, { model: "mock/chat", text: "News?", plugins });
      const answer = await askWith(gateway, { api, stream: false, key, body });
      assert.match(String(paramsOf(answer).notes), /The plugin web did not act: it made no search: /);
      assert.deepEqual(stagesOf(answer), []);
      assert.equal((await receiptOf(gateway, answer.sent)).cost, COST);
    }
    assert.equal(engine("exa").requests.length, 0);
  });
});

Deno.test("a search is not made where the limit allows no call of the model behind it", async () => {
  // A model's call of few tokens fits into both limits, and a search alone fits as well.
  await withWeb({ price: "0.003" }, async ({ gateway, plan, engine }) => {
    for (const api of apis) {
      for (const stream of [false, true]) {
        const key = await gateway.addKey({ kind: "api", limit: 0.0041 });
        plan(done);
        const body = requestOn(api, { model: "mock/chat", text: "News?", plugins, max_tokens: 20 });
        const answer = await askWith(gateway, { api, stream, key, body });
        assert.match(String(paramsOf(answer).notes), /The plugin web did not act: it made no search: /);
        assert.equal((await receiptOf(gateway, answer.sent)).cost, COST);
      }
    }
    assert.equal(engine("exa").requests.length, 0);
    const key = await gateway.addKey({ kind: "api", limit: 0.1 });
    plan(done);
    const body = requestOn("chat", { model: "mock/chat", text: "News?", plugins });
    const answer = await askWith(gateway, { api: "chat", stream: false, key, body });
    assert.equal((await receiptOf(gateway, answer.sent)).cost, COST + 3_000_000);
  });
});

Deno.test("an engine without a price is not used for a key with a limit", async () => {
  await withWeb({ engines: ["firecrawl", "exa"] }, async ({ gateway, plan, engine }) => {
    const key = await gateway.addKey({ kind: "api", limit: 1 });
    plan(done);
    await askWith(gateway, {
      api: "chat",
      stream: false,
      key,
      body: requestOn("chat", { model: "mock/chat", text: "News?", plugins }),
    });
    assert.deepEqual([engine("firecrawl").requests.length, engine("exa").requests.length], [0, 1]);
  });
});

Deno.test("a search stays charged where every provider fails afterwards", async () => {
  await withWeb({ price: "0.00005" }, async ({ gateway, plan }) => {
    for (const api of apis) {
      plan(done);
      const body = requestOn(api, { model: "mock/chat-500", text: "News?", plugins });
      const sent = await send(gateway, { api, body });
      assert.equal(sent.status, 502, sent.text);
      assert.equal((await receiptOf(gateway, sent)).cost, SEARCH);
    }
  });
});

for (const stream of [false, true]) {
  Deno.test(`a client that leaves while a search is under way ends it (${stream ? "streamed" : "whole"})`, async () => {
    const gate = Promise.withResolvers<Response>();
    await withWeb({ response: () => gate.promise }, async ({ gateway, plan, engine, taken }) => {
      plan(done);
      const leaving = new AbortController();
      const asking = fetch(gateway.url + paths.responses, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "mock/chat", input: "News?", plugins, stream }),
        signal: leaving.signal,
      }).then((response) => response.text());
      const left = assert.rejects(asking);
      await until(() => engine("exa").requests.length === 1, { what: "that the search is sent" });
      leaving.abort();
      await left;
      const { status, calls } = await newestReceipt(gateway);
      assert.deepEqual([status, ...(calls ?? []).map(({ purpose, status }) => `${purpose} ${status}`)], [
        "cancelled",
        "plugin:web cancelled",
      ]);
      gate.resolve(new Response());
      assert.equal(taken("chat").length, 0, "no model is called for nobody");
    });
  });
}

Deno.test("an engine that takes too long is told, and the model answers without it", async () => {
  const gate = Promise.withResolvers<Response>();
  const clock = fakeClock();
  await withWeb({ response: () => gate.promise, gateway: { clock } }, async ({ gateway, plan, engine }) => {
    plan(done);
    const asking = askWith(gateway, {
      api: "responses",
      stream: false,
      body: { model: "mock/chat", input: "News?", plugins },
    });
    await clock.advanceOnce(() => engine("exa").requests.length === 1, 20_000);
    const answer = await asking;
    gate.resolve(new Response());
    assert.match(String(paramsOf(answer).notes), /did not answer within 20 s/);
    assert.equal(answer.text, "Done.");
  });
});
