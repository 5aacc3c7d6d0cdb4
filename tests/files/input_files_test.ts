/** Files of the gateway in requests: what each wire is given, and what is refused. */

import assert from "node:assert/strict";
import { readError, readJson } from "../support/call.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { png, upload, utf8 } from "../support/files.ts";
import { type Gateway, mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { httpStub } from "../support/http_stub.ts";

type Json = Readonly<Record<string, unknown>>;

interface Sender {
  /** Instead of the gateway's first API key. */
  readonly token?: string;
}

const post = (path: string) => (gateway: Gateway, body: Json, { token = gateway.apiKey }: Sender = {}) =>
  fetch(`${gateway.url}/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const respond = post("/responses");
const chatWith = post("/chat/completions");
const messageTo = post("/messages");
const count = post("/messages/count_tokens");
const explain = post("/route/explain");

const responses = (model: string, ...content: readonly Json[]) => ({
  model,
  input: [{ role: "user", content }],
});
const file = (id: unknown, more: Json = {}) => ({ type: "input_file", file_id: id, ...more });
const image = (id: unknown) => ({ type: "input_image", file_id: id });

async function textOf(response: Response): Promise<string> {
  const { output } = await readJson(response);
  return String(asObject(asList(asObject(asList(output)[0]).content)[0]).text);
}

Deno.test("local/echo tells type, size and name of files, on every API", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  const { body: { id } } = await upload(gateway, { name: "ünï 😀.csv", bytes: utf8("a,b\n1,2\n") });
  const { body: { id: picture } } = await upload(gateway, { name: "dot.png", bytes: png });
  const said = await textOf(
    await respond(gateway, responses("local/echo", file(id), image(picture), file(picture))),
  );
  const dot = `a PNG image of 1×1 pixels (${png.length} bytes)`;
  assert.equal(
    said,
    `You sent no text.\n\nWith it came the file ünï 😀.csv (text/csv, 8 bytes); ${dot}; ${dot}.`,
  );
  const chat = await readJson(
    await chatWith(gateway, {
      model: "local/echo",
      messages: [{ role: "user", content: [{ type: "file", file: { file_id: id, filename: "b.csv" } }] }],
    }),
  );
  assert.match(JSON.stringify(chat), /the file b\.csv \(text\/csv, 8 bytes\)/);
  const messages = {
    model: "local/echo",
    max_tokens: 100,
    messages: [{
      role: "user",
      content: [
        { type: "document", source: { type: "file", file_id: id } },
        { type: "image", source: { type: "file", file_id: picture } },
      ],
    }],
  };
  assert.match(
    JSON.stringify(await readJson(await messageTo(gateway, messages))),
    /ünï 😀\.csv .*1×1/,
  );
  const counted = await readJson(await count(gateway, messages));
  assert(Number(counted.input_tokens) > 80);
  const explained = await readJson(
    await explain(gateway, responses("local/echo", file(id), image(picture))),
  );
  assert.match(JSON.stringify(explained), /local\/echo/);
});

Deno.test("every key of a workspace may use its files, nobody else may", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  const { body: { id } } = await upload(gateway);
  const { key: neighbour } = await createKey(gateway);
  const { body } = await managed(gateway, { call: "POST /workspaces", body: { name: "B", slug: "b" } });
  const { key: foreign } = await createKey(gateway, { workspace_id: asObject(body.data).id });
  const requested = responses("local/echo", { type: "input_text", text: "x" }, file(id));
  assert.match(await textOf(await respond(gateway, requested, { token: neighbour })), /hello\.txt/);
  const refused = await readError(await respond(gateway, requested, { token: foreign }));
  assert.equal(refused.status, 404);
  assert.equal(refused.message, `input[0].content[1].file_id is "${id}", and there is no such file`);
});

Deno.test("a file that is not there is 404 under its path, an image of another type 400, too many bytes 413", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  const { body: { id } } = await upload(gateway);
  const large = String((await upload(gateway, { bytes: new Uint8Array(11 * 1024 * 1024).fill(97) })).body.id);
  const absent = `tg_file_${"0".repeat(32)}`;
  const cases: readonly (readonly [readonly Json[], number, string, RegExp])[] = [
    [[file(absent)], 404, "not_found", /^input\[0\]\.content\[0\]\.file_id is/],
    [[image(absent)], 404, "image_not_found", /^input\[0\]\.content\[0\]\.file_id is/],
    [[image("tg_file_x")], 404, "image_not_found", /there is no such file/],
    [[image(id)], 400, "unsupported_image_format", /of type text\/plain; an image is needed/],
    [[file(large), file(large)], 413, "payload_too_large", /20 MiB together/],
  ];
  for (const [content, status, type, expected] of cases) {
    const { error, ...refused } = await readError(
      await respond(gateway, responses("local/echo", ...content)),
    );
    assert.deepEqual([refused.status, asObject(error.metadata).error_type], [status, type]);
    assert.match(refused.message, expected);
  }
  const document = { type: "document", source: { type: "file", file_id: absent } };
  const messages = [{ role: "user", content: [document] }];
  const nested = await messageTo(gateway, { model: "local/echo", max_tokens: 9, messages });
  const { error } = asObject(await nested.json());
  assert.match(String(asObject(error).message), /^messages\[0\]\.content\[0\]\.source\.file_id is/);
});

Deno.test("files go out as each wire carries them; of other types the text is read, which this file does not have", async () => {
  const office = utf8("PK\x03\x04........[Content_Types].xml......PK\x03\x04....word/document.xml");
  const pdf = utf8("%PDF-1.7\n%more");
  const sound = utf8("ID3\x04\x00\x00\x00\x00\x00\x00");
  const sent: Record<string, readonly (string | undefined)[]> = {};
  for (const wire of ["responses", "chat", "messages", "gemini", "bedrock"]) {
    const bodies: string[] = [];
    await using upstream = httpStub(async (request) => {
      bodies.push(await request.text());
      return Response.json({ error: { message: "seen" } }, { status: 400 });
    });
    await using gateway = await startGateway({
      providers: [providerAt(upstream.url, { wire, models: [mockModel] })],
    });
    const outcomes: (string | undefined)[] = [];
    for (
      const [name, bytes] of [
        ["a.pdf", pdf],
        ["a.docx", office],
        ["a.txt", utf8("plain")],
        ["a.mp3", sound],
        [
          "a.png",
          png,
        ],
      ] as const
    ) {
      const { body: { id } } = await upload(gateway, { name, bytes });
      bodies.length = 0;
      await readError(await respond(gateway, responses("mock/model", file(id))));
      const base64 = bytes.toBase64();
      const [body = ""] = bodies;
      const how = body.includes(base64) ? "data" : body.includes("plain") ? "text" : "name";
      outcomes.push(bodies.length === 0 ? undefined : how);
      assert.equal(body.includes("tg_file_"), false);
    }
    sent[wire] = outcomes;
  }
  assert.deepEqual(sent, {
    responses: ["data", "data", "data", "data", "data"],
    chat: ["data", "data", "data", "data", "data"],
    messages: ["data", undefined, "text", "name", "data"],
    gemini: ["data", undefined, "data", "data", "data"],
    bedrock: ["data", "data", "data", "name", "data"],
  });
});

Deno.test("a file id of a provider reaches only the wires of that provider", async () => {
  const reached: Record<string, readonly string[]> = {};
  for (const wire of ["responses", "chat", "messages", "gemini", "bedrock"]) {
    const ids: string[] = [];
    let id = "";
    await using upstream = httpStub(async (request) => {
      if ((await request.text()).includes(id)) ids.push(id);
      return Response.json({ error: { message: "seen" } }, { status: 400 });
    });
    await using gateway = await startGateway({
      providers: [providerAt(upstream.url, { wire, models: [mockModel] })],
    });
    for (id of ["file-abc", "file_abc", "files/abc"]) {
      await (await respond(gateway, responses("mock/model", file(id)))).body?.cancel();
    }
    reached[wire] = ids;
  }
  assert.deepEqual(reached, {
    responses: ["file-abc"],
    chat: ["file-abc"],
    messages: ["file_abc"],
    gemini: ["files/abc"],
    bedrock: [],
  });
});

Deno.test("the bytes of a file are read once, whoever is asked", async () => {
  let asked = 0;
  await using upstream = httpStub(() => {
    asked++;
    return Response.json({ error: { message: "down" } }, { status: 500 });
  });
  const provider = (id: string) => providerAt(upstream.url, { id, name: id });
  await using gateway = await startGateway({
    providers: [provider("one"), provider("two"), provider("three")],
  });
  const { body: { id } } = await upload(gateway);
  let opened = 0;
  const open = gateway.blobs.open.bind(gateway.blobs);
  Object.assign(gateway.blobs, {
    open: (...input: Parameters<typeof open>) => {
      opened++;
      return open(...input);
    },
  });
  await (await respond(gateway, responses("mock/model", file(id), file(id)))).body?.cancel();
  assert(asked > 1);
  assert.equal(opened, 1);
});

Deno.test("a file by its id reserves as much as the same file in the request", async () => {
  const pricing = { prompt: "0.000001", completion: "0.000002" };
  const models = [{ ...mockModel, pricing }];
  await using gateway = await startGateway({ providers: [providerAt("http://127.0.0.1:9", { models })] });
  for (
    const [name, mime, bytes] of [["a.png", "image/png", png], [
      "a.txt",
      "text/plain",
      utf8("word ".repeat(9_999)),
    ]] as const
  ) {
    const { body: { id } } = await upload(gateway, { name, bytes });
    const data = `data:${mime};base64,${bytes.toBase64()}`;
    const inline = name === "a.png"
      ? { type: "input_image", image_url: data }
      : { type: "input_file", filename: name, file_data: data };
    const [own, same] = await Promise.all([file(id), inline].map(async (part) => {
      const { reservation } = await readJson(await explain(gateway, responses("mock/model", part)));
      return asObject(reservation);
    }));
    assert.deepEqual(own, same);
    assert(Number(own?.reserved_usd) > 0);
  }
});
