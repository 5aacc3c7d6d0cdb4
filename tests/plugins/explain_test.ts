/** `POST /v1/route/explain` and the call agree on what plugins refuse, and on which endpoints they leave. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import type { Gateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";
import { calls, price, says, send, type Turns, wholeOf, withTools } from "../server_tools/rig.ts";
import { withWeb } from "../server_tools/web_rig.ts";
import { moderated } from "./moderation_rig.ts";
import { askWith, stagesOf } from "./rig.ts";

const hi: Turns = () => [says("Hi.")];
const input = "What is new?";
const native = { plugins: [{ id: "web", engine: "native" }] };

const nano = (usd: unknown): number => Math.round(Number(usd) * 1e9);

type Explainer = Pick<Gateway, "url" | "apiKey">;

async function explain({ url, apiKey }: Explainer, body: Json): Promise<Json> {
  const response = await fetch(`${url}/v1/route/explain`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return asObject(JSON.parse(text));
}

/** The refusal that both tell. */
async function assertRefused(
  gateway: Gateway,
  { body, status }: { readonly body: Json; readonly status: number },
) {
  const { refusal, order, reservation, candidates } = await explain(gateway, body);
  const sent = await send(gateway, { body });
  const { message } = asObject(wholeOf(sent, status).error);
  assert.deepEqual([asObject(refusal).status, asObject(refusal).message], [status, message]);
  assert.deepEqual([order, reservation], [[], null]);
  const reasons = asList(candidates).map((one) => asObject(one).excluded_by);
  assert(reasons.length > 0 && reasons.every((reason) => reason !== null), JSON.stringify(reasons));
}

Deno.test("a request that a plugin refuses is refused by explain in the words of the call", async () => {
  await withWeb({ engines: [] }, async ({ gateway, plan }) => {
    plan(hi);
    for (const plugin of [{ id: "web" }, { id: "web", engine: "exa" }, { id: "web", engine: "native" }]) {
      await assertRefused(gateway, { body: { model: "mock/chat", input, plugins: [plugin] }, status: 400 });
    }
    const moderation = { model: "mock/chat", input, plugins: [{ id: "moderation" }] };
    await assertRefused(gateway, { body: moderation, status: 400 });
    const set = await managed(gateway, {
      call: "PATCH /workspaces/default",
      body: { default_plugins: [{ id: "moderation", locked: true }] },
    });
    assert.equal(set.status, 200);
    await assertRefused(gateway, { body: { model: "mock/chat", input }, status: 503 });
  });
});

Deno.test("endpoints at which a plugin cannot act are excluded by it", async () => {
  await withWeb(
    { model: { pricing: { ...price, web_search: "0.01" } } },
    async ({ gateway, plan, taken }) => {
      plan(hi);
      const body = { models: ["mock/chat", "mock/responses"], input, ...native };
      const { refusal, order, candidates, reservation, plugins } = await explain(gateway, body);
      assert.equal(refusal, null);
      assert.deepEqual(order, [{ model: "mock/responses", provider: "mock-responses" }]);
      const excluded = asList(candidates).map(asObject).filter((one) => one.excluded_by !== null);
      assert.deepEqual(
        excluded.map((one) => [one.model, one.excluded_by, one.excluded_field, one.position]),
        [["mock/chat", "plugin", "plugins[0]", null]],
      );
      assert.notEqual(reservation, null);
      assert.match(String(asObject(asList(plugins)[0]).would), /search the web itself/);
      assert.equal((await send(gateway, { body })).status, 200);
      assert.deepEqual([taken("chat").length, taken("responses").length], [0, 1]);
    },
  );
});

Deno.test("a request that cannot be made to fit anywhere is refused by explain as by the call", async () => {
  await withTools({ model: { context_length: 2_000, max_output_tokens: 500 } }, async ({ gateway }) => {
    const instructions = Array.from({ length: 8_000 }, (_, at) => `Rule ${at}`).join(" ");
    const plugins = [{ id: "context-compression" }];
    const body = { models: ["mock/chat", "mock/responses"], input, instructions, plugins };
    const { refusal, order, reservation } = await explain(gateway, body);
    const sent = await send(gateway, { body });
    assert.equal(sent.status, 400, sent.text);
    assert.equal(asObject(refusal).status, 400);
    assert.deepEqual([order, reservation], [[], null]);
  });
});

Deno.test("explain does not show the words of a search, which guardrails may mask", async () => {
  await withWeb({}, async ({ gateway }) => {
    const body = { model: "mock/chat", input: "Who is bob@example.com?", plugins: [{ id: "web" }] };
    const { plugins, refusal } = await explain(gateway, body);
    assert.equal(refusal, null);
    assert.deepEqual(plugins, [{ id: "web", would: "search the web with Exa for the user's latest text" }]);
  });
});

const reservedBy = async (gateway: Explainer, body: Json): Promise<Json> =>
  asObject((await explain(gateway, body)).reservation);

Deno.test("the reservation that explain shows includes what plugins buy before the model is called", async () => {
  await withWeb({ price: "0.00005" }, async ({ gateway }) => {
    const body = { model: "mock/chat", input, max_output_tokens: 100 };
    const search = { ...body, plugins: [{ id: "web" }] };
    const [plain, searched] = [await reservedBy(gateway, body), await reservedBy(gateway, search)];
    assert.equal(nano(searched.reserved_usd), nano(plain.reserved_usd) + 50_000);
    assert.deepEqual(
      await reservedBy(gateway, { ...search, plugins: [{ id: "web", enabled: false }] }),
      plain,
    );
    const tools = [{ type: "service:web_search" }];
    assert.deepEqual(
      await reservedBy(gateway, { ...search, tools }),
      await reservedBy(gateway, { ...body, tools }),
    );
    const limit = Number(plain.reserved_usd);
    const [enough, short] = [
      await gateway.addKey({ kind: "api", limit: limit + 0.00005 }),
      await gateway.addKey({ kind: "api", limit: limit + 0.00001 }),
    ];
    const keyed = { url: gateway.url };
    const paid = await reservedBy({ ...keyed, apiKey: enough }, search);
    assert.deepEqual([paid.would_be, paid.lowered], ["allowed", false]);
    assert.equal(nano(paid.reserved_usd), nano(plain.reserved_usd) + 50_000);
    assert.equal((await reservedBy({ ...keyed, apiKey: short }, search)).would_be, "allowed");
  });
  await using rig = await moderated({ moderation: { price: "0.00005" } });
  const body = { model: "mock/model", input, max_output_tokens: 100 };
  const [plain, judged] = [
    await reservedBy(rig.gateway, body),
    await reservedBy(rig.gateway, { ...body, plugins: [{ id: "moderation" }] }),
  ];
  assert.equal(nano(judged.reserved_usd), nano(plain.reserved_usd) + 50_000);
  assert.equal(rig.judged.length, 0, "nobody is asked");
});

Deno.test("a loop that ran one call says so", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    plan((turn) => turn === 0 ? [calls("datetime")] : [says("Done.")]);
    const body = { model: "mock/chat", input, tools: [{ type: "service:datetime" }] };
    const answer = await askWith(gateway, { api: "responses", stream: false, body });
    assert.deepEqual(stagesOf(answer).map(({ summary }) => summary), ["Ran 1 call of datetime."]);
  });
});
