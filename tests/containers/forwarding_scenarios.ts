/** Commands, patches and files through three gateways on one store that call each other. */

import assert from "node:assert/strict";
import { LEASE_MS } from "../../server/sandbox/containers/container_leases.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { turns } from "../support/clock.ts";
import { type BashItem, containerCall, interpret, logsOf, patch } from "../support/containers.ts";
import { asObject } from "../support/event_stream.ts";
import { upload, utf8 } from "../support/files.ts";
import type { Instance, Instances } from "../support/instances.ts";
import { until } from "../support/until.ts";

interface CommandInput {
  readonly command: string;
  readonly fileIds?: readonly string[];
  readonly signal?: AbortSignal;
}

/** Runs a command in the session in which patches are. */
const bash = ({ rig }: Instance, { command, fileIds = [], signal }: CommandInput) =>
  rig.bash({ command }, {
    session: "s",
    signal,
    settings: { environment: { type: "container_auto", file_ids: fileIds } },
  });

async function printed(instance: Instance, command: string): Promise<string> {
  const item = await bash(instance, { command });
  assert.equal(item.status, "completed", JSON.stringify(item));
  return item.stdout;
}

/** Waits until a gateway works in the container. */
export async function untilBusy(store: Pick<Store, "list">, containerId: string): Promise<void> {
  await until(async () => {
    const row = (await store.list(["container_leases"])).find(({ key }) => key[2] === containerId);
    return row !== undefined && Number(asObject(row.value).renewed_at) > 0;
  }, { what: "that a command runs" });
}

/**
 * Begins a command that ends when its client leaves, and waits until it runs. `on`: another gateway, on which it does,
 * and has let it in.
 */
async function begin(instance: Instance, on?: Instance) {
  const { containerId } = await bash(instance, { command: "true" });
  const before = on?.proxy.answered ?? -1;
  const abort = new AbortController();
  const running = bash(instance, { command: "sleep 300", signal: abort.signal }).then(
    (item) => item,
    () => undefined,
  );
  await untilBusy(instance.rig.gateway.store, containerId);
  await until(() => (on?.proxy.answered ?? 0) > before, { what: "that a command is let in" });
  await turns();
  return { running, leave: () => (abort.abort(), running) };
}

const reasonOf = ({ error, output }: BashItem): string => `${error} ${JSON.stringify(output)}`;
const IN_USE = /in use on another instance of the gateway/;
const LOST = /stopped answering/;

