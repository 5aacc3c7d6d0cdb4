/** Files as text, over the API of a gateway. */

import assert from "node:assert/strict";
import { makeToolFile } from "../support/folder_gateway.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { pdfOf } from "../support/pdf.ts";
import { readerRig } from "../support/reader.ts";

type TextSource = Pick<Gateway, "url" | "managementKey">;

async function textOf({ url, managementKey: key }: TextSource, id: string) {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/v1/files/${id}/text`, { headers });
  return { status: response.status, body: await response.json() };
}

async function toolFile(gateway: Gateway, content: Uint8Array<ArrayBuffer>) {
  const row = await makeToolFile(gateway, content);
  return `tg_file_${row.id}`;
}

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("a PDF that the server made is shown as text", async () => {
  await using reader = readerRig();
  await using gateway = await startGateway({ keeper: reader.keeper });
  const id = await toolFile(gateway, pdfOf({ pages: ["one", "two"], title: "Title" }));
  const data = { text: "one\n\ntwo", truncated: false, title: "Title", pages: 2 };
  assert.deepEqual(await textOf(gateway, id), { status: 200, body: { data } });
  const long = await toolFile(gateway, bytes("x".repeat(200_000)));
  const { body } = await textOf(gateway, long);
  assert.deepEqual([body.data.text.length, body.data.truncated, body.data.pages], [100_000, true, null]);
});

Deno.test("a file that cannot be read as text is 400 and says why", async () => {
  await using reader = readerRig();
  await using gateway = await startGateway({ keeper: reader.keeper });
  const files: readonly (readonly [Uint8Array<ArrayBuffer>, RegExp])[] = [
    [
      pdfOf({ pages: ["x"], encrypted: true }),
      /^Cannot read file: the document is encrypted with a password$/,
    ],
    [bytes("%PDF-1.4 nonsense"), /^Cannot read file: the document is damaged or not what its type says$/],
    [new Uint8Array([0, 1, 2, 255]), /^Cannot read file: documents of this type cannot be read$/],
    [new Uint8Array(10 * 1024 * 1024 + 1), /^Cannot read file: it is larger than 10 MiB$/],
  ];
  for (const [content, message] of files) {
    const { status, body } = await textOf(gateway, await toolFile(gateway, content));
    assert.equal(status, 400);
    assert.match(body.error.message, message);
  }
});

Deno.test("a PDF is 503 without a keeper, and while the gateway stops", async () => {
  await using alone = await startGateway();
  const without = await textOf(alone, await toolFile(alone, pdfOf({ pages: ["x"] })));
  assert.equal(without.status, 503);
  await using reader = readerRig();
  await using gateway = await startGateway({ keeper: reader.keeper });
  const id = await toolFile(gateway, pdfOf({ pages: ["x"] }));
  assert.equal((await textOf(gateway, id)).status, 200);
  await reader.keeper.close();
  const { status, body } = await textOf(gateway, id);
  assert.equal(status, 503);
  assert.match(body.error.message, /The gateway is stopping/);
});

Deno.test("the text of an upload, of nothing, and for an API key is refused", async () => {
  await using gateway = await startGateway();
  const form = new FormData();
  form.set("file", new File(["hello"], "a.txt"));
  const headers = { authorization: `Bearer ${gateway.managementKey}` };
  const made = await fetch(`${gateway.url}/v1/files`, { method: "POST", headers, body: form });
  const { id } = await made.json();
  const upload = await textOf(gateway, id);
  assert.equal(upload.status, 400);
  assert.match(upload.body.error.message, /it was uploaded/);
  assert.equal((await textOf(gateway, `tg_file_${"0".repeat(32)}`)).status, 404);
  assert.equal((await textOf({ url: gateway.url, managementKey: gateway.apiKey }, id)).status, 403);
});
