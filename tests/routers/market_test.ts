/** `deno task scores` against a source on loopback: what it keeps, and what it refuses. */

import assert from "node:assert/strict";
import { runScores } from "../../server/app/scores/run_scores.ts";
import { reportScores } from "../../server/app/scores/report_scores.ts";
import { CommandError } from "../../server/cli/command_error.ts";
import { ConfigError, readConfig } from "../../server/config/config.ts";
import { createProviders, providerSettings } from "../../server/providers/mod.ts";

const TODAY = "2026-11-26";
const KEY = "sk-or-of-the-operator";

const row = ([tag, macro_category]: readonly [string, string], changes: object = {}) => ({
  tag,
  display_name: tag,
  macro_category,
  usage_share: 0.1,
  token_share: 0.1,
  category_usage_share: 0.5,
  category_token_share: 0.5,
  models: [
    { id: "openai/gpt-5.4", tag_usage_share: 0.1, tag_token_share: 0.5 },
    { id: "anthropic/claude-opus-4.8", tag_usage_share: 0.2, tag_token_share: 0.25 },
  ],
  ...changes,
});

const data = {
  as_of: "2026-11-25",
  window_days: 7,
  classifications: [
    row(["code:debugging", "code"]),
    row(["code:refactoring", "code"], {
      models: [{ id: "openai/gpt-5.4", tag_usage_share: 1, tag_token_share: 1 }],
    }),
    row(["math", "general"]),
  ],
  macro_categories: [{ key: "code", label: "Code", usage_share: 0.4, token_share: 0.5 }],
};

const kept = {
  source: "OpenRouter (openrouter.ai/rankings)",
  attribution: "Source: OpenRouter (openrouter.ai/rankings), as of 2026-11-25.",
  licence: "CC BY 4.0",
  as_of: "2026-11-25",
  shares: {
    "code:debugging": { "openai/gpt-5.4": 0.5, "anthropic/claude-opus-4.8": 0.25 },
    code: { "openai/gpt-5.4": 0.75, "anthropic/claude-opus-4.8": 0.125 },
    math: { "openai/gpt-5.4": 0.5, "anthropic/claude-opus-4.8": 0.25 },
    general: { "openai/gpt-5.4": 0.25, "anthropic/claude-opus-4.8": 0.125 },
  },
};

type Reply = () => Response;

interface Source {
  readonly url: string;
  /** Path and authorization of each request. */
  readonly seen: readonly (readonly [string, string | null])[];
  answer(reply: Reply): void;
}

async function withSource(run: (source: Source, folder: string) => Promise<void>): Promise<void> {
  let reply: Reply = () => Response.json({ data });
  const seen: (readonly [string, string | null])[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const { pathname, search } = new URL(request.url);
    seen.push([pathname + search, request.headers.get("authorization")]);
    return reply();
  });
  const folder = await Deno.makeTempDir({ prefix: "tollgate-market-" });
  const answer = (next: Reply) => void (reply = next);
  try {
    await run({ url: `http://127.0.0.1:${server.addr.port}/api/v1`, seen, answer }, folder);
  } finally {
    await server.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
}

interface Command {
  readonly env?: Readonly<Record<string, string>>;
  readonly file?: object;
}

function partsOf({ env = {}, file = {} }: Command) {
  const all: Readonly<Record<string, string>> = { ...env, TOLLGATE_CONFIG: "/etc/gate.jsonc" };
  const config = readConfig({
    env: (name) => all[name],
    readFile: (path) => path === "/etc/gate.jsonc" ? JSON.stringify(file) : Deno.readTextFileSync(path),
    terminal: false,
  }, providerSettings);
  const nothing = () => {};
  const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  const clock = { now: () => Date.parse(`${TODAY}T12:00:00Z`), monotonic: () => 0, after: () => nothing };
  return { config, runtime: { fetch, log, clock } };
}

const scores = (args: readonly string[], command: Command = {}): Promise<string> =>
  runScores({ ...partsOf(command), args, width: 200 });

const refreshing = ({ url }: Source, path: string): Promise<string> =>
  scores(["refresh", "--from", "openrouter", "--to", path], {
    env: { OPENROUTER_API_KEY: KEY, OPENROUTER_BASE_URL: url },
  });

const fileAt = async (path: string): Promise<unknown> => JSON.parse(await Deno.readTextFile(path));

