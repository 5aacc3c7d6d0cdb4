/** Files on Deno Deploy, whose bytes are in the assigned database: two instances of the gateway in processes of their own. */

import assert from "node:assert/strict";
import { lookAt, picture, pictureForm, seen } from "../support/pictures.ts";
import { patiently, until } from "../support/until.ts";
import { API_KEY, type DeployedGateway, deployGateway } from "./deploy_gateway.ts";
import { type KvConnect, startKvConnect } from "./kv_connect.ts";
import { watchLimits } from "./platform_limits.ts";

const SIZE = 1_300_000;
const STORE_FILE_BYTES = 4_000_000;
const BOUNDARY = "boundary-of-a-form";

const call = (gateway: DeployedGateway, path: string, init: RequestInit = {}) =>
  fetch(`${gateway.url}/v1${path}`, {
    ...init,
    headers: { ...init.headers, authorization: `Bearer ${API_KEY}` },
  });

const wholeForm = (size: number): RequestInit => ({ method: "POST", body: pictureForm(size) });

/** A form with a file that comes in pieces of 64 KiB; `end` is awaited behind the last one. */
function streamedForm(size: number, end: () => Promise<void> = () => Promise.resolve()): RequestInit {
  const content = picture(size);
  const head =
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="streamed.png"\r\n\r\n`;
  const pieces = async function* () {
    yield new TextEncoder().encode(head);
    for (let offset = 0; offset < size; offset += 65_536) yield content.subarray(offset, offset + 65_536);
    await end();
    yield new TextEncoder().encode(`\r\n--${BOUNDARY}--\r\n`);
  };
  return {
    method: "POST",
    headers: { "content-type": `multipart/form-data; boundary=${BOUNDARY}` },
    body: ReadableStream.from(pieces()),
  };
}

async function upload(gateway: DeployedGateway, form: RequestInit): Promise<string> {
  const response = await call(gateway, "/files", form);
  const body = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body));
  return body.id;
}

const describe = ({ url }: DeployedGateway, id: string) => lookAt(url, { key: API_KEY, id });
const SEEN = seen(SIZE);

async function list(gateway: DeployedGateway): Promise<readonly string[]> {
  const { data } = await (await call(gateway, "/files")).json();
  return data.map(({ id }: { readonly id: string }) => id).sort();
}

async function remove(gateway: DeployedGateway, id: string): Promise<void> {
  const response = await call(gateway, `/files/${id}`, { method: "DELETE" });
  assert.equal(response.status, 200, await response.text());
}

const chunksIn = (kv: KvConnect) => kv.rowsOf("blob_chunks");
const CHUNKS = Math.ceil(SIZE / 60_000);

Deno.test("files lie in the database that Deno Deploy assigns", async (t) => {
  const kv = startKvConnect();
  const config = await Deno.makeTempFile({ suffix: ".jsonc" });
  await Deno.writeTextFile(config, JSON.stringify({ limits: { store_file_bytes: STORE_FILE_BYTES } }));
  const one = await deployGateway(kv, { TOLLGATE_CONFIG: config });
  const other = await deployGateway(kv, { TOLLGATE_CONFIG: config });
  const ids: string[] = [];
  await t.step("what one instance takes, whole or streamed, another one reads", async () => {
    ids.push(await upload(one, wholeForm(SIZE)), await upload(one, streamedForm(SIZE)));
    assert.equal(chunksIn(kv), 2 * CHUNKS);
    assert.deepEqual(await list(other), ids.toSorted());
    for (const id of ids) assert.match(await describe(other, id), SEEN);
  });
  await t.step("a file that is deleted on one is gone from the other, and from the database", async () => {
    await remove(other, ids.shift() ?? "");
    assert.equal(chunksIn(kv), CHUNKS);
    assert.deepEqual(await list(one), ids);
    assert.match(await describe(one, ids[0] ?? ""), SEEN);
  });
  await t.step("an upload that breaks off leaves nothing", async () => {
    const leaving = new AbortController();
    const form = streamedForm(SIZE, async () => {
      await until(() => chunksIn(kv) > CHUNKS, { what: "the first chunks" });
      leaving.abort();
      await Promise.withResolvers<void>().promise;
    });
    await assert.rejects(call(one, "/files", { ...form, signal: leaving.signal }));
    await until(() => chunksIn(kv) === CHUNKS && kv.rowsOf("loose_chunks") === 0, {
      what: "that they are gone",
    });
    assert.deepEqual(await list(other), ids);
  });
  await t.step("replies of the database that are lost leave each file once", async () => {
    let commits = 0;
    kv.breakBy((path) => path.endsWith("/atomic_write") && ++commits % 3 === 0 ? "lost" : undefined);
    ids.push(await patiently(upload(one, streamedForm(SIZE)), "an upload with lost replies"));
    kv.heal();
    assert.ok(kv.lostCommits > 0);
    assert.equal(chunksIn(kv), 2 * CHUNKS);
    assert.match(await describe(other, ids[1] ?? ""), SEEN);
  });
  await t.step("the files of all workspaces together have a limit", async () => {
    const response = await call(one, "/files", wholeForm(SIZE + 200_000));
    assert.match(
      `${response.status} ${await response.text()}`,
      /^413 .*may take up 3\.8 MiB in this gateway's store/s,
    );
    assert.equal(chunksIn(kv), 2 * CHUNKS);
  });
  await t.step("the last file leaves an empty database behind", async () => {
    for (const id of ids) await remove(one, id);
    assert.deepEqual([chunksIn(kv), kv.rowsOf("blobs"), kv.rowsOf("loose_chunks")], [0, 0, 0]);
  });
  for (const gateway of [one, other]) await watchLimits(gateway).check("files of 1.3 MB");
  for (const gateway of [one, other]) assert.equal(await gateway.stop("SIGTERM"), 0, gateway.log.join("\n"));
  await kv.close();
  await Deno.remove(config);
});
