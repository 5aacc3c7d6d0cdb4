/** A rolling restart: gateways behind a plain TCP balancer are stopped and started again one by one, under load. */

import assert from "node:assert/strict";
import { RUNNING, type StartedServer, startGateway } from "../bench/process.ts";
import { patientCrowd } from "../support/gateway.ts";
import { hasPostgres, startPostgres } from "../support/postgres.ts";
import { pause, until } from "../support/until.ts";
import { type Balancer, startBalancer } from "./balancer.ts";

const MANAGEMENT_KEY = "rolling-management-key-of-32-characters-x";
const API_KEY = "rolling-api-key-of-at-least-32-characters";
const INSTANCES = 3;
/** Clients that ask one request after the other; every second one has its answers streamed. */
const CLIENTS = 6;

interface Load {
  readonly failures: string[];
  served: number;
  isOver: boolean;
}

/** Asks until the load is over. */
async function askOn({ url }: Balancer, { load, stream }: { readonly load: Load; readonly stream: boolean }) {
  while (!load.isOver) {
    try {
      const response = await fetch(`${url}/v1/responses`, {
        method: "POST",
        headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "local/echo", input: "Say hello to all of us", stream }),
      });
      const text = await response.text();
      if (response.status === 200 && text.includes(stream ? "response.completed" : '"completed"')) {
        load.served++;
      } else load.failures.push(`${response.status} ${text.slice(0, 300)}`);
    } catch (error) {
      load.failures.push(String(error));
    }
    await pause(10);
  }
}

Deno.test("a rolling restart of three gateways fails no request", async () => {
  if (!hasPostgres()) return;
  const postgres = await startPostgres();
  const folder = await Deno.makeTempDir();
  const config = `${folder}/settings.jsonc`;
  await Deno.writeTextFile(config, JSON.stringify({ limits: patientCrowd }));
  const store = await postgres.createDatabase();
  const start = (at: number) =>
    startGateway({
      TOLLGATE_STORE: store,
      TOLLGATE_CONFIG: config,
      TOLLGATE_DATA: `${folder}/${at}`,
      TOLLGATE_MANAGEMENT_KEY: MANAGEMENT_KEY,
      TOLLGATE_API_KEY: API_KEY,
      LOG_LEVEL: "error",
      LOG_FORMAT: "json",
    });
  const servers: StartedServer[] = [];
  for (let at = 0; at < INSTANCES; at++) servers.push(await start(at));
  const balancer = startBalancer(servers.map(({ port }) => port));
  const load: Load = { failures: [], served: 0, isOver: false };
  const clients = Array.from({ length: CLIENTS }, (_, at) => askOn(balancer, { load, stream: at % 2 === 0 }));
  try {
    for (const [at, server] of servers.entries()) {
      const before = load.served;
      await until(() => load.served > before + CLIENTS, { what: "the load" });
      Deno.kill(server.pid, "SIGTERM");
      await until(() => server.state() !== RUNNING, { what: "the end of a gateway" });
      assert.equal(server.state(), "has ended with status 0");
      servers[at] = await start(at);
      balancer.targets = servers.map(({ port }) => port);
    }
    load.isOver = true;
    await Promise.all(clients);
    console.log(`${load.served} requests were served during the restarts, ${load.failures.length} failed`);
    assert.deepEqual(load.failures, []);
  } finally {
    load.isOver = true;
    balancer.close();
    await Promise.all([...clients, ...servers.map((server) => server.stop())]);
    await postgres.stop();
    await Deno.remove(folder, { recursive: true });
  }
});
