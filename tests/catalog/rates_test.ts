import assert from "node:assert/strict";
import { parseUsage as bedrockUsage } from "../../server/protocols/bedrock/outbound/parse_usage.ts";
import { parseUsage as chatUsage } from "../../server/protocols/chat/outbound/parse_usage.ts";
import { computeCharge } from "../../server/billing/pricing/charge.ts";
import type { PriceList, PricingJson } from "../../shared/models.ts";
import type { Usage } from "../../server/protocols/canonical/usage.ts";
import { premiumMultiple } from "../../server/billing/pricing/unit_prices.ts";
import { dearerOf } from "./aggregators.ts";
import rates from "./hand/rates.json" with { type: "json" };
import { importedRates } from "./import_rates.ts";
import { agree, combined, withSizes } from "./price.ts";
import { publishedList, rateRow, rateRows, withTiers } from "./rates.ts";
import { listed } from "./sources.ts";
import snapshotFile from "../../server/providers/catalog/snapshot.json" with { type: "json" };
import { readSnapshot } from "../../server/providers/catalog/snapshot.ts";

const row = rateRow.parse({
  input_cost_per_token: 2e-6,
  output_cost_per_token: 1e-5,
  cache_read_input_token_cost: 2e-7,
  cache_creation_input_token_cost: 2.5e-6,
  cache_creation_input_token_cost_above_1hr: 4e-6,
  input_cost_per_token_above_272k_tokens: 4e-6,
  output_cost_per_token_above_272k_tokens: 1.5e-5,
  input_cost_per_token_priority: 4e-6,
  output_cost_per_token_priority: 2.5e-5,
  input_cost_per_token_above_272k_tokens_priority: 9e-6,
});

Deno.test("publishedList reads the usual tier, with entries of an hour and long prompts", () => {
  assert.deepEqual(publishedList(row), {
    prompt: "0.000002",
    completion: "0.00001",
    input_cache_read: "0.0000002",
    input_cache_write: "0.0000025",
    input_cache_write_1h: "0.000004",
    overrides: [{ min_prompt_tokens: 272_000, prompt: "0.000004", completion: "0.000015" }],
  });
  assert.equal(publishedList(rateRow.parse({ input_cost_per_token: 1e-6 })), null, "one side only");
});

Deno.test("withTiers gives a tier its own prices, and multiplies those that it does not name", () => {
  const list = publishedList(row);
  assert.ok(list);
  const announced = { from: "2027-01-01", prompt: "0.000008", completion: "0.00004" };
  const { overrides = [] } = withTiers({
    ...list,
    web_search: "0.01",
    overrides: [...list.overrides ?? [], announced],
  }, row);
  assert.deepEqual(overrides.filter(({ service_tier }) => service_tier === "priority"), [
    {
      service_tier: "priority",
      prompt: "0.000004",
      completion: "0.000025",
      input_cache_read: "0.0000004",
      input_cache_write: "0.000005",
      input_cache_write_1h: "0.000008",
    },
    { service_tier: "priority", min_prompt_tokens: 272_000, prompt: "0.000009", completion: "0.0000375" },
    { service_tier: "priority", from: "2027-01-01", prompt: "0.000016", completion: "0.0001" },
  ]);
  const fast = rateRow.parse({ ...row, provider_specific_entry: { fast: 2, us: 1.1 } });
  const override = withTiers(list, fast).overrides?.find(({ service_tier }) => service_tier === "fast");
  assert.deepEqual([override?.prompt, override?.input_cache_write_1h], ["0.000004", "0.000008"]);
});

Deno.test("publishedList reads the cheaper hours and days", () => {
  const list = publishedList(rateRow.parse({
    input_cost_per_token: 3e-7,
    output_cost_per_token: 1.2e-6,
    off_peak_pricing: {
      input_cost_per_token: 1.5e-7,
      output_cost_per_token: 6e-7,
      windows: [
        { hours_utc: ["00:00-01:00", "10:00-00:00"], weekdays: [1, 5] },
        { hours_utc: "00:00-00:00", weekdays: [6, 7] },
      ],
    },
  }));
  const cheap = { prompt: "0.00000015", completion: "0.0000006" };
  assert.deepEqual(list?.overrides, [
    { utc_start: 0, utc_end: 100, utc_days: ["monday", "friday"], ...cheap },
    { utc_start: 1_000, utc_end: 2_400, utc_days: ["monday", "friday"], ...cheap },
    { utc_days: ["saturday", "sunday"], ...cheap },
  ]);
});

