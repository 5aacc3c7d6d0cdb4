/** The store's file goes away, or another one comes in its place, while the gateway serves. */

import assert from "node:assert/strict";
import { startGateway } from "../../server/app/start.ts";
import { readConfig } from "../../server/config/config.ts";
import { gatewayUrl } from "../../server/config/startup_texts.ts";
import { providerSettings } from "../../server/providers/mod.ts";
import { createRuntime, type Logger } from "../../server/runtime.ts";
import { tickingClock } from "../support/ticking_clock.ts";
import { until } from "../support/until.ts";

interface Served {
  readonly folder: string;
  readonly file: string;
  readonly log: readonly string[];
  readonly inference: () => Promise<Response>;
  readonly manage: () => Promise<Response>;
  readonly ready: () => Promise<Response>;
}

async function serving(run: (served: Served) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  const log: string[] = [];
  const keep = (message: string, fields = {}) => void log.push(`${message} ${JSON.stringify(fields)}`);
  const kept: Logger = { debug: keep, info: keep, warn: keep, error: keep };
  const all: Readonly<Record<string, string>> = {
    TOLLGATE_DATA: `${folder}/data`,
    PORT: "0",
    HOST: "127.0.0.1",
  };
  const config = readConfig(
    { env: (name) => all[name], readFile: () => "{}", terminal: false },
    providerSettings,
  );
  const running = await startGateway({ config, runtime: { ...createRuntime(kept), clock: tickingClock() } });
  const url = gatewayUrl(running);
  const { apiKey = "", managementKey = "" } = running.installation;
  const post = (path: string, { key, body }: { readonly key: string; readonly body: unknown }) =>
    fetch(url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  try {
    await run({
      folder,
      file: `${folder}/data/kv.sqlite3`,
      log,
      inference: () => post("/v1/responses", { key: apiKey, body: { model: "local/echo", input: "Hi" } }),
      manage: () => post("/v1/keys", { key: managementKey, body: { name: "another" } }),
      ready: () => fetch(`${url}/readyz`),
    });
  } finally {
    await running.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

/** The status, the body being read. */
async function statusOf(requested: Promise<Response>): Promise<number> {
  const response = await requested;
  await response.text();
  return response.status;
}

const harms: Readonly<Record<string, readonly [RegExp, (served: Served) => Promise<unknown>]>> = {
  "is deleted": [/kv\.sqlite3 was removed/, ({ file }) => Deno.remove(file)],
  "is moved away": [/kv\.sqlite3 was removed/, ({ file }) => Deno.rename(file, `${file}.elsewhere`)],
  "is replaced by a copy": [/kv\.sqlite3 was replaced/, async ({ file }) => {
    await Deno.copyFile(file, `${file}.copy`);
    await Deno.rename(`${file}.copy`, file);
  }],
  "goes with its folder": [
    /kv\.sqlite3 was removed/,
    ({ folder }) => Deno.rename(`${folder}/data`, `${folder}/elsewhere`),
  ],
};

for (const [name, [words, harm]] of Object.entries(harms)) {
  Deno.test(`nothing is admitted once it is noticed that the store's file ${name}`, async () => {
    await serving(async (served) => {
      const { inference, manage, ready, log } = served;
      assert.equal(await statusOf(inference()), 200);
      await harm(served);
      await until(async () => await statusOf(ready()) === 503, { what: "that the harm is noticed" });
      const refused = await inference();
      assert.equal(refused.status, 503, await refused.text());
      assert.notEqual(refused.headers.get("retry-after"), null);
      assert.equal(await statusOf(manage()), 503);
      assert.equal(await statusOf(ready()), 503);
      assert.ok(log.some((line) => words.test(line)), log.join("\n"));
    });
  });
}

Deno.test("a gateway goes on when the file of its store is back", async () => {
  await serving(async ({ file, inference }) => {
    await Deno.rename(file, `${file}.elsewhere`);
    await until(async () => await statusOf(inference()) === 503, { what: "that the file is missed" });
    await Deno.rename(`${file}.elsewhere`, file);
    await until(async () => await statusOf(inference()) === 200, { what: "that the file is found again" });
  });
});
