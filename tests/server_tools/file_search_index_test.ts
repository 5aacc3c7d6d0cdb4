/** The life of the indexes of files: made once, kept beside the bytes, and gone with the file. */

import assert from "node:assert/strict";
import type { Keeper, ProgramRun } from "../../server/sandbox/keeper/keeper.ts";
import type { BlobStore } from "../../server/storage/blobs/blob_store.ts";
import { BlobError } from "../../server/storage/blobs/blob_store.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { utf8 } from "../support/files.ts";
import { managed } from "../support/manage.ts";
import { MemoryBlobStore } from "../support/memory_blob_store.ts";
import { quickReaderRig } from "../support/quick_reader.ts";
import { addFile, search, searchTool, withFiles } from "./file_search_rig.ts";
import { itemsOf, send, wholeOf, withTools } from "./rig.ts";

const llamas = { name: "llamas.md", text: "# Llamas\n\nLlamas are sheared in spring.\n" };
const queries = ["llamas"];

interface CountedKeeper {
  readonly keeper: Keeper;
  readonly runs: () => number;
}

/** A keeper whose runs are counted, and which fails first so many times. */
function counted(keeper: Keeper, failures = 0): CountedKeeper {
  let [runs, left] = [0, failures];
  const lost: ProgramRun = { outcome: "failed", output: new Uint8Array(0) };
  const run: Keeper["run"] = (program, options) => {
    runs++;
    return left-- > 0 ? Promise.resolve(lost) : keeper.run(program, options);
  };
  return { keeper: { ...keeper, run }, runs: () => runs };
}

const env = { TOLLGATE_LOCAL: "on" };

/** Ids of the files that the built-in model finds at a gateway. */
async function echoed(gateway: Gateway, key: string): Promise<readonly unknown[]> {
  const input = `Use the file_search tool with: ${JSON.stringify({ queries })}`;
  const include = ["file_search_call.results"];
  const body = { model: "local/echo", input, tools: [searchTool()], include };
  const [item = {}] = itemsOf(wholeOf(await send(gateway, { body, key })));
  assert.equal(item.type, "file_search_call");
  return asList(item.results).map((result) => asObject(result).file_id);
}

async function remove(gateway: { readonly url: string; readonly apiKey: string }, id: string): Promise<void> {
  const headers = { authorization: `Bearer ${gateway.apiKey}` };
  const response = await fetch(`${gateway.url}/v1/files/${id}`, { method: "DELETE", headers });
  assert.equal(response.status, 200, await response.text());
}

Deno.test("an index is made once, also for other gateways on the store, and goes with its file", async () => {
  await using reader = quickReaderRig();
  const { keeper, runs } = counted(reader.keeper);
  const blobs = new MemoryBlobStore();
  await withTools({ keeper, blobs }, async (rig) => {
    const id = await addFile(rig.gateway, llamas);
    await addFile(rig.gateway, { name: "boats.md", text: "Boats." });
    assert.equal((await search(rig, { queries })).results.length, 1);
    assert.equal(runs(), 1, "small texts are indexed together");
    assert.equal(blobs.blobs.size, 4);
    await search(rig, { queries });
    await using other = await startGateway({ beside: rig.gateway, keeper, env });
    const found = () => echoed(other, rig.gateway.apiKey);
    assert.equal(runs(), 1);
    assert.deepEqual(await found(), [id]);
    assert.equal(runs(), 1, "the other gateway reads the kept index");
    await remove(rig.gateway, id);
    assert.equal(blobs.blobs.size, 2, "bytes and index are gone");
    assert.deepEqual(await found(), []);
  });
});

Deno.test("an index that is cut off in the middle is said to be missing, and made the next time", async () => {
  await using reader = quickReaderRig();
  const { keeper, runs } = counted(reader.keeper, 1);
  await withTools({ keeper }, async (rig) => {
    await addFile(rig.gateway, llamas);
    const first = await search(rig, { queries });
    assert.deepEqual(first.results, []);
    assert.match(String(first.told.note), /1 file could not be searched yet/);
    assert.equal((await search(rig, { queries })).results.length, 1);
    assert.equal(runs(), 2);
  });
});

