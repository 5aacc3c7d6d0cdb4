import assert from "node:assert/strict";
import { type Config, ConfigError, readConfig } from "../config.ts";
import { readablePaths } from "../process/permissions.ts";

const scoreFile = {
  benchmark: "Own",
  source: "our evaluation",
  attribution: "Acme",
  licence: "none",
  as_of: "2026-11-01",
  rows: [{ name: "llama", model: "acme/llama", scores: { coding: 61.5 } }],
};
const marketFile = {
  source: "Market",
  attribution: "Source: Market, as of 2026-11-20.",
  licence: "CC BY 4.0",
  as_of: "2026-11-20",
  shares: { "code:debugging": { "acme/llama": 0.25 }, code: { "acme/llama": 0.5 } },
};
const files: Readonly<Record<string, unknown>> = {
  "/etc/gate/scores.json": scoreFile,
  "/etc/gate/market.json": marketFile,
  "/etc/gate/not.json": "not JSON",
  "/etc/gate/early.json": { ...marketFile, shares: { "code:debugging": { "acme/llama": 2 } } },
  "/etc/gate/tasks.json": { ...marketFile, shares: { "code:knitting": { "acme/llama": 0.5 } } },
  "/etc/gate/unlicensed.json": { ...marketFile, licence: undefined },
  "/etc/gate/empty.json": [],
};

const source = (file: unknown) => ({
  env: (name: string) => name === "TOLLGATE_CONFIG" ? "/etc/gate/gate.jsonc" : undefined,
  readFile: (path: string) => {
    if (path === "/etc/gate/gate.jsonc") return JSON.stringify(file);
    const found = files[path];
    if (found === undefined) throw new Deno.errors.NotFound(path);
    return typeof found === "string" ? found : JSON.stringify(found);
  },
  terminal: false,
});

const read = (file: unknown): Config => readConfig(source(file), []);

function faultOf(file: unknown): string {
  try {
    read(file);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message;
  }
  return assert.fail(`nothing was thrown for ${JSON.stringify(file)}`);
}

const sha256 = "AB".repeat(32);

Deno.test("routing names files beside the configuration file, and addresses with their hash", () => {
  const { routing } = read({ routing: { scores: "scores.json", market: "/etc/gate/market.json" } });
  assert.deepEqual(routing.scores, { type: "file", path: "/etc/gate/scores.json", data: [scoreFile] });
  assert.deepEqual(routing.market, { type: "file", path: "/etc/gate/market.json", data: marketFile });
  const url = "https://data.acme.example/scores.json";
  assert.deepEqual(read({ routing: { scores: { url, sha256 } } }).routing, {
    scores: { type: "address", url, sha256: "ab".repeat(32) },
  });
});

Deno.test("the process may read the files that routing names, and no more for the figures of scores", async () => {
  const own = { "acme/llama": { coding: 61.5, source: "own", date: "2026-11-01" } };
  const paths = await readablePaths({
    ...source({ routing: { scores: "scores.json", market: "/srv/market.json" }, scores: own }),
    providerSettings: [],
  });
  assert.deepEqual(paths.filter((path) => /scores|market|own/.test(path)), [
    "scores.json",
    "/etc/gate/scores.json",
    "/srv/market.json",
  ]);
});

Deno.test("auto and scores are read, with their defaults", () => {
  const { auto, scores } = read({
    auto: { default_models: ["acme/llama", "acme/other"], classifier: "acme/small" },
    scores: { "acme/llama": { coding: 61.5, math: 0, source: "own", date: "2026-11-01" } },
  });
  assert.deepEqual(auto, { defaultModels: ["acme/llama", "acme/other"], classifier: "acme/small" });
  assert.deepEqual([...scores], [["acme/llama", {
    values: { coding: 61.5, math: 0 },
    source: "own",
    date: "2026-11-01",
  }]]);
  const empty = read({});
  assert.deepEqual([empty.routing, empty.auto], [{}, { defaultModels: [], classifier: "local" }]);
});

