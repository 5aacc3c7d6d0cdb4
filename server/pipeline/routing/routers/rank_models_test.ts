import assert from "node:assert/strict";
import { type Evidence, noEvidence, type TaskReceipts } from "./evidence.ts";
import { type Ranking, rankModels } from "./rank_models.ts";

const candidates = [
  { model: "acme/dear", cost: 9 },
  { model: "acme/cheap", cost: 1 },
  { model: "acme/middle", cost: 3 },
];

const receipts = (votes: number, keys: number): TaskReceipts => ({
  votes,
  keys,
  models: new Map([["acme/middle", { share: 0.7 }], ["acme/dear", { share: 0.3 }]]),
});

const full: Evidence = {
  ...noEvidence,
  receipts: new Map([["code:debugging", receipts(20, 3)]]),
  market: { source: "Market", date: "2026-11-01", shares: new Map([["code", new Map([["acme/dear", 1]])]]) },
  scores: new Map([["code:debugging", [{
    scale: "Coding",
    source: "Bench",
    date: "2026-07-01",
    models: new Map([
      ["acme/dear", { value: 90, isOld: true }],
      ["acme/cheap", { value: 40, inferredFrom: "acme/older" }],
      ["acme/middle", { value: 60 }],
    ]),
  }]]]),
  defaultModels: ["acme/dear", "acme/cheap"],
};

const rank = (evidence: Evidence): Ranking => rankModels(evidence, { task: "code:debugging", candidates });
const orderOf = ({ models }: Ranking): string => models.map(({ model }) => model.slice(5)).join(" ");

Deno.test("the first source that knows enough ranks", () => {
  const steps: Evidence[] = [
    full,
    { ...full, receipts: new Map([["code:debugging", receipts(19, 3)]]) },
    { ...full, receipts: new Map([["code:debugging", receipts(20, 2)], ["code", receipts(20, 3)]]) },
    { ...full, receipts: new Map(), market: undefined },
    { ...noEvidence, defaultModels: full.defaultModels },
    noEvidence,
  ];
  assert.deepEqual(steps.map(rank).map((ranking) => [ranking.source, ranking.task, orderOf(ranking)]), [
    ["receipts", "code:debugging", "middle dear cheap"],
    ["market", "code", "dear cheap middle"],
    ["receipts", "code", "middle dear cheap"],
    ["scores", "code:debugging", "middle cheap dear"],
    ["default_models", undefined, "dear cheap middle"],
    ["price", undefined, "cheap middle dear"],
  ]);
});

Deno.test("a source that knows none of the candidates is passed over", () => {
  const known = { ...full, defaultModels: ["other/model"] };
  const others = [{ model: "other/one", cost: 2 }, { model: "other/two", cost: 1 }];
  const ranking = rankModels(known, { task: "code:debugging", candidates: others });
  assert.deepEqual([ranking.source, ranking.models.map(({ model }) => model)], ["price", [
    "other/two",
    "other/one",
  ]]);
});

Deno.test("scores say from whom they are inherited, and an unknown task reads no figures by task", () => {
  const cheap = rank({ ...full, receipts: new Map(), market: undefined }).models[1];
  assert.deepEqual(cheap, { model: "acme/cheap", figure: 40, inferredFrom: "acme/older" });
  assert.deepEqual(rankModels(full, { task: undefined, candidates }).source, "default_models");
});

Deno.test("scores of two releases are never compared: the preferred one ranks what it has, the other one the rest", () => {
  const table = (date: string, models: Readonly<Record<string, number>>) => ({
    scale: "Coding",
    source: "Bench",
    date,
    models: new Map(Object.entries(models).map(([model, value]) => [model, { value }])),
  });
  const releases = [
    table("2026-07-01", { "acme/dear": 20, "acme/cheap": 10 }),
    table("2026-01-01", { "acme/dear": 70, "acme/cheap": 80, "acme/middle": 75 }),
  ];
  const evidence: Evidence = { ...noEvidence, scores: new Map([["math", releases]]) };
  const ranked = (models: readonly string[]) =>
    rankModels(evidence, {
      task: "math",
      candidates: candidates.filter(({ model }) => models.includes(model.slice(5))),
    });
  assert.deepEqual(orderOf(ranked(["dear", "cheap"])), "dear cheap");
  assert.deepEqual(orderOf(ranked(["dear", "cheap", "middle"])), "dear cheap middle");
  const cited = "Coding, Bench, 2026-01-01";
  assert.deepEqual(ranked(["middle", "dear"]).models[1], { model: "acme/middle", figure: 75, cited });
  const { models, ...alone } = ranked(["middle"]);
  assert.deepEqual([models, alone.cited], [[{ model: "acme/middle", figure: 75 }], cited]);
});
