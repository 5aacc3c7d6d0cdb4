/** The program as an operator starts it: what it prints, and with which status it ends. */

import assert from "node:assert/strict";
import { firstKeysOf, keyOf } from "./support/first_keys.ts";
import { ended, started, withFolder } from "./support/program.ts";
import { DatabaseSync } from "node:sqlite";

Deno.test("main shows its help and its version, and knows no other words", async () => {
  const help = await ended({ args: ["--help"] });
  assert.equal(help.code, 0);
  assert.match(help.out, /`TOLLGATE_DATA`/);
  const version = await ended({ args: ["--version"] });
  assert.match(version.out, /^tollgate \d+\.\d+\.\d+\n$/);
  const other = await ended({ args: ["constructor"] });
  assert.equal(other.code, 2);
  assert.match(other.err, /Unknown command "constructor"/);
});

Deno.test("main ends with one sentence and status 2 on a broken setting, P8", async () => {
  const { code, out, err } = await ended({ env: { LOG_LEVEL: "loud" } });
  assert.deepEqual([code, out, err], [
    2,
    "",
    'Tollgate cannot start. LOG_LEVEL is "loud": allowed is debug, info, warn or error\n',
  ]);
});

Deno.test("main reads settings from the files that are named, and says what is wrong with one", async () => {
  await withFolder(async (folder) => {
    const [key, data] = [`${folder}/key`, `${folder}/data name`];
    await Deno.writeTextFile(key, `${"m".repeat(40)}\n`);
    await Deno.writeTextFile(data, `${folder}/store\n`);
    const env = {
      TOLLGATE_DATA_FILE: data,
      TOLLGATE_MANAGEMENT_KEY_FILE: key,
      TOLLGATE_MANAGMENT_KEY: "x",
    };
    const { address, banner, stop } = await started(env);
    assert.ok(!banner.includes("Management key"));
    const headers = { authorization: `Bearer ${"m".repeat(40)}` };
    const answer = await fetch(`${address}/v1/key`, { headers });
    assert.equal((await answer.json()).data.is_management_key, true);
    const { code, log } = await stop();
    assert.equal(code, 0, log);
    assert.match(log, /TOLLGATE_MANAGMENT_KEY is not a setting: did you mean TOLLGATE_MANAGEMENT_KEY\?/);
    assert.ok((await Deno.stat(`${folder}/store/kv.sqlite3`)).isFile, "the data folder");
    const gone = await ended({ env: { OPENAI_API_KEY_FILE: `${folder}/gone` } });
    assert.equal(gone.code, 2);
    assert.match(
      gone.err,
      /^Tollgate cannot start\. OPENAI_API_KEY_FILE is "\S+", which cannot be read: there is/,
    );
    assert.equal(gone.err.trim().split("\n").length, 1);
  });
});

Deno.test("main prints the first keys once, keeps them to one start, and stops on SIGTERM", async () => {
  await withFolder(async (folder) => {
    const first = await started({ TOLLGATE_DATA: folder });
    const { apiKey: api, managementKey, path, text } = await firstKeysOf(first.banner);
    assert.match(api, /^tg-api-[\w-]{43}$/);
    assert.match(managementKey, /^tg-mgmt-[\w-]{43}$/);
    assert.match(text, /^Console: http:\S+\/console#\S+$/m);
    assert.equal(path, `${folder}/first-keys.txt`);
    assert.equal((await Deno.stat(path)).mode ?? 0 & 0o777, 0o100600);
    assert.ok(
      !first.banner.includes(api) && !first.banner.includes(managementKey),
      "no key in what a service prints",
    );
    const busy = await ended({ env: { TOLLGATE_DATA: folder } });
    assert.equal(busy.code, 2);
    assert.match(busy.err, /^Tollgate cannot start\. The data folder \S+ is in use by another Tollgate/);
    const answer = await fetch(`${first.address}/v1/key`, { headers: { authorization: `Bearer ${api}` } });
    assert.equal(answer.status, 200);
    await answer.body?.cancel();
    const { code, log } = await first.stop();
    assert.equal(code, 0);
    assert.ok(!log.includes(api), "no key in the log");
    assert.ok(!log.includes("not run in linear time"), log);
    const second = await started({ TOLLGATE_DATA: folder });
    assert.ok(!second.banner.includes("keys:"));
    assert.equal((await second.stop("SIGINT")).code, 0);
  });
});

Deno.test("main ends with status 78 on a store that is damaged or gone, S3, S4", async () => {
  await withFolder(async (folder) => {
    await (await started({ TOLLGATE_DATA: folder })).stop();
    await Deno.truncate(`${folder}/kv.sqlite3`);
    const emptied = await ended({ env: { TOLLGATE_DATA: folder } });
    assert.equal(emptied.code, 78);
    assert.match(emptied.err, /is empty or new, but it held a store at the last start/);
    await Deno.writeFile(`${folder}/kv.sqlite3`, new Uint8Array(8_192).fill(7));
    const damaged = await ended({ env: { TOLLGATE_DATA: folder } });
    assert.equal(damaged.code, 78);
    assert.match(damaged.err, /is damaged: restore it from a backup/);
  });
});

/** Pages of what Deno reads by itself in the background, of what the start reads, and of what it does not. */
const damagedPages: Readonly<Record<string, string>> = {
  "of its queue": "select rootpage from sqlite_master where name = 'queue'",
  "of its queue's index":
    "select rootpage from sqlite_master where name like 'sqlite_autoindex_queue_running%'",
  "of what expires": "select rootpage from sqlite_master where name = 'kv_expiration_ms_idx'",
  "of its records": "select rootpage from sqlite_master where name = 'kv'",
  "of its records' end": "select max(pageno) as rootpage from dbstat where name = 'kv'",
};

Deno.test("main ends with status 78 on a damaged page of the store, whichever it is", async (t) => {
  await withFolder(async (folder) => {
    const env = { TOLLGATE_DATA: folder };
    const { stop } = await started(env);
    await stop();
    const path = `${folder}/kv.sqlite3`;
    const sound = await Deno.readFile(path);
    for (const [name, query] of Object.entries(damagedPages)) {
      await t.step(name, async () => {
        const page = pageOf(path, query);
        const bytes = sound.slice();
        bytes.fill(0xa5, (page - 1) * 4_096, page * 4_096);
        await Deno.writeFile(path, bytes);
        const { code, err } = await ended({ env });
        assert.equal(code, 78, err);
        assert.match(err, /^Tollgate cannot start\. .*is damaged: restore it from a backup/);
        await Deno.writeFile(path, sound);
      });
    }
  });
});

function pageOf(path: string, query: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const page = Number(database.prepare(query).get()?.rootpage);
    assert(page > 1, query);
    return page;
  } finally {
    database.close();
  }
}

