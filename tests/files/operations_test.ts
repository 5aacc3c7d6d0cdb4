/** The file operations: who reaches what, in which shape, and what is refused. */

import assert from "node:assert/strict";
import { fileUsage } from "../../server/storage/files/file_rows.ts";
import { readError } from "../support/call.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { fileCall, fileRows, makeFile, png, upload, utf8 } from "../support/files.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";

const defaultWorkspace = async (gateway: Gateway) => {
  const { body } = await managed(gateway, { call: "GET /workspaces" });
  return String(asObject(asList(body.data)[0]).id);
};

Deno.test("an upload is listed, shown and deleted in the shape that its client knows", async () => {
  await using gateway = await startGateway();
  const { status, body } = await upload(gateway, {
    name: "a/b\\ünï 😀.txt",
    fields: { purpose: "assistants" },
  });
  assert.equal(status, 200);
  const { id, created_at, ...rest } = body;
  assert.match(String(id), /^tg_file_[\da-f]{32}$/);
  assert(Math.abs(Date.parse(String(created_at)) - Date.now()) < 60_000);
  assert.deepEqual(rest, {
    _shape: "openrouter",
    type: "file",
    filename: "ünï 😀.txt",
    mime_type: "text/plain",
    size_bytes: 6,
    downloadable: false,
  });
  const token = gateway.apiKey;
  const list = asObject(await (await fileCall(gateway, { path: "", token })).json());
  assert.deepEqual(list, {
    _shape: "openrouter",
    data: [body],
    first_id: id,
    last_id: id,
    has_more: false,
    cursor: null,
  });
  const openai = { "user-agent": "OpenAI/JS 7.0" };
  assert.deepEqual(await (await fileCall(gateway, { path: `/${id}`, token, headers: openai })).json(), {
    _shape: "openai",
    id,
    object: "file",
    bytes: 6,
    created_at: Math.floor(Date.parse(String(created_at)) / 1_000),
    filename: "ünï 😀.txt",
    purpose: "assistants",
    status: "processed",
  });
  const anthropic = { "anthropic-version": "2023-06-01" };
  const shown = asObject(await (await fileCall(gateway, { path: "", token, headers: anthropic })).json());
  assert.deepEqual([shown._shape, asObject(asList(shown.data)[0])._shape], ["anthropic", "anthropic"]);
  const gone = await fileCall(gateway, { path: `/${id}`, token, method: "DELETE" });
  assert.deepEqual(await gone.json(), { _shape: "openrouter", id, type: "file_deleted" });
  assert.equal((await readError(await fileCall(gateway, { path: `/${id}`, token }))).status, 404);
  assert.deepEqual(await Array.fromAsync(gateway.blobs.list()), []);
});

