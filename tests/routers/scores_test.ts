/** The scores that ship, what inherits them, and the evidence that a gateway makes of them and of its operator's files. */

import assert from "node:assert/strict";
import { createEvidence } from "../../server/app/compose/evidence.ts";
import { noEvidence } from "../../server/pipeline/routing/routers/evidence.ts";
import { readConfig } from "../../server/config/config.ts";
import { byokCatalog } from "../../server/providers/catalog/byok_catalog.ts";
import { openCatalog } from "../../server/providers/catalog/open_catalog.ts";
import { readSnapshot } from "../../server/providers/catalog/snapshot.ts";
import snapshot from "../../server/providers/catalog/snapshot.json" with { type: "json" };
import { createByokProviders, createProviders, providerSettings } from "../../server/providers/mod.ts";
import type { Evidence } from "../../server/pipeline/routing/routers/evidence.ts";
import { rankModels } from "../../server/pipeline/routing/routers/rank_models.ts";
import { coverageOf, describeCoverage } from "../../server/pipeline/routing/scores/coverage.ts";
import { indexFamilies } from "../../server/pipeline/routing/scores/model_family.ts";
import { indexModelIds } from "../../server/pipeline/routing/scores/model_ids.ts";
import type { ScoreInput } from "../../server/pipeline/routing/scores/score_tables.ts";
import { loadShippedScores } from "../../server/pipeline/routing/scores/shipped_scores.ts";
import { makeScoreFile, scoreFileNames, scoreFileText } from "./make_scores.ts";

const TODAY = "2026-11-26";
const shipped = await loadShippedScores();
const models = readSnapshot(snapshot).allModels();
const data = new URL("../../server/pipeline/routing/scores/shipped/", import.meta.url);

const wholeCatalog: ScoreInput = {
  files: shipped,
  operator: new Map(),
  models,
  inherit: indexFamilies(models),
  idOf: indexModelIds(models.map(({ id }) => id)).exact,
};

Deno.test("the shipped scores cover as much of the catalog as docs/auto-routing.md says", () => {
  const coverage = coverageOf(wholeCatalog, Date.parse(TODAY));
  assert.equal(describeCoverage(coverage), "61 of 429; newest score 2026-07; newest model 2026-10");
  assert.deepEqual(
    coverage.scales.filter(({ kind }) => ["coding", "tool_use", "summaries"].includes(kind)).map((
      { scale, measured, inherited, isOld },
    ) => [scale, measured, inherited, isOld]),
    [
      ["LiveBench 2026-06-25 coding", 26, 22, false],
      ["LiveBench 2026-01-08 coding", 61, 31, false],
      ["BFCL tool_use", 24, 35, true],
      ["Vectara HHEM summaries", 35, 35, true],
    ],
  );
});

/** Figures of the sources, as their tables have them: file, model, ability, the best of its rows. */
const samples = [
  ["livebench-2026-06-25.json", "anthropic/claude-opus-4-8", "coding", 79.27],
  ["livebench-2026-06-25.json", "anthropic/claude-opus-4-8", "general", 78.93],
  ["livebench-2026-06-25.json", "anthropic/claude-fable-5", "language", 89.46],
  ["livebench-2026-06-25.json", "anthropic/claude-opus-4-5-20251101", "math", 90.39],
  ["livebench-2026-01-08.json", "anthropic/claude-opus-4.1", "coding", 76.07],
  ["livebench-2026-01-08.json", "anthropic/claude-opus-4.1", "general", 61.81],
  ["livebench-2026-01-08.json", "anthropic/claude-sonnet-5", "reasoning", 86.92],
  ["bfcl-v4.json", "z-ai/glm-4.6", "tool_use", 72.38],
  ["bfcl-v4.json", "anthropic/claude-haiku-4-5-20251001", "tool_use", 68.7],
  ["vectara-summaries.json", "google/gemini-2.5-flash-lite", "summaries", 96.7],
  ["vectara-summaries.json", "google/gemma-3-12b-it", "summaries", 95.6],
] as const;

Deno.test("shipped figures are those of their sources", async () => {
  for (const [file, model, kind, expected] of samples) {
    const { rows } = shipped[scoreFileNames.indexOf(file)] ?? assert.fail(file);
    const values = rows.filter((row) => row.model === model).map(({ scores }) => scores[kind] ?? 0);
    assert.equal(Math.max(...values), expected, `${file} ${model} ${kind}`);
  }
  const ids = new Set(models.map(({ id }) => id));
  const stray = shipped.flatMap(({ rows }) => rows.filter(({ model }) => model !== null && !ids.has(model)));
  assert.deepEqual(stray, []);
  const moving = shipped.flatMap(({ rows }) => rows.filter(({ model }) => model?.endsWith("-latest")));
  assert.deepEqual(moving, []);
  for (const name of scoreFileNames) {
    const text = await Deno.readTextFile(new URL(name, data));
    assert.equal(text, scoreFileText(JSON.parse(text)), `${name} was not written by make_scores.ts`);
  }
});

