/** Tests the limits of a container: its contents, its users, and its lifetime. */

import assert from "node:assert/strict";
import { fileUsage } from "../../server/storage/files/file_rows.ts";
import { removeOldContainers } from "../../server/sandbox/containers/container_retention.ts";
import { fakeClock, turns } from "../support/clock.ts";
import { containerCall, respond, testEngines } from "../support/containers.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { upload } from "../support/files.ts";
import { createKey, managed } from "../support/manage.ts";
import { orphansIn } from "../support/leftover_records.ts";
import type { BlobKey, StoredBlob } from "../../server/storage/blobs/blob_store.ts";
import { MemoryBlobStore } from "../support/memory_blob_store.ts";

const notesOf = (output: Readonly<Record<string, unknown>>): string => asList(output.notes ?? []).join("\n");

testEngines(
  "changes beyond a container's limits are not kept, and the result says which",
  async (openRig) => {
    await using rig = await openRig();
    const { bash } = rig;
    const large = await bash(
      {
        command: 'echo small > s; python3 -c \'open("big", "wb").write(bytes(26 * 2**20))\'',
      },
      { session: "s" },
    );
    assert.match(notesOf(large.output), /larger than 25 MiB: "big"/);
    assert.equal((await bash({ command: "ls" }, { session: "s" })).stdout, "s\n");
    const deep = await bash({
      command: "p=; for i in $(seq 40); do p=${p}d/; done; mkdir -p $p; echo x > ${p}f",
    }, { session: "s" });
    assert.match(notesOf(deep.output), /deeper than 32 folders/);
    const many = await bash({ command: "for i in $(seq 2100); do : > f$i; done" }, { session: "s" });
    assert.match(notesOf(many.output), /may have 2000 files, folders and links/);
    const odd = await bash({
      command: "rm -rf ./*; printf a > 'b\\c'; printf b > \"$(printf 'e\\xcc\\x81')\"; ls | wc -l",
    }, { session: "s" });
    assert.match(notesOf(odd.output), /Kept but not listed/);
    assert.equal((await bash({ command: "cat 'b\\c'" }, { session: "s" })).stdout, "a");
  },
);

testEngines("files of containers count in the workspace's quota", async (openRig) => {
  await using rig = await openRig({ limits: { workspace_file_bytes: 10_000 } });
  const { bash, gateway } = rig;
  await bash({ command: "printf '%8000s' > a" }, { session: "s" });
  const over = await bash({ command: "printf '%8000s' > b" }, { session: "s" });
  assert.match(notesOf(over.output), /The changes were not kept/);
  const list = asObject(await (await containerCall(gateway, { path: "", token: gateway.apiKey })).json());
  const [row] = asList(list.data).map(asObject);
  const used = await fileUsage(gateway.store).get(String(row?.workspace_id));
  assert.equal(used?.record.bytes, row?.bytes);
  assert(Number(row?.bytes) > 0 && Number(row?.bytes) <= 10_000);
  await bash({ command: "rm -f a b" }, { session: "s" });
  assert.equal((await fileUsage(gateway.store).get(String(row?.workspace_id)))?.record.bytes, 0);
});

testEngines(
  "a session has a container of its own in each workspace, whatever its letters",
  async (openRig) => {
    await using rig = await openRig();
    const { bash, gateway } = rig;
    const { body } = await managed(gateway, {
      call: "POST /workspaces",
      body: { name: "Other", slug: "other" },
    });
    const other = await createKey(gateway, { workspace_id: asObject(body.data).id });
    const mine = await bash({ command: "echo mine > a" }, { session: "same" });
    const theirs = await bash({ command: "ls" }, { session: "same", apiKey: other.key });
    assert.equal(theirs.stdout, "");
    assert.notEqual(theirs.containerId, mine.containerId);
    const ids = new Set<string>();
    for (const session of ["a-b", "ab", "a.b", "a b", "a\u0000b"]) {
      const { containerId, stdout } = await bash({ command: `ls; echo '${session.length}' > f` }, {
        session,
      });
      assert.equal(stdout, "");
      assert.match(containerId, /^sess_ab_/);
      ids.add(containerId);
    }
    assert.equal(ids.size, 5);
    const settings = { environment: { type: "container_reference", container_id: mine.containerId } };
    const foreign = await respond(gateway, { args: { command: "ls" }, apiKey: other.key, settings });
    assert.deepEqual([foreign.status, /no container with this id/.test(JSON.stringify(foreign.body))], [
      404,
      true,
    ]);
    assert.equal((await bash({ command: "cat a" }, { settings })).stdout, "mine\n");
  },
);

testEngines(
  "attached files appear in the home folder, also after a restart, and only those of the workspace",
  async (openRig) => {
    await using rig = await openRig();
    const { bash, gateway } = rig;
    const { body } = await upload(gateway, { name: "data.csv" });
    const id = String(body.id);
    const settings = { environment: { type: "container_auto", file_ids: [id] } };
    const name = `${id.slice(-8)}-data.csv`;
    assert.equal(
      (await bash({ command: "ls; echo 1 > own" }, { session: "s", settings })).stdout,
      `${name}\n`,
    );
    assert.equal(
      (await bash({ command: "ls", restart: true }, { session: "s", settings })).stdout,
      `${name}\n`,
    );
    const wrong = { environment: { type: "container_auto", file_ids: [`tg_file_${"0".repeat(32)}`] } };
    const missing = await respond(gateway, { args: { command: "ls" }, session: "s", settings: wrong });
    assert.deepEqual([missing.status, /There is no file/.test(JSON.stringify(missing.body))], [400, true]);
  },
);