export const scenarios: Readonly<Record<string, (instances: Instances) => Promise<void>>> = {
  "each gateway's commands run in the one process of their container": async ({ a, b, c }) => {
    const made = await bash(a, { command: "echo kept > note.txt; echo one > /tmp/only; export X=1" });
    const read = await bash(b, { command: "cat note.txt /tmp/only; echo $X; echo more > more.txt" });
    assert.deepEqual([read.containerId, read.stdout], [made.containerId, "kept\none\n1\n"]);
    assert.deepEqual(read.files.map(({ filename }) => filename), ["more.txt"]);
    assert.equal(await printed(a, "cat more.txt /tmp/only"), "more\none\n");
    assert.equal(await printed(c, "cat note.txt more.txt /tmp/only; rm more.txt"), "kept\nmore\none\n");
    assert.equal(await printed(b, "ls"), "note.txt\n");
    const failed = await bash(b, { command: "echo out; echo err >&2; exit 3" });
    assert.deepEqual([failed.stdout, failed.stderr, failed.exitCode], ["out\n", "err\n", 3]);
  },
  "variables of Python last": async ({ a, b, c }) => {
    await interpret(a.rig, "x = 41");
    assert.equal(logsOf((await interpret(b.rig, "x += 1; print(x)")).item), "42\n");
    assert.equal(logsOf((await interpret(c.rig, "print(x)")).item), "42\n");
  },
  "patches and files find their turn while another gateway runs a command": async ({ a, b, c }) => {
    const made = await bash(a, { command: "echo old > old.txt; echo gone > gone.txt" });
    const gone = made.files.find(({ filename }) => filename === "gone.txt")?.fileId ?? "";
    const { body } = await upload(b.rig.gateway, { name: "data.csv", bytes: utf8("1,2\n") });
    const first = bash(a, { command: "sleep 1; echo first > order.txt" });
    await untilBusy(a.rig.gateway.store, made.containerId);
    const path = `/${made.containerId}/files/${gone}`;
    const { gateway } = c.rig;
    const all = await Promise.all([
      bash(b, { command: "cat order.txt *-data.csv", fileIds: [String(body.id)] }),
      patch(c.rig, { type: "update_file", path: "old.txt", diff: "@@\n-old\n+new" }),
      containerCall(gateway, { method: "DELETE", path, token: gateway.managementKey }),
    ]);
    await all[2].body?.cancel();
    assert.equal((await first).status, "completed");
    assert.equal(all[0].stdout, "first\n1,2\n", JSON.stringify(all[0]));
    assert.match(all[1], /^completed/);
    assert.equal(all[2].status, 200);
    const left = await printed(b, "cat old.txt; ls gone.txt 2>/dev/null || echo none; cat order.txt");
    assert.equal(left, "new\nnone\nfirst\n");
    const again = { type: "update_file", path: "old.txt", diff: "@@\n-nothing like it\n+new" };
    assert.match(await patch(b.rig, again), /diff/, "what does not fit says so");
  },
  "a client that leaves ends its command where that runs": async ({ a, b }) => {
    await bash(a, { command: "echo kept > note.txt" });
    const { leave } = await begin(b, a);
    await leave();
    assert.equal(await printed(a, "cat note.txt"), "kept\n", "nobody waits for it");
  },
  "a command whose gateway is lost says so, and the next one goes on": async ({ a, b }) => {
    await bash(a, { command: "echo kept > note.txt" });
    const { running } = await begin(b, a);
    a.proxy.cut();
    const item = await running;
    assert.ok(item !== undefined);
    assert.match(reasonOf(item), LOST);
    assert.equal(await printed(b, "cat note.txt"), "kept\n");
  },
  "outputs of all sizes are the same": async ({ a, b }) => {
    const shown = ({ stdout, stderr, exitCode }: BashItem) => ({ stdout, stderr, exitCode });
    for (const size of [1, 10_000, 3_000_000]) {
      for (const where of ["", ">&2"]) {
        const command = `seq 1 500000 | head -c ${size} ${where}`;
        const [here, there] = [await bash(a, { command }), await bash(b, { command })];
        assert.deepEqual(shown(there), shown(here), command);
        assert.ok(there.stdout.length + there.stderr.length > Math.min(size, 20_000) - 1, command);
      }
    }
  },
  "a gateway that is gone, with nothing running in it, leaves its containers to others": async (
    { a, b, c },
  ) => {
    await bash(a, { command: "echo kept > note.txt" });
    a.proxy.close();
    assert.equal(await printed(b, "cat note.txt; echo two > /tmp/second"), "kept\n");
    assert.equal(await printed(c, "cat /tmp/second"), "two\n");
    assert.equal(await printed(a, "cat note.txt /tmp/second"), "kept\ntwo\n");
  },
};

/** The same for gateways that cannot call each other: as without addresses. */
export const withoutCalls: Readonly<Record<string, (instances: Instances) => Promise<void>>> = {
  "a container at work on a gateway that cannot be called is in use": async ({ a, b }) => {
    const { leave } = await begin(a);
    a.proxy.close();
    assert.match(reasonOf(await bash(b, { command: "echo run" })), IN_USE);
    assert.match(await patch(b.rig, { type: "create_file", path: "made.txt", diff: "+made" }), IN_USE);
    await leave();
    await until(async () => (await bash(b, { command: "echo run" })).stdout === "run\n", {
      what: "that the container is free",
    });
  },
  "a container of a gateway that has ended is free after its time": async ({ a, b }) => {
    const { containerId } = await bash(b, { command: "echo kept > note.txt" });
    const [, workspace = ""] = (await a.rig.gateway.store.list(["containers"])).map(({ key }) => key)
      .find((key) => key[2] === containerId) ?? [];
    const { store, clock } = a.rig.gateway;
    const put = async (agoMs: number) => {
      const row = { holder: "another", renewed_at: clock.now() - agoMs, url: "http://127.0.0.1:1" };
      await store.commit({ puts: [{ key: ["container_leases", workspace, containerId], value: row }] });
    };
    await put(0);
    assert.match(reasonOf(await bash(b, { command: "echo run" })), IN_USE);
    await put(LEASE_MS);
    assert.equal(await printed(b, "cat note.txt"), "kept\n");
  },
};
