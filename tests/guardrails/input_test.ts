/** Content filters on requests: whatever the caller sends, in each API's own form. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { encodeReasoning } from "../../server/protocols/canonical/encrypted_reasoning.ts";
import { createKey, managed } from "../support/manage.ts";
import { type ApiName, apiNames, call, receiptOf, spentBy } from "../money/rig.ts";
import { guarded } from "./guarded.ts";

const secret = "id-4711-x";
const pattern = "id-\\d{4}-[a-z]";
const text = `It is ${secret}, see`;

const call1 = { call_id: "call_1", name: "send" };
const user = { role: "user", content: "Hi" };

/** Where a caller can put a text, in each API's words. */
const inputs: { readonly [A in ApiName]: Readonly<Record<string, Json>> } = {
  responses: {
    user: { input: text },
    assistant: { input: [user, { role: "assistant", content: text }, user] },
    instructions: { input: "Hi", instructions: text },
    "call arguments": {
      input: [user, { type: "function_call", ...call1, arguments: JSON.stringify({ a: text }) }, {
        type: "function_call_output",
        call_id: "call_1",
        output: "ok",
      }],
    },
    "tool result": {
      input: [user, { type: "function_call", ...call1, arguments: "{}" }, {
        type: "function_call_output",
        call_id: "call_1",
        output: text,
      }],
    },
    "tool description": {
      input: "Hi",
      tools: [{ type: "function", name: "f", description: text, parameters: {} }],
    },
    "tool parameters": {
      input: "Hi",
      tools: [{
        type: "function",
        name: "f",
        parameters: { type: "object", properties: { a: { type: "string", description: text } } },
      }],
    },
    reasoning: {
      input: [user, { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text }] }, user],
    },
    "output format": {
      input: "Hi",
      text: { format: { type: "json_schema", name: "x", schema: { type: "object", description: text } } },
    },
  },
  chat: {
    user: { messages: [{ role: "user", content: text }] },
    parts: { messages: [{ role: "user", content: [{ type: "text", text: "a" }, { type: "text", text }] }] },
    system: { messages: [{ role: "system", content: text }, user] },
    "tool result": {
      messages: [user, {
        role: "assistant",
        tool_calls: [{ id: "call_1", type: "function", function: { name: "send", arguments: "{}" } }],
      }, { role: "tool", tool_call_id: "call_1", content: text }],
    },
    "call arguments": {
      messages: [user, {
        role: "assistant",
        tool_calls: [{
          id: "call_1",
          type: "function",
          function: { name: "send", arguments: JSON.stringify({ a: text }).replace("-", "\\u002d") },
        }],
      }, { role: "tool", tool_call_id: "call_1", content: "ok" }],
    },
    "tool description": {
      messages: [user],
      tools: [{ type: "function", function: { name: "f", description: text, parameters: {} } }],
    },
  },
  messages: {
    user: { messages: [{ role: "user", content: text }] },
    system: { messages: [user], system: text },
    "tool result": {
      messages: [user, {
        role: "assistant",
        content: [{ type: "tool_use", id: "call_1", name: "send", input: {} }],
      }, { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: text }] }],
    },
    "call input": {
      messages: [user, {
        role: "assistant",
        content: [{ type: "tool_use", id: "call_1", name: "send", input: { a: text } }],
      }, { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "ok" }] }],
    },
    "tool description": {
      messages: [user],
      tools: [{ name: "f", description: text, input_schema: { type: "object" } }],
    },
  },
};

const hidden = encodeReasoning({ wire: "messages", provider: "abc", replays: "always" }, {
  content: [text],
  summary: [],
  signature: "sig",
});

const stages = { "x-service-metadata": "enabled" };

Deno.test("a match in a request is replaced before a provider sees it", async () => {
  await using rig = await guarded({ content_filters: [{ pattern, action: "redact", label: "ID" }] });
  for (const api of apiNames) {
    for (const [name, more] of Object.entries(inputs[api])) {
      const { status, raw } = await rig.ask({ api, stream: false, more, headers: stages });
      assert.equal(status, 200, `${api} ${name} ${raw}`);
      const sent = JSON.stringify(rig.upstream.requested.at(-1)?.body);
      // This provider is sent no reasoning.
      assert.ok(sent.includes("[ID]") || name === "reasoning", `${api} ${name} ${sent}`);
      assert.ok(!sent.includes(secret), `${api} ${name} ${sent}`);
      assert.match(raw, /"summary":"1 match redacted."/, `${api} ${name}`);
    }
  }
});

Deno.test("a match in a request blocks it: nobody is called, and nothing is charged", async () => {
  await using rig = await guarded({ content_filters: [{ pattern, action: "block", label: "ID" }] });
  for (const api of apiNames) {
    for (const [name, more] of Object.entries(inputs[api])) {
      for (const stream of [true, false]) {
        const { status, raw, error, response } = await rig.ask({ api, stream, more, headers: stages });
        assert.equal(status, 403, `${api} ${name} ${raw}`);
        assert.equal(rig.upstream.requested.length, 0);
        assert.ok(!raw.includes(secret), raw);
        const details = api === "messages" ? error?.details : error?.metadata;
        assert.deepEqual(asObject(details).patterns, ["ID"]);
        assert.equal(asObject(details).guardrail_id, rig.guardrail);
        const { service_metadata: routing } = asObject(JSON.parse(raw));
        const [stage] = asList(asObject(routing).pipeline).map(asObject);
        assert.deepEqual([stage?.type, stage?.name, stage?.guardrail_scope], [
          "guardrail",
          "content-filter",
          "api-key",
        ]);
        const receipt = await receiptOf(rig.gateway, response);
        assert.deepEqual([receipt.status, receipt.cost, receipt.attempts], ["refused", 0, []]);
        assert.deepEqual(receipt.guardrails, [
          { id: rig.guardrail, action: "blocked", label: "ID", side: "input", count: 1 },
        ]);
      }
    }
  }
  assert.equal(await spentBy(rig.gateway, rig.key), 0);
});

