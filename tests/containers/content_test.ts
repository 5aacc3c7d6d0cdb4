/** The bytes of container files: those that are no text, and those that are damaged or gone. */

import assert from "node:assert/strict";
import { encodeFileId } from "../../server/sandbox/containers/container_ids.ts";
import { readError } from "../support/call.ts";
import {
  containerCall,
  type ContainerRig,
  type OpenRig,
  patch,
  respond,
  testEngines,
} from "../support/containers.ts";
import { fileRows, upload } from "../support/files.ts";
import { MemoryBlobStore } from "../support/memory_blob_store.ts";

const CONTENTS: Readonly<Record<string, string>> = {
  "no UTF-8": "\\xff\\xfe\\x00\\x80",
  "a picture's first bytes": "\\x89PNG\\r\\n\\x1a\\n",
  "NUL bytes": "\\0\\0\\0",
  "text": "one\\n",
  "nothing": "",
};

interface FileCall {
  readonly container: string;
  readonly name: string;
  readonly method?: string;
  readonly action?: string;
  readonly range?: string;
}

/** With the management key, which may do everything. */
function fileCall({ gateway }: ContainerRig, { container, name, method, action = "", range }: FileCall) {
  const path = `/${container}/files/${encodeFileId(name)}${action}`;
  const headers = range === undefined ? undefined : { range };
  return containerCall(gateway, { method, path, token: gateway.managementKey, headers });
}

testEngines("a file is deleted by the operation and by a patch, whatever its bytes are", async (openRig) => {
  await using rig = await openRig();
  for (const [what, content] of Object.entries(CONTENTS)) {
    const { containerId } = await rig.bash({ command: `printf '${content}' | tee a > b` }, { session: "s" });
    const reply = await fileCall(rig, { container: containerId, name: "a", method: "DELETE" });
    assert.equal(reply.status, 200, `${what}: ${await reply.text()}`);
    assert.match(
      await patch(rig, { type: "create_file", path: "b", diff: "+x" }),
      /There is a file b already/,
    );
    assert.match(await patch(rig, { type: "delete_file", path: "b" }), /^completed /, what);
    assert.match(await patch(rig, { type: "delete_file", path: "b" }), /There is no file b/);
    assert.equal((await rig.bash({ command: "ls" }, { session: "s" })).stdout, "", what);
  }
});

/** In more pieces than one, so that a stream has begun when the damage is found. */
const SIZE = 200_000;

interface Damaged {
  readonly rig: ContainerRig;
  readonly blobs: MemoryBlobStore;
  readonly container: string;
}

/** A container with the files `bad`, whose bytes a disk has changed, `lost`, which has none any more, and `good`. */
async function withDamaged(openRig: OpenRig, test: (damaged: Damaged) => Promise<void>): Promise<void> {
  const blobs = new MemoryBlobStore();
  await using rig = await openRig({ blobs });
  const { containerId } = await rig.bash(
    { command: `seq 1 50000 | head -c ${SIZE} > bad; cp bad good; cp bad lost` },
    { session: "s" },
  );
  const workspaceId = await rig.gateway.containers.store.workspaceOf(containerId) ?? "";
  const state = await rig.gateway.containers.store.load({ workspaceId, id: containerId });
  const stored = (name: string) => {
    const entry = state?.files.get(name);
    assert(entry?.type === "file");
    const found = [...blobs.blobs].find(([path]) => path.includes(entry.blob ?? "none"));
    return found ?? assert.fail(name);
  };
  const [, { bytes }] = stored("bad");
  bytes[SIZE / 2] = (bytes[SIZE / 2] ?? 0) ^ 16;
  blobs.blobs.delete(stored("lost")[0]);
  await test({ rig, blobs, container: containerId });
}

/** Counts the bytes of a download until it breaks off. */
async function received(response: Response): Promise<number> {
  let length = 0;
  try {
    for await (const bytes of response.body ?? []) length += bytes.length;
  } catch (error) {
    assert(error instanceof TypeError, String(error));
  }
  return length;
}

testEngines(
  "a damaged file of a container is never downloaded whole, promoted, or read",
  (openRig) =>
    withDamaged(openRig, async ({ rig, container }) => {
      const whole = await fileCall(rig, { container, name: "good", action: "/content" });
      assert.equal(await received(whole), SIZE);
      const cut = await received(await fileCall(rig, { container, name: "bad", action: "/content" }));
      assert(cut < SIZE, `${cut} bytes`);
      assert(rig.gateway.logged.some((line) => line.includes("File content is damaged")));
      const part = await fileCall(rig, { container, name: "bad", action: "/content", range: "bytes=0-9" });
      assert.deepEqual([part.status, await received(part)], [206, 10]);
      for (const name of ["bad", "lost"]) {
        const { status, message } = await readError(
          await fileCall(rig, { container, name, method: "POST", action: "/promote" }),
        );
        assert.deepEqual([status, /damaged|gone/.test(message)], [404, true], message);
      }
      assert.deepEqual(await fileRows(rig.gateway), []);
      const promoted = await fileCall(rig, { container, name: "good", method: "POST", action: "/promote" });
      assert.equal(promoted.status, 200, await promoted.text());
      for (const [name, word] of [["bad", "damaged"], ["lost", "gone"]] as const) {
        const update = { type: "update_file", path: name, diff: "@@\n-1\n+2" };
        assert.match(await patch(rig, update), new RegExp(`The content of ${name} is ${word}`));
      }
    }),
);

testEngines(
  "a container with a damaged file says which one, and runs again when it is deleted",
  (openRig) =>
    withDamaged(openRig, async ({ rig, container }) => {
      await using other = await openRig({ beside: rig.gateway });
      const call = { session: "s", apiKey: rig.gateway.apiKey };
      for (const name of ["bad", "lost"]) {
        const { output } = await other.bash({ command: "ls" }, call);
        assert.match(
          JSON.stringify(output),
          /The content of .+(?:bad|lost).+ is (?:damaged|gone): delete this file/,
        );
        const reply = await fileCall(rig, { container, name, method: "DELETE" });
        assert.equal(reply.status, 200, await reply.text());
      }
      assert.equal((await other.bash({ command: "ls" }, call)).stdout, "good\n");
    }),
);

testEngines(
  "a workspace's file that is damaged is not attached, and the request says so",
  async (openRig) => {
    const blobs = new MemoryBlobStore();
    await using rig = await openRig({ blobs });
    const { body: { id } } = await upload(rig.gateway);
    for (const { bytes } of blobs.blobs.values()) bytes[0] = (bytes[0] ?? 0) ^ 16;
    const settings = { environment: { type: "container_auto", file_ids: [id] } };
    const { body } = await respond(rig.gateway, { args: { command: "ls" }, session: "s", settings });
    assert.match(JSON.stringify(body), /The content of this file is damaged/);
    assert.equal((await rig.bash({ command: "ls" }, { session: "s" })).stdout, "");
  },
);