Deno.test("importedRates keeps the rows of a provider's own models, and of them what is read", () => {
  const google = listed.filter(({ id }) => id === "google-vertex");
  const published = {
    limits: [],
    prices: [{ id: "one", match: {}, prices: {} }, { id: "two", match: {}, prices: {} }],
  };
  const fallback = { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 };
  const file = {
    one: { ...fallback, litellm_provider: "vertex_ai-language-models", max_tokens: 5, supports_vision: true },
    two: { ...fallback, litellm_provider: "somebody else" },
    three: { ...fallback, litellm_provider: "vertex_ai" },
  };
  assert.deepEqual(importedRates(file, google.map((one) => [one, published] as const)), {
    "google-vertex": { one: fallback },
  });
});

Deno.test("withSizes sets the boundaries as the providers publish them", () => {
  const at = (min_prompt_tokens: number, inclusive = false) => {
    const list: PricingJson = {
      prompt: "1",
      completion: "2",
      overrides: [{ min_prompt_tokens, prompt: "2" }],
    };
    return withSizes(list, { inclusive }).overrides?.[0]?.min_prompt_tokens;
  };
  assert.deepEqual([at(271_999), at(272_000), at(199_999)], [272_000, 272_000, 200_000]);
  assert.deepEqual([at(200_000, true), at(199_999, true)], [199_999, 199_999]);
});

Deno.test("agree and combined keep what only the older of two agreeing lists says", () => {
  const peak: PricingJson = {
    prompt: "2",
    completion: "4",
    overrides: [{ utc_start: 0, utc_end: 100, prompt: "1", completion: "2" }],
  };
  assert.ok(agree(peak, { prompt: "1", completion: "2" }) && agree({ prompt: "1", completion: "2" }, peak));
  assert.ok(!agree(peak, { prompt: "1", completion: "4" }));
  const older: PricingJson = {
    prompt: "2",
    completion: "4",
    audio: "3",
    overrides: [{ utc_start: 5, utc_end: 9, prompt: "1" }, { from: "2027-01-01", prompt: "9" }],
  };
  assert.deepEqual(combined(peak, older), {
    prompt: "2",
    completion: "4",
    audio: "3",
    overrides: [...peak.overrides ?? [], { from: "2027-01-01", prompt: "9" }],
  });
});

Deno.test("dearerOf takes the dearest of an aggregator's list and the author's, rate by rate", () => {
  const list: PricingJson = {
    prompt: "0.0000000062",
    completion: "0.000009",
    input_cache_read: "0.0000000052",
    overrides: [{ min_prompt_tokens: 100, prompt: "0.000003" }],
  };
  const author: PricingJson = {
    prompt: "0.0000014",
    completion: "0.0000044",
    input_cache_write_1h: "0.0000028",
    overrides: [
      { min_prompt_tokens: 200, prompt: "0.000002", completion: "0.00002" },
      { service_tier: "priority", prompt: "0.00001" },
      { utc_start: 0, utc_end: 100, prompt: "0.0000007" },
    ],
  };
  assert.deepEqual(dearerOf(list, author), {
    prompt: "0.0000014",
    completion: "0.000009",
    // The author has no price for it, so it is read at the prompt's.
    input_cache_read: "0.0000014",
    input_cache_write_1h: "0.0000028",
    overrides: [
      { min_prompt_tokens: 100, prompt: "0.000003" },
      { min_prompt_tokens: 200, prompt: "0.000003", completion: "0.00002", input_cache_read: "0.000002" },
    ],
  });
});

Deno.test("premiumMultiple is the dearest that any provider publishes for priority or fast", () => {
  const multiples = Object.values(rateRows.parse(rates)).flatMap((models) =>
    Object.values(models).flatMap((one) =>
      ["input_cost_per_token", "output_cost_per_token"].map((name) =>
        Number(one[`${name}_priority`] ?? 0) / Number(one[name])
      ).concat(one.provider_specific_entry?.fast ?? 0)
    )
  );
  assert.equal(Math.max(...multiples.map((one) => Math.round(one * 100) / 100)), premiumMultiple);
});

const snapshot = readSnapshot(snapshotFile);
const pricingAt = (provider: string, upstream: string) => snapshot.offersOf(provider).get(upstream)?.pricing;

