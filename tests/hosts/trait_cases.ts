/** For each trait what is asked, and what must go up where it holds. */

import assert from "node:assert/strict";
import type { HostTrait } from "../../server/protocols/canonical/endpoint_words.ts";
import { isObject, type Json, objects } from "../mocks/published.ts";
import {
  callIdsOf,
  choiceOf,
  instructed,
  messagesOf,
  requiredChoices,
  samplingOf,
  type Sent,
  toolsOf,
  turnsOf,
} from "./sent.ts";
import type { Question } from "./trait_rig.ts";

export interface TraitCase extends Question {
  /** Fails when what went up is not what the host takes. */
  readonly verify: (sent: Sent) => void;
  /** Names that the routing metadata must have among what was dropped. */
  readonly dropped?: readonly string[];
  /** Thoughts that the client gets, where the trait is about answers. */
  readonly thoughts?: string;
  /** `supported_parameters` of the model's row, where the case depends on them. */
  readonly parameters?: readonly string[];
}

const says = (role: string, content: string): Json => ({ type: "message", role, content });
const call = { type: "function_call", call_id: "call_1", name: "look", arguments: '{"at":1}' };
const result = { type: "function_call_output", call_id: "call_1", output: "seen" };
const tool = (name: string, parameters: Json): Json => ({
  type: "function",
  name,
  parameters,
  strict: false,
});
const look = tool("look", { type: "object", properties: { at: { type: "number" } } });
const withCall = { input: [says("user", "Look."), call, result], tools: [look] };

const branch = (kind: string, key: string): Json => ({
  type: "object",
  properties: { kind: { const: kind }, [key]: { type: "string" } },
  required: ["kind", key],
});

const citySchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

/** Another API than ours has `stop`. */
const chatQuestion = { messages: [{ role: "user", content: "Hi" }], stop: ["END"] };

const demandingSampling = { temperature: 0.5, top_p: 0.5, frequency_penalty: 0.25, presence_penalty: 0.25 };

/** The text of a content, whichever form it has. */
const textIn = (content: unknown) =>
  typeof content === "string" ? content : objects(content).map(({ text }) => text).join("");

/** Assistant's messages with calls in a chat body. */
const callers = ({ body }: Sent) =>
  objects(body.messages).filter(({ tool_calls: calls }) => calls !== undefined);