testEngines(
  "another network policy is refused while a container is in use, and taken once it sleeps",
  async (openRig) => {
    const clock = fakeClock();
    await using rig = await openRig({
      clock: {
        ...clock,
        get open() {
          return 0;
        },
      },
    });
    const { bash } = rig;
    const settings = {
      environment: {
        type: "container_auto",
        network_policy: { type: "allowlist", allowed_domains: ["example.com"] },
      },
    };
    await bash({ command: "echo 1" }, { session: "s" });
    const refused = await respond(rig.gateway, { args: { command: "echo 2" }, session: "s", settings });
    assert.deepEqual(
      [refused.status, /in use with another network_policy/.test(JSON.stringify(refused.body))],
      [400, true],
    );
    await clock.advanceOnce(turns, 901_000);
    const taken = await bash({ command: "curl https://example.org/ || echo refused" }, {
      session: "s",
      settings,
    });
    assert.match(taken.stdout, /refused/);
  },
);

testEngines("a container is deleted 30 days after its last use, with its bytes", async (openRig) => {
  await using rig = await openRig();
  const { bash, gateway } = rig;
  await bash({ command: "echo old > a" }, { session: "old" });
  const day = 86_400_000;
  const sweep = (days: number) =>
    removeOldContainers({
      containers: gateway.containers,
      runtime: { clock: { ...gateway.clock, now: () => Date.now() + days * day }, log: silent },
    });
  assert.equal(await sweep(29), 0);
  assert.equal(await sweep(31), 1);
  const blobs = await Array.fromAsync(gateway.blobs.list());
  assert.equal(blobs.length, 0);
  assert.equal((await bash({ command: "ls" }, { session: "old" })).stdout, "");
});

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

testEngines(
  "a workspace's deletion ends its commands and leaves neither records nor bytes",
  async (openRig) => {
    await using rig = await openRig();
    const { gateway, bash } = rig;
    const { body } = await managed(gateway, {
      call: "POST /workspaces",
      body: { name: "Doomed", slug: "doomed" },
    });
    const workspace = asObject(body.data).id;
    const { key, record } = await createKey(gateway, { workspace_id: workspace });
    await bash({ command: "echo 1 > a" }, { session: "s", apiKey: key });
    const running = respond(gateway, {
      args: { command: "echo 2 > b; sleep 60" },
      session: "s",
      apiKey: key,
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await managed(gateway, { call: `DELETE /keys/${record.hash}` });
    const deleted = await managed(gateway, { call: `DELETE /workspaces/${workspace}` });
    assert.equal(deleted.status, 200);
    await running;
    assert.deepEqual(await orphansIn(gateway.store), []);
    const left = (await Array.fromAsync(gateway.blobs.list())).filter(({ workspaceId }) =>
      workspaceId === workspace
    );
    assert.deepEqual(left, []);
  },
);

testEngines("two requests on one container run one after the other", async (openRig) => {
  await using rig = await openRig();
  const { bash } = rig;
  const both = await Promise.all(
    ["a", "b"].map((name) => bash({ command: `ls; sleep 0.3; echo 1 > ${name}` }, { session: "s" })),
  );
  assert.deepEqual(both.map(({ stdout }) => stdout.length).sort(), [0, 2]);
});

/** Holds up one writing of bytes when it is told to. */
class HoldingBlobStore extends MemoryBlobStore {
  #hold: (() => Promise<void>) | undefined;

  /** `reached` when the next bytes are to be written, which waits for `release`. */
  holdNext() {
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    this.#hold = () => {
      this.#hold = undefined;
      reached.resolve();
      return released.promise;
    };
    return { reached: reached.promise, release: () => released.resolve() };
  }

  override async put(key: BlobKey, content: AsyncIterable<Uint8Array>): Promise<StoredBlob> {
    await this.#hold?.();
    return await super.put(key, content);
  }
}

testEngines(
  "of two gateways on one store, the one that loses is told so and nothing is lost",
  async (openRig) => {
    const blobs = new HoldingBlobStore();
    await using rig = await openRig({ blobs });
    await using other = await openRig({ beside: rig.gateway });
    await rig.bash({ command: "echo 1 > a" }, { session: "s" });
    const { reached, release } = blobs.holdNext();
    const slow = rig.bash({ command: "echo slow > slow" }, { session: "s" });
    await reached;
    await other.bash({ command: "echo quick > quick" }, { session: "s", apiKey: rig.gateway.apiKey });
    release();
    assert.match(notesOf((await slow).output), /at the same time/);
    assert.equal((await rig.bash({ command: "ls" }, { session: "s" })).stdout, "a\nquick\n");
  },
);
