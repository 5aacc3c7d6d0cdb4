import assert from "node:assert/strict";
import { type PriceList, priceListSchema, ratesToJson } from "../../../shared/models.ts";
import { formatUnitPrice } from "../../../shared/money.ts";
import {
  highestUnitPrices,
  isUnpricedTier,
  listPricesAt,
  type PricingContext,
  unitPricesFor,
} from "./unit_prices.ts";

const noon = Date.UTC(2026, 10, 2, 12);
const list: PriceList = {
  prompt: "0.000002",
  completion: "0.00001",
  inputCacheRead: "0.0000002",
  overrides: [
    { minPromptTokens: 272_000, prompt: "0.000004", completion: "0.000015" },
    { utcStart: 2200, utcEnd: 200, prompt: "0.000001" },
    { utcDays: ["sunday"], completion: "0.000001" },
    { from: "2027-01-01", prompt: "0.000009" },
  ],
};

const rates = (occasion: Partial<PricingContext>, prices = list) => {
  const charges = unitPricesFor(prices, { promptTokens: 10, at: noon, ...occasion });
  return [charges.prompt, charges.completion, charges.inputCacheRead].map(formatUnitPrice);
};

Deno.test("unitPricesFor takes the list's own rates where no condition holds", () => {
  assert.deepEqual(rates({}), ["0.000002", "0.00001", "0.0000002"]);
  assert.deepEqual(rates({ promptTokens: 272_000 }), ["0.000002", "0.00001", "0.0000002"], "strictly more");
});

Deno.test("unitPricesFor takes the rates of the size, the hour, the weekday and the day", () => {
  assert.deepEqual(rates({ promptTokens: 272_001 }), ["0.000004", "0.000015", "0.0000002"]);
  assert.equal(rates({ at: Date.UTC(2026, 10, 2, 23, 59) })[0], "0.000001");
  assert.equal(rates({ at: Date.UTC(2026, 10, 2, 1, 59) })[0], "0.000001", "past midnight");
  assert.equal(rates({ at: Date.UTC(2026, 10, 2, 2) })[0], "0.000002", "the end is excluded");
  assert.equal(rates({ at: Date.UTC(2026, 10, 1, 12) })[1], "0.000001");
  assert.equal(rates({ at: Date.UTC(2027, 0, 1) })[0], "0.000009", "the last override wins");
});

Deno.test("unitPricesFor leaves nothing free that a list does not name", () => {
  const charges = unitPricesFor({ prompt: "0.1", completion: "0.2" }, { promptTokens: 1, at: noon });
  const shown = Object.fromEntries(
    Object.entries(charges).map(([rate, price]) => [rate, formatUnitPrice(price)]),
  );
  assert.deepEqual(shown, {
    prompt: "0.1",
    completion: "0.2",
    request: "0",
    image: "0",
    outputImage: "0",
    imageToken: "0.1",
    imageOutput: "0.2",
    audio: "0.1",
    audioOutput: "0.2",
    inputAudioCache: "0.1",
    webSearch: "0",
    fileSearch: "0",
    codeInterpreter: "0",
    internalReasoning: "0.2",
    inputCacheRead: "0.1",
    inputCacheWrite: "0.1",
    inputCacheWrite1h: "0.2",
    character: "0",
    second: "0",
  });
});

Deno.test("unitPricesFor takes the rates of the tier, with every other condition of theirs", () => {
  const tiers: PriceList = {
    prompt: "0.000002",
    completion: "0.00001",
    inputCacheRead: "0.0000002",
    overrides: [
      { serviceTier: "flex", prompt: "0.000001" },
      { serviceTier: "priority", minPromptTokens: 100, completion: "0.00004" },
    ],
  };
  assert.deepEqual(rates({}, tiers), ["0.000002", "0.00001", "0.0000002"]);
  assert.equal(rates({ serviceTier: "flex" }, tiers)[0], "0.000001");
  assert.equal(rates({ serviceTier: "priority" }, tiers)[1], "0.00001");
  assert.equal(rates({ serviceTier: "priority", promptTokens: 101 }, tiers)[1], "0.00004");
  assert.equal(listPricesAt(tiers, noon).overrides, undefined, "lists tell the usual tier's prices");
  const completion = (promptTokens?: number, serviceTier?: string) =>
    formatUnitPrice(highestUnitPrices(tiers, { promptTokens, serviceTier }).completion);
  assert.equal(completion(), "0.00001", "nobody requests priority");
  assert.equal(completion(undefined, "priority"), "0.00004");
  assert.equal(completion(100, "priority"), "0.00001", "too short a prompt");
  assert.equal(completion(101, "priority"), "0.00004");
  assert.equal(completion(101, "performance"), "0.00004", "another word for it");
  assert.equal(completion(101, "flex"), "0.00001", "a provider may serve the usual tier instead");
});