export const traitCases: { readonly [T in HostTrait]: TraitCase } = {
  system_first: {
    body: {
      input: [says("system", "A"), says("user", "B"), says("developer", "C"), says("user", "D")],
    },
    verify: (sent) => assert.deepEqual(turnsOf(sent), [["system", "A\nC"], ["user", "B\nD"]]),
  },
  alternating_turns: {
    body: {
      input: [
        says("user", "A"),
        says("user", "B"),
        says("assistant", "C"),
        says("assistant", "D"),
        says("user", "E"),
      ],
    },
    verify: (sent) => assert.deepEqual(messagesOf(sent).map(([role]) => role), ["user", "assistant", "user"]),
  },
  user_last: {
    body: { input: [says("user", "A"), says("assistant", "B")] },
    verify: (sent) =>
      assert.deepEqual(messagesOf(sent), [["user", "A"], ["assistant", "B"], ["user", "Continue."]]),
  },
  object_schemas: {
    body: {
      input: "Hi",
      tools: [
        tool("empty", {}),
        tool("bare", { type: "object" }),
        tool("choice", { anyOf: [branch("a", "left"), branch("b", "right")] }),
      ],
    },
    verify: (sent) => {
      const tools = toolsOf(sent);
      assert.deepEqual([...tools.keys()], ["empty", "bare", "choice"]);
      for (const [name, schema] of tools) {
        assert.equal(schema.type, "object", name);
        assert.ok(isObject(schema.properties), name);
        assert.equal(schema.anyOf, undefined, name);
      }
      const choice = tools.get("choice") ?? {};
      assert.deepEqual(Object.keys(isObject(choice.properties) ? choice.properties : {}), [
        "kind",
        "left",
        "right",
      ]);
      assert.deepEqual(choice.required, ["kind"]);
    },
  },
  no_tools: {
    body: { input: "Hi", tools: [look], tool_choice: "auto" },
    dropped: ["tools"],
    verify: (sent) => {
      assert.deepEqual([...toolsOf(sent).keys()], []);
      assert.equal(choiceOf(sent), undefined);
    },
  },
  auto_choice_only: {
    body: { input: "Hi", tools: [look], tool_choice: "auto" },
    verify: (sent) => {
      assert.deepEqual([...toolsOf(sent).keys()], ["look"]);
      assert.equal(choiceOf(sent), undefined);
    },
  },
  no_named_choice: {
    body: {
      input: "Hi",
      tools: [look, tool("other", { type: "object", properties: {} })],
      tool_choice: { type: "function", name: "look" },
    },
    verify: (sent) => {
      assert.deepEqual([...toolsOf(sent).keys()], ["look"]);
      assert.deepEqual(choiceOf(sent), requiredChoices[sent.wire]);
    },
  },
  no_none_choice: {
    body: { input: "Hi", tools: [look], tool_choice: "none" },
    verify: (sent) => {
      assert.deepEqual([...toolsOf(sent).keys()], []);
      assert.equal(choiceOf(sent), undefined);
    },
  },
  no_json_object: {
    body: { input: "Hi", text: { format: { type: "json_object" } } },
    verify: ({ wire, body }) => {
      assert.doesNotMatch(JSON.stringify(body), /json_object/);
      if (wire === "chat") {
        assert.equal(isObject(body.response_format) && body.response_format.type, "json_schema");
      }
    },
  },
  no_json_schema: {
    body: {
      instructions: "Be brief.",
      input: "Hi",
      text: { format: { type: "json_schema", name: "city", schema: citySchema, strict: true } },
    },
    dropped: ["text.format json_schema as a constraint"],
    verify: (sent) => {
      const [[role, text] = []] = messagesOf(instructed(sent));
      assert.equal(role, "system");
      assert.match(text ?? "", /^Be brief\.\n\nAnswer with one JSON object.*\{"type":"object".*"city"/s);
      if (sent.wire === "chat") assert.deepEqual(sent.body.response_format, { type: "json_object" });
    },
  },
  short_call_ids: {
    body: withCall,
    verify: (sent) => {
      const [id, ...others] = callIdsOf(sent);
      assert.match(id ?? "", /^[a-zA-Z0-9]{9}$/);
      assert.deepEqual(others, [id]);
    },
  },
  letter_names: {
    body: {
      input: "Hi",
      tools: [tool("2fa", { type: "object", properties: {} }), look],
      tool_choice: { type: "function", name: "2fa" },
    },
    verify: (sent) => {
      assert.deepEqual([...toolsOf(sent).keys()], ["t2fa", "look"]);
      assert.match(JSON.stringify(choiceOf(sent)), /"t2fa"/);
    },
  },
  listed_sampling: {
    parameters: ["temperature", "tools"],
    body: { input: "Hi", ...demandingSampling },
    dropped: ["top_p", "frequency_penalty", "presence_penalty"],
    verify: (sent) => assert.deepEqual(samplingOf(sent), ["temperature"]),
  },
  fixed_sampling: {
    api: "chat/completions",
    body: { ...chatQuestion, ...demandingSampling },
    dropped: ["temperature", "top_p", "frequency_penalty", "presence_penalty", "stop"],
    verify: (sent) => {
      assert.deepEqual(samplingOf(sent), []);
      assert.doesNotMatch(JSON.stringify(sent.body), /END/);
    },
  },
  no_penalties: {
    api: "chat/completions",
    body: { ...chatQuestion, ...demandingSampling },
    dropped: ["frequency_penalty", "presence_penalty", "stop"],
    verify: (sent) => {
      assert.ok(samplingOf(sent).every((name) => !name.endsWith("_penalty")));
      assert.doesNotMatch(JSON.stringify(sent.body), /END/);
    },
  },
  thinking_switch: {
    body: { input: "Hi", reasoning: { effort: "high" } },
    verify: ({ body }) =>
      assert.deepEqual([body.thinking, body.reasoning_effort], [{ type: "enabled" }, "high"]),
  },
  reasoning_object: {
    body: { input: "Hi", reasoning: { effort: "high" } },
    verify: ({ body }) =>
      assert.deepEqual([body.reasoning, body.reasoning_effort], [{ effort: "high" }, undefined]),
  },
  answered_tools: {
    body: { ...withCall, input: [...withCall.input, says("user", "So?")] },
    verify: ({ body }) => {
      const roles = objects(body.messages).map(({ role }) => role);
      assert.deepEqual(roles, ["user", "assistant", "tool", "assistant", "user"]);
    },
  },
  call_reasoning_blank: {
    body: withCall,
    verify: (sent) => assert.deepEqual(callers(sent).map((message) => message.reasoning_content), [""]),
  },
  call_reasoning_text: {
    body: withCall,
    verify: (sent) => {
      const [thoughts, ...others] = callers(sent).map((message) => message.reasoning_content);
      assert.match(String(thoughts), /\w/);
      assert.notEqual(thoughts, undefined);
      assert.deepEqual(others, []);
    },
  },
  prefix_last: {
    body: { input: [says("user", "A"), says("assistant", "B")] },
    verify: ({ body }) => {
      assert.deepEqual(objects(body.messages).map(({ prefix }) => prefix), [undefined, true]);
    },
  },
  no_call_ids: {
    body: withCall,
    verify: ({ body }) => {
      const parts = objects(body.contents).flatMap((content) => objects(content.parts));
      const calls = parts.flatMap(({ functionCall, functionResponse }) =>
        [functionCall, functionResponse].filter(isObject)
      );
      assert.deepEqual(calls.map(({ name, id }) => [name, id]), [["look", undefined], ["look", undefined]]);
    },
  },
  no_call_signatures: {
    api: "chat/completions",
    body: {
      messages: [
        { role: "user", content: "Look." },
        {
          role: "assistant",
          content: null,
          tool_calls: [{
            id: "call_1",
            type: "function",
            function: { name: "look", arguments: "{}" },
            extra_content: { google: { thought_signature: "sig" } },
          }],
        },
        { role: "tool", tool_call_id: "call_1", content: "seen" },
      ],
    },
    verify: (sent) => {
      assert.equal(callers(sent).length, 1);
      assert(!JSON.stringify(sent.body).includes("extra_content"));
    },
  },
  published_fields: {
    api: "chat/completions",
    body: {
      messages: [
        {
          role: "user",
          content: [{ type: "text", text: "Look.", later: 1 }],
          name: "Ann",
          metadata: { a: 1 },
        },
        {
          role: "assistant",
          content: null,
          annotations: [],
          tool_calls: [{
            id: "call_1",
            type: "function",
            function: { name: "look", arguments: "{}", later: 1 },
            index: 0,
          }],
        },
        { role: "tool", tool_call_id: "call_1", content: "seen", later: 1 },
      ],
      tools: [{
        type: "function",
        function: { name: "look", parameters: { type: "object", properties: {} }, examples: [1] },
        cache: true,
      }],
      response_format: {
        type: "json_schema",
        json_schema: { name: "x", schema: { type: "object", properties: {} }, later: 1 },
      },
    },
    dropped: ["input.metadata", "input.later", "tools.cache", "tools.examples", "response_format.later"],
    verify: ({ body }) => {
      const [user, assistant, tool] = objects(body.messages);
      assert.equal(textIn(user?.content), "Look.");
      assert.deepEqual(Object.keys(user ?? {}).filter((key) => key !== "name").sort(), ["content", "role"]);
      const published = ["content", "role", "tool_calls"];
      const sent = Object.keys(assistant ?? {}).filter((key) => !key.startsWith("reasoning"));
      assert.deepEqual(sent.sort(), published);
      assert.deepEqual(objects(assistant?.tool_calls).map((one) => Object.keys(one).sort()), [
        ["function", "id", "type"],
      ]);
      assert.deepEqual(Object.keys(tool ?? {}).sort(), ["content", "role", "tool_call_id"]);
      assert.doesNotMatch(JSON.stringify(body), /later|metadata|annotations|examples|"cache"/);
    },
  },
  no_names: {
    api: "chat/completions",
    body: {
      messages: [
        { role: "system", content: "Be brief.", name: "house" },
        { role: "user", content: "Hi", name: "Ann" },
        { role: "assistant", content: "Hello", name: "Bob" },
        { role: "user", content: "So?", name: "Ann" },
      ],
    },
    dropped: ["input.name"],
    verify: ({ body }) => {
      assert.deepEqual(objects(body.messages).map(({ role, name }) => [role, name]), [
        ["system", undefined],
        ["user", undefined],
        ["assistant", undefined],
        ["user", undefined],
      ]);
    },
  },
  think_tags: {
    body: { input: "Hi" },
    says: "<think>Well.</think>Said.",
    thoughts: "Well.",
    verify: ({ body }) => assert.deepEqual(objects(body.messages).map(({ content }) => content), ["Hi"]),
  },
  block_cache_marks: {
    api: "messages",
    body: {
      max_tokens: 100,
      cache_control: { type: "ephemeral", ttl: "1h" },
      messages: [{ role: "user", content: [{ type: "text", text: "A" }, { type: "text", text: "B" }] }],
    },
    verify: ({ body }) => {
      assert.equal(body.cache_control, undefined);
      const marks = objects(objects(body.messages)[0]?.content).map(({ cache_control }) => cache_control);
      assert.deepEqual(marks, [undefined, { type: "ephemeral", ttl: "1h" }]);
    },
  },
  vertex_betas: {
    api: "messages",
    headers: {
      "x-anthropic-beta": "interleaved-thinking-2025-05-14,effort-2025-11-24,advanced-tool-use-2025-11-20",
    },
    body: { max_tokens: 100, messages: [{ role: "user", content: "Hi" }] },
    dropped: ["x-anthropic-beta effort-2025-11-24"],
    verify: ({ headers }) =>
      assert.equal(
        headers.get("anthropic-beta"),
        "interleaved-thinking-2025-05-14,tool-search-tool-2025-10-19",
      ),
  },
  unique_documents: {
    body: {
      input: [{
        type: "message",
        role: "user",
        content: ["one", "two"].map((text) => ({
          type: "input_file",
          filename: "notes.txt",
          file_data: `data:text/plain;base64,${btoa(text)}`,
        })),
      }],
    },
    verify: ({ body }) => {
      const blocks = objects(objects(body.messages)[0]?.content);
      const names = blocks.flatMap(({ document }) => isObject(document) ? [document.name] : []);
      assert.deepEqual(names, ["notes", "notes (2)"]);
    },
  },
};