Deno.test("refresh asks once with the operator's key, and keeps the shares with their citation", () =>
  withSource(async (source, folder) => {
    const path = `${folder}/market.json`;
    const said = await refreshing(source, path);
    assert.equal(said, `${path} has shares of 4 tasks. ${kept.attribution} CC BY 4.0\n`);
    assert.deepEqual(await fileAt(path), kept);
    assert.deepEqual(source.seen, [["/api/v1/classifications/task?window=7d", `Bearer ${KEY}`]]);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["market.json"]);
    const { config } = partsOf({ file: { routing: { market: path } } });
    assert.deepEqual(config.routing.market, { type: "file", path, data: kept });
  }));

Deno.test("refresh asks for nothing while the file is as new as the source", () =>
  withSource(async (source, folder) => {
    const path = `${folder}/market.json`;
    await refreshing(source, path);
    assert.match(await refreshing(source, path), /is as new as the source/);
    assert.equal(source.seen.length, 1);
    await Deno.writeTextFile(path, JSON.stringify({ ...kept, as_of: "2026-11-24" }));
    await refreshing(source, path);
    await Deno.writeTextFile(path, "broken");
    await refreshing(source, path);
    assert.equal(source.seen.length, 3);
    assert.deepEqual(await fileAt(path), kept);
  }));

const json = (body: unknown): Reply => () => Response.json(body);
const status = (code: number, headers: HeadersInit = {}): Reply => () =>
  new Response("no", { status: code, headers });
const withRow = (changes: object): Reply =>
  json({ data: { ...data, classifications: [row(["math", "general"], changes)] } });

const refusals: readonly (readonly [string, Reply, RegExp])[] = [
  ["no JSON", () => new Response("<html>"), /all of it is wrong/],
  ["an empty body", () => new Response(""), /all of it is wrong/],
  ["no data", json({ error: {} }), /data is wrong/],
  ["no day", json({ data: { ...data, as_of: "yesterday" } }), /data → as_of is wrong/],
  ["no tasks", json({ data: { ...data, classifications: [] } }), /data → classifications is wrong/],
  [
    "unknown tasks only",
    json({ data: { ...data, classifications: [row(["x:y", "z"])] } }),
    /no task that is known here/,
  ],
  [
    "a share above 1",
    withRow({ models: [{ id: "a/b", tag_token_share: 1.5 }] }),
    /classifications → 0 → models → 0 → tag_token_share is wrong/,
  ],
  [
    "a model without author",
    withRow({ models: [{ id: "b", tag_token_share: 0.5 }] }),
    /models → 0 → id is wrong/,
  ],
  ["too much", () => new Response("x".repeat(9 * 1024 * 1024)), /longer than 8388608 bytes/],
  ["another licence", json({ license: "CC BY-NC 4.0", data }), /licence "CC BY-NC 4\.0", not CC BY 4\.0/],
  [
    "another licence in the data",
    json({ data: { ...data, licence: "proprietary" } }),
    /licence "proprietary"/,
  ],
  [
    "another licence in its notes",
    json({ data, meta: { license: "all rights reserved" } }),
    /all rights reserved/,
  ],
  [
    "too many requests",
    status(429, { "retry-after": "37" }),
    /30 requests a minute and 500 a day.* in 37 s$/,
  ],
  ["too many requests without a time", status(429), /try again later$/],
  ["a refused key", status(401), /refuses the key of OPENROUTER_API_KEY$/],
  ["a fault", status(500), /answers with status 500$/],
  ["a redirect", status(302, { location: "http://127.0.0.1:1/" }), /answers with status 302$/],
];

Deno.test("refresh writes nothing of an answer that is wrong, and says what is", () =>
  withSource(async (source, folder) => {
    const path = `${folder}/market.json`;
    const before = JSON.stringify({ ...kept, as_of: "2026-11-01" });
    await Deno.writeTextFile(path, before);
    for (const [name, reply, sentence] of refusals) {
      source.answer(reply);
      await assert.rejects(refreshing(source, path), (error) => {
        assert.ok(error instanceof CommandError, `${name}: ${error}`);
        assert.match(error.message, /^No market file was written: 127\.0\.0\.1:\d+/);
        assert.match(error.message, sentence, name);
        assert.ok(!error.message.includes(KEY), name);
        return true;
      });
      assert.equal(await Deno.readTextFile(path), before, name);
    }
    assert.equal(source.seen.length, refusals.length);
  }));

Deno.test("refresh takes answers that name the same licence", () =>
  withSource(async (source, folder) => {
    for (const [at, license] of ["CC-BY-4.0", "https://creativecommons.org/licenses/by/4.0/"].entries()) {
      source.answer(json({ meta: { license }, data }));
      await refreshing(source, `${folder}/${at}.json`);
      assert.deepEqual(await fileAt(`${folder}/${at}.json`), kept);
    }
  }));