Deno.test("a file whose index cannot be kept, or is damaged, is found all the same", async () => {
  const blobs = new MemoryBlobStore();
  const failing: BlobStore = {
    location: blobs.location,
    unfinishedMs: 0,
    put: (key, content) => isFull ? Promise.reject(new BlobError("full")) : blobs.put(key, content),
    open: (key, range) => blobs.open(key, range),
    delete: (key) => blobs.delete(key),
    list: (id) => blobs.list(id),
    removeUnfinished: () => blobs.removeUnfinished(),
  };
  let isFull = false;
  await withFiles({ blobs: failing }, async (rig) => {
    await addFile(rig.gateway, llamas);
    isFull = true;
    assert.equal((await search(rig, { queries })).results.length, 1);
    assert.equal(blobs.blobs.size, 1);
  });
});

Deno.test("an index that is damaged is made anew", async () => {
  await using reader = quickReaderRig();
  const { keeper, runs } = counted(reader.keeper);
  const blobs = new MemoryBlobStore();
  await withTools({ keeper, blobs }, async (rig) => {
    const id = await addFile(rig.gateway, llamas);
    await search(rig, { queries });
    const head = '{"version":1,"parts":1,"truncated":false}';
    const part = '{"text":"x","pieces":[{"start":0,"end":1,"words":1}],"terms":"x\\ny","counts":"AQ=="}';
    for (const damage of ["", "{}", `${head}\n{"text":"x"}`, `${head}\n${part}`, '{"version":0}', "\u0000"]) {
      const before = runs();
      const [path, blob] = [...blobs.blobs].find(([path]) => !path.endsWith(id.slice(-32))) ?? [];
      assert(path !== undefined && blob !== undefined);
      blobs.blobs.set(path, { ...blob, bytes: utf8(damage) });
      // Another gateway has nothing of it in memory.
      await using other = await startGateway({ beside: rig.gateway, keeper, env });
      assert.deepEqual(await echoed(other, rig.gateway.apiKey), [id], damage);
      assert.equal(runs(), before + 1, damage);
    }
  });
});

Deno.test("an index goes with its workspace, and other workspaces find nothing", async () => {
  const blobs = new MemoryBlobStore();
  await withFiles({ blobs }, async (rig) => {
    const { gateway } = rig;
    const id = await addFile(gateway, llamas);
    const made = await managed(gateway, { call: "POST /workspaces", body: { name: "B", slug: "b" } });
    const workspaceId = String(asObject(made.body.data).id);
    const key = await gateway.addKey({ kind: "api", workspaceId });
    const other = await addFile(gateway, { name: "other.md", text: "Llamas of others.", token: key });
    const names = async (token: string) =>
      (await search(rig, { queries, key: token })).results.map(({ filename }) => filename);
    assert.deepEqual(await names(gateway.apiKey), ["llamas.md"]);
    assert.deepEqual(await names(key), ["other.md"]);
    const { body } = await managed(gateway, { call: "GET /workspaces" });
    const own = asList(body.data).map(asObject).find(({ slug }) => slug === "default");
    const colleague = await gateway.addKey({ kind: "api", workspaceId: String(own?.id) });
    assert.deepEqual(
      await names(colleague),
      ["llamas.md"],
      "every key of the workspace may search its files",
    );
    for (const [token, unknown] of [[key, id], [gateway.apiKey, other]] as const) {
      const tool = searchTool({ vector_store_ids: [unknown] });
      await assert.rejects(search(rig, { queries, key: token, tool }), /there is no such file/);
    }
    assert.equal(blobs.blobs.size, 4);
    await gateway.files.removeWorkspace(workspaceId);
    assert.equal(blobs.blobs.size, 2);
  });
});
