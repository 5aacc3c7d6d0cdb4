/** Several gateways on one PostgreSQL and one place for files: what one of them has made, the others have too. */

import assert from "node:assert/strict";
import { type Gateway, patientCrowd, startGateway } from "../support/gateway.ts";
import {
  checkOverspend,
  overspendFaults,
  type OverspendScenario,
} from "../../server/cli/checks/overspend_check.ts";
import { keeperEnvironment } from "../../server/config/process/keeper_environment.ts";
import type { BlobStore } from "../../server/storage/blobs/blob_store.ts";
import { S3BlobStore } from "../../server/storage/blobs/s3_blob_store.ts";
import { startKeeper } from "../../server/sandbox/keeper/start_keeper.ts";
import { bashIn } from "../support/containers.ts";
import { ConsoleClient, signedIn } from "../support/console_client.ts";
import { postgresAt } from "../support/each_store.ts";
import { MemoryBlobStore } from "../support/memory_blob_store.ts";
import { hasPostgres, sharedPostgres } from "../support/postgres.ts";
import { linesLogger } from "../support/reader.ts";
import { s3Clock } from "../support/s3_clock.ts";
import { hasS3, sharedS3 } from "../support/s3_server.ts";
import { shiftedClock, tickingClock } from "../support/ticking_clock.ts";
import { pause, until } from "../support/until.ts";

interface Cluster {
  readonly a: Gateway;
  readonly b: Gateway;
  readonly c: Gateway;
}

const KEYS = {
  TOLLGATE_MANAGEMENT_KEY: "shared-management-key-of-32-characters-x",
  TOLLGATE_API_KEY: "shared-api-key-of-at-least-32-characters",
};

interface ClusterOptions {
  readonly blobs: BlobStore;
  /** Milliseconds by which the clock of each is ahead. */
  readonly ahead?: readonly [a: number, b: number, c: number];
}

/** Three gateways that keep the bytes of files in one place. */
async function withCluster(
  { blobs, ahead = [0, 0, 0] }: ClusterOptions,
  run: (cluster: Cluster) => Promise<void>,
): Promise<void> {
  const database = await (await sharedPostgres()).createDatabase();
  const keeper = startKeeper({ clock: tickingClock(), log: linesLogger([]), env: keeperEnvironment() });
  const start = async (ahead: number) =>
    await startGateway({
      clock: shiftedClock({ ahead }),
      limits: patientCrowd,
      store: await postgresAt(database),
      shared: true,
      blobs,
      keeper,
      env: { ...KEYS, TOLLGATE_LOCAL: "on", TOLLGATE_SANDBOX: "virtual", TOLLGATE_STORE: database },
    });
  const [a, b, c] = [await start(ahead[0]), await start(ahead[1]), await start(ahead[2])];
  try {
    await run({ a, b, c });
  } finally {
    for (const gateway of [a, b, c]) await gateway.close();
    await keeper.close();
  }
}

interface Call {
  readonly key?: string;
  readonly method?: string;
  readonly body?: BodyInit;
}

async function call({ url, apiKey }: Gateway, path: string, { key = apiKey, method, body }: Call = {}) {
  const type = typeof body === "string" ? { "content-type": "application/json" } : undefined;
  const response = await fetch(`${url}/v1${path}`, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: { authorization: `Bearer ${key}`, ...type },
    body,
  });
  return { status: response.status, text: await response.text() };
}

interface Question {
  readonly key?: string;
  readonly input?: unknown;
  readonly user?: string;
}

const ask = (gateway: Gateway, { key, ...body }: Question = {}) =>
  call(gateway, "/responses", {
    key,
    body: JSON.stringify({ model: "local/echo", input: "Say hello", ...body }),
  });

const statusOf = async (client: ConsoleClient) => (await client.answer({ call: "GET /api/keys" })).status;

