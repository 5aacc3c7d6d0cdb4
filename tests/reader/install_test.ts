/** Where the reader's packages are from: the cache, the registry, or nowhere. */

import assert from "node:assert/strict";
import * as z from "zod";
import { keeperEnvironment } from "../../server/config/process/keeper_environment.ts";
import { copyCache } from "../support/deno_cache.ts";
import { need } from "../support/need.ts";
import type { Env } from "../support/task.ts";

const root = new URL("../../", import.meta.url);
const ownLock = new URL("deno.lock", root);
const readerLock = new URL("server/web/reader/child/deno.lock", root);

const outputSchema = z.object({
  results: z.array(z.looseObject({ type: z.string(), message: z.string().optional() })),
  lines: z.array(z.string()),
});

interface Reading {
  readonly env: Env;
  /** Runs it as this user. */
  readonly uid?: number;
}

/** Output of `read_once.ts`, with nothing of the environment but `env`. */
async function readOnce({ env, uid }: Reading) {
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-check", "--config=deno.json", "tests/reader/read_once.ts"],
    cwd: root,
    clearEnv: true,
    env: { ...env },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  assert(success, text(stderr));
  return outputSchema.parse(JSON.parse(text(stdout)));
}

async function withCache(locks: readonly URL[], use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate cache " });
  try {
    await copyCache(folder, locks);
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const canChangeUser = Deno.build.os !== "windows" &&
  new TextDecoder().decode(new Deno.Command("id", { args: ["-u"] }).outputSync().stdout).trim() === "0";

Deno.test({
  name: "reader reads as uid 65534 with a read-only checkout and cache, and without HOME",
  ignore: !canChangeUser &&
    !need(false, {
      what: "the right to run programs as another user",
      for: "Tests of an unprivileged reader",
    }),
  fn: () =>
    withCache([ownLock, readerLock], async (folder) => {
      Deno.chmodSync(folder, 0o755);
      const { results, lines } = await readOnce({ env: { DENO_DIR: folder }, uid: 65_534 });
      assert.deepEqual(results.map(({ type }) => type), ["document", "document"]);
      assert.deepEqual(lines, []);
    }),
});

Deno.test("reader says what to do where its packages cannot be fetched", () =>
  withCache([ownLock], async (folder) => {
    // Nothing listens there.
    const proxy = "http://127.0.0.1:9";
    const proxies = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy, https_proxy: proxy };
    const env = { ...keeperEnvironment(), DENO_DIR: folder, ...proxies, NO_PROXY: "", no_proxy: "" };
    const { results, lines } = await readOnce({ env });
    for (const { type, message } of results) {
      assert.equal(type, "failed");
      assert.match(message ?? "", /could not be fetched: run `deno task setup`/);
    }
    assert(lines.some((line) => line.startsWith("info Fetching packages of a program")), lines.join("\n"));
  }));

Deno.test({
  name: "reader fetches its packages at its first use, and says so",
  ignore: Deno.env.get("TOLLGATE_TEST_ALL") !== "1",
  fn: () =>
    withCache([ownLock], async (folder) => {
      const env = { ...keeperEnvironment(), DENO_DIR: folder };
      const { results, lines } = await readOnce({ env });
      assert.deepEqual(results.map(({ type }) => type), ["document", "document"]);
      assert.equal(lines.filter((line) => line.includes("Fetching packages")).length, 1);
    }),
});
