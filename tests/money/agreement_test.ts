/** Tests that explain and a call agree on money: over random limits, prices, caps and prompts. */

import assert from "node:assert/strict";
import { asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { says, scripted } from "../support/scripted.ts";

import { call, receiptOf } from "./rig.ts";
import { seeded } from "../fuzz/random.ts";
import { seed } from "../support/seed.ts";
import { until } from "../support/until.ts";

const answer = says("chat", "one two three");

const models = [
  { id: "mock/free", pricing: { prompt: "0", completion: "0" } },
  { id: "mock/cheap", pricing: { prompt: "0.0000001", completion: "0.0000004" }, max_output_tokens: 600 },
  { id: "mock/usual", pricing: { prompt: "0.000001", completion: "0.000002" } },
  { id: "mock/dear", pricing: { prompt: "0.00003", completion: "0.00006", request: "0.001" } },
  { id: "mock/unknown" },
].map((one) => ({ ...mockModel, ...one }));

const pick = <One>(random: () => number, from: readonly One[]): One => {
  const found = from[Math.floor(random() * from.length)];
  assert(found !== undefined);
  return found;
};

async function explained(gateway: Gateway, { key, body }: { key: string; body: Json }): Promise<Json> {
  const response = await fetch(`${gateway.url}/v1/route/explain`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const explanation = asObject(await response.json());
  assert.equal(response.status, 200, JSON.stringify(explanation));
  return asObject(explanation.reservation);
}

Deno.test("explain agrees with the call on what is reserved, capped and refused", async () => {
  const random = seeded(seed).next;
  await using upstream = scripted(answer);
  await using gateway = await startGateway({
    providers: [providerAt(upstream.baseUrl, { wire: "chat", models })],
  });
  const seen = { allowed: 0, refused: 0, lowered: 0 };
  for (let keys = 0; keys < 40; keys++) {
    const limit = pick(random, [null, 0, ...Array.from({ length: 8 }, () => 10 ** (random() * 6 - 5))]) ??
      undefined;
    const key = await gateway.addKey({
      kind: "api",
      limit,
      limitReset: pick(random, ["daily", "weekly", null] as const) ?? undefined,
    });
    for (let calls = 0; calls < 4; calls++) {
      const cap = random() < 0.3 ? undefined : Math.ceil(10 ** (random() * 4));
      const requested = {
        model: pick(random, models).id,
        text: "y".repeat(Math.ceil(10 ** (random() * 3))),
        cap,
      };
      const body = { model: requested.model, input: requested.text, max_output_tokens: cap };
      const reservation = await explained(gateway, { key, body });
      const before = upstream.requested.length;
      const response = await call(gateway, {
        key,
        ...requested,
        headers: { "x-service-metadata": "enabled" },
      });
      const got = asObject(await response.json());
      const what = JSON.stringify({ limit, asked: body, told: reservation, got });
      if (reservation.would_be === "refused") {
        seen.refused++;
        const { error } = asObject(got);
        const { status, message } = asObject(reservation.refusal);
        assert.deepEqual([status, message], [response.status, asObject(error).message], what);
        assert.equal(upstream.requested.length, before, "nobody was called");
        continue;
      }
      seen.allowed++;
      assert.equal(reservation.would_be, "allowed", what);
      assert.equal(response.status, 200, what);
      const receipt = await receiptOf(gateway, response);
      assert.equal(receipt.reserved / 1e9, reservation.reserved_usd, what);
      assert.equal(receipt.output_cap, reservation.lowered ? reservation.output_cap : null, what);
      const sent = upstream.requested.at(-1)?.body.max_completion_tokens;
      assert.equal(sent ?? null, reservation.output_cap, what);
      if (reservation.lowered === true) seen.lowered++;
    }
  }
  assert(seen.allowed > 20 && seen.refused > 20 && seen.lowered > 0, JSON.stringify(seen));
});

Deno.test("explain says that a request would wait for others", async () => {
  const gate = Promise.withResolvers<void>();
  await using upstream = scripted(async (requested, number) => {
    await gate.promise;
    return await answer(requested, number);
  });
  await using gateway = await startGateway({
    providers: [providerAt(upstream.baseUrl, { wire: "chat", models })],
  });
  const key = await gateway.addKey({ kind: "api", limit: 0.0015 });
  const body = { model: "mock/usual", input: "Hi", max_output_tokens: 300 };
  const first = call(gateway, { key, model: "mock/usual", cap: 300 });
  await until(() => upstream.requested.length > 0);
  assert.equal((await explained(gateway, { key, body })).would_be, "waits");
  const second = call(gateway, { key, model: "mock/usual", cap: 300 });
  gate.resolve();
  for (const response of [await first, await second]) {
    assert.equal(response.status, 200, await response.text());
  }
  assert.equal((await explained(gateway, { key, body })).would_be, "allowed");
});