/** The same browser, whose next request another instance takes. */
function movedTo(gateway: Gateway, { cookie, session }: ConsoleClient): ConsoleClient {
  const client = new ConsoleClient(gateway);
  client.cookie = cookie;
  client.session = session;
  return client;
}

/** Things that are shared, and what shows that of three instances. */
const shared: Readonly<Record<string, (cluster: Cluster) => Promise<void>>> = {
  "keys, made and disabled": async ({ a, b, c }) => {
    const key = { key: a.managementKey };
    const made = await call(a, "/keys", { ...key, body: JSON.stringify({ name: "Shared" }) });
    const { key: text, data: { hash } } = JSON.parse(made.text);
    for (const gateway of [a, b, c]) assert.equal((await ask(gateway, { key: text })).status, 200);
    await call(b, `/keys/${hash}`, { ...key, method: "PATCH", body: JSON.stringify({ disabled: true }) });
    for (const gateway of [a, c]) {
      await until(async () => (await ask(gateway, { key: text })).status === 401, {
        what: "that a key is refused",
      });
    }
  },
  "files, uploaded and deleted": async ({ a, b, c }) => {
    const body = new FormData();
    body.append("purpose", "user_data");
    body.append("file", new File(["seen by all"], "a.txt"));
    const { id } = JSON.parse((await call(a, "/files", { body })).text);
    const content = [{ type: "input_file", file_id: id }, { type: "input_text", text: "Say hello" }];
    for (const gateway of [b, c]) {
      assert.match((await ask(gateway, { input: [{ role: "user", content }] })).text, /a\.txt \(.*11 bytes/);
    }
    assert.equal((await call(c, `/files/${id}`, { method: "DELETE" })).status, 200);
    assert.equal((await call(a, `/files/${id}`)).status, 404);
  },
  "sessions of the console": async ({ a, b, c }) => {
    const client = await signedIn(a);
    for (const gateway of [a, b, c]) assert.equal(await statusOf(movedTo(gateway, client)), 200);
    const { status } = await movedTo(b, client).answer({ call: "DELETE /session" });
    assert.equal(status, 200);
    for (const gateway of [a, c]) assert.equal(await statusOf(movedTo(gateway, client)), 401);
  },
  "links that sign in once": async ({ a, b, c }) => {
    const token = await a.signInToken();
    await new ConsoleClient(b).signIn({ token });
    for (const gateway of [a, b, c]) {
      const again = await new ConsoleClient(gateway).answer({ call: "POST /session", body: { token } });
      assert.equal(again.status, 401);
    }
  },
  "containers of a session": async ({ a, b, c }) => {
    const session = "one conversation";
    const made = await bashIn(a, { session, args: { command: "echo kept > note.txt; cd /tmp; export X=1" } });
    const read = await bashIn(b, {
      session,
      args: { command: "cat ~/note.txt; pwd; echo $X; rm ~/note.txt" },
    });
    assert.deepEqual([read.containerId, read.stdout], [made.containerId, "kept\n/tmp\n1\n"]);
    assert.equal((await bashIn(c, { session, args: { command: "ls ~" } })).stdout, "");
    assert.match((await bashIn(a, { session, args: { command: "ls ~/note.txt" } })).stderr, /No such file/);
  },
  "containers in which another instance works": async ({ a, b }) => {
    const session = "a busy conversation";
    const { containerId } = await bashIn(a, { session, args: { command: "true" } });
    const rows = await a.store.list(["containers"]);
    const [, workspace = ""] = rows.map(({ key }) => key).find((key) => key[2] === containerId) ?? [];
    const lease = ["container_leases", workspace, containerId];
    await a.store.commit({ puts: [{ key: lease, value: { holder: "another", renewed_at: Date.now() } }] });
    const refused = await bashIn(b, { session, args: { command: "echo run" } });
    assert.equal(refused.stdout, "");
    assert.match(JSON.stringify(refused), /in use on another instance of the gateway/);
    await a.store.commit({ deletes: [lease] });
    assert.equal((await bashIn(b, { session, args: { command: "echo run" } })).stdout, "run\n");
    assert.equal(await a.store.get(lease), undefined);
  },
  "the tail of receipts": async ({ a, b, c }) => {
    const headers = { authorization: `Bearer ${a.managementKey}` };
    const tail = await fetch(`${a.url}/v1/receipts/tail`, { headers });
    const reader = tail.body?.pipeThrough(new TextDecoderStream()).getReader();
    let told = "";
    const reading = (async () => {
      for (let read = await reader?.read(); read?.value; read = await reader?.read()) told += read.value;
    })();
    await until(async () => {
      for (const gateway of [b, c]) await ask(gateway, { user: `asked ${gateway.port}` });
      await pause(200);
      return [b, c].every(({ port }) => told.includes(`asked ${port}`));
    }, { what: "that each instance's receipts are told" });
    await reader?.cancel();
    await reading;
  },
  "a limit of one key": async ({ a, b, c }) => {
    for (const kind of ["whole", "streams"] as const satisfies readonly OverspendScenario[]) {
      const result = await checkOverspend({
        fetch,
        urls: [a, b, c].map(({ url }) => url),
        managementKey: a.managementKey,
        kind,
        requests: 150,
      });
      assert.deepEqual(overspendFaults(result), [], kind);
    }
  },
  "the end of a key": async ({ a, b, c }) => {
    const key = { key: a.managementKey };
    const expires_at = new Date(Math.max(a.clock.now(), b.clock.now(), c.clock.now()) + 1_500).toISOString();
    const made = await call(a, "/keys", { ...key, body: JSON.stringify({ name: "Ending", expires_at }) });
    const { key: text } = JSON.parse(made.text);
    for (const gateway of [a, b, c]) {
      // By its own clock, which may be a moment behind.
      await until(async () => (await ask(gateway, { key: text })).status === 401, {
        what: "that a key has ended",
      });
      assert(gateway.clock.now() >= Date.parse(expires_at));
    }
  },
  "receipts": async ({ a, b, c }) => {
    await ask(a);
    const listed = async (gateway: Gateway) =>
      (await call(gateway, "/receipts?limit=1", { key: gateway.managementKey })).text;
    for (const gateway of [b, c]) {
      await until(async () => await listed(gateway) === await listed(a), {
        what: "that a receipt is listed",
      });
    }
  },
};

interface SharesTest extends Pick<ClusterOptions, "ahead"> {
  readonly t: Deno.TestContext;
  /** Rows of the table above: all of them when absent. */
  readonly names?: readonly string[];
}

async function shares(
  blobs: BlobStore,
  { t, ahead, names = Object.keys(shared) }: SharesTest,
): Promise<void> {
  await withCluster({ blobs, ahead }, async (cluster) => {
    for (const name of names) {
      const run = shared[name];
      assert(run !== undefined, name);
      await t.step(name, () => run(cluster));
    }
  });
}

// The servers and their clock outlive the test that asks for them first.
const outlives = { sanitizeOps: false, sanitizeResources: false };

Deno.test({
  name: "instances share what they keep",
  ignore: !hasPostgres(),
  ...outlives,
  fn: (t) => shares(new MemoryBlobStore(), { t }),
});

Deno.test({
  name: "instances share the bytes that they keep in S3",
  ignore: !hasPostgres() || !hasS3(),
  ...outlives,
  fn: async (t) => {
    const { createBucket, keys } = await sharedS3();
    const runtime = { fetch, clock: s3Clock(), random: () => 0.5 };
    const blobs = new S3BlobStore({ address: await createBucket(), keys, runtime });
    await shares(blobs, { t, names: ["files, uploaded and deleted", "containers of a session"] });
  },
});

Deno.test({
  name: "instances whose clocks differ by up to 4 s share what they keep",
  ignore: !hasPostgres(),
  ...outlives,
  fn: (t) => shares(new MemoryBlobStore(), { t, ahead: [0, 2_000, -2_000] }),
});
