/** Anthropic's tools that the client runs, in front of models of every maker. */

import assert from "node:assert/strict";
import type { WireId } from "../../server/protocols/canonical/item.ts";
import { messagesInbound } from "../../server/protocols/messages/inbound/mod.ts";
import { outboundFor } from "../../server/protocols/mod.ts";
import { offeredTools } from "../../server/pipeline/tools/offered_tools.ts";
import { apiNames, call, framesOf } from "../money/rig.ts";
import { testEndpoint } from "../support/endpoint.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { providerAt, startGateway } from "../support/gateway.ts";
import { endpointTraits } from "../support/requests.ts";
import { chatTurn, scripted } from "../support/scripted.ts";

interface ClientTool {
  readonly tool: Json & { readonly type: string; readonly name: string };
  /** Keys of its schema. */
  readonly keys: readonly string[];
  readonly commands?: readonly string[];
}

const editing = ["command", "path", "file_text", "old_str", "insert_line", "view_range", "new_str"];

const tools: readonly ClientTool[] = [
  { tool: { type: "bash_20250124", name: "bash" }, keys: ["command", "restart"] },
  { tool: { type: "bash_20241022", name: "bash" }, keys: ["command", "restart"] },
  {
    tool: { type: "text_editor_20250124", name: "str_replace_editor" },
    keys: editing,
    commands: ["view", "create", "str_replace", "insert", "undo_edit"],
  },
  {
    tool: { type: "text_editor_20250728", name: "str_replace_based_edit_tool", max_characters: 9_000 },
    keys: [...editing, "insert_text"],
    commands: ["view", "create", "str_replace", "insert"],
  },
  {
    tool: { type: "memory_20250818", name: "memory" },
    keys: [...editing, "insert_text", "old_path", "new_path"],
    commands: ["view", "create", "str_replace", "insert", "delete", "rename"],
  },
];

const body = (tool: Json, more: Json = {}) => ({
  model: "mock/model",
  max_tokens: 300,
  tools: [tool],
  messages: [{ role: "user", content: "Go" }],
  ...more,
});

function sentTo(wire: WireId, requested: Json): string {
  const { request } = messagesInbound.parseRequest(requested, {});
  const endpoint = testEndpoint({ provider: { wire } });
  const offered = { ...request, ...offeredTools(request, endpoint) };
  return JSON.stringify(outboundFor(wire).renderRequest(offered, endpointTraits()).body);
}

for (const { tool, keys, commands = [] } of tools) {
  for (const wire of ["chat", "responses", "gemini", "bedrock"] as const) {
    Deno.test(`${tool.type} is a function with its schema on ${wire}, and can be forced`, () => {
      const sent = sentTo(wire, body(tool, { tool_choice: { type: "tool", name: tool.name } }));
      for (const key of keys) assert(sent.includes(`"${key}":{`), `${key}: ${sent}`);
      for (const command of commands) assert(sent.includes(`"${command}"`), `${command}: ${sent}`);
      assert(sent.split(`"${tool.name}"`).length >= 3, `offered and forced: ${sent}`);
      assert(!sent.includes(tool.type), sent);
    });
  }

  Deno.test(`${tool.type} goes to Anthropic as it is`, () => {
    const { tools: sent } = asObject(JSON.parse(sentTo("messages", body(tool))));
    assert.deepEqual(sent, [tool]);
  });
}

const given = { command: "ls -l" };

/** Calls the tool in the first turn, and answers when it has the result. */
const model = () =>
  scripted(({ body: { messages, ...rest } }) =>
    asList(messages).some((message) => asObject(message).role === "tool")
      ? chatTurn(rest, { content: "There are 3 files." })
      : chatTurn(rest, {
        content: null,
        tool_calls: [{
          index: 0,
          id: "call_1",
          type: "function",
          function: { name: "bash", arguments: JSON.stringify(given) },
        }],
      })
  );

/** The `tool_use` block of an answer, and how the answer ends. */
function callIn(said: string, stream: boolean): readonly [name: unknown, input: unknown, reason: unknown] {
  if (!stream) {
    const { content, stop_reason } = asObject(JSON.parse(said));
    const use = asList(content).map(asObject).find(({ type }) => type === "tool_use");
    return [use?.name, use?.input, stop_reason];
  }
  const frames = framesOf(said);
  const begun = frames.map(({ content_block }) => content_block).find((block) => block !== undefined);
  const json = frames.map(({ delta }) => delta === undefined ? "" : asObject(delta).partial_json ?? "").join(
    "",
  );
  const end = frames.find(({ type }) => type === "message_delta");
  return [asObject(begun).name, JSON.parse(json), asObject(end?.delta).stop_reason];
}

const besides = {
  "alone": [],
  "beside a tool of the gateway": [{ type: "service:datetime" }],
} as const;

for (const [how, others] of Object.entries(besides)) {
  for (const stream of [false, true]) {
    Deno.test(`a call of bash_20250124 goes to the client and its result back, ${how} (${stream ? "streamed" : "whole"})`, async () => {
      await using upstream = model();
      await using gateway = await startGateway({
        providers: [providerAt(upstream.baseUrl, { wire: "chat" })],
      });
      const api = apiNames[2];
      const send = async (messages: readonly Json[]) => {
        const more = { tools: [{ type: "bash_20250124", name: "bash" }, ...others], messages };
        const response = await call(gateway, { api, key: gateway.apiKey, stream, more });
        const said = await response.text();
        assert.equal(response.status, 200, said);
        return said;
      };
      const question = { role: "user", content: "How many files are here?" };
      const first = await send([question]);
      assert.deepEqual(callIn(first, stream), ["bash", given, "tool_use"]);
      const second = await send([
        question,
        { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "bash", input: given }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "a b c" }] },
      ]);
      assert.match(second, /files/);
      const [offered] = asList(upstream.requested[0]?.body.tools).map((one) =>
        asObject(asObject(one).function)
      );
      assert.equal(offered?.name, "bash");
      const last = asList(upstream.requested.at(-1)?.body.messages).map(asObject);
      assert.deepEqual(last.map(({ role }) => role), ["user", "assistant", "tool"]);
      assert.equal(last[2]?.content, "a b c");
    });
  }
}
