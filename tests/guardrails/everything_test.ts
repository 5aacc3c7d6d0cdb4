/** Places in which content filters did not look before: each by what a caller, a tool or a provider may send. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { messagesBlocks, responsesSse } from "./provider_bodies.ts";
import { apiNames } from "../money/rig.ts";
import { guarded, guardedBy } from "./guarded.ts";

const secret = "id-4711-x";
const escaped = "id\\u002d4711\\u002dx";
const pattern = "id-\\d{4}-[a-z]";
const redact = { content_filters: [{ pattern, action: "redact", label: "ID" }] };
const block = { content_filters: [{ pattern, action: "block", label: "ID" }] };
const base64 = (text: string) => new TextEncoder().encode(text).toBase64();

/** Line by line: bodies of Responses requests of which a provider must not see the text. */
const inputs: Readonly<Record<string, Json>> = {
  "a text that begins with data:": { input: `data: it is ${secret}` },
  "a data address without base64": {
    input: [{ role: "user", content: [{ type: "input_image", image_url: `data:text/plain,${secret}` }] }],
  },
  "words after base64,": {
    input: [{
      role: "user",
      content: [{ type: "input_image", image_url: `data:image/png;base64,is ${secret}` }],
    }],
  },
  "the query of an image's address": {
    input: [{
      role: "user",
      content: [{ type: "input_image", image_url: `https://example.org/?q=${secret}` }],
    }],
  },
  "a schema's property of the name data": {
    input: "Hi",
    tools: [{
      type: "function",
      name: "f",
      parameters: {
        type: "object",
        properties: { data: { description: secret, enum: [secret], default: secret } },
      },
    }],
  },
  "the names in a schema": {
    input: "Hi",
    tools: [{
      type: "function",
      name: "f",
      parameters: { properties: { [secret]: {} }, required: [secret] },
    }],
  },
  "a tool's name": { input: "Hi", tools: [{ type: "function", name: secret, parameters: {} }] },
  "the cache key": { input: "Hi", prompt_cache_key: secret },
  "a text file": {
    input: [{
      role: "user",
      content: [{
        type: "input_file",
        filename: "a.txt",
        file_data: `data:text/plain;base64,${base64(`It is ${secret}`)}`,
      }],
    }],
  },
  "two parts of a message": {
    input: [{
      role: "user",
      content: [{ type: "input_text", text: "id-47" }, { type: "input_text", text: "11-x" }],
    }],
  },
  "JSON in JSON in arguments": {
    input: [
      { role: "user", content: "Hi" },
      {
        type: "function_call",
        call_id: "call_1",
        name: "send",
        arguments: JSON.stringify({ a: `{"b":"${escaped}"}` }),
      },
      { type: "function_call_output", call_id: "call_1", output: "ok" },
    ],
  },
  "arguments that break off": {
    input: [
      { role: "user", content: "Hi" },
      { type: "function_call", call_id: "call_1", name: "send", arguments: `{"a":"${escaped}","b` },
      { type: "function_call_output", call_id: "call_1", output: "ok" },
    ],
  },
  "a result as JSON": {
    input: [
      { role: "user", content: "Hi" },
      { type: "function_call", call_id: "call_1", name: "send", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: `{"a":"${escaped}"}` },
    ],
  },
};

/** Decodes what a provider may read of a body, whichever way it is encoded. */
function readable(body: unknown): string {
  const decode = (text: string) =>
    text.replaceAll(/base64,([A-Za-z0-9+/=]{8,})/g, (_, data: string) => {
      try {
        return new TextDecoder().decode(Uint8Array.fromBase64(data));
      } catch {
        // It is no base64.
        return data;
      }
    });
  return decode(decodeURIComponent(JSON.stringify(body).replaceAll("%", "%25"))).replaceAll(/\\+u002d/g, "-")
    .replaceAll(/"},{"type":"text","text":"|"},{"text":"/g, "");
}

Deno.test("what a caller sends is replaced and blocked wherever it stands", async () => {
  await using rig = await guarded(redact);
  for (const [name, more] of Object.entries(inputs)) {
    const { status, raw } = await rig.ask({ api: "responses", stream: false, more });
    assert.equal(status, 200, `${name} ${raw}`);
    const sent = readable(rig.upstream.requested.at(-1)?.body);
    assert.ok(!sent.includes(secret), `${name} ${sent}`);
  }
  await rig.set(block);
  for (const [name, more] of Object.entries(inputs)) {
    const { status, raw } = await rig.ask({ api: "responses", stream: false, more });
    assert.equal(status, 403, `${name} ${raw}`);
  }
});

