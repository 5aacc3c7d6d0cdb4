import assert from "node:assert/strict";
import {
  offerSchema,
  type SnapshotFile,
  snapshotSchema,
} from "../../server/providers/catalog/snapshot_schema.ts";
import { differences, movedSince } from "./differences.ts";
import { bareName, latestOf } from "./identify.ts";
import { type Hand, type Material, merge } from "./merge.ts";
import { perUnit, pricesOf } from "./price.ts";
import { type LimitRow, limitRows, type PriceRow, priceRows } from "./sources.ts";
import { write } from "./write.ts";

const sources = {
  prices: { name: "prices 1", date: "2026-09-01" },
  limits: { name: "limits 2", date: "2026-11-01" },
  rates: { name: "rates 3", date: "2026-11-02" },
  providers: { name: "docs", date: "2026-11-01" },
};

const hand: Hand = {
  sources,
  scores: {},
  released: { "anthropic/claude-opus-5-5": "2026-09-01" },
  limits: { "openai/gpt-9": { context: 1_000_000 } },
  announced: {},
};

interface Cost {
  readonly input?: number;
  readonly output?: number;
}

const limit = (id: string, { input = 1, output = 2 }: Cost = {}) => ({
  type: "chat",
  id,
  name: id.toUpperCase(),
  reasoning: id.includes("gpt"),
  input: ["text", "image"],
  cost: { input, output, cacheRead: 0.1, cacheWrite: 0 },
  contextWindow: 1_000,
  maxTokens: 100,
});

const price = (id: string, prices: unknown = { input_mtok: 1, output_mtok: 2 }) => ({
  id,
  match: { equals: id },
  prices,
});

const parsed = (limits: readonly unknown[], prices: readonly unknown[] = []) => ({
  limits: Object.values(limitRows.parse({ ...limits })) satisfies readonly LimitRow[],
  prices: priceRows.parse(prices) satisfies readonly PriceRow[],
});

const openai = { id: "openai", limits: "openai", author: "openai" };
const anthropic = { id: "anthropic", limits: "anthropic", author: "anthropic" };
const openrouter = { id: "openrouter", limits: "openrouter" };
const groq = { id: "groq", limits: "groq" };

function material(gpt: Cost = {}): Material {
  const tiers = { base: 1, tiers: [{ start: 200, price: 4 }] };
  const rich = { input_mtok: tiers, output_mtok: 2, cache_write_1h_mtok: 3, web_searches_kcount: 10 };
  const both = parsed([limit("gpt-9", gpt)], [price("gpt-9", rich)]);
  const foreign = [
    "anthropic/claude-opus-5.5",
    "anthropic/claude-opus-4.6",
    "meta/llama-9",
    "~anthropic/claude-opus-latest",
  ];
  return {
    hand,
    providers: [
      [openai, both],
      [anthropic, parsed([limit("claude-opus-5-5"), limit("claude-opus-4-6")])],
      [openrouter, parsed(foreign.map((id) => limit(id)))],
      [groq, parsed([limit("meta-llama/Llama-9"), limit("own-model")])],
    ],
  };
}

const offer = (snapshot: SnapshotFile, [provider, upstream]: readonly [string, string]) =>
  offerSchema.parse(snapshot.offers[provider]?.[upstream]);

Deno.test("merge keeps the finer price where both sources agree, and the newer one where they do not", () => {
  const gpt = (cost: Cost) => {
    const { pricing, priced } = offer(merge(material(cost)), ["openai", "gpt-9"]);
    return { pricing, priced };
  };
  assert.deepEqual(gpt({}), {
    // Both have it, so it is as new as the newer of them.
    priced: "limits",
    pricing: {
      prompt: "0.000001",
      completion: "0.000002",
      inputCacheRead: "0.0000001",
      inputCacheWrite1h: "0.000003",
      webSearch: "0.01",
      overrides: [{
        minPromptTokens: 200,
        prompt: "0.000004",
        utcStart: undefined,
        utcEnd: undefined,
        utcDays: undefined,
        serviceTier: undefined,
        from: undefined,
      }],
    },
  });
  assert.equal(gpt({ input: 7 }).priced, "limits");
  assert.equal(gpt({ input: 7 }).pricing?.prompt, "0.000007");
});

Deno.test("merge gives all of a provider's models the search price that most of them name", () => {
  const searchesOf = (costs: readonly (number | undefined)[]) => {
    const rows = costs.map((web_searches_kcount, at) =>
      price(`m-${at}`, { input_mtok: 1, output_mtok: 2, web_searches_kcount })
    );
    const snapshot = merge({ hand, providers: [[groq, parsed(rows.map(({ id }) => limit(id)), rows)]] });
    return rows.map(({ id }) => offer(snapshot, ["groq", id]).pricing?.webSearch);
  };
  assert.deepEqual(searchesOf([10, 10, undefined]), ["0.01", "0.01", "0.01"]);
  assert.deepEqual(searchesOf([10, undefined]), ["0.01", undefined], "no more than half");
  assert.deepEqual(searchesOf([10, 25, 10, undefined]), ["0.01", "0.025", "0.01", undefined], "two prices");
  assert.deepEqual(searchesOf([undefined]), [undefined]);
});

