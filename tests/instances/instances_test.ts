/**
 * Several gateway processes on one PostgreSQL: a limit holds over all of them together (promises M1), also when
 * one of them is held still for longer than its lease (promises M2).
 */

import assert from "node:assert/strict";
import { type Server, startGateway } from "../bench/process.ts";
import {
  checkOverspend,
  overspendFaults,
  type OverspendResult,
  type OverspendScenario,
} from "../../server/cli/checks/overspend_check.ts";
import { patientCrowd } from "../support/gateway.ts";
import { hasPostgres, startPostgres } from "../support/postgres.ts";
import { pause, until } from "../support/until.ts";

const MANAGEMENT_KEY = "instances-management-key-of-32-chars-x";
const API_KEY = "instances-api-key-of-at-least-32-characters";
const INSTANCES = 3;
const all = Deno.env.get("TOLLGATE_TEST_ALL") === "1";
const REQUESTS = Number(Deno.env.get("TOLLGATE_TEST_RACERS") ?? 300);

interface Cluster {
  readonly servers: readonly Server[];
  readonly urls: readonly string[];
}

async function withCluster(run: (cluster: Cluster) => Promise<void>): Promise<void> {
  const postgres = await startPostgres();
  const folder = await Deno.makeTempDir();
  const servers: Server[] = [];
  try {
    const store = await postgres.createDatabase();
    const config = `${folder}/settings.jsonc`;
    await Deno.writeTextFile(config, JSON.stringify({ limits: patientCrowd }));
    for (let at = 0; at < INSTANCES; at++) {
      const env = {
        TOLLGATE_STORE: store,
        TOLLGATE_CONFIG: config,
        TOLLGATE_DATA: `${folder}/${at}`,
        TOLLGATE_MANAGEMENT_KEY: MANAGEMENT_KEY,
        TOLLGATE_API_KEY: API_KEY,
        LOG_LEVEL: "error",
        LOG_FORMAT: "json",
      };
      servers.push(await startGateway(env));
    }
    await run({ servers, urls: servers.map(({ port }) => `http://127.0.0.1:${port}`) });
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await postgres.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

function printResult({ kind, requests, served, refused, spent, limit, each }: OverspendResult): void {
  console.log(
    `${kind}: ${requests} requests over ${INSTANCES} instances, ${served} served, ${refused} refused, ` +
      `${spent} of ${limit} USD spent, ${each} each`,
  );
}

Deno.test("M1 a limit holds over three processes on one PostgreSQL", async () => {
  if (!hasPostgres()) return;
  await withCluster(async ({ urls }) => {
    for (const kind of ["whole", "streams", "disconnects"] as const satisfies readonly OverspendScenario[]) {
      const result = await checkOverspend({
        fetch,
        urls,
        managementKey: MANAGEMENT_KEY,
        kind,
        requests: REQUESTS,
      });
      printResult(result);
      assert.deepEqual(overspendFaults(result), [], kind);
    }
  });
});

async function statusOf(url: string): Promise<number> {
  const response = await fetch(url);
  await response.body?.cancel();
  return response.status;
}

Deno.test("gateways on one PostgreSQL with folders of their own say so, and each sees all of them", async () => {
  if (!hasPostgres()) return;
  await withCluster(async ({ urls }) => {
    const last = urls.at(-1) ?? "";
    const ready = await (await fetch(`${last}/readyz`)).json();
    assert.equal(ready.status, "ready");
    assert.match(
      ready.details.shared_files,
      /^2 other gateways on this store keep the bytes of files in another/,
    );
    const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
    for (const url of urls) {
      const { data } = await (await fetch(`${url}/v1/status`, { headers })).json();
      assert.deepEqual(data.instances.map(isEnded), [false, false, false]);
      // These processes may start no programs, and say so.
      assert.deepEqual([data.sandbox.configured, data.sandbox.ok], [true, false]);
      assert.match(data.sandbox.reason, /may start no programs/);
    }
  });
});

const isEnded = (instance: { readonly is_ended: boolean }) => instance.is_ended;

/** Longer than the minute after which others may take what an instance has not reserved. */
const HELD_STILL_MS = 90_000;

Deno.test({
  name: "M2 a limit holds while one of three processes is stopped for 90 s and goes on",
  ignore: !all,
  fn: async () => {
    if (!hasPostgres()) return;
    await withCluster(async ({ servers, urls }) => {
      const [held] = servers;
      assert.ok(held);
      const racing = checkOverspend({
        fetch,
        urls,
        managementKey: MANAGEMENT_KEY,
        kind: "streams",
        requests: REQUESTS,
      });
      // In the middle of the race, with calls under way.
      await pause(500);
      Deno.kill(held.pid, "SIGSTOP");
      await pause(HELD_STILL_MS);
      Deno.kill(held.pid, "SIGCONT");
      const result = await racing;
      printResult(result);
      assert.ok(result.spent <= result.limit, `spent ${result.spent} of ${result.limit}`);
      // Where it held a lock of the database, the others say that the store does not answer.
      assert.ok(result.refused + result.otherErrors.length > 0, "not all of them fit");
      assert.ok(result.served * (result.each ?? 0) <= result.limit, `served ${result.served}`);
      // It notices that it was taken for dead, and comes back under another name.
      const [first = ""] = urls;
      await until(async () => await statusOf(`${first}/readyz`) === 200, { what: "that it comes back" });
      const again = { fetch, managementKey: MANAGEMENT_KEY, kind: "whole", requests: 200 } as const;
      const after = await checkOverspend({ ...again, urls: urls.slice(1) });
      printResult(after);
      assert.deepEqual(overspendFaults(after), [], "the others go on as if nothing had happened");
      const together = await checkOverspend({ ...again, urls });
      printResult(together);
      assert.ok(together.spent <= together.limit, `spent ${together.spent} of ${together.limit}`);
      assert.ok(together.served > 0);
      const own = await checkOverspend({ ...again, requests: 20, urls: [first] });
      assert.ok(own.served > 0, "the one that came back serves");
    });
  },
});