Deno.test("documents of the Messages API are read as text", async () => {
  await using rig = await guarded(redact);
  const sources = [
    { type: "text", media_type: "text/plain", data: `It is ${secret}` },
    { type: "content", content: [{ type: "text", text: `It is ${secret}` }] },
    { type: "base64", media_type: "text/markdown", data: base64(`It is ${secret}`) },
  ];
  for (const source of sources) {
    const more = { messages: [{ role: "user", content: [{ type: "document", source }] }] };
    const { status, raw } = await rig.ask({ api: "messages", stream: false, more });
    assert.equal(status, 200, raw);
    const sent = readable(rig.upstream.requested.at(-1)?.body);
    assert.ok(!sent.includes(secret) && sent.includes("[ID]"), sent);
  }
});

const password = "Xk9fQ2mLp7vR4tZ8";

Deno.test("a value is read behind the name of its field", async () => {
  await using rig = await guarded({
    content_filter_builtins: [{ slug: "secrets", action: "redact" }],
    content_filters: [{ pattern: "phone: \\d{10}", action: "redact", label: "PHONE" }],
  });
  for (const [name, value] of [["db_password", password], ["phone", "4155552671"]] as const) {
    rig.say({ place: "arguments", pieces: [JSON.stringify({ [name]: value })] });
    for (const api of apiNames) {
      for (const stream of [false, true]) {
        const { raw } = await rig.ask({ api, stream });
        assert.ok(!raw.includes(value), `${api} ${stream} ${raw}`);
      }
    }
  }
});

const image = "data:image/png;base64,iVBORw0KGgo=";
const pictures = { input: [{ role: "user", content: [{ type: "input_image", image_url: image }] }] };

Deno.test("what cannot be read is told where nothing matches, and blocked where a guardrail says so", async () => {
  await using rig = await guarded(redact);
  const headers = { "x-service-metadata": "enabled" };
  const passed = await rig.ask({ api: "responses", stream: false, more: pictures, headers });
  const { pipeline } = asObject(asObject(JSON.parse(passed.raw)).service_metadata);
  const [stage] = asList(pipeline).map(asObject).filter(({ type }) => type === "guardrail");
  const { unscanned_parts, action, detected } = asObject(stage?.data);
  assert.deepEqual([unscanned_parts, action, detected], [1, "allowed", false]);
  await rig.set({ unreadable: "block" });
  const { status, error } = await rig.ask({ api: "responses", stream: false, more: pictures, headers });
  assert.equal(status, 403);
  assert.equal(asObject(error?.metadata).guardrail_id, rig.guardrail);
  assert.equal((await rig.ask({ api: "responses", stream: false })).status, 200);
  await rig.set({ content_filters: null });
  assert.equal((await rig.ask({ api: "chat", stream: true, more: chatPicture })).status, 403);
  await rig.set({ unreadable: "allow" });
  assert.equal((await rig.ask({ api: "chat", stream: true, more: chatPicture })).status, 200);
});

const chatPicture = {
  messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: image } }] }],
};

Deno.test("blocks of Anthropic's own tools reach clients replaced, whole and streamed", async () => {
  await using rig = await guardedBy("messages", messagesBlocks(`It is ${secret}`), redact);
  for (const api of apiNames) {
    for (const stream of [false, true]) {
      const { status, raw } = await rig.ask({ api, stream });
      assert.equal(status, 200, raw);
      assert.ok(!raw.includes(secret), `${api} ${stream} ${raw}`);
      if (api === "messages") assert.ok(raw.includes("bash_code_execution_tool_result"), raw);
    }
  }
});

Deno.test("a match over two parts of a message is replaced wherever it is cut, in streams and whole", async () => {
  const text = `It is ${secret}, see`;
  for (let cut = 1; cut < text.length; cut++) {
    const parts = [text.slice(0, cut), text.slice(cut)];
    await using rig = await guardedBy("responses", responsesSse(parts), redact);
    for (const stream of [false, true]) {
      const { texts, raw } = await rig.ask({ api: "chat", stream });
      assert.equal(texts.text, "It is [ID], see", `${cut} ${stream} ${raw}`);
    }
    const { raw } = await rig.ask({ api: "responses", stream: true });
    const deltas = raw.match(/"output_text.delta".*?"delta":"(.*?)"/g) ?? [];
    assert.ok(!deltas.join("").includes(secret) && raw.includes("[ID]"), raw);
  }
});

Deno.test("a provider's error text passes the filters", async () => {
  const failed = () =>
    Response.json({ error: { message: `Cannot parse ${secret} here`, code: secret } }, { status: 400 });
  await using rig = await guardedBy("chat", failed, redact);
  for (const api of apiNames) {
    const { status, raw } = await rig.ask({ api, stream: false });
    assert.equal(status, 400, raw);
    assert.ok(!raw.includes(secret) && raw.includes("Cannot parse [ID] here"), raw);
  }
  assert.ok(!rig.gateway.logged.join("\n").includes(secret));
  await rig.set(block);
  const { raw } = await rig.ask({ api: "chat", stream: false });
  assert.ok(!raw.includes(secret) && raw.includes("withheld by a guardrail"), raw);
});
