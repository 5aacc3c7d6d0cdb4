import assert from "node:assert/strict";
import { type FakeClock, fakeClock, turns } from "../../tests/support/clock.ts";
import { runOut } from "../../tests/support/run_out.ts";
import { type RunningGateway, startGateway } from "./start.ts";
import { type Config, readConfig } from "../config/config.ts";
import { bannerText, gatewayUrl, helpText } from "../config/startup_texts.ts";
import { isRegExpLinear } from "../config/process/process_permissions.ts";
import { providerSettings } from "../providers/mod.ts";
import { guardrailCollection } from "../management/guardrails/guardrail_rows.ts";
import { openEmbedded } from "../storage/stores/embedded/open_embedded.ts";
import { createRuntime, type LogFields, type Runtime } from "../runtime.ts";

interface Rig {
  readonly clock: FakeClock;
  readonly folder: string;
  readonly boot: (env?: Readonly<Record<string, string>>) => Promise<RunningGateway>;
  /** Warnings, with their fields. */
  readonly warnings: readonly (readonly [string, LogFields?])[];
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A data folder and a gateway on any free port. */
async function withRig(run: (rig: Rig) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  const clock = fakeClock();
  const warnings: (readonly [string, LogFields?])[] = [];
  const log = { ...silent, warn: (...line: readonly [string, LogFields?]) => warnings.push(line) };
  const runtime: Runtime = { ...createRuntime(log), clock };
  const configOf = (env: Readonly<Record<string, string>>): Config => {
    const all: Readonly<Record<string, string>> = { TOLLGATE_DATA: folder, PORT: "0", ...env };
    const readFile = () => '{ "default_model": "nobody/knows" }';
    return readConfig({ env: (name) => all[name], readFile, terminal: false }, providerSettings);
  };
  const start = async (env = {}): Promise<RunningGateway> => {
    const running = await startGateway({ config: configOf(env), runtime });
    const stop = async () => (await runOut(running.stop(), { clock, once: () => true, step: 250 })).value;
    return { ...running, stop };
  };
  try {
    await run({ clock, folder, boot: start, warnings });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function get(...[running, path, key]: readonly [running: RunningGateway, path: string, key?: string]) {
  const headers: HeadersInit = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const response = await fetch(gatewayUrl(running) + path, { headers });
  return { status: response.status, body: await response.json() };
}

Deno.test("boot says how old the prices are, in its log and at /readyz", async () => {
  await withRig(async ({ boot, clock, warnings }) => {
    const running = await boot({ PERPLEXITY_API_KEY: "k" });
    const { details } = (await get(running, "/readyz")).body;
    const dates = details.prices.map(({ date }: { readonly date: string }) => date);
    assert.ok(dates.length > 0 && dates.includes("2026-09-23"), String(dates));
    for (const { date, age_days, models } of details.prices) {
      assert.equal(age_days, Math.floor((clock.now() - Date.parse(date)) / 86_400_000));
      assert.ok(models > 0);
    }
    const isWarned = warnings.some(([line]) => line.startsWith("Prices are older than 45 days"));
    assert.equal(details.warnings !== undefined, isWarned);
    await running.stop();
  });
});

Deno.test("boot serves with the keys of the first start, and prints none at the next", async () => {
  await withRig(async ({ boot }) => {
    const first = await boot();
    const { managementKey = "", apiKey = "" } = first.installation;
    assert.equal((await get(first, "/healthz")).status, 200);
    assert.deepEqual((await get(first, "/readyz")).body, { status: "ready", reasons: [] });
    assert.equal((await get(first, "/v1/key")).status, 401);
    assert.equal((await get(first, "/v1/key", apiKey)).body.data.is_management_key, false);
    assert.equal((await get(first, "/api/v1/key", managementKey)).body.data.is_management_key, true);
    const { data } = (await get(first, "/v1/models", apiKey)).body;
    assert.deepEqual(data.map(({ id }: { readonly id: string }) => id), ["local/echo", "local/image"]);
    await first.stop();
    const second = await boot();
    assert.deepEqual(second.installation, { first: false });
    assert.equal((await get(second, "/v1/key", apiKey)).status, 200);
    await second.stop();
  });
});

Deno.test("boot names guardrails whose content filters were stored before they were enforced", async () => {
  await withRig(async ({ boot, folder, clock, warnings }) => {
    const running = await boot();
    const authorization = `Bearer ${running.installation.managementKey}`;
    const response = await fetch(`${gatewayUrl(running)}/v1/guardrails`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: '{"name":"Old"}',
    });
    const { data: { id } } = await response.json();
    await running.stop();
    assert.deepEqual(warnings, []);
    const store = await openEmbedded(folder, { runtime: { clock, randomToken: () => "token" } });
    const filters = [{ slug: "email", action: "block" } as const];
    await guardrailCollection(store).update([id], (row) => ({
      ...row,
      content_filter_builtins: filters,
      filters_enforced: false,
    }));
    await store.close();
    await (await boot()).stop();
    const words = "Content filters of a guardrail are enforced from now on";
    assert.deepEqual(warnings, [[words, { guardrail: id, name: "Old" }]]);
  });
});

Deno.test("boot says so when the store or the port is taken, and gives back what it took", async () => {
  await withRig(async (one) => {
    const running = await one.boot();
    await assert.rejects(one.boot(), { name: "StoreError", kind: "in_use" });
    await withRig(async (other) => {
      const taken = other.boot({ PORT: String(running.port) });
      await assert.rejects(taken, {
        name: "ConfigError",
        message: /^PORT is \d+, which another program uses on 127\.0\.0\.1/,
      });
      const free = await other.boot();
      assert.equal(free.installation.first, true, "no keys were made that nobody saw");
      await free.stop();
    });
    await running.stop();
  });
});

Deno.test("boot refuses an address that is not this machine's and a default model that nobody serves", async () => {
  await withRig(async ({ boot }) => {
    await assert.rejects(boot({ HOST: "192.0.2.1" }), {
      name: "ConfigError",
      message: /^Cannot listen on HOST 192\.0\.2\.1/,
    });
    await assert.rejects(boot({ TOLLGATE_CONFIG: "f" }), {
      name: "ConfigError",
      message: /^default_model is "nobody\/knows"/,
    });
    await (await boot()).stop();
  });
});

Deno.test("boot's readiness turns red when the store's file is removed, S3", async () => {
  await withRig(async ({ boot, clock, folder }) => {
    const running = await boot();
    await Deno.remove(`${folder}/kv.sqlite3`);
    clock.leap(1_001);
    const { status, body } = await get(running, "/readyz");
    assert.equal(status, 503);
    assert.match(body.reasons[0], /kv\.sqlite3 was removed/);
    assert.equal((await get(running, "/healthz")).status, 200);
    await running.stop();
  });
});

/** An answer whose stream has begun; `model` decides how it goes on. */
async function openStream(running: RunningGateway, model: string) {
  const response = await fetch(`${gatewayUrl(running)}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${running.installation.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model, input: "one two three four five six", stream: true }),
  });
  assert.equal(response.status, 200);
  assert.ok(response.body);
  const reader = response.body.getReader();
  await reader.read();
  return reader;
}

async function drained(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += decoder.decode(part.value);
    }
    return text;
  } catch (error) {
    return `${text}\n${String(error)}`;
  }
}

Deno.test("stop lets an open stream end and takes no new work, P3", async () => {
  await withRig(async ({ boot, clock }) => {
    const running = await boot({ TOLLGATE_FAULT_LAB: "on" });
    const opening = openStream(running, "fault/slow");
    const { value: reader } = await runOut(opening, { clock, once: () => clock.open > 0, step: 100 });
    const stopped = running.stop();
    await assert.rejects(fetch(`${gatewayUrl(running)}/healthz`));
    const text = drained(reader);
    const { value } = await runOut(text, { clock, once: () => clock.open > 0, step: 500 });
    assert.match(value, /"type":"response\.completed".*data: \[DONE\]/s);
    await runOut(stopped, { clock, once: turns, step: 500 });
  });
});

Deno.test("stop cuts what does not end in its time, P3", async () => {
  await withRig(async ({ boot, clock }) => {
    const running = await boot({ TOLLGATE_FAULT_LAB: "on" });
    const reader = await openStream(running, "fault/stall");
    const text = drained(reader);
    const before = clock.open;
    const stopped = running.stop();
    await clock.advanceOnce(() => clock.open > before, 25_000);
    await stopped;
    assert.match(await text, /"type":"response\.failed".*data: \[DONE\]/s);
    assert.equal(clock.open, 0);
  });
});

Deno.test("bannerText shows keys and the console's link once, and a curl that works", () => {
  const at = { version: "1.2.3", hostname: "127.0.0.1", port: 8787, hasConsole: true };
  const first = bannerText({ ...at, managementKey: "tg-mgmt-x", apiKey: "tg-api-y", model: "local/echo" });
  assert.match(first, /^Management key: tg-mgmt-x$/m);
  assert.match(first, /^API key: tg-api-y$/m);
  assert.match(first, /^Console: http:\/\/127\.0\.0\.1:8787\/console \(sign in with the management key\)$/m);
  const linked = bannerText({ ...at, consoleToken: "once", model: "local/echo" });
  assert.match(linked, /^Console: http:\/\/127\.0\.0\.1:8787\/console#once\n.*signs in once/m);
  assert.match(first, /curl -N http:\/\/127\.0\.0\.1:8787\/v1\/responses .*Bearer tg-api-y.*"stream":true/s);
  const bare = bannerText({ ...at, hasConsole: false, consoleToken: "once" });
  assert.match(bare, /^Console: none, because it is not built/m);
  assert.ok(!bare.includes("/console"), "no link that leads nowhere");
  const later = bannerText({ ...at, hostname: "::1", model: "local/echo" });
  assert.ok(!later.includes("key:"));
  assert.match(later, /http:\/\/\[::1\]:8787\/v1\/responses/);
  assert.match(later, /Try it, with an API key in API_KEY:\n[^]*Bearer \$API_KEY/);
  assert.match(
    bannerText({ ...at, hostname: "0.0.0.0" }),
    /listens on http:\/\/127\.0\.0\.1:8787 \(and on every other address/,
  );
});

Deno.test("helpText holds the table of settings", () => {
  const text = helpText("1.2.3", providerSettings);
  for (const word of ["Tollgate 1.2.3", "`TOLLGATE_DATA`", "`OPENAI_API_KEY`", "admin recover"]) {
    assert.ok(text.includes(word), word);
  }
});

Deno.test("isRegExpLinear stops at the first length that takes too long", () => {
  let now = 0;
  const tried: number[] = [];
  const clock = { monotonic: () => now };
  assert.equal(isRegExpLinear(clock, ({ length }) => (now += 1, tried.push(length) > 0)), true);
  assert.equal(tried.at(-1), 29);
  assert.equal(
    isRegExpLinear(clock, ({ length }) => (now += length > 21 ? 200 : 1, tried.push(length) > 0)),
    false,
  );
  assert.equal(tried.at(-1), 23);
});

Deno.test("boot finds again what was spent before the last stop", async () => {
  await withRig(async ({ boot }) => {
    const first = await boot();
    const { apiKey = "" } = first.installation;
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "local/priced", input: "Hi" });
    const response = await fetch(`${gatewayUrl(first)}/v1/responses`, { method: "POST", headers, body });
    const { usage } = await response.json();
    assert.ok(usage.cost > 0);
    assert.equal((await get(first, "/v1/key", apiKey)).body.data.usage, usage.cost);
    await first.stop();
    const second = await boot();
    assert.deepEqual((await get(second, "/readyz")).body, { status: "ready", reasons: [] });
    assert.equal((await get(second, "/v1/key", apiKey)).body.data.usage, usage.cost);
    await second.stop();
  });
});