Deno.test("the snapshot has entries of an hour at twice the prompt's rate, whoever serves the model", () => {
  const named = ["anthropic", "amazon-bedrock", "moonshotai"].map((provider) => {
    const lists = [...snapshot.offersOf(provider).values()].flatMap(({ pricing }) => pricing ?? []);
    const hour = lists.filter(({ inputCacheWrite1h }) => inputCacheWrite1h !== undefined);
    for (const { prompt, inputCacheWrite1h } of hour) {
      const multiple = Number(inputCacheWrite1h) / Number(prompt);
      assert.equal(Math.round(multiple * 1e6) / 1e6, 2, provider);
    }
    return hour.length;
  });
  assert.ok((named[0] ?? 0) >= 17 && (named[1] ?? 0) >= 74 && (named[2] ?? 0) >= 2, String(named));
});

Deno.test("what Bedrock and Moonshot keep for an hour is charged as they charge it", () => {
  const written = 1_000;
  const bedrock = bedrockUsage({
    inputTokens: 10,
    outputTokens: 1,
    totalTokens: 11 + written,
    cacheWriteInputTokens: written,
    cacheDetails: [{ ttl: "1h", inputTokens: written }],
  });
  const kimi = chatUsage({
    prompt_tokens: 10 + written,
    completion_tokens: 1,
    cache_creation_input_tokens: written,
    cache_creation: { ephemeral_1h_input_tokens: written },
  });
  const hourOf = (usage: Usage | undefined, pricing: PriceList | null | undefined) => {
    assert.ok(usage && pricing);
    const { lines } = computeCharge(usage, pricing, { at: 0 });
    return lines.find(({ rate }) => rate === "inputCacheWrite1h");
  };
  const all = [...snapshot.offersOf("amazon-bedrock")].filter(([name]) => name.includes("claude"));
  assert.ok(all.length >= 74);
  for (const [name, { pricing }] of all) {
    const line = hourOf(bedrock, pricing);
    assert.equal(Number(line?.unitPrice), Number((2 * Number(pricing?.prompt)).toPrecision(12)), name);
    assert.equal(line?.quantity, written);
  }
  assert.equal(hourOf(kimi, pricingAt("moonshotai", "kimi-k3"))?.unitPrice, "0.000006");
});

Deno.test("the snapshot has the known corrections", () => {
  const flash = pricingAt("google", "gemini-flash-latest");
  assert.deepEqual([flash?.prompt, flash?.completion], ["0.00000075", "0.00000375"]);
  const lite = pricingAt("google", "gemini-flash-lite-latest");
  assert.deepEqual([lite?.prompt, lite?.completion], ["0.0000003", "0.0000025"]);
  const weekend = pricingAt("deepseek", "deepseek-flash")?.overrides?.find(({ utcStart }) =>
    utcStart === undefined
  );
  assert.deepEqual([weekend?.utcDays, weekend?.prompt], [["saturday", "sunday"], "0.00000015"]);
  const argon = pricingAt("google", "gemini-4-argon")?.overrides?.find(({ from }) => from !== undefined);
  assert.deepEqual([argon?.from, argon?.prompt], ["2026-12-01", "0.000004"]);
  for (const provider of Object.keys(snapshotFile.offers)) {
    const sizes = [...snapshot.offersOf(provider).values()]
      .flatMap(({ pricing }) => pricing?.overrides ?? []).flatMap(({ minPromptTokens }) =>
        minPromptTokens ?? []
      );
    const early = sizes.filter((size) => size % 1_000 === 999);
    // Only xAI counts the boundary in.
    if (provider !== "openrouter") {
      assert.equal(early.length, provider === "xai" ? sizes.length : 0, provider);
    }
  }
});

Deno.test("an aggregator's model is nowhere cheaper than its author's", () => {
  const authors = new Map(
    listed.filter(({ author }) => author !== undefined).flatMap(({ id }) =>
      [...snapshot.offersOf(id).values()].map(({ model, pricing }) => [model, pricing] as const)
    ),
  );
  let compared = 0;
  for (const [name, { model, pricing }] of snapshot.offersOf("openrouter")) {
    const author = authors.get(model);
    if (!author || !pricing) continue;
    compared++;
    assert.ok(Number(pricing.prompt) >= Number(author.prompt), name);
    assert.ok(Number(pricing.completion) >= Number(author.completion), name);
  }
  assert.ok(compared > 50, String(compared));
});