Deno.test("makeScoreFile keeps figures as they are, and drops what nothing ranks by", () => {
  const source = { repository: "r", path: "p", commit: "c", licence: "Apache-2.0" };
  const rows = [
    { name: "a (FC)", model: "acme/a", mode: "FC", overall: 12.34, live: 50 },
    { name: "b", model: null, mode: "FC", overall: 99, live: 50 },
  ];
  assert.deepEqual(makeScoreFile("bfcl-v4.json", { ...source, rows }).rows, [
    { name: "a (FC)", model: "acme/a", effort: "FC", scores: { tool_use: 12.34 } },
  ]);
  const scores = { coding: 80, mathematics: 70, agentic_coding: 30 };
  const table = { ...source, rows: [{ name: "x", model: null, effort: null, overall: null, scores }] };
  assert.deepEqual(makeScoreFile("livebench-2026-01-08.json", table).rows, [
    { name: "x", model: null, scores: { coding: 80, math: 70 } },
  ]);
  assert.throws(() => makeScoreFile("aider.json", {}), /no recipe/);
  assert.throws(() => makeScoreFile("bfcl-v4.json", { ...source, rows: [{ ...rows[0], overall: 101 }] }));
});

Deno.test("every shipped file carries its source, day and licence, and the notice names each", async () => {
  const notice = await Deno.readTextFile(new URL("NOTICE.md", data));
  const names = [...Deno.readDirSync(data)].map(({ name }) => name).filter((name) => name.endsWith(".json"));
  assert.deepEqual(names.toSorted(), [...scoreFileNames].toSorted());
  for (const [at, { benchmark, source, attribution, licence, notice: own = "" }] of shipped.entries()) {
    const name = scoreFileNames[at] ?? "";
    assert.match(source, /commit [0-9a-f]{7,40}$/);
    assert.ok(attribution.includes(licence), name);
    assert.match(own, /Changed: /);
    const row = notice.split("\n").find((line) => line.includes(`\`${name}\``)) ?? "";
    assert.ok(row.includes(licence), `${name} in NOTICE.md`);
    assert.equal(licence, benchmark.startsWith("LiveBench ") ? "CC BY-SA 4.0" : "Apache-2.0");
  }
});

/** Models of the catalog that inherit, as lines; read through by people when a file of scores or the catalog changes. */
function inheritedLines(): readonly string[] {
  return shipped.flatMap(({ rows }, at) => {
    const measured = new Set(rows.flatMap(({ model }) => model ?? []));
    const found = [...wholeCatalog.inherit(measured)].map(([model, from]) => `${model} < ${from}`);
    return [`# ${scoreFileNames[at]}`, ...found.toSorted()];
  });
}

Deno.test("models of the catalog inherit from those in inherited.txt and from no other", async () => {
  const file = new URL("inherited.txt", import.meta.url);
  const lines = inheritedLines();
  assert.deepEqual((await Deno.readTextFile(file)).trimEnd().split("\n"), lines);
  for (const line of lines.filter((line) => line.includes(" < "))) {
    const [model = "", from = ""] = line.split(" < ");
    const words = (id: string) =>
      id.toLowerCase().replaceAll(/\d+(?:[.-]\d+)*|preview|exp/g, "").match(/[a-z]+/g);
    assert.deepEqual(words(model), words(from), line);
    assert.doesNotMatch(model, /latest|:|~/);
    const created = (id: string) => models.find((one) => one.id === id)?.created ?? 0;
    if (created(model) > 0) assert.ok(created(from) <= created(model), line);
  }
});

interface Setting {
  readonly file?: object;
  readonly files?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
}

const cloud = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" };

