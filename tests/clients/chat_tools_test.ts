import assert from "node:assert/strict";
import { zodFunction } from "openai/helpers/zod";
import type {
  ChatCompletion,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from "openai/resources/chat/completions";
import * as z from "zod";
import { forEach, mocked, targets, withTarget } from "./targets.ts";

const weather: ChatCompletionTool = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
    strict: true,
  },
};
const forced = { type: "function" as const, function: { name: "get_weather" } };
const question: ChatCompletionMessageParam = { role: "user", content: "Use get_weather for Rome" };

function callOf({ choices: [choice] }: ChatCompletion): ChatCompletionMessageFunctionToolCall {
  assert.equal(choice?.finish_reason, "tool_calls");
  const call = choice.message.tool_calls?.[0];
  assert(call?.type === "function");
  return call;
}

forEach(targets, "openai's chat calls a tool and gets its answer", async ({ openai, model }) => {
  const body = { model, messages: [question], tools: [weather], tool_choice: forced };
  const whole = await openai.chat.completions.create(body);
  const streamed = await openai.chat.completions.stream(body).finalChatCompletion();
  for (const answer of [whole, streamed]) {
    const call = callOf(answer);
    assert.equal(typeof JSON.parse(call.function.arguments).city, "string");
    const message = answer.choices[0]?.message;
    assert(message !== undefined);
    const second = await openai.chat.completions.create({
      model,
      tools: [weather],
      messages: [question, message, { role: "tool", tool_call_id: call.id, content: "18 °C" }],
    });
    assert.match(second.choices[0]?.message.content ?? "", /18 °C/);
  }
});

forEach(
  ["echo"],
  "openai's chat runTools goes round until the answer is there",
  async ({ openai, model }) => {
    const requested: unknown[] = [];
    const tool = zodFunction({
      name: "get_weather",
      parameters: z.object({ city: z.string() }),
      function: (input: unknown) => {
        requested.push(input);
        return "18 °C";
      },
    });
    const runner = openai.chat.completions.runTools({ model, messages: [question], tools: [tool] });
    assert.match(await runner.finalContent() ?? "", /18 °C/);
    assert.equal(requested.length, 1);
  },
);

forEach(targets, "openai's chat calls a custom tool", async ({ openai, model }) => {
  const body = {
    model,
    messages: [{ role: "user" as const, content: "Use shell" }],
    tools: [{ type: "custom" as const, custom: { name: "shell" } }],
    tool_choice: { type: "custom" as const, custom: { name: "shell" } },
  };
  const whole = await openai.chat.completions.create(body);
  const streamed = await openai.chat.completions.stream(body).finalChatCompletion();
  for (const { choices: [choice] } of [whole, streamed]) {
    const call = choice?.message.tool_calls?.[0];
    assert(call?.type === "custom");
    assert.equal(call.custom.name, "shell");
    assert(call.custom.input.length > 0);
  }
});

for (const target of mocked) {
  Deno.test(`openai's chat throws on a failure in mid-stream, on ${target}`, () =>
    withTarget({ target, upstream: "mock-error-after", mock: { gapMs: 5 } }, async ({ openai, model }) => {
      const content = "Hello there, this is long enough to be cut";
      const messages = [{ role: "user" as const, content }];
      const stream = await openai.chat.completions.create({ model, messages, stream: true });
      let text = "";
      await assert.rejects(async () => {
        for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
      }, /server had an error|provider|failed/i);
      assert(text.startsWith("You said"), "what was said before stands");
    }));
}
