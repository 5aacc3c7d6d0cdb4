/** The official libraries on the gateway's files, as they are published. */

import assert from "node:assert/strict";
import Anthropic, { toFile } from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { OpenRouter } from "@openrouter/sdk";
import { asList, asObject } from "../support/event_stream.ts";
import { makeFile, utf8 } from "../support/files.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";

const bytes = utf8("made by the server 😀");

async function madeFile(gateway: Gateway): Promise<string> {
  const { body } = await managed(gateway, { call: "GET /workspaces" });
  const workspaceId = String(asObject(asList(body.data)[0]).id);
  return `tg_file_${(await makeFile(gateway, { workspaceId, filename: "report 😀.txt", bytes })).id}`;
}

Deno.test("openai files: create, list page by page, retrieve, content and del", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  const connect = (apiKey: string) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });
  const openai = connect(gateway.apiKey);
  const created: string[] = [];
  for (let at = 0; at < 5; at++) {
    const file = new File([`text ${at}`], `nümber ${at}.txt`);
    const { id, filename, bytes: size, purpose, status } = await openai.files.create({
      file,
      purpose: "user_data",
    });
    assert.deepEqual([filename, size, purpose, status], [`nümber ${at}.txt`, 6, "user_data", "processed"]);
    created.push(id);
  }
  const listed: string[] = [];
  for await (const { id } of openai.files.list({ limit: 2 })) listed.push(id);
  assert.deepEqual(listed, created.toReversed());
  const oldest: string[] = [];
  for await (const { id } of openai.files.list({ limit: 2, order: "asc" })) oldest.push(id);
  assert.deepEqual(oldest, created);
  const [first = ""] = created;
  assert.equal((await openai.files.retrieve(first)).object, "file");
  await assert.rejects(openai.files.content(first), (error) => {
    return error instanceof OpenAI.APIError && error.status === 403;
  });
  const manager = connect(gateway.managementKey);
  await assert.rejects(manager.files.content(first), /400 .*only files that the server made/);
  const content = await manager.files.content(await madeFile(gateway));
  assert.deepEqual(await content.bytes(), bytes);
  const answer = await openai.responses.create({
    model: "local/echo",
    input: [{ role: "user", content: [{ type: "input_file", file_id: first }] }],
  });
  assert.match(answer.output_text, /nümber 0\.txt \(text\/plain, 6 bytes\)/);
  for await (const { id } of openai.files.list({ limit: 2 })) {
    assert.deepEqual(await openai.files.delete(id).then(({ deleted, object }) => [deleted, object]), [
      true,
      "file",
    ]);
  }
  assert.deepEqual((await openai.files.list()).data, []);
  await assert.rejects(openai.files.retrieve(first), (error) => error instanceof OpenAI.NotFoundError);
});

// The library fetches an empty data URL to learn what a form is, and does not read it.
const probed = { sanitizeResources: false };

Deno.test("@anthropic-ai/sdk files: upload, list, metadata, download and delete", probed, async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  const connect = (apiKey: string) => new Anthropic({ baseURL: gateway.url, apiKey, maxRetries: 0 });
  const anthropic = connect(gateway.apiKey);
  const ids: string[] = [];
  for (let at = 0; at < 3; at++) {
    const file = await toFile(utf8(`text ${at}`), `a${at}.txt`, { type: "text/plain" });
    const made = await anthropic.beta.files.upload({ file });
    assert.deepEqual([made.type, made.filename, made.mime_type, made.size_bytes], [
      "file",
      `a${at}.txt`,
      "text/plain",
      6,
    ]);
    ids.push(made.id);
  }
  const listed: string[] = [];
  for await (const { id } of anthropic.beta.files.list({ limit: 2 })) listed.push(id);
  assert.deepEqual(listed, ids);
  const [first = ""] = ids;
  assert.equal((await anthropic.beta.files.retrieveMetadata(first)).downloadable, false);
  const answer = await anthropic.beta.messages.create({
    model: "local/echo",
    max_tokens: 100,
    betas: ["files-api-2025-04-14"],
    messages: [{ role: "user", content: [{ type: "document", source: { type: "file", file_id: first } }] }],
  });
  assert.match(JSON.stringify(answer.content), /a0\.txt \(text\/plain, 6 bytes\)/);
  const made = await madeFile(gateway);
  const download = await connect(gateway.managementKey).beta.files.download(made);
  assert.deepEqual(new Uint8Array(await download.arrayBuffer()), bytes);
  assert.deepEqual(await anthropic.beta.files.delete(first), {
    _shape: "anthropic",
    id: first,
    type: "file_deleted",
  });
  await assert.rejects(anthropic.beta.files.retrieveMetadata(first), (error) => {
    return error instanceof Anthropic.NotFoundError;
  });
});

Deno.test("@openrouter/sdk files: upload, list, retrieve, download and delete", async () => {
  await using gateway = await startGateway();
  const connect = (apiKey: string) =>
    new OpenRouter({ serverURL: `${gateway.url}/api/v1`, apiKey, retryConfig: { strategy: "none" } });
  const { files } = connect(gateway.apiKey);
  const file = { fileName: "ünï.csv", content: utf8("a,b\n1,2\n") };
  const made = await files.upload({ requestBody: { file } });
  assert(made.shape === "openrouter");
  assert.deepEqual([made.filename, made.mimeType, made.sizeBytes, made.downloadable], [
    "ünï.csv",
    "text/csv",
    8,
    false,
  ]);
  for (let at = 0; at < 3; at++) await files.upload({ requestBody: { file } });
  let listed = 0;
  for await (const { result } of await files.list({ limit: 3 })) {
    assert(result.shape === "openrouter");
    listed += result.data.length;
  }
  assert.equal(listed, 4);
  assert.deepEqual(await files.retrieve({ fileId: made.id }), made);
  const stream = await connect(gateway.managementKey).files.download({ fileId: await madeFile(gateway) });
  assert.deepEqual(await new Response(stream).bytes(), bytes);
  const deleted = await files.delete({ fileId: made.id });
  assert.deepEqual({ ...deleted }, { shape: "openrouter", id: made.id, type: "file_deleted" });
});