async function evidenceOf({ file = {}, files = {}, env = cloud, fetch: get = fetch }: Setting) {
  const warnings: string[] = [];
  const variables: Readonly<Record<string, string>> = { TOLLGATE_CONFIG: "gate.jsonc", ...env };
  const config = readConfig({
    env: (name) => variables[name],
    readFile: (path) => JSON.stringify(path === "gate.jsonc" ? file : files[path]),
    terminal: false,
  }, providerSettings);
  const nothing = () => {};
  const log = {
    debug: nothing,
    info: nothing,
    warn: (text: string) => void warnings.push(text),
    error: nothing,
  };
  const clock = { now: () => Date.parse(TODAY), monotonic: () => 0, after: () => nothing };
  const runtime = { clock, log, fetch: get, randomToken: () => "", id: () => "", random: () => 0 };
  const providers = createProviders(config, { baseUrl: "http://127.0.0.1:1" });
  const catalog = await openCatalog({ config, providers, runtime });
  const { evidence, includeModels } = await createEvidence({
    config,
    catalog,
    runtime,
    receiptEvidence: { current: noEvidence },
  });
  assert.equal(evidence(), evidence());
  return { evidence: evidence(), current: evidence, includeModels, config, warnings };
}

const rank = (evidence: Evidence, names: readonly string[]) => {
  const candidates = names.map((model) => ({ model, cost: 1 }));
  const { source, cited, models } = rankModels(evidence, { task: "code:debugging", candidates });
  return { source, cited, models: models.map(({ model }) => model) };
};

const contest = ["openai/gpt-4.1-nano", "openai/gpt-5.4", "anthropic/claude-opus-4.8"];

Deno.test("a gateway ranks by the shipped scores, and one with local models only has none", async () => {
  const { evidence } = await evidenceOf({});
  assert.deepEqual(rank(evidence, contest), {
    source: "scores",
    cited: "LiveBench 2026-06-25 coding, LiveBench (livebench.ai), CC BY-SA 4.0, 2026-07-01",
    models: ["anthropic/claude-opus-4.8", "openai/gpt-5.4", "openai/gpt-4.1-nano"],
  });
  assert.equal(
    evidence.coding?.models.get("anthropic/claude-opus-5.5")?.inferredFrom,
    "anthropic/claude-opus-4.8",
  );
  const { evidence: local } = await evidenceOf({ env: {} });
  assert.deepEqual([local.scores.size, local.coding, rank(local, ["local/echo"]).source], [
    0,
    undefined,
    "price",
  ]);
});

Deno.test("a model is ranked by the newest table that has it, and never compared over two tables", async () => {
  const { evidence } = await evidenceOf({});
  const tables = evidence.scores.get("code:debugging") ?? [];
  const [newest, older] = tables;
  assert(newest !== undefined && older !== undefined && tables.length === 2);
  const [weakest = ""] = [...newest.models].filter(([id]) => id.includes("/"))
    .toSorted(([, one], [, other]) => one.value - other.value).map(([id]) => id);
  const onlyOlder = [...older.models].filter(([id]) => id.includes("/") && !newest.models.has(id))
    .toSorted(([, one], [, other]) => other.value - one.value).map(([id]) => id).slice(0, 3);
  assert.equal(onlyOlder.length, 3);
  const candidates = [...onlyOlder.toReversed(), "nobody/knows", weakest].map((model) => ({
    model,
    cost: 1,
  }));
  const { cited, models } = rankModels(evidence, { task: "code:debugging", candidates });
  assert.match(String(cited), /^LiveBench 2026-06-25 coding/);
  assert.deepEqual(models.map(({ model }) => model), [weakest, ...onlyOlder, "nobody/knows"]);
  const ofOlder = "LiveBench 2026-01-08 coding, LiveBench (livebench.ai), CC BY-SA 4.0, 2026-07-01";
  const cites = [undefined, ofOlder, ofOlder, ofOlder, undefined];
  assert.deepEqual(models.map((one) => one.cited), cites);
  const alone = rankModels(evidence, {
    task: "code:debugging",
    candidates: candidates.filter(({ model }) => model !== weakest),
  });
  assert.deepEqual([alone.cited, alone.models[0]?.cited], [ofOlder, undefined]);
});

Deno.test("models that only keys of workspaces reach are ranked by scores once one of them is reached", async () => {
  const { current, includeModels, config } = await evidenceOf({ env: {} });
  assert.equal(rank(current(), contest).source, "price");
  const reach = byokCatalog({ config, providers: createByokProviders(config), made: includeModels });
  const reached = await reach((id) => id === "anthropic");
  const ids = reached?.listings.map(({ model }) => model.id) ?? [];
  assert.ok(ids.length > 3);
  assert.deepEqual(rank(current(), ids).source, "scores");
  assert.equal(rank(current(), contest).models[0], "anthropic/claude-opus-4.8");
  assert.ok(current().coding?.models.has("anthropic/claude-opus-5.5"), "inherited");
  const before = current();
  await reach((id) => id === "openai");
  assert.equal(current(), before, "made once");
  await includeModels([]);
  assert.equal(rank(current(), contest).source, "scores", "what was known stays");
});

