/** Requests as each family of Claude takes them: on the Messages wire, at Vertex AI and at Bedrock alike. */

import assert from "node:assert/strict";
import type { WireId } from "../../server/protocols/canonical/item.ts";
import { isObject, type Json } from "../mocks/published.ts";
import { choiceOf, messagesOf, samplingOf, type Sent, toolsOf } from "./sent.ts";
import { type Question, type TraitRig, withTraitRig } from "./trait_rig.ts";

const says = (role: string, content: string): Json => ({ type: "message", role, content });
const look: Json = { type: "function", name: "look", parameters: {}, strict: false };
const call: Json = { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" };
const result: Json = { type: "function_call_output", call_id: "call_1", output: "seen" };

/** One model at each place that serves it; the fields of thinking stand elsewhere at Bedrock. */
const places = (name: string): readonly Place[] => [
  { model: `anthropic/${name}`, wire: "messages", only: "anthropic" },
  { model: `anthropic/${name}`, wire: "messages", only: "google-vertex-anthropic" },
  { model: `google-vertex-anthropic/${name}`, wire: "messages", only: "google-vertex-anthropic" },
  { model: `bedrock/us.anthropic.${name}`, wire: "bedrock", only: "bedrock" },
];

interface Place {
  readonly model: string;
  readonly wire: WireId;
  /** The provider that is to serve it. */
  readonly only: string;
}

function thinkingOf({ wire, body }: Sent): unknown {
  const place = wire === "bedrock" ? body.additionalModelRequestFields : body;
  return isObject(place) ? place.thinking : undefined;
}

interface Case {
  readonly name: string;
  readonly model: string;
  readonly body: Question["body"];
  readonly verify: (sent: Sent) => void;
  readonly dropped?: readonly string[];
}

const cases: readonly Case[] = [
  {
    name: "newer models sample as they like",
    model: "claude-opus-4-8",
    body: { input: "Hi", temperature: 0.5, top_p: 0.5 },
    verify: (sent) => assert.deepEqual(samplingOf(sent), []),
    dropped: ["temperature", "top_p"],
  },
  {
    name: "of temperature and top_p some take one",
    model: "claude-haiku-4-5",
    body: { input: "Hi", temperature: 0.5, top_p: 0.5 },
    verify: (sent) => assert.deepEqual(samplingOf(sent), ["temperature"]),
    dropped: ["top_p"],
  },
  {
    name: "adaptive thinking is off beside a forced call",
    model: "claude-opus-4-8",
    body: { input: "Hi", tools: [look], tool_choice: "required", reasoning: { effort: "high" } },
    verify: (sent) => {
      assert.equal(thinkingOf(sent), undefined);
      assert.notEqual(choiceOf(sent), undefined);
    },
    dropped: ["reasoning beside a forced tool call"],
  },
  {
    name: "adaptive thinking that is on by itself is switched off beside a forced call",
    model: "claude-opus-5",
    body: { input: "Hi", tools: [look], tool_choice: "required", reasoning: { effort: "high" } },
    verify: (sent) => assert.deepEqual(thinkingOf(sent), { type: "disabled" }),
    dropped: ["reasoning beside a forced tool call"],
  },
  {
    name: "the assistant's last words begin the answer",
    model: "claude-haiku-4-5",
    body: { input: [says("user", "A"), says("assistant", "The answer is \n")] },
    verify: (sent) => assert.deepEqual(messagesOf(sent), [["user", "A"], ["assistant", "The answer is"]]),
  },
  {
    name: "a model that thinks takes no beginning",
    model: "claude-haiku-4-5",
    body: {
      input: [says("user", "A"), says("assistant", "B")],
      reasoning: { effort: "high" },
      max_output_tokens: 9_000,
    },
    verify: (sent) => assert.deepEqual(messagesOf(sent).at(-1), ["user", "Continue."]),
  },
  {
    name: "newer models take no beginning",
    model: "claude-opus-4-8",
    body: { input: [says("user", "A"), says("assistant", "B")] },
    verify: (sent) => assert.deepEqual(messagesOf(sent).at(-1), ["user", "Continue."]),
  },
  {
    name: "tools that are only in the history are objects too",
    model: "claude-haiku-4-5",
    body: { input: [says("user", "A"), call, result, says("user", "B")] },
    verify: (sent) => assert.deepEqual(toolsOf(sent).get("look"), { type: "object", properties: {} }),
  },
];

async function verifyCase(
  { ask }: TraitRig,
  { name, model, body, verify, dropped = [] }: Case,
): Promise<void> {
  for (const place of places(model)) {
    const answered = await ask(place, { body: { ...body, provider: { only: [place.only] } } });
    verify(answered.sent);
    for (const word of dropped) {
      assert.ok(answered.dropped.includes(word), `${name}: ${place.model} dropped ${answered.dropped}`);
    }
  }
}

Deno.test("Claude takes the same wherever it is served", async (t) => {
  await withTraitRig([], async (rig) => {
    for (const one of cases) await t.step(one.name, () => verifyCase(rig, one));
  });
});

const forcedChoices: readonly unknown[] = ["required", { type: "function", name: "look" }];

Deno.test("a call that a model of Bedrock cannot be forced to is refused, and nothing is sent", async () => {
  await withTraitRig([], async ({ ask }) => {
    const models = [
      "us.meta.llama3-3-70b-instruct-v1:0",
      "cohere.command-r-plus-v1:0",
      "us.anthropic.claude-opus-5-5",
    ];
    for (const model of models) {
      for (const tool_choice of forcedChoices) {
        const question = { body: { input: "Hi", tools: [look], tool_choice } };
        await assert.rejects(
          ask({ model: `bedrock/${model}`, wire: "bedrock" }, question),
          /Cannot force a tool call/,
          model,
        );
      }
    }
  });
});