Deno.test("merge tells a model by one id wherever it is served", () => {
  const snapshot = merge(material());
  assert.equal(
    offer(snapshot, ["openrouter", "anthropic/claude-opus-5.5"]).model,
    "anthropic/claude-opus-5-5",
  );
  assert.equal(offer(snapshot, ["groq", "meta-llama/Llama-9"]).model, "meta/llama-9");
  assert.equal(offer(snapshot, ["groq", "own-model"]).model, "groq/own-model");
  assert.equal(snapshot.aliases["anthropic/claude-opus-5.5"], "anthropic/claude-opus-5-5");
  assert.equal(snapshot.aliases["~anthropic/claude-opus-latest"], "anthropic/claude-opus-5-5");
});

Deno.test("merge takes what is kept by hand, and what follows from the provider", () => {
  const snapshot = merge(material());
  const gpt = offer(snapshot, ["openai", "gpt-9"]);
  assert.equal(gpt.context, 1_000_000);
  assert.deepEqual(gpt.inputs, ["text", "image", "file"]);
  assert.ok(!snapshot.parameters[gpt.parameters]?.includes("temperature"), "it reasons");
  const claude = offer(snapshot, ["anthropic", "claude-opus-5-5"]);
  assert.equal(claude.created, Date.UTC(2026, 8, 1) / 1_000);
});

Deno.test("pricesOf takes today's prices, and keeps those of hours and of days to come", () => {
  const [row] = parsed([], [price("m", [
    { prices: { input_mtok: 9, output_mtok: 9 } },
    {
      constraint: { type: "start_date", start_date: "2026-01-01" },
      prices: { input_mtok: 1, output_mtok: 2 },
    },
    {
      constraint: { type: "start_date", start_date: "2027-01-01" },
      prices: { input_mtok: 3, output_mtok: 4 },
    },
    {
      constraint: { type: "time_of_date", start_time: "01:30:00Z", end_time: "04:00:00Z" },
      prices: { input_mtok: 5, output_mtok: 6 },
    },
  ])]).prices;
  assert.deepEqual(row && pricesOf(row, "2026-11-01"), {
    prompt: "0.000001",
    completion: "0.000002",
    overrides: [
      { from: "2027-01-01", prompt: "0.000003", completion: "0.000004" },
      { utc_start: 130, utc_end: 400, prompt: "0.000005", completion: "0.000006" },
    ],
  });
});

Deno.test("perUnit shifts the digits and drops the noise of floats", () => {
  const cases: readonly (readonly [number, number, string])[] = [
    [2.5, 6, "0.0000025"],
    [0.0028, 6, "0.0000000028"],
    [30, 6, "0.00003"],
    [10, 3, "0.01"],
    [1_500, 3, "1.5"],
    [2_000_000, 6, "2"],
    [0.1 + 0.2, 6, "0.0000003"],
    [1 / 12, 6, "0.000000083333333333"],
    [0, 6, "0"],
  ];
  for (const [amount, power, expected] of cases) assert.equal(perUnit(amount, power), expected);
});

Deno.test("names of the same model are told to be the same, and the newest of a family is found", () => {
  assert.equal(
    bareName("accounts/fireworks/models/deepseek-v4p1-flash"),
    bareName("deepseek/deepseek-v4.1-flash"),
  );
  assert.equal(bareName("us.anthropic.claude-opus-4-6-v1:0"), bareName("anthropic/claude-opus-4.6"));
  const ids = ["x/grok-4.7", "x/grok-4.20", "x/grok-voice", "y/grok-9"];
  assert.equal(latestOf("x/grok", ids), "x/grok-4.7");
  assert.equal(latestOf("x/none", ids), undefined);
});

Deno.test("differences tells what was added, removed and changed", () => {
  const before = merge(material());
  const after = merge({
    hand: { ...hand, limits: {} },
    providers: material({ input: 7 }).providers.slice(0, 2),
  });
  assert.deepEqual(differences(before, before), []);
  const lines = differences(before, after);
  assert.ok(lines.includes("- groq: own-model"));
  assert.equal(differences(after, before).filter((line) => line.startsWith("+ ")).length, 5);
  const changed = lines.find((line) => line.startsWith("~ openai: gpt-9: ")) ?? "";
  assert.match(changed, /prompt 0\.000001 → 0\.000007/);
  assert.match(changed, /context 1000000 → 1000/);
  assert.equal(lines.at(-1), "0 added, 5 removed, 1 changed");
});

Deno.test("write writes what the schema reads, the same each time", () => {
  const snapshot = merge(material());
  assert.deepEqual(snapshotSchema.parse(JSON.parse(write(snapshot))), snapshot);
  assert.equal(write(merge(material())), write(snapshot));
});

Deno.test("movedSince keeps what moved by more than five times, for 45 days", () => {
  const at = (input: number, date: string) => {
    const { hand, providers } = material({ input });
    const sources = { ...hand.sources, rates: { name: "r", date } };
    return merge({ hand: { ...hand, sources }, providers: providers.slice(0, 1) });
  };
  const first = at(7, "2026-11-02");
  const moved = movedSince(first, at(40, "2026-11-03"));
  assert.deepEqual(moved, [{
    provider: "openai",
    upstream: "gpt-9",
    rate: "prompt",
    from: "0.000007",
    to: "0.00004",
    date: "2026-11-03",
  }]);
  assert.deepEqual(movedSince(first, at(30, "2026-11-03")), [], "less than five times");
  const next = { ...at(40, "2026-11-03"), moved };
  assert.deepEqual(movedSince(next, at(40, "2026-12-10")), moved);
  assert.deepEqual(movedSince(next, at(40, "2026-12-20")), []);
  assert.equal(movedSince(next, at(7, "2026-12-10"))[0]?.to, "0.000007", "the last move counts");
});