Deno.test("figures of the configuration file join the shipped ones, and a file of the operator's replaces them", async () => {
  const scores = { "openai/gpt-4.1-nano": { coding: 99, source: "own", date: "2026-11-01" } };
  const { evidence: joined } = await evidenceOf({ file: { scores } });
  assert.deepEqual(rank(joined, contest).models[0], "openai/gpt-4.1-nano");
  const own = {
    benchmark: "Own",
    source: "our evaluation",
    attribution: "Acme",
    licence: "none",
    as_of: "2026-01-01",
    rows: [
      { name: "a", model: "openai/gpt-5.4", scores: { coding: 99 } },
      { name: "b", model: "openai/gpt-4.1-nano", scores: { coding: 10 } },
    ],
  };
  const file = { routing: { scores: "/own.json" } };
  const { evidence: replaced } = await evidenceOf({ file, files: { "/own.json": own } });
  assert.deepEqual(rank(replaced, contest).cited, "Own coding, Acme, 2026-01-01");
  assert.deepEqual(replaced.scores.has("summarization"), false);
  // Both are older than 180 days: one that is younger comes before them, whatever its figure.
  const { evidence: old } = await evidenceOf({
    file: { ...file, scores: { "anthropic/claude-opus-4.8": { coding: 1, source: "own", date: TODAY } } },
    files: { "/own.json": own },
  });
  assert.deepEqual(rank(old, contest).models, [
    "anthropic/claude-opus-4.8",
    "openai/gpt-5.4",
    "openai/gpt-4.1-nano",
  ]);
});

const market = {
  source: "OpenRouter (openrouter.ai/rankings)",
  attribution: "Source: OpenRouter (openrouter.ai/rankings), as of 2026-11-20.",
  licence: "CC BY 4.0",
  as_of: "2026-11-20",
  shares: { code: { "openai/gpt-4.1-nano-2025-04-14": 0.6, "openai/gpt-5.4": 0.3 } },
};

Deno.test("a market file ranks before scores, and default models are known by the catalog's ids", async () => {
  const { evidence } = await evidenceOf({
    file: { routing: { market: "/m.json" }, auto: { default_models: ["anthropic/claude-opus-4-8"] } },
    files: { "/m.json": market },
  });
  assert.deepEqual(rank(evidence, contest), {
    source: "market",
    cited: "OpenRouter (openrouter.ai/rankings), CC BY 4.0, 2026-11-20",
    models: ["openai/gpt-4.1-nano", "openai/gpt-5.4", "anthropic/claude-opus-4.8"],
  });
  assert.deepEqual(evidence.defaultModels, ["anthropic/claude-opus-4.8"]);
});

const url = "https://data.acme.example/market.json";

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest).toHex();
}

const answering = (reply: () => Response): typeof fetch => (input, init) => {
  assert.deepEqual([String(input), init?.redirect], [url, "manual"]);
  return Promise.resolve().then(reply);
};

Deno.test("data at an address is used where its hash is right, refused where it is not", async () => {
  const text = JSON.stringify(market);
  const file = { routing: { market: { url, sha256: await hashOf(text) } } };
  const { evidence } = await evidenceOf({ file, fetch: answering(() => new Response(text)) });
  assert.equal(rank(evidence, contest).source, "market");
  const other = answering(() => new Response(`${text} `));
  await assert.rejects(evidenceOf({ file, fetch: other }), /routing\.market is "https:.*", whose SHA-256 is/);
  const broken = "{";
  const pinned = { routing: { market: { url, sha256: await hashOf(broken) } } };
  await assert.rejects(
    evidenceOf({ file: pinned, fetch: answering(() => new Response(broken)) }),
    /routing\.market is "https:.*", which is not JSON/,
  );
});

Deno.test("a gateway starts without the data at an address that does not answer, and says so", async () => {
  const file = { routing: { market: { url, sha256: "0".repeat(64) } } };
  const failures: readonly (() => Response)[] = [
    () => new Response("gone", { status: 404 }),
    () => new Response(null, { status: 302, headers: { location: "http://10.0.0.1/" } }),
    () => new Response("x".repeat(9 * 1024 * 1024)),
    () => {
      throw new TypeError("fetch failed");
    },
  ];
  for (const reply of failures) {
    const { evidence, warnings } = await evidenceOf({ file, fetch: answering(reply) });
    assert.equal(rank(evidence, contest).source, "scores");
    assert.equal(warnings.filter((text) => text.startsWith("routing.market is not in use")).length, 1);
  }
});