const figures = { coding: 61.5, source: "own", date: "2026-11-01" };
const SOURCE = 'the path of a file, or {"url": "https://…", "sha256": "…"}';

/** A configuration file and the sentence that it ends with. */
const faults: readonly (readonly [unknown, string | RegExp])[] = [
  [{ routing: { score: "x" } }, /routing\.score is unknown: the keys here are scores, market$/],
  [
    { routing: { scores: "https://data.acme.example/s.json" } },
    /routing\.scores is "https:.*: the path of a file; an https address needs its hash/,
  ],
  [
    { routing: { market: { url: "http://data.acme.example/m.json", sha256 } } },
    /routing\.market\.url is "http:.*: an https address without a user$/,
  ],
  [
    { routing: { market: { url: "https://a.example/", sha256: "ab" } } },
    /routing\.market\.sha256 is "ab": 64 hex digits$/,
  ],
  [
    { routing: { market: { url: "https://me@a.example/", sha256 } } },
    /routing\.market\.url is .* without a user$/,
  ],
  [{ routing: { market: { url: "https://a.example/" } } }, `: ${SOURCE}`],
  [{ routing: { scores: 7 } }, `routing.scores is 7: ${SOURCE}`],
  [
    { routing: { scores: "none.json" } },
    'routing.scores is "/etc/gate/none.json", which cannot be read',
  ],
  [{ routing: { scores: "not.json" } }, 'routing.scores is "/etc/gate/not.json", which is not JSON'],
  [
    { routing: { scores: "empty.json" } },
    /routing\.scores is "\/etc\/gate\/empty.json", where the file is wrong/,
  ],
  [{ routing: { scores: "market.json" } }, /where 0 → benchmark is wrong/],
  [
    { routing: { market: "early.json" } },
    'routing.market is "/etc/gate/early.json", where shares → code:debugging → acme/llama is wrong',
  ],
  [{ routing: { market: "tasks.json" } }, /where shares → code:knitting is wrong: .*task/],
  [{ routing: { market: "unlicensed.json" } }, /where licence is wrong/],
  [
    { auto: { default_models: ["llama"] } },
    /auto\.default_models\[0\] is "llama": a model id is author\/slug/,
  ],
  [{ auto: { default_models: "acme/llama" } }, /auto\.default_models is "acme\/llama"/],
  [
    { auto: { classifier: "remote" } },
    'auto.classifier is "remote": "local", or a model id such as acme/llama',
  ],
  [
    { auto: { classifier: "service/fusion-flash:floor" } },
    /auto\.classifier is "service\/fusion-flash:floor": a slug of fusion would ask a whole panel/,
  ],
  [
    { auto: { clasifier: "local" } },
    /auto\.clasifier is unknown: the keys here are default_models, classifier/,
  ],
  [{ scores: { "acme/llama": { ...figures, coding: 101 } } }, /scores\.acme\/llama\.coding is 101/],
  [{ scores: { "acme/llama": { ...figures, speed: 1 } } }, /scores\.acme\/llama\.speed is unknown/],
  [{ scores: { "acme/llama": { ...figures, source: undefined } } }, /scores\.acme\/llama\.source is missing/],
  [
    { scores: { "acme/llama": { ...figures, date: "1 November" } } },
    /scores\.acme\/llama\.date is "1 November": a day/,
  ],
  [{ scores: { "acme/llama": { ...figures, coding: undefined } } }, /none of general, coding, reasoning/],
  [{ scores: { llama: figures } }, /scores\.llama is .*: a model id is author\/slug, such as acme\/llama$/],
];

for (const [file, sentence] of faults) {
  Deno.test(`readConfig refuses ${JSON.stringify(file)}`, () => {
    const fault = faultOf(file);
    assert.ok(!fault.includes("\n"), "one line");
    assert.ok(typeof sentence === "string" ? fault.includes(sentence) : sentence.test(fault), fault);
  });
}