Deno.test("an API key sees what it has made, a management key all of a workspace, nobody another workspace's", async () => {
  await using gateway = await startGateway();
  const { body: made } = await managed(gateway, { call: "POST /workspaces", body: { name: "B", slug: "b" } });
  const other = String(asObject(made.data).id);
  const keys = {
    first: gateway.apiKey,
    second: (await createKey(gateway)).key,
    foreign: (await createKey(gateway, { workspace_id: other })).key,
    manager: gateway.managementKey,
  };
  const ids = {
    first: String((await upload(gateway)).body.id),
    second: String((await upload(gateway, { token: keys.second })).body.id),
    foreign: String((await upload(gateway, { token: keys.foreign })).body.id),
    manager: String((await upload(gateway, { token: keys.manager })).body.id),
  };
  const seen = async (token: string, query = "") => {
    const response = await fileCall(gateway, { path: query, token });
    return asList(asObject(await response.json()).data).map((one) => asObject(one).id);
  };
  assert.deepEqual(await seen(keys.first), [ids.first]);
  assert.deepEqual(await seen(keys.manager), [ids.first, ids.second, ids.manager]);
  assert.deepEqual(await seen(keys.manager, "?workspace_id=b"), [ids.foreign]);
  assert.deepEqual(await seen(keys.manager, `?workspace_id=${other.toUpperCase()}`), [ids.foreign]);
  const absent = `tg_file_${"0".repeat(32)}`;
  const refused = new Set<string>();
  for (
    const [token, id] of [[keys.first, ids.second], [keys.first, ids.foreign], [keys.manager, ids.foreign], [
      keys.first,
      absent,
    ], [keys.first, "file-abc"]] as const
  ) {
    for (const method of ["GET", "DELETE"]) {
      const { status, body } = await readError(await fileCall(gateway, { path: `/${id}`, token, method }));
      assert.equal(status, 404);
      refused.add(JSON.stringify(body));
    }
  }
  assert.equal(refused.size, 1);
  const named = await Promise.all(["?workspace_id=b", "?workspace_id=nowhere"].map(async (query) => {
    const { status, message } = await readError(await fileCall(gateway, { path: query, token: keys.first }));
    return [status, message.replaceAll(/"[^"]*"/g, "…")];
  }));
  assert.deepEqual(named[0], named[1]);
  assert.equal(named[0]?.[0], 400);
});

Deno.test("a rotated key still has the files of the key before it", async () => {
  await using gateway = await startGateway();
  const { record, key } = await createKey(gateway);
  const { body: { id } } = await upload(gateway, { token: key });
  const { body } = await managed(gateway, { call: `POST /keys/${record.hash}/rotate`, body: {} });
  const shown = await fileCall(gateway, { path: `/${id}`, token: String(body.key) });
  assert.equal(asObject(await shown.json()).id, id);
});

Deno.test("a list comes in pages, also while its files are deleted one by one", async () => {
  await using gateway = await startGateway();
  const token = gateway.apiKey;
  const ids: string[] = [];
  for (let at = 0; at < 7; at++) {
    ids.push(String((await upload(gateway, { fields: { purpose: `p${at % 2}` } })).body.id));
  }
  for (const name of ["cursor", "after", "after_id", "page"]) {
    const found: unknown[] = [];
    for (let query = "?limit=3";;) {
      const page = asObject(await (await fileCall(gateway, { path: query, token })).json());
      found.push(...asList(page.data).map((one) => asObject(one).id));
      assert.equal(page.cursor, page.has_more === true ? page.last_id : null);
      if (page.has_more !== true) break;
      query = `?limit=3&${name}=${page.last_id}`;
    }
    assert.deepEqual(found, ids);
  }
  const odd = asObject(await (await fileCall(gateway, { path: "?purpose=p1&limit=2", token })).json());
  assert.deepEqual([asList(odd.data).map((one) => asObject(one).id), odd.has_more], [[ids[1], ids[3]], true]);
  for (let after = "", deleted = 0; deleted < 7;) {
    const page = asObject(await (await fileCall(gateway, { path: `?limit=2${after}`, token })).json());
    for (const one of asList(page.data)) {
      await (await fileCall(gateway, { path: `/${asObject(one).id}`, token, method: "DELETE" })).body
        ?.cancel();
      deleted++;
    }
    after = `&after=${page.last_id}`;
  }
  assert.deepEqual(await fileRows(gateway), []);
});

Deno.test("files are listed in the order that is asked for, else in that of the client", async () => {
  await using gateway = await startGateway();
  const token = gateway.apiKey;
  const ids: unknown[] = [];
  for (let at = 0; at < 5; at++) ids.push((await upload(gateway, { name: `${at}.txt` })).body.id);
  const newest = ids.toReversed();
  const clients = {
    none: {},
    openai: { "user-agent": "OpenAI/JS 7.57.0" },
    anthropic: { "anthropic-version": "x" },
  };
  const cases = [
    ["none", "", ids],
    ["openai", "", newest],
    ["anthropic", "", ids],
    ["none", "order=desc", newest],
    ["openai", "order=asc", ids],
    ["anthropic", "order=desc", newest],
  ] as const;
  for (const [client, order, expected] of cases) {
    for (const limit of [2, 100]) {
      const found: unknown[] = [];
      for (let after = "", more = true; more;) {
        const path = `?${order}&limit=${limit}${after}`;
        const page = asObject(
          await (await fileCall(gateway, { path, token, headers: clients[client] })).json(),
        );
        found.push(...asList(page.data).map((one) => asObject(one).id));
        more = page.has_more === true;
        after = `&after=${page.last_id}`;
      }
      assert.deepEqual(found, expected, `${client} ${order} ${limit}`);
    }
  }
});

Deno.test("queries that cannot be are refused with the field's name", async () => {
  await using gateway = await startGateway();
  const cases: readonly (readonly [string, RegExp])[] = [
    ["?limit=0", /limit/],
    ["?limit=1001", /limit/],
    ["?before_id=tg_file_1", /before_id .*forwards only/],
    ["?order=newest", /order/],
    ["?after=file-1", /after is "file-1"; the id of the last file/],
    ["?provider=google", /provider/],
    ["?workspace_id=nowhere", /workspace_id is "nowhere", and there is no such workspace/],
  ];
  for (const [path, expected] of cases) {
    const { status, message } = await readError(
      await fileCall(gateway, { path, token: gateway.managementKey }),
    );
    assert.equal(status, 400, path);
    assert.match(message, expected);
  }
});

Deno.test("content: 401, 403, 400 of the query, 404, 400 of an upload, in this order", async () => {
  await using gateway = await startGateway();
  const { body: { id } } = await upload(gateway);
  const at = async (token: string, path: string) =>
    (await readError(await fileCall(gateway, { path, token }))).status;
  const manager = gateway.managementKey;
  assert.equal(await at("nobody", "/x/content?provider=x"), 401);
  assert.equal(await at(gateway.apiKey, "/x/content?provider=x"), 403);
  assert.equal(await at(manager, "/x/content?provider=x"), 400);
  for (const odd of ["x", "..%2Fx", "tg_file_", `tg_file_${"f".repeat(32)}`, "file-1", "%F0%9F%92%A9"]) {
    assert.equal(await at(manager, `/${odd}/content`), 404, odd);
  }
  const refused = await readError(await fileCall(gateway, { path: `/${id}/content`, token: manager }));
  assert.equal(refused.status, 400);
  assert.match(refused.message, /only files that the server made/);
});

Deno.test("a file of the server downloads under its name, and as nothing that a browser shows", async () => {
  await using gateway = await startGateway();
  const workspaceId = await defaultWorkspace(gateway);
  const bytes = utf8("0123456789");
  const row = await makeFile(gateway, { workspaceId, filename: 'ü "😀".html', bytes });
  const path = `/tg_file_${row.id}/content`;
  const whole = await fileCall(gateway, { path, token: gateway.managementKey });
  assert.deepEqual(
    Object.fromEntries(
      ["content-type", "content-length", "etag", "accept-ranges", "x-content-type-options", "cache-control"]
        .concat(
          ["content-security-policy", "content-disposition"],
        ).map((name) => [name, whole.headers.get(name)]),
    ),
    {
      "content-type": "application/octet-stream",
      "content-length": "10",
      "etag": `"${row.sha256}"`,
      "accept-ranges": "bytes",
      "x-content-type-options": "nosniff",
      "cache-control": "private, no-store",
      "content-security-policy": "sandbox",
      "content-disposition": `attachment; filename="? \\"??\\".html"; filename*=UTF-8''${
        encodeURIComponent('ü "😀".html')
      }`,
    },
  );
  assert.deepEqual(await whole.bytes(), bytes);
});

Deno.test("a file of the server downloads in ranges, and not at all where the client has it", async () => {
  await using gateway = await startGateway();
  const row = await makeFile(gateway, {
    workspaceId: await defaultWorkspace(gateway),
    bytes: utf8("0123456789"),
  });
  const get = (headers: Readonly<Record<string, string>> = {}, method = "GET") =>
    fileCall(gateway, { path: `/tg_file_${row.id}/content`, token: gateway.managementKey, headers, method });
  const etag = `"${row.sha256}"`;
  const cases: readonly (readonly [Readonly<Record<string, string>>, number, string, string | null])[] = [
    [{ range: "bytes=2-4" }, 206, "234", "bytes 2-4/10"],
    [{ range: "bytes=7-" }, 206, "789", "bytes 7-9/10"],
    [{ range: "bytes=7-99" }, 206, "789", "bytes 7-9/10"],
    [{ range: "bytes=-3" }, 206, "789", "bytes 7-9/10"],
    [{ range: "bytes=-99" }, 206, "0123456789", "bytes 0-9/10"],
    [{ range: "bytes=2-4", "if-range": etag }, 206, "234", "bytes 2-4/10"],
    [{ range: "bytes=2-4", "if-range": '"other"' }, 200, "0123456789", null],
    [{ range: "bytes=2-4", "if-range": "Mon, 23 Nov 2026 00:00:00 GMT" }, 200, "0123456789", null],
    [{ range: "bytes=0-1,4-5" }, 200, "0123456789", null],
    [{ range: "bytes=5-2" }, 200, "0123456789", null],
    [{ range: "items=0-1" }, 200, "0123456789", null],
    [{ "if-none-match": '"other"' }, 200, "0123456789", null],
    [{ "if-none-match": `"other", W/${etag}` }, 304, "", null],
    [{ "if-none-match": "*", range: "bytes=1-2" }, 304, "", null],
    [{ "if-match": etag }, 200, "0123456789", null],
    [{ "if-match": `"other", ${etag}`, range: "bytes=2-4" }, 206, "234", "bytes 2-4/10"],
    [{ "if-match": " * " }, 200, "0123456789", null],
    [{ "if-match": etag, "if-none-match": etag }, 304, "", null],
  ];
  for (const [headers, status, text, range] of cases) {
    const response = await get(headers);
    assert.deepEqual(
      [response.status, await response.text(), response.headers.get("content-range")],
      [status, text, range],
      JSON.stringify(headers),
    );
  }
  for (const tag of ['"other"', `W/${etag}`, "", row.sha256]) {
    const others: readonly Readonly<Record<string, string>>[] = [
      {},
      { range: "bytes=2-4" },
      { range: "bytes=99-" },
      { "if-none-match": etag },
    ];
    for (const more of others) {
      const { status } = await readError(await get({ "if-match": tag, ...more }));
      assert.equal(status, 412, `${tag} ${JSON.stringify(more)}`);
    }
  }
  for (const range of ["bytes=10-", "bytes=99-100", "bytes=-0"]) {
    const { status, headers } = await readError(await get({ range }));
    assert.deepEqual([status, headers.get("content-range")], [416, "bytes */10"], range);
  }
  for (const range of ["bytes=2-4", "bytes=99-", "x"]) {
    const head = await get({ range }, "HEAD");
    const length = head.headers.get("content-length");
    assert.deepEqual([head.status, length, await head.text()], [200, "10", ""], range);
  }
  assert.equal((await get({ "if-none-match": etag }, "HEAD")).status, 304);
});

Deno.test("what is no file, too large or of no allowed type is refused and leaves nothing", async () => {
  await using gateway = await startGateway({
    limits: { file_bytes: 100_000, workspace_file_bytes: 150_000 },
  });
  const refused = async (options: Parameters<typeof upload>[1]) => {
    const { status, body } = await upload(gateway, options);
    return [status, String(asObject(body.error).message)] as const;
  };
  const cases: readonly (readonly [Parameters<typeof upload>[1], number, RegExp])[] = [
    [{ bytes: utf8("") }, 400, /it is empty/],
    [{ bytes: Uint8Array.of(0, 159, 146, 150) }, 400, /binary data of an unknown kind; allowed are PDF/],
    [{ bytes: utf8("PK\x03\x04 an archive") }, 400, /application\/zip; allowed are/],
    [{ bytes: utf8("a\0b") }, 400, /unknown kind/],
    [{ bytes: new Uint8Array(100_001).fill(97) }, 413, /larger than 0\.1 MiB/],
    [{ name: "x".repeat(256) }, 400, /its name is 256 characters long; at most 255/],
    [{ name: "." }, 400, /its name is empty/],
  ];
  for (const [options, status, expected] of cases) {
    const [found, message] = await refused(options);
    assert.deepEqual([found, expected.test(message)], [status, true], message);
  }
  assert.deepEqual([await fileRows(gateway), await Array.fromAsync(gateway.blobs.list())], [[], []]);
  const large = new Uint8Array(80_000).fill(97);
  assert.equal((await upload(gateway, { bytes: large })).status, 200);
  const [status, message] = await refused({ bytes: large });
  assert.equal(status, 413);
  assert.match(message, /take up 0\.1 MiB, and 0\.1 MiB are allowed/);
  assert.equal((await Array.fromAsync(gateway.blobs.list())).length, 1);
});

Deno.test("uploads side by side count together", async () => {
  await using gateway = await startGateway({ limits: { workspace_file_bytes: 100_000 } });
  const bytes = new Uint8Array(10_000).fill(97);
  const statuses = await Promise.all(
    Array.from({ length: 25 }, async () => (await upload(gateway, { bytes })).status),
  );
  assert.equal(statuses.filter((status) => status === 200).length, 10);
  assert.equal(statuses.filter((status) => status === 413).length, 15);
  const usage = await fileUsage(gateway.store).get(await defaultWorkspace(gateway));
  assert.deepEqual(usage?.record, { files: 10, bytes: 100_000 });
  assert.equal((await Array.fromAsync(gateway.blobs.list())).length, 10);
});

Deno.test("types are told by the bytes, whatever the name", async () => {
  await using gateway = await startGateway();
  const typeOf = async (bytes: Uint8Array<ArrayBuffer>) =>
    (await upload(gateway, { bytes, name: "x.exe" })).body.mime_type;
  const zip = (folder: string) =>
    utf8(`PK\x03\x04........[Content_Types].xml......PK\x03\x04....${folder}document.xml`);
  const office = "application/vnd.openxmlformats-officedocument.";
  const riff = (kind: string) => utf8(`RIFF\x24\x00\x00\x00${kind}`);
  const cases: readonly (readonly [Uint8Array<ArrayBuffer>, string])[] = [
    [png, "image/png"],
    [utf8("%PDF-1.7\n%more"), "application/pdf"],
    [Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16, 74, 70, 73, 70, 0), "image/jpeg"],
    [utf8("GIF89a\x01\x00\x01\x00"), "image/gif"],
    [riff("WEBPVP8 "), "image/webp"],
    [riff("WAVEfmt "), "audio/wav"],
    [utf8("ID3\x04\x00\x00\x00\x00\x00\x00"), "audio/mpeg"],
    [utf8("fLaC\x00\x00\x00\x22"), "audio/flac"],
    [utf8("OggS\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00"), "audio/ogg"],
    [zip("word/"), `${office}wordprocessingml.document`],
    [zip("xl/"), `${office}spreadsheetml.sheet`],
    [zip("ppt/"), `${office}presentationml.presentation`],
    [utf8(' {"a": [1, 2]}\n'), "application/json"],
    [utf8('{"a":1}\n{"a":2}\n'), "application/x-ndjson"],
    [utf8("a,b\n1,2\n"), "text/csv"],
    [utf8("Name;Preis\r\nTee;1,5\r\nMilch;2\r\n"), "text/csv"],
    [utf8('Name;Ort\n"Schmidt; Söhne";Köln\nMaier;\n'), "text/csv"],
    [utf8("int a;\nint b;\n"), "text/plain"],
    [utf8("Erst das; dann dies.\nUnd das; oder dies.\n"), "text/plain"],
    [utf8("a;b\n1;2;3\n"), "text/plain"],
    [utf8("One, two.\nThree, four.\n"), "text/plain"],
    [utf8("# Title\n\nText.\n"), "text/markdown"],
    [utf8("BMW and MZ are letters, too\n"), "text/plain"],
    [utf8("<html><script>alert(1)</script></html>"), "text/plain"],
  ];
  for (const [bytes, expected] of cases) assert.equal(await typeOf(bytes), expected);
});