Deno.test("main names a port that is taken", async () => {
  await withFolder(async (folder) => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    const { code, err } = await ended({ env: { TOLLGATE_DATA: folder, PORT: String(port) } });
    listener.close();
    assert.equal(code, 2);
    assert.match(err, new RegExp(`PORT is ${port}, which another program uses on 127\\.0\\.0\\.1`));
  });
});

Deno.test("main admin recover makes a management key while the gateway is stopped", async () => {
  await withFolder(async (folder) => {
    const env = { TOLLGATE_DATA: folder };
    const unknown = await ended({ env, args: ["admin", "recover"] });
    assert.equal(unknown.code, 2);
    assert.match(unknown.err, /There is nothing to recover/);
    await (await started(env)).stop();
    const { code, out } = await ended({ env, args: ["admin", "recover"] });
    assert.equal(code, 0);
    const again = await started(env);
    const answer = await fetch(`${again.address}/v1/key`, {
      headers: { authorization: `Bearer ${keyOf(out, "Management key")}` },
    });
    assert.equal((await answer.json()).data.is_management_key, true);
    const busy = await ended({ env, args: ["admin", "recover"] });
    assert.match(busy.err, /is in use by another Tollgate/);
    await again.stop();
  });
});

Deno.test("main keeps provider keys under a master key of its own, and ends with status 2 at another one", async () => {
  await withFolder(async (folder) => {
    const env = { TOLLGATE_DATA: folder, TOLLGATE_MANAGEMENT_KEY: "m".repeat(40) };
    const headers = {
      authorization: `Bearer ${env.TOLLGATE_MANAGEMENT_KEY}`,
      "content-type": "application/json",
    };
    const first = await started(env);
    const body = JSON.stringify({ provider: "openai", key: "sk-canary-0123456789" });
    const made = await fetch(`${first.address}/v1/byok`, { method: "POST", headers, body });
    assert.equal(made.status, 201, await made.text());
    const { log } = await first.stop();
    assert(!log.includes("canary"));
    assert.equal(((await Deno.stat(`${folder}/master.key`)).mode ?? 0o600) & 0o777, 0o600);
    for await (const { name, isFile } of Deno.readDir(folder)) {
      if (isFile) assert(!(await Deno.readTextFile(`${folder}/${name}`)).includes("canary-"), name);
    }
    const another = new Uint8Array(32).fill(1).toBase64();
    const wrong = await ended({ env: { ...env, TOLLGATE_MASTER_KEY: another } });
    assert.equal(wrong.code, 2, wrong.err);
    assert.match(wrong.err, /TOLLGATE_MASTER_KEY is another key/);
    const moved = await ended({
      env: { ...env, TOLLGATE_NEW_MASTER_KEY: another },
      args: ["admin", "reencrypt"],
    });
    assert.match(moved.out, /Provider keys moved: 1/, moved.err);
    assert.equal((await ended({ env })).code, 2);
    const last = await started({ ...env, TOLLGATE_MASTER_KEY: another });
    const list = await fetch(`${last.address}/v1/byok`, { headers });
    assert.equal((await list.json()).total_count, 1);
    await last.stop();
  });
});
