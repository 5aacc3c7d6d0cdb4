/** The program over a shared store, as an operator meets it. */

import assert from "node:assert/strict";
import { firstKeysOf } from "../support/first_keys.ts";
import { ended, started, withFolder } from "../support/program.ts";
import { hasPostgres, PASSWORD, sharedPostgres } from "../support/postgres.ts";

const ignore = !hasPostgres();

Deno.test(
  "main ends with one sentence and status 2 for a shared store that it cannot open",
  { ignore },
  async () => {
    const server = await sharedPostgres();
    const cases: readonly (readonly [string, RegExp])[] = [
      ["mysql://me:hidden@host/db", /TOLLGATE_STORE is not usable/],
      ["postgres://me:hidden@127.0.0.1:1/db", /\(TOLLGATE_STORE\): no server listens there/],
      [server.url().replace("tollgate:", "tollgate:hidden"), /the user or the password is wrong/],
    ];
    await withFolder(async (folder) => {
      for (const [url, words] of cases) {
        const { code, out, err } = await ended({ env: { TOLLGATE_STORE: url, TOLLGATE_DATA: folder } });
        assert.deepEqual([code, out], [2, ""]);
        assert.match(err, words);
        assert.equal(err.trim().split("\n").length, 1);
        assert.ok(!err.includes("hidden") && !err.includes(PASSWORD), "no password");
      }
    });
  },
);

Deno.test("main serves one store from two processes, and backs it up meanwhile", { ignore }, async () => {
  const url = await (await sharedPostgres()).createDatabase();
  await withFolder(async (folder) => {
    const env = { TOLLGATE_STORE: url, TOLLGATE_DATA: `${folder}/a` };
    const first = await started(env);
    const second = await started({ ...env, TOLLGATE_DATA: `${folder}/b` });
    const { apiKey: key } = await firstKeysOf(first.banner);
    assert.ok(!second.banner.includes("New keys:"), "one set of keys");
    const headers = { authorization: `Bearer ${key}` };
    for (const gateway of [first, second]) {
      const { status } = await fetch(`${gateway.address}/api/v1/key`, { headers }).then(async (answer) => {
        await answer.body?.cancel();
        return answer;
      });
      assert.equal(status, 200);
      assert.equal((await (await fetch(`${gateway.address}/readyz`)).json()).status, "ready");
    }
    const backup = await ended({ env, task: "backup", args: [`${folder}/copy`] });
    assert.deepEqual([backup.code, backup.err], [0, ""]);
    assert.match(backup.out, /does not contain the master key/);
    assert.match(backup.out, /Nor does it contain the content of files: copy .*\/blobs too\./);
    const refused = await ended({ env, task: "restore", args: [`${folder}/copy`, "--yes"] });
    assert.equal(refused.code, 2);
    assert.match(refused.err, /is in use by a running Tollgate/);
    for (const gateway of [first, second]) {
      const { code, log } = await gateway.stop();
      assert.equal(code, 0);
      assert.ok(
        !log.includes(PASSWORD) && !log.includes(encodeURIComponent(PASSWORD)),
        "no password in the log",
      );
    }
    const restored = await ended({ env, task: "restore", args: [`${folder}/copy`, "--yes"] });
    assert.deepEqual([restored.code, restored.err], [0, ""]);
    const again = await started(env);
    const answer = await fetch(`${again.address}/api/v1/key`, { headers });
    assert.equal(answer.status, 200);
    await answer.body?.cancel();
    await again.stop();
  });
});