Deno.test("refresh says when nobody answers", () =>
  withSource(async ({ url }, folder) => {
    const gone = { url: url.replace(/:\d+/, ":1"), seen: [], answer: () => {} };
    await assert.rejects(refreshing(gone, `${folder}/m.json`), /there is no connection to 127\.0\.0\.1:1$/);
  }));

Deno.test("refresh reads a saved answer, or a market file with its licence", () =>
  withSource(async ({ seen }, folder) => {
    const [saved, own, to] = ["saved", "own", "to"].map((name) => `${folder}/${name}.json`);
    assert.ok(saved !== undefined && own !== undefined && to !== undefined);
    const from = (path: string) => scores(["refresh", "--from", path, "--to", to]);
    await Deno.writeTextFile(saved, JSON.stringify({ data }));
    await from(saved);
    assert.deepEqual(await fileAt(to), kept);
    const file = { ...kept, licence: "our own", shares: { code: { "acme/llama": 0.5 } } };
    await Deno.writeTextFile(own, JSON.stringify(file));
    await from(own);
    assert.deepEqual(await fileAt(to), file);
    await Deno.writeTextFile(own, JSON.stringify({ ...file, licence: undefined }));
    await assert.rejects(from(own), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /^--from is ".*own\.json", where licence is wrong/);
      return true;
    });
    await assert.rejects(from(`${folder}/gone.json`), /there is no such file, and no such source$/);
    assert.deepEqual(await fileAt(to), file);
    assert.deepEqual(seen, []);
  }));

const badCommands: readonly (readonly [readonly string[], RegExp])[] = [
  [["list"], /scores has no word "list": allowed is refresh, or none/],
  [["refresh"], /^Name the source: --from openrouter/],
  [["refresh", "--from", "openrouter"], /^Name the file: --to market\.json/],
  [["refresh", "--from", "openrouter", "--to", "/nowhere/m.json"], /^OPENROUTER_API_KEY is not set/],
  [["refresh", "--form", "openrouter"], /scores refresh has no --form\. Did you mean --from\?/],
  [["--jsn"], /scores has no --jsn\. Did you mean --json\?/],
];

Deno.test("scores refuses words and flags that it does not have", async () => {
  for (const [args, sentence] of badCommands) await assert.rejects(scores(args), { message: sentence });
});

Deno.test("scores prints the coverage of the whole catalog, and cites the market file", () =>
  withSource(async (_source, folder) => {
    const counts = (text: string) => {
      const [, coding, models] =
        /^(\d+) of (\d+); newest score 2026-\d\d; newest model \d{4}-\d\d\n/.exec(text) ??
          assert.fail(text);
      return [Number(coding), Number(models)];
    };
    const text = await scores([]);
    const [coding = 0, models] = counts(text);
    assert.match(text, /LiveBench 2026-01-08 coding .*CC BY-SA 4\.0 .* \d+ +\d+ +false/);
    assert.match(text, /Market file: none\n$/);
    await Deno.writeTextFile(`${folder}/m.json`, JSON.stringify(kept));
    const file = {
      routing: { market: `${folder}/m.json` },
      scores: { "openai/gpt-6-sol": { coding: 90, source: "own", date: "2026-11-01" } },
    };
    const own = await scores([], { file });
    assert.deepEqual(counts(own), [coding + 1, models]);
    assert.match(own, /Market file: Source: OpenRouter .*, as of 2026-11-25\. CC BY 4\.0\n$/);
    const fields = JSON.parse(await scores(["--json"], { file }));
    assert.deepEqual([fields.coding, fields.models, fields.market.tasks], [
      coding + 1,
      models,
      Object.keys(kept.shares),
    ]);
  }));

Deno.test("doctor's line tells of the models that are on, and warns where every score is old", async () => {
  const report = async (command: Command, day = TODAY) => {
    const { config, runtime } = partsOf(command);
    const clock = { ...runtime.clock, now: () => Date.parse(day) };
    return await reportScores({ config, providers: createProviders(config), runtime: { ...runtime, clock } });
  };
  const env = { ANTHROPIC_API_KEY: "k" };
  const { coverage, warning } = await report({ env });
  assert.match(
    coverage,
    /^coding scores of \d+ of \d+; newest score 2026-07; newest model \d{4}-\d\d; older than/,
  );
  assert.match(coverage, /older than 180 days: BFCL tool_use, Vectara HHEM summaries$/);
  assert.equal(warning, undefined);
  assert.match((await report({ env }, "2026-12-28")).warning ?? "", /^every score is older than 180 days/);
  assert.deepEqual(await report({}), { coverage: "no model that anybody has measured is on" });
});
