/** response-healing with the official clients: what their helpers for JSON throw on without it, they read with it. */

import assert from "node:assert/strict";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import * as z from "zod";
import { anthropicOf, textOf } from "../clients/anthropic.ts";
import { mocked, type Rig, withTarget } from "../clients/targets.ts";
import { counts, says } from "../server_tools/rig.ts";

const person = z.object({ name: z.string(), age: z.int(), langs: z.array(z.string()) });
const ada = { name: "Ada", age: 36, langs: ["en", "fr"] };
const broken =
  'Sure!\n```json\n{\'name\': \'Ada\', age: 36, // years\n "langs": ["en", "fr",],}\n```\nAnything else?';
const plugins = [{ id: "response-healing" as const }];

const rigOf = (test: (rig: Rig) => Promise<void>) => (target: typeof mocked[number]) => {
  const answer = () => ({ items: [says(broken)], finish: "stop" as const, counts, pieces: [1, 7, 2] });
  return withTarget({ target, mock: { answer } }, test);
};

async function assertHeals(read: (healing: object) => Promise<unknown>): Promise<void> {
  await assert.rejects(read({}), "the model's answer is no JSON");
  assert.deepEqual(await read({ plugins }), ada);
}

Deno.test("openai's helpers read healed JSON, whole and streamed", async (t) => {
  const test = rigOf(async ({ openai, model }) => {
    const chat = {
      model,
      messages: [{ role: "user" as const, content: "Who?" }],
      response_format: zodResponseFormat(person, "person"),
    };
    const responses = { model, input: "Who?", text: { format: zodTextFormat(person, "person") } };
    await assertHeals(async (more) => {
      const { choices: [choice] } = await openai.chat.completions.parse({ ...chat, ...more });
      return choice?.message.parsed;
    });
    await assertHeals(async (more) => {
      const { choices: [choice] } = await openai.chat.completions.stream({ ...chat, ...more })
        .finalChatCompletion();
      return choice?.message.parsed;
    });
    await assertHeals(async (more) =>
      (await openai.responses.parse({ ...responses, ...more })).output_parsed
    );
    await assertHeals(async (more) =>
      (await openai.responses.stream({ ...responses, ...more }).finalResponse()).output_parsed
    );
  });
  for (const target of mocked) await t.step(target, () => test(target));
});

Deno.test("Anthropic's client gets healed JSON, whole and streamed", async (t) => {
  const test = rigOf(async (rig) => {
    const client = anthropicOf(rig);
    const body = {
      model: rig.model,
      max_tokens: 1_000,
      messages: [{ role: "user" as const, content: "Who?" }],
      output_config: { format: { type: "json_schema" as const, schema: z.toJSONSchema(person) } },
    };
    await assertHeals(async (more) => JSON.parse(textOf(await client.messages.create({ ...body, ...more }))));
    await assertHeals(async (more) =>
      JSON.parse(textOf(await client.messages.stream({ ...body, ...more }).finalMessage()))
    );
  });
  for (const target of mocked) await t.step(target, () => test(target));
});

Deno.test("@openrouter/sdk takes the plugin, and gets healed JSON", async (t) => {
  const test = rigOf(async ({ openrouter, model }) => {
    const responsesRequest = {
      model,
      input: "Who?",
      text: { format: { type: "json_schema" as const, name: "person", schema: z.toJSONSchema(person) } },
      plugins,
    };
    const result = await openrouter.beta.responses.send({
      responsesRequest: { ...responsesRequest, stream: false },
    });
    assert("output" in result);
    const parts = result.output.flatMap((item) => item.type === "message" ? item.content : []);
    assert.deepEqual(parts.map((part) => part.type === "output_text" && JSON.parse(part.text)), [ada]);
    const messages = [{ role: "user" as const, content: "Who?" }];
    const responseFormat = { type: "json_object" as const };
    const chat = await openrouter.chat.send({
      chatRequest: { model, messages, responseFormat, plugins, stream: false },
    });
    assert("choices" in chat);
    assert.deepEqual(JSON.parse(String(chat.choices[0]?.message.content)), ada);
  });
  for (const target of mocked) await t.step(target, () => test(target));
});
