/**
 * Gateways on one PostgreSQL work in each other's containers, also when one of them is killed, and end what others
 * delete.
 */

import assert from "node:assert/strict";
import { type StartedServer, startGateway } from "../bench/process.ts";
import { deletionScenarios, forwardedDeletions } from "../containers/deletion_scenarios.ts";
import { scenarios, untilBusy } from "../containers/forwarding_scenarios.ts";
import { bashIn, containerRig } from "../support/containers.ts";
import { postgresAt } from "../support/each_store.ts";
import { MASTER_KEY, openInstances } from "../support/instances.ts";
import { MemoryBlobStore } from "../support/memory_blob_store.ts";
import { hasPostgres, sharedPostgres, startPostgres } from "../support/postgres.ts";
import { startProxy } from "../support/tcp_proxy.ts";
import { until } from "../support/until.ts";

const KEYS = {
  TOLLGATE_MANAGEMENT_KEY: "forwarding-management-key-of-32-characters",
  TOLLGATE_API_KEY: "forwarding-api-key-of-at-least-32-characters",
};

for (const [name, run] of Object.entries({ ...scenarios, ...deletionScenarios, ...forwardedDeletions })) {
  Deno.test({
    name: `${name} (three gateways on PostgreSQL)`,
    ignore: !hasPostgres(),
    // The server and its clock outlive the test that asks for them first.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      const database = await (await sharedPostgres()).createDatabase();
      const blobs = new MemoryBlobStore();
      await using instances = await openInstances(containerRig, async () => ({
        store: await postgresAt(database),
        blobs,
        env: { ...KEYS, TOLLGATE_STORE: database },
      }));
      await run(instances);
    },
  });
}

/** Processes on one database and one folder for the bytes of files, each behind a proxy that is its address. */
async function startProcesses(folder: string, store: string) {
  const servers: (StartedServer & Disposable)[] = [];
  await Deno.mkdir(`${folder}/blobs`);
  for (const name of ["a", "b"]) {
    const held = { port: 0 };
    const proxy = startProxy(() => held.port);
    await Deno.mkdir(`${folder}/${name}`);
    await Deno.symlink(`${folder}/blobs`, `${folder}/${name}/blobs`);
    const server = await startGateway({
      ...KEYS,
      TOLLGATE_STORE: store,
      TOLLGATE_DATA: `${folder}/${name}`,
      TOLLGATE_MASTER_KEY: MASTER_KEY.toBase64(),
      TOLLGATE_PEER_URL: `http://127.0.0.1:${proxy.port}`,
      TOLLGATE_SANDBOX: "virtual",
      LOG_LEVEL: "error",
      LOG_FORMAT: "json",
    }, { keeper: true });
    held.port = server.port;
    servers.push({ ...server, [Symbol.dispose]: () => proxy.close() });
  }
  return servers;
}

Deno.test({
  name: "a gateway that is killed under another one's command is told of, and its container taken over",
  ignore: !hasPostgres(),
  fn: async () => {
    const postgres = await startPostgres();
    const folder = await Deno.makeTempDir();
    const database = await postgres.createDatabase();
    const servers = await startProcesses(folder, database);
    const store = await postgresAt(database);
    try {
      const [a, b] = servers;
      assert.ok(a !== undefined && b !== undefined);
      const run = ({ port }: StartedServer, command: string) =>
        bashIn({ url: `http://127.0.0.1:${port}`, apiKey: KEYS.TOLLGATE_API_KEY }, {
          session: "s",
          args: { command },
        });
      const { containerId } = await run(a, "echo kept > note.txt; echo one > /tmp/only");
      assert.equal((await run(b, "cat note.txt /tmp/only")).stdout, "kept\none\n");
      const lost = run(b, "echo begun > begun.txt; sleep 300");
      await untilBusy(store, containerId);
      a[Symbol.dispose]();
      await a.stop();
      // It may not have heard yet that its command was let in.
      assert.match(JSON.stringify(await lost), /stopped answering|in use on another instance/);
      await until(async () => (await run(b, "cat note.txt")).stdout === "kept\n", {
        what: "that the container is taken over",
      });
    } finally {
      await store.close();
      for (const server of servers) server[Symbol.dispose]();
      await Promise.all(servers.map((server) => server.stop()));
      await postgres.stop();
      await Deno.remove(folder, { recursive: true });
    }
  },
});
