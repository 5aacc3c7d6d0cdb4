/** Calls that clients bring back go up so that every provider takes them: ids, arguments and halves of pairs. */

import assert from "node:assert/strict";
import { isRecord } from "../../shared/util/json.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import { renderProviderRequest } from "../../server/pipeline/stages/render_provider_request.ts";
import { apis } from "../golden/apis.ts";
import { asObject, type Json } from "../support/event_stream.ts";
import { testEndpoint } from "../support/endpoint.ts";
import { outboundFor } from "../../server/protocols/mod.ts";
import { upstreamWires } from "../mocks/upstreams.ts";

interface Call {
  readonly id: string;
  readonly text: string;
}

const schema = { type: "object", properties: {} };

/** A call and its result in the words of each API. */
const conversations: Readonly<Record<string, (call: Call) => Json>> = {
  responses: ({ id, text }) => ({
    model: "a/b",
    input: [
      { role: "user", content: "Go" },
      { type: "function_call", call_id: id, name: "f", arguments: text },
      { type: "function_call_output", call_id: id, output: "Done" },
    ],
    tools: [{ type: "function", name: "f", parameters: schema }],
  }),
  chat: ({ id, text }) => ({
    model: "a/b",
    messages: [
      { role: "user", content: "Go" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id, type: "function", function: { name: "f", arguments: text } }],
      },
      { role: "tool", tool_call_id: id, content: "Done" },
    ],
    tools: [{ type: "function", function: { name: "f", parameters: schema } }],
  }),
  messages: ({ id, text }) => ({
    model: "a/b",
    max_tokens: 100,
    messages: [
      { role: "user", content: "Go" },
      { role: "assistant", content: [{ type: "tool_use", id, name: "f", input: JSON.parse(text) }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "Done" }] },
    ],
    tools: [{ name: "f", input_schema: schema }],
  }),
};

/** The text of the body, and the body. */
function sent(request: ModelRequest, wire: (typeof upstreamWires)[number]) {
  const endpoint = testEndpoint({ provider: { wire } });
  const deps = { outbound: outboundFor, safetyIdentifier: () => undefined };
  const caller = { kind: "api", keyHash: "h", workspaceId: "w" } as const;
  const { text } = renderProviderRequest(deps, { context: { request, caller }, endpoint });
  return { text, body: asObject(JSON.parse(text)) };
}

/** Every value that stands under a name. */
function under(name: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((one) => under(name, one));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => key === name ? [inner] : under(name, inner));
}

/** Where each wire has the id of a call and of its result, and what the call was given. */
const places = {
  responses: { ids: ["call_id"], given: "arguments" },
  chat: { ids: ["id", "tool_call_id"], given: "arguments" },
  messages: { ids: ["id", "tool_use_id"], given: "input" },
  gemini: { ids: ["id"], given: "args" },
  bedrock: { ids: ["toolUseId"], given: "input" },
} as const;

const ids = ["call_1", "x".repeat(64), "x".repeat(65), "call_".padEnd(300, "é"), `${"x".repeat(99)}y`];
/** Arguments as models write them: several that are no object, then one that is. */
const texts = ["", " \n", '{"a":', "null", "[1]", '"Rome"', "Rome", '{"a": 1}'];

for (const wire of upstreamWires) {
  for (const api of ["responses", "chat", "messages"]) {
    const parse = (call: Call) => {
      const request = apis[api as keyof typeof apis]?.parse(conversations[api]?.(call));
      assert(request);
      return request;
    };

    Deno.test(`a call and its result share an id that the provider takes (${api} to ${wire})`, () => {
      const seen = ids.map((id) => {
        const { body } = sent(parse({ id, text: "{}" }), wire);
        const found = places[wire].ids.flatMap((name) => under(name, body)).map(String);
        assert.equal(found.length, 2);
        assert.equal(found[0], found[1]);
        return found[0] ?? "";
      });
      assert.equal(new Set(seen).size, ids.length, "no two calls become one");
      if (wire !== "gemini") assert(seen.every((id) => id.length <= 64));
      assert.equal(seen[0], "call_1");
    });

    Deno.test(`what a call was given is an object, blank or cut (${api} to ${wire})`, () => {
      // Clients of Messages send objects.
      for (const text of api === "messages" ? texts.slice(-1) : texts) {
        const [given] = under(places[wire].given, sent(parse({ id: "call_1", text }), wire).body);
        const value = typeof given === "string" ? JSON.parse(given) : given;
        assert(isRecord(value), `${text} became ${JSON.stringify(given)}`);
        if (text.trim() === "") assert.deepEqual(value, {});
      }
    });

    Deno.test(`half a pair leaves as U+FFFD (${api} to ${wire})`, () => {
      for (const half of ["\ud83d", "\ude00", "a\udbffz", "\\\ud83d"]) {
        const call = { id: "call_1", text: JSON.stringify({ [half]: [half, "\ud83d\ude00"] }) };
        const { text, body } = sent(parse(call), wire);
        assert(!/[^\\](?:\\\\)*\\ud[89a-f]/.test(text), text);
        const [given] = under(places[wire].given, body);
        const value = typeof given === "string" ? JSON.parse(given) : given;
        assert.deepEqual(value, { [half.toWellFormed()]: [half.toWellFormed(), "\ud83d\ude00"] });
      }
    });
  }
}

Deno.test("calls of hosted tools go up with ids and arguments that the provider takes", () => {
  const id = "x".repeat(80);
  const request = apis.responses?.parse({
    model: "a/b",
    input: [
      { role: "user", content: "Go" },
      { type: "shell_call", call_id: id, action: { commands: ["ls"] }, status: "completed" },
      { type: "shell_call_output", call_id: id, output: [] },
      { type: "mcp_call", id: "mcp_1", server_label: "s", name: "g", arguments: '{"a":', output: "o" },
    ],
  });
  assert(request);
  const { body } = sent(request, "responses");
  const [one, other] = under("call_id", body);
  assert(typeof one === "string" && one.length <= 64);
  assert.equal(one, other);
  assert.deepEqual(under("arguments", body), ['{"arguments":"{\\"a\\":"}']);
});
