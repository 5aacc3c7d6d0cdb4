import assert from "node:assert/strict";
import type Anthropic from "@anthropic-ai/sdk";
import { anthropicOf, textOf } from "./anthropic.ts";
import { forEach, targets } from "./targets.ts";

const weather: Anthropic.Tool = {
  name: "get_weather",
  description: "Weather of a city",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const max_tokens = 1_000;

const callOf = ({ content }: Anthropic.Message): Anthropic.ToolUseBlock => {
  const call = content.find((block) => block.type === "tool_use");
  assert(call?.type === "tool_use");
  return call;
};

forEach(targets, "@anthropic-ai/sdk runs a tool and gets its answer", async (rig) => {
  const client = anthropicOf(rig);
  const question = { role: "user" as const, content: "Use get_weather for Rome" };
  const body = { model: rig.model, max_tokens, tools: [weather] };
  const forced = { type: "tool" as const, name: "get_weather" };
  const requested = { ...body, messages: [question], tool_choice: forced };
  const whole = await client.messages.create(requested);
  const streamed = await client.messages.stream(requested).finalMessage();
  for (const message of [whole, streamed]) {
    assert.equal(message.stop_reason, "tool_use");
    const call = callOf(message);
    assert.equal(call.name, "get_weather");
    assert.equal(typeof Object(call.input).city, "string");
    const second = await client.messages.create({
      ...body,
      messages: [question, { role: "assistant", content: message.content }, {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: call.id, content: "18 °C" }],
      }],
    });
    assert.match(textOf(second), /18 °C/);
  }
});

forEach(targets, "@anthropic-ai/sdk's tool results hold parts and pictures", async (rig) => {
  const client = anthropicOf(rig);
  const data =
    "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==";
  const answer = await client.messages.create({
    model: rig.model,
    max_tokens,
    tools: [weather],
    messages: [
      { role: "user", content: "Look" },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "get_weather", input: {} }] },
      {
        role: "user",
        content: [{
          type: "tool_result",
          tool_use_id: "toolu_1",
          content: [
            { type: "text", text: "sunny" },
            { type: "image", source: { type: "base64", media_type: "image/png", data } },
          ],
        }],
      },
    ],
  });
  assert(textOf(answer).length > 0);
  const sent = JSON.stringify(rig.mock?.requests.at(-1)?.body ?? data);
  assert(sent.includes(data), "the picture reached the provider whole");
});

forEach(["echo"], "@anthropic-ai/sdk's toolRunner goes round until the answer is there", async (rig) => {
  const requested: unknown[] = [];
  const runner = anthropicOf(rig).beta.messages.toolRunner({
    model: rig.model,
    max_tokens,
    messages: [{ role: "user", content: "Use get_weather for Rome" }],
    tools: [{
      ...weather,
      type: "custom",
      description: "Weather of a city",
      parse: (input: unknown) => input,
      run: (input: unknown) => {
        requested.push(input);
        return "18 °C";
      },
    }],
  });
  const last = await runner;
  assert(requested.length >= 1);
  assert(last.content.some((block) => block.type === "text" && block.text.includes("18 °C")));
});

forEach(
  targets,
  "@anthropic-ai/sdk says that a tool failed, where the provider has a word for it",
  async (rig) => {
    for (const content of ["no such city", [{ type: "text" as const, text: "no such city" }]]) {
      const answer = await anthropicOf(rig).messages.create({
        model: rig.model,
        max_tokens,
        tools: [weather],
        messages: [
          { role: "user", content: "Look" },
          {
            role: "assistant",
            content: [{ type: "tool_use", id: "toolu_1", name: "get_weather", input: {} }],
          },
          {
            role: "user",
            content: [{ type: "tool_result", tool_use_id: "toolu_1", is_error: true, content }],
          },
        ],
      });
      assert.match(textOf(answer), /no such city/);
      const sent = JSON.stringify(rig.mock?.requests.at(-1)?.body ?? {});
      assert.equal(sent.includes('"is_error":true'), rig.target === "messages");
    }
  },
);