Deno.test("what is only packed up is read as well", async () => {
  await using rig = await guarded({ content_filters: [{ pattern, action: "block", label: "ID" }] });
  const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: hidden };
  const { status, raw } = await rig.ask({
    api: "responses",
    stream: false,
    more: { input: [user, reasoning, user] },
  });
  assert.equal(status, 403, raw);
});

Deno.test("user_only reads messages of users and nothing else", async () => {
  const content_filter_builtins = [{ slug: "email", action: "block", scan_scope: "user_only" }];
  await using rig = await guarded({ content_filter_builtins });
  const address = "ann@example.org";
  rig.say({ place: "text", pieces: [`Write to ${address}`] });
  const allowed = [{ instructions: address, input: "Hi" }, {
    input: [user, { role: "assistant", content: address }],
  }];
  for (const more of allowed) {
    const { status, texts } = await rig.ask({ api: "responses", stream: false, more });
    assert.deepEqual([status, texts.text], [200, `Write to ${address}`]);
  }
  const { status } = await rig.ask({ api: "responses", stream: false, more: { input: address } });
  assert.equal(status, 403);
});

Deno.test("all guardrails of a caller act, and block goes before redact", async () => {
  await using rig = await guarded({ content_filters: [{ pattern, action: "redact", label: "ID" }] });
  const { body } = await managed(rig.gateway, { call: "GET /workspaces/default" });
  const { default_guardrail_id: standard } = asObject(body.data);
  const patch = (fields: Json) =>
    managed(rig.gateway, { call: `PATCH /guardrails/${standard}`, body: fields });
  await patch({ content_filters: [{ pattern: "see", action: "flag" }] });
  const both = await rig.ask({ api: "chat", stream: false, more: inputs.chat.user, headers: stages });
  const scopes = [...both.raw.matchAll(/"guardrail_scope":"([a-z-]+)"/g)].map(([, scope]) => scope).sort();
  assert.deepEqual(scopes, ["api-key", "workspace"]);
  await patch({ content_filters: [{ pattern, action: "block" }] });
  const blocked = await rig.ask({ api: "chat", stream: false, more: inputs.chat.user });
  assert.equal(blocked.status, 403);
  const { patterns, guardrail_id: id } = asObject(blocked.error?.metadata);
  assert.deepEqual([patterns, id], [[pattern], standard]);
});

Deno.test("the guardrail of the member who made a key acts on it", async () => {
  await using rig = await guarded({ content_filters: [{ pattern: "never", action: "flag" }] });
  const { key } = await createKey(rig.gateway, { creator_user_id: "user_1" });
  const { body } = await managed(rig.gateway, {
    call: "POST /guardrails",
    body: { name: "Of a member", content_filters: [{ pattern, action: "block" }] },
  });
  const { id } = asObject(body.data);
  await managed(rig.gateway, {
    call: `POST /guardrails/${id}/assignments/members`,
    body: { member_user_ids: ["user_1"] },
  });
  const response = await call(rig.gateway, { key, text, headers: stages });
  assert.equal(response.status, 403);
  assert.match(await response.text(), /"guardrail_scope":"member"/);
});

Deno.test("counting tokens and speech meet the filters as well", async () => {
  await using rig = await guarded({ content_filters: [{ pattern, action: "block" }] });
  const send = (path: string, body: Json) =>
    fetch(rig.gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${rig.key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const counted = await send("/v1/messages/count_tokens", {
    model: "mock/model",
    messages: inputs.messages.user?.messages,
  });
  assert.equal(counted.status, 403, await counted.text());
  const spoken = await send("/v1/audio/speech", { model: "mock/model", voice: "alloy", input: text });
  assert.equal(spoken.status, 403, await spoken.text());
  assert.equal(rig.upstream.requested.length, 0);
});

Deno.test("receipts are listed by what a guardrail did", async () => {
  await using rig = await guarded({
    content_filters: [{ pattern, action: "redact" }, { pattern: "no-\\d", action: "block" }],
  });
  await call(rig.gateway, { key: rig.key, text: "Hi" }).then((response) => response.text());
  await call(rig.gateway, { key: rig.key, text }).then((response) => response.text());
  await call(rig.gateway, { key: rig.key, text: `${text} no-1` }).then((response) => response.text());
  const count = async (query: string) => {
    const { status, body } = await managed(rig.gateway, { call: `GET /receipts?${query}` });
    assert.equal(status, 200);
    return asList(body.data).length;
  };
  assert.equal(await count(`guardrail_id=${rig.guardrail}`), 2);
  assert.equal(await count("guardrail_action=blocked"), 1);
  assert.equal(await count(`guardrail_id=${rig.guardrail}&guardrail_action=redacted`), 2);
  assert.equal(await count("guardrail_id=11111111-1111-4111-8111-111111111111"), 0);
  assert.equal(await count(""), 3);
});
