/** Container files over the API: lists, downloads, promotion, deletion, and what is refused. */

import assert from "node:assert/strict";
import { encodeFileId } from "../../server/sandbox/containers/container_ids.ts";
import { readError } from "../support/call.ts";
import { containerCall, testEngines } from "../support/containers.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { fileCall } from "../support/files.ts";
import { createKey, managed } from "../support/manage.ts";

const idOf = (path: string): string => encodeFileId(path) ?? "";

testEngines("container files are listed by path, in pages, and shown one by one", async (openRig) => {
  await using rig = await openRig();
  const { gateway, bash } = rig;
  const { containerId } = await bash(
    { command: "mkdir d; echo 1 > b; echo 22 > a; echo 3 > d/c; ln -s a l" },
    { session: "s" },
  );
  const token = gateway.apiKey;
  const list = async (query = "") =>
    asObject(await (await containerCall(gateway, { path: `/${containerId}/files${query}`, token })).json());
  const all = await list();
  assert.deepEqual(asList(all.data).map((one) => asObject(one).path), ["a", "b", "d/c"]);
  assert.deepEqual([all.object, all.first_id, all.last_id, all.has_more], [
    "list",
    idOf("a"),
    idOf("d/c"),
    false,
  ]);
  const first = await list("?limit=2&order=asc");
  assert.deepEqual([asList(first.data).length, first.has_more], [2, true]);
  assert.deepEqual(asList((await list(`?after=${first.last_id}`)).data).map((one) => asObject(one).path), [
    "d/c",
  ]);
  const one = asObject(
    await (await containerCall(gateway, { path: `/${containerId}/files/${idOf("a")}`, token })).json(),
  );
  const { created_at, ...rest } = one;
  assert(Math.abs(Number(created_at) - Date.now() / 1_000) < 60);
  assert.deepEqual(rest, {
    id: idOf("a"),
    object: "container.file",
    container_id: containerId,
    path: "a",
    bytes: 3,
    source: "assistant",
  });
  const link = await readError(
    await containerCall(gateway, { path: `/${containerId}/files/${idOf("l")}`, token }),
  );
  assert.equal(link.status, 404);
});

testEngines("content comes whole, by ranges and by its ETag, for management keys only", async (openRig) => {
  await using rig = await openRig();
  const { gateway, bash } = rig;
  const { containerId } = await bash({ command: "printf 0123456789 > ten.bin; : > empty" }, { session: "s" });
  const path = `/${containerId}/files/${idOf("ten.bin")}/content`;
  const token = gateway.managementKey;
  const whole = await containerCall(gateway, { path, token });
  assert.equal(await whole.text(), "0123456789");
  assert.match(whole.headers.get("content-type") ?? "", /^application\/octet-stream/);
  const part = await containerCall(gateway, { path, token, headers: { range: "bytes=2-4" } });
  assert.deepEqual([part.status, await part.text()], [206, "234"]);
  const etag = whole.headers.get("etag") ?? "";
  for (const [tag, status] of [[etag, 200], ["*", 200], ['"other"', 412], [`W/${etag}`, 412]] as const) {
    const matched = await containerCall(gateway, { path, token, headers: { "if-match": tag } });
    await matched.body?.cancel();
    assert.equal(matched.status, status, tag);
  }
  const same = await containerCall(gateway, { path, token, headers: { "if-none-match": etag } });
  assert.deepEqual([same.status, await same.text()], [304, ""]);
  const empty = await containerCall(gateway, {
    path: `/${containerId}/files/${idOf("empty")}/content`,
    token,
  });
  assert.deepEqual([empty.status, await empty.text()], [200, ""]);
  const refused = await readError(await containerCall(gateway, { path, token: gateway.apiKey }));
  assert.deepEqual([refused.status, /management keys/.test(JSON.stringify(refused.body))], [403, true]);
});

testEngines(
  "what is refused comes in the order 401, 403, 400, 404, and foreign is as absent",
  async (openRig) => {
    await using rig = await openRig();
    const { gateway, bash } = rig;
    const { containerId } = await bash({ command: "echo 1 > a" }, { session: "s" });
    const { body } = await managed(gateway, {
      call: "POST /workspaces",
      body: { name: "Other", slug: "other" },
    });
    const other = await createKey(gateway, { workspace_id: asObject(body.data).id });
    const at = async (path: string, token: string) => {
      const { status, body: error } = await readError(await containerCall(gateway, { path, token }));
      return [status, asObject(error.error).message] as const;
    };
    const good = `/${containerId}/files/${idOf("a")}`;
    const malformed = `/${containerId}/files/cfile_!`;
    assert.equal((await at(`${malformed}/content`, "nobody"))[0], 401);
    assert.equal((await at(`${malformed}/content`, gateway.apiKey))[0], 403);
    assert.equal((await at(`${malformed}/content`, gateway.managementKey))[0], 400);
    assert.equal((await at(`/no%20container/files/${idOf("a")}/content`, gateway.managementKey))[0], 400);
    assert.equal((await at(`/${containerId}/files/${idOf("gone")}/content`, gateway.managementKey))[0], 404);
    const foreign = await at(good, other.key);
    assert.deepEqual(foreign, await at(`/sess_none_aaaaaaaaaaaaaaaa/files/${idOf("a")}`, other.key));
    assert.equal(foreign[0], 404);
    const own = await containerCall(gateway, { path: good, token: gateway.managementKey });
    assert.equal(own.status, 200);
    await own.body?.cancel();
  },
);

testEngines(
  "a promoted file is one of the workspace's, and stays when the container is deleted",
  async (openRig) => {
    await using rig = await openRig();
    const { gateway, bash } = rig;
    const { containerId } = await bash({ command: "mkdir out; echo kept > out/report.txt" }, {
      session: "s",
    });
    const token = gateway.apiKey;
    const path = `/${containerId}/files/${idOf("out/report.txt")}/promote`;
    const file = asObject(await (await containerCall(gateway, { method: "POST", path, token })).json());
    assert.deepEqual([file.filename, file.downloadable, file.size_bytes], ["report.txt", true, 5]);
    const gone = await containerCall(gateway, { method: "DELETE", path: `/${containerId}`, token });
    assert.deepEqual(await gone.json(), { id: containerId, object: "container.deleted", deleted: true });
    assert.equal(
      (await readError(await containerCall(gateway, { path: `/${containerId}/files`, token }))).status,
      404,
    );
    const content = await fileCall(gateway, { path: `/${file.id}/content`, token: gateway.managementKey });
    assert.equal(await content.text(), "kept\n");
    const anew = await bash({ command: "ls" }, { session: "s" });
    assert.deepEqual([anew.stdout, anew.containerId], ["", containerId]);
  },
);

testEngines("a deleted file is gone for the next command, and containers are listed", async (openRig) => {
  await using rig = await openRig();
  const { gateway, bash } = rig;
  const { containerId } = await bash({ command: "echo 1 > a; echo 22 > b" }, { session: "s" });
  const token = gateway.apiKey;
  const path = `/${containerId}/files/${idOf("a")}`;
  const deleted = await containerCall(gateway, { method: "DELETE", path, token });
  assert.deepEqual(await deleted.json(), { id: idOf("a"), object: "container.file.deleted", deleted: true });
  assert.equal((await bash({ command: "ls" }, { session: "s" })).stdout, "b\n");
  const list = asObject(await (await containerCall(gateway, { path: "", token })).json());
  const [row] = asList(list.data).map(asObject);
  assert.deepEqual([row?.id, row?.status, row?.files, row?.bytes], [containerId, "running", 1, 3]);
  assert.deepEqual(row?.network_policy, { type: "disabled" });
});
