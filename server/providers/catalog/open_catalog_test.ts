import assert from "node:assert/strict";
import { type Config, ConfigError, readConfig } from "../../config/config.ts";
import { createProviders, providerSettings } from "../mod.ts";
import type { Runtime } from "../../runtime.ts";
import { nameWarnings, openCatalog, reportPrices } from "./open_catalog.ts";
import { CatalogFileError } from "./operator_file.ts";
import type { SnapshotOfferJson } from "./snapshot_schema.ts";
import installed from "./snapshot.json" with { type: "json" };

const DAY = 86_400_000;

function configOf(file: object, files: Readonly<Record<string, string>> = {}): Config {
  const all: Readonly<Record<string, string>> = { ...files, "conf/gate.jsonc": JSON.stringify(file) };
  const env: Readonly<Record<string, string>> = {
    TOLLGATE_CONFIG: "conf/gate.jsonc",
    OPENAI_API_KEY: "k",
    PERPLEXITY_API_KEY: "k",
  };
  return readConfig({
    env: (name) => env[name],
    readFile: (path) => all[path] ?? assert.fail(`No such file: ${path}`),
    terminal: false,
  }, providerSettings);
}

function runtimeAt(day: string) {
  const lines: (readonly [string, string])[] = [];
  const at = (level: string) => (message: string) => void lines.push([level, message]);
  const log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  const clock = { now: () => Date.parse(day), monotonic: () => 0, after: () => () => {} };
  const runtime: Pick<Runtime, "clock" | "log"> = { clock, log };
  return { world: runtime, lines };
}

const offer: SnapshotOfferJson = {
  model: "openai/gpt-6-sol",
  name: "Sol",
  created: 0,
  context: 100_000,
  output: 10_000,
  inputs: ["text"],
  outputs: ["text"],
  parameters: 0,
  tokenizer: "GPT",
  pricing: { prompt: "0.00002", completion: "0.00001" },
  priced: "rates",
};
const date = "2026-11-01";
const own = (offers: unknown = { openai: { "gpt-6-sol": offer } }) => ({
  ...installed,
  sources: { ...installed.sources, rates: { name: "our contract", date } },
  offers,
});

function opened(file: unknown, day = "2026-11-11") {
  const config = configOf({ catalog: { file: "prices.json" } }, { "conf/prices.json": JSON.stringify(file) });
  const { world: runtime, lines } = runtimeAt(day);
  return {
    deps: { config, providers: createProviders(config, { baseUrl: "http://127.0.0.1:1" }), runtime },
    lines,
  };
}

Deno.test("openCatalog says how old prices are, and warns of those beyond 45 days", async () => {
  const { rates, prices } = installed.sources;
  const config = configOf({});
  const deps = { config, providers: createProviders(config, { baseUrl: "http://127.0.0.1:1" }) };
  const young = runtimeAt(prices.date);
  await openCatalog({ ...deps, runtime: young.world });
  assert.deepEqual(young.lines.map(([level]) => level), ["info"]);
  const old = runtimeAt(new Date(Date.parse(prices.date) + 46 * DAY).toISOString());
  await openCatalog({ ...deps, runtime: old.world });
  const [info, warning] = old.lines;
  assert.match(
    info?.[1] ?? "",
    new RegExp(`Prices are from ${rates.name} of ${rates.date} \\(-?\\d+ days, \\d+ models\\)`),
  );
  assert.equal(warning?.[0], "warn");
  assert.match(
    warning?.[1] ?? "",
    new RegExp(`older than 45 days: ${prices.name} of ${prices.date} \\(46 days`),
  );
  assert.ok(!warning?.[1]?.includes(rates.name), "only what is old is named");
});

Deno.test("an operator's catalog stands in the place of this version's own, and of its tables", async () => {
  const { deps, lines } = opened(own());
  const catalog = await openCatalog(deps);
  const [sol] = catalog.resolve("openai/gpt-6-sol");
  assert.equal(sol?.pricing?.prompt, "0.00002");
  assert.deepEqual(sol?.pricedBy, { name: "our contract", date });
  assert.deepEqual(lines, [["info", "Prices are from our contract of 2026-11-01 (10 days, 1 models)"]]);
  const [other] = catalog.resolve("openai/gpt-5");
  assert.equal(other?.pricing?.prompt, "0.00000125", "the table of this version");
});

Deno.test("prices of the configuration file stand above the operator's catalog", async () => {
  const pricing = { prompt: "1", completion: "2" };
  const provider = { id: "openai", wire: "responses", base_url: "http://o.example" };
  const models = [{ id: "openai/gpt-6-sol", upstream_id: "gpt-6-sol", pricing }, {
    id: "x/y",
    upstream_id: "gpt-6-sol",
  }];
  const config = configOf({ catalog: { file: "/etc/prices.json" }, providers: [{ ...provider, models }] }, {
    "/etc/prices.json": JSON.stringify(own()),
  });
  const providers = createProviders(config, { baseUrl: "http://127.0.0.1:1" });
  const catalog = await openCatalog({ config, providers, runtime: runtimeAt(date).world });
  assert.equal(catalog.resolve("openai/gpt-6-sol")[0]?.pricing?.prompt, "1");
  assert.equal(catalog.resolve("x/y")[0]?.pricing?.prompt, "0.00002");
});

