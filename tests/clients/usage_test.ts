/** The official client, unmodified, reads what receipts, sums and credits are asked for. */

import assert from "node:assert/strict";
import { OpenRouter } from "@openrouter/sdk";
import { NotFoundResponseError } from "@openrouter/sdk/models/errors";
import { type FakeClock, fakeClock, turns } from "../support/clock.ts";
import { isObject } from "../support/event_stream.ts";
import { type Gateway, mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { says, scripted } from "../support/scripted.ts";

interface Rig {
  readonly gateway: Gateway;
  readonly clock: FakeClock;
  /** With the management key, and with the API key. */
  readonly manager: OpenRouter;
  readonly holder: OpenRouter;
}

async function withClients(test: (rig: Rig) => Promise<void>): Promise<void> {
  await using upstream = scripted(says("responses", "Hello there"));
  const clock = fakeClock();
  const pricing = { prompt: "0.000001", completion: "0.000002" };
  const providers = [providerAt(upstream.baseUrl, { models: [{ ...mockModel, pricing }] })];
  await using gateway = await startGateway({ providers, clock });
  const client = (apiKey: string) =>
    new OpenRouter({ serverURL: `${gateway.url}/api/v1`, apiKey, retryConfig: { strategy: "none" } });
  await test({ gateway, clock, manager: client(gateway.managementKey), holder: client(gateway.apiKey) });
}

/** The library marks what it cannot read as unknown instead of failing; nothing of ours may be. */
function assertKnown(value: unknown, path = "reply"): void {
  if (Array.isArray(value)) return value.forEach((one, at) => assertKnown(one, `${path}[${at}]`));
  if (!isObject(value)) return;
  assert.notEqual(value.isUnknown, true, `${path} is unknown: ${JSON.stringify(value)}`);
  for (const [key, inner] of Object.entries(value)) assertKnown(inner, `${path}.${key}`);
}

async function generate({ gateway: { url, apiKey } }: Rig, model = "mock/model"): Promise<string> {
  const answer = await fetch(`${url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model, input: "Hi" }),
  });
  await answer.text();
  return answer.headers.get("x-generation-id") ?? "";
}

Deno.test("@openrouter/sdk generations.getGeneration reads a generation, with either key", () =>
  withClients(async (rig) => {
    const id = await generate(rig);
    for (const client of [rig.holder, rig.manager]) {
      const { data } = await client.generations.getGeneration({ id });
      assertKnown(data);
      assert.equal(data.id, id);
      assert.equal(data.totalCost, 0.000011);
      assert.equal(data.providerResponses?.length, 1);
      assert.equal(data.apiType, "completions");
    }
  }));

Deno.test("@openrouter/sdk generations.getGeneration reads one that came to nothing", () =>
  withClients(async (rig) => {
    const id = await generate(rig, "mock/nothing");
    const { data } = await rig.manager.generations.getGeneration({ id });
    assertKnown(data);
    assert.equal(data.totalCost, 0);
    assert.equal(data.providerName, null);
  }));

Deno.test("@openrouter/sdk generations tell of what is not there", () =>
  withClients(async (rig) => {
    const id = await generate(rig);
    await assert.rejects(rig.holder.generations.getGeneration({ id: "gen-nowhere" }), NotFoundResponseError);
    await assert.rejects(rig.holder.generations.listGenerationContent({ id }), NotFoundResponseError);
  }));

Deno.test("@openrouter/sdk generations.submitFeedback is heard", () =>
  withClients(async (rig) => {
    const generationId = await generate(rig);
    const { data } = await rig.manager.generations.submitFeedback({
      submitGenerationFeedbackRequest: { generationId, category: "incorrect_response", comment: "No" },
    });
    assert.equal(data.success, true);
  }));

Deno.test("@openrouter/sdk credits.getCredits reads credits before and after they are set", () =>
  withClients(async (rig) => {
    const { gateway: { url, managementKey } } = rig;
    assert.deepEqual((await rig.manager.credits.getCredits()).data, { totalCredits: 0, totalUsage: 0 });
    const added = await fetch(`${url}/v1/credits`, {
      method: "POST",
      headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
      body: JSON.stringify({ amount_usd: 2.5, reason: "A test" }),
    });
    await added.text();
    await generate(rig);
    assert.deepEqual((await rig.manager.credits.getCredits()).data, {
      totalCredits: 2.5,
      totalUsage: 0.000011,
    });
  }));

Deno.test("@openrouter/sdk analytics.getUserActivity reads activity, also by workspace", () =>
  withClients(async (rig) => {
    await generate(rig);
    await rig.clock.advanceOnce(turns, 86_400_000);
    const { data } = await rig.manager.analytics.getUserActivity();
    assertKnown(data);
    assert.deepEqual(data.map(({ model, requests, usage }) => [model, requests, usage]), [[
      "mock/model",
      1,
      0.000011,
    ]]);
    const apart = await rig.manager.analytics.getUserActivity({ groupBy: "workspace", date: "2026-01-14" });
    assert.equal(typeof apart.data[0]?.workspaceId, "string");
  }));

Deno.test("@openrouter/sdk analytics reads what there is to ask, and answers", () =>
  withClients(async (rig) => {
    await generate(rig);
    const { data: meta } = await rig.manager.analytics.getAnalyticsMeta();
    assertKnown(meta);
    assert(meta.metrics.length > 10 && meta.operators.length === 8 && meta.granularities.length === 5);
    for (const granularity of [undefined, ...meta.granularities.map(({ name }) => String(name))]) {
      const { data: { data, metadata } } = await rig.manager.analytics.queryAnalytics({
        requestBody: {
          metrics: meta.metrics.map(({ name }) => name),
          dimensions: ["model", "status"],
          filters: [{ field: "model", operator: "in", value: ["mock/model"] }],
          granularity,
          orderBy: { field: "request_count", direction: "desc" },
          timeRange: {
            start: new Date(rig.clock.now() - 3_600_000),
            end: new Date(rig.clock.now() + 60_000),
          },
        },
      });
      assert.equal(data.length, 1, granularity);
      assert.equal(metadata.rowCount, 1);
      assert.equal(metadata.truncated, false);
    }
  }));
