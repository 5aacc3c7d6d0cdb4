/** Vercel's client of the Messages API: it checks every event and every answer by strict schemas of its own. */

import assert from "node:assert/strict";
import { createAnthropic } from "@ai-sdk/anthropic";
import type { Plan } from "../mocks/plan.ts";
import { forEach, type Rig, targets, withTarget } from "./targets.ts";

const modelOf = ({ gateway, model }: Pick<Rig, "gateway" | "model">) =>
  createAnthropic({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey })(model);

type Options = Parameters<ReturnType<typeof modelOf>["doGenerate"]>[0];
type Part = Awaited<ReturnType<ReturnType<typeof modelOf>["doGenerate"]>>["content"][number];

const user = (text: string): Options["prompt"][number] => ({
  role: "user",
  content: [{ type: "text", text }],
});

const textOf = (content: readonly Part[]) =>
  content.flatMap((part) => part.type === "text" ? [part.text] : []).join("");

/** Collects a stream, with its errors thrown as a caller of the library would meet them. */
async function streamed(rig: Rig, options: Options) {
  const { stream } = await modelOf(rig).doStream(options);
  const text: string[] = [];
  const types = new Set<string>();
  for await (const part of stream) {
    if (part.type === "error") throw part.error;
    types.add(part.type);
    if (part.type === "text-delta") text.push(part.delta);
  }
  return { text: text.join(""), types };
}

forEach(targets, "@ai-sdk/anthropic answers with text, whole and streamed", async (rig) => {
  const options: Options = { prompt: [user("Good morning, Köln 👋")], maxOutputTokens: 1_000 };
  const whole = await modelOf(rig).doGenerate(options);
  assert.equal(textOf(whole.content), "You said: Good morning, Köln 👋");
  assert.equal(whole.finishReason.unified, "stop");
  const { text, types } = await streamed(rig, options);
  assert.equal(text, textOf(whole.content));
  assert(types.has("finish"));
});

const tool = {
  type: "function" as const,
  name: "get_weather",
  inputSchema: {
    type: "object" as const,
    properties: { city: { type: "string" as const } },
    required: ["city"],
  },
};

forEach(targets, "@ai-sdk/anthropic has tools called and brings results", async (rig) => {
  const question = user("Use get_weather for Rome");
  const toolChoice = { type: "tool" as const, toolName: tool.name };
  const requested: Options = { prompt: [question], tools: [tool], toolChoice, maxOutputTokens: 1_000 };
  const first = await modelOf(rig).doGenerate(requested);
  const call = first.content.find((part) => part.type === "tool-call");
  assert(call?.type === "tool-call");
  const { toolCallId, toolName, input } = call;
  const second: Options = {
    prompt: [
      question,
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId, toolName, input: JSON.parse(input) }],
      },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value: "Sunny" } }],
      },
    ],
    tools: [tool],
    maxOutputTokens: 1_000,
  };
  assert.match(textOf((await modelOf(rig).doGenerate(second)).content), /Sunny/);
  assert.match((await streamed(rig, second)).text, /Sunny/);
});

forEach(targets, "@ai-sdk/anthropic reads thoughts", async (rig) => {
  const options: Options = {
    prompt: [user("Think about it.")],
    maxOutputTokens: 4_000,
    providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 1_024 } } },
  };
  const { content } = await modelOf(rig).doGenerate(options);
  assert(content.some(({ type }) => type === "reasoning"));
  const { types } = await streamed(rig, options);
  assert(types.has("reasoning-start") && types.has("reasoning-end"));
});

for (const target of ["responses", "messages"] as const) {
  const cited: Plan = {
    items: [{ type: "text", text: "The sky is blue.", citing: "https://example.org/sky" }],
    finish: "stop",
    counts: { input: 9, output: 5, cached: 0, reasoning: 0 },
    pieces: [4],
  };
  Deno.test(`@ai-sdk/anthropic reads text that is cited, on ${target}`, () =>
    withTarget({ target, mock: { answer: () => cited } }, async (rig) => {
      const options: Options = { prompt: [user("Why?")], maxOutputTokens: 1_000 };
      const { content } = await modelOf(rig).doGenerate(options);
      assert.equal(textOf(content), "The sky is blue.");
      assert.equal((await streamed(rig, options)).text, "The sky is blue.");
    }));
}

Deno.test("@ai-sdk/anthropic knows a provider's 429 as one that may be tried again", () =>
  withTarget({ target: "messages", upstream: "mock-429" }, async (rig) => {
    await assert.rejects(
      () => Promise.resolve(modelOf(rig).doGenerate({ prompt: [user("Hi")], maxOutputTokens: 1_000 })),
      { name: "AI_APICallError", statusCode: 429, isRetryable: true },
    );
  }));