Deno.test("a start names what is wrong with an operator's catalog", async () => {
  const bad: readonly (readonly [unknown, RegExp])[] = [
    [{}, /catalog\.file is "conf\/prices\.json", where sources is wrong/],
    [[], /where the file is wrong/],
    [
      own({ openai: { "gpt-9": { ...offer, pricing: { prompt: "-1", completion: "1" } } } }),
      /where offers → openai → gpt-9 → pricing → prompt is wrong: a price is a decimal/,
    ],
    // Also of a provider that is off.
    [own({ groq: { m: { ...offer, context: 0 } } }), /where offers → groq → m → context is wrong/],
  ];
  for (const [file, message] of bad) {
    await assert.rejects(openCatalog(opened(file).deps), (error) => {
      assert.ok(error instanceof CatalogFileError);
      assert.match(error.message, message);
      return true;
    });
  }
  const files = { "conf/prices.json": "{" };
  assert.throws(() => configOf({ catalog: { file: "prices.json" } }, files), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /catalog\.file is "conf\/prices\.json", which is not JSON/);
    return true;
  });
});

Deno.test("reportPrices lists what moved by more than five times, of providers that are on", async () => {
  const { deps } = opened(own());
  const report = await reportPrices(deps);
  assert.deepEqual(report.moves, ["openai gpt-6-sol: prompt 0.000002 → 0.00002"]);
  assert.equal(report.ages, "our contract of 2026-11-01 (10 days, 1 models)");
  assert.equal(report.warning, undefined);
  const late = await reportPrices(opened(own(), "2027-01-01").deps);
  assert.match(late.warning ?? "", /older than 45 days: our contract of 2026-11-01 \(61 days/);
});

Deno.test("nameWarnings says which names of the configuration file have no model here", async () => {
  const config = configOf({
    aliases: {
      good: "openai/gpt-5.5",
      variant: "openai/gpt-5.5:nitro",
      typo: "opneai/gpt-5.5",
      off: "anthropic/claude-opus-4.8",
      several: ["openai/gpt-5.5", "nobody/second"],
      bogus: "local/echo:bogus",
      "team/all": ["team/main", "openai/gpt-5.5"],
      "team/main": "openai/gpt-5.5",
      routed: ["openrouter/auto", "openai/gpt-5.5"],
    },
    default_model: "nobody/nothing",
    auto: {
      default_models: ["openai/gpt-5.5", "nobody/first", "typo", "good", "team/main"],
      classifier: "nobody/judge",
    },
    scores: {
      "nobody/scored": { coding: 1, source: "own", date },
      "team/main": { coding: 1, source: "own", date },
      "openai/gpt-5.5": { coding: 1, source: "own", date },
    },
    models: [{ id: "openai/gpt-5.5", hidden: true }, { id: "nobody/yet" }, { id: "team/main", hidden: true }],
  });
  const providers = createProviders(config, { baseUrl: "http://127.0.0.1:1" });
  const { world } = runtimeAt(installed.sources.prices.date);
  const catalog = await openCatalog({ config, providers, runtime: world });
  assert.deepEqual(
    nameWarnings(config, {
      ...catalog,
      stripVariants: (name) => name.replace(/:nitro$/, ""),
      isChosen: (name) => name === "openrouter/auto",
    }),
    [
      "aliases.typo is opneai/gpt-5.5, which is no model that is here now. Did you mean openai/gpt-5.5?",
      "aliases.off is anthropic/claude-opus-4.8, which is no model that is here now. Anthropic is off: set ANTHROPIC_API_KEY.",
      "aliases.several[1] is nobody/second, which is no model that is here now.",
      "aliases.bogus is local/echo:bogus, which is no model that is here now.",
      'aliases.team/all[0] is team/main, which is no model that is here now. "team/main" is an alias: name what it stands for, openai/gpt-5.5.',
      "default_model is nobody/nothing, which is no model that is here now.",
      "auto.default_models[1] is nobody/first, which is no model that is here now.",
      "auto.classifier is nobody/judge, which is no model that is here now.",
      "A model of scores is nobody/scored, which is no model that is here now.",
      'A model of scores is team/main, which is no model that is here now. "team/main" is an alias: name what it stands for, openai/gpt-5.5.',
      'models[2].id is team/main, which is no model that is here now. "team/main" is an alias: name what it stands for, openai/gpt-5.5.',
    ],
  );
});