Deno.test("a deleted workspace leaves neither files nor bytes", async () => {
  await using gateway = await startGateway();
  const { body } = await managed(gateway, { call: "POST /workspaces", body: { name: "B", slug: "b" } });
  const workspaceId = String(asObject(body.data).id);
  for (let at = 0; at < 12; at++) {
    await upload(gateway, { token: gateway.managementKey, query: "?workspace_id=b" });
  }
  const kept = await upload(gateway);
  assert.equal((await managed(gateway, { call: "DELETE /workspaces/b" })).status, 200);
  assert.deepEqual((await fileRows(gateway)).map(({ id }) => `tg_file_${id}`), [kept.body.id]);
  assert.equal((await Array.fromAsync(gateway.blobs.list())).length, 1);
  const usage = await fileUsage(gateway.store).get(workspaceId);
  assert.deepEqual([usage?.record.files, usage?.record.bytes], [0, 0]);
  const { status } = await upload(gateway, {
    token: gateway.managementKey,
    query: `?workspace_id=${workspaceId}`,
  });
  assert.equal(status, 400);
});

Deno.test("without a default workspace one has to be named; without a place for bytes there are no uploads", async () => {
  await using gateway = await startGateway({ blobs: null });
  const { status, body } = await upload(gateway);
  assert.equal(status, 400);
  assert.match(String(asObject(body.error).message), /has set TOLLGATE_BLOBS to off/);
  const { body: keys } = await managed(gateway, { call: "GET /keys" });
  for (const key of asList(keys.data)) await managed(gateway, { call: `DELETE /keys/${asObject(key).hash}` });
  await managed(gateway, { call: "DELETE /workspaces/default?confirm_default_workspace_deletion=true" });
  const refused = await readError(
    await fileCall(gateway, { path: "/x/content", token: gateway.managementKey }),
  );
  assert.equal(refused.status, 400);
  assert.match(refused.message, /there is no default workspace any more: name one/);
});

Deno.test("what a management key does with files is in the audit log", async () => {
  await using gateway = await startGateway();
  const { body: { id } } = await upload(gateway, { token: gateway.managementKey });
  await upload(gateway);
  await (await fileCall(gateway, { path: `/${id}`, token: gateway.managementKey, method: "DELETE" })).body
    ?.cancel();
  const { body } = await managed(gateway, { call: "GET /audit" });
  const changes = asList(body.data).map(asObject).filter(({ operation }) =>
    String(operation).startsWith("files.")
  );
  assert.deepEqual(changes.map(({ operation }) => operation), ["files.delete", "files.upload"]);
});