Deno.test("a premium tier without a price costs the dearest multiple known, a cheap one the usual price", () => {
  const plain: PriceList = {
    prompt: "0.000002",
    completion: "0.00001",
    webSearch: "0.01",
    overrides: [{ minPromptTokens: 100, prompt: "0.000004" }],
  };
  for (const serviceTier of ["priority", "fast", "scale", "performance"]) {
    assert.deepEqual(rates({ serviceTier }, plain).slice(0, 2), ["0.000005", "0.000025"], serviceTier);
    assert.equal(rates({ serviceTier, promptTokens: 101 }, plain)[0], "0.00001", "of a long prompt too");
    assert.ok(isUnpricedTier(plain, serviceTier));
    const { completion, webSearch } = highestUnitPrices(plain, { serviceTier });
    assert.deepEqual([completion, webSearch].map(formatUnitPrice), ["0.000025", "0.01"]);
  }
  for (const serviceTier of ["flex", "batch", "default", "standard", undefined]) {
    assert.deepEqual(rates({ serviceTier }, plain).slice(0, 2), ["0.000002", "0.00001"], serviceTier);
    assert.ok(!isUnpricedTier(plain, serviceTier));
  }
});

Deno.test("a cache entry of an hour costs twice the prompt's rate where a list has no price for it", () => {
  const hour = (list: PriceList, promptTokens = 1) =>
    formatUnitPrice(unitPricesFor(list, { promptTokens, at: noon }).inputCacheWrite1h);
  const plain = { prompt: "0.000003", completion: "0.000015" };
  assert.equal(hour(plain), "0.000006", "as Moonshot charges");
  assert.equal(hour({ ...plain, inputCacheWrite: "0.00000375" }), "0.000006", "as Bedrock charges");
  assert.equal(hour({ ...plain, inputCacheWrite: "0.000007" }), "0.000007", "never less than one of minutes");
  assert.equal(hour({ ...plain, inputCacheWrite1h: "0.000004" }), "0.000004", "the list's own");
  const long = { ...plain, overrides: [{ minPromptTokens: 100, prompt: "0.000006" }] };
  assert.equal(hour(long, 101), "0.000012");
});

Deno.test("dearest takes the worst of every condition, those of days to come too", () => {
  const { prompt, completion, inputCacheRead } = highestUnitPrices(list);
  assert.deepEqual([prompt, completion, inputCacheRead].map(formatUnitPrice), [
    "0.000009",
    "0.000015",
    "0.0000002",
  ]);
});

Deno.test("listPricesAt folds in what holds from a day on, and leaves out what is yet to come", () => {
  assert.equal(listPricesAt(list, noon).prompt, "0.000002");
  assert.equal(listPricesAt(list, noon).overrides?.length, 3);
  assert.equal(listPricesAt(list, Date.UTC(2027, 0, 2)).prompt, "0.000009");
  assert.equal(listPricesAt({ prompt: "1", completion: "1" }, noon).overrides, undefined);
});

Deno.test("priceListSchema reads JSON's spelling, and ratesToJson writes it", () => {
  const json = { prompt: "0.1", completion: "0.2", input_cache_write_1h: "0.3", web_search: "0.01" };
  const read = priceListSchema.parse({ ...json, overrides: [{ min_prompt_tokens: 5, prompt: "0.5" }] });
  assert.deepEqual(ratesToJson(read), json);
  assert.equal(read.inputCacheWrite1h, "0.3");
  assert.equal(read.overrides?.[0]?.minPromptTokens, 5);
  for (const prompt of ["1e-6", "-1", 0.1, "1234567890"]) {
    assert.equal(priceListSchema.safeParse({ prompt, completion: "0" }).success, false);
  }
});
