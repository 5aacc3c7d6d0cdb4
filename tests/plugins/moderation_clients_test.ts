/** Official clients with the plugin moderation, and a limit that holds while many requests ask for it. */

import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { OpenRouter } from "@openrouter/sdk";
import { OpenRouterError } from "@openrouter/sdk/models/errors";
import OpenAI from "openai";
import { asObject } from "../support/event_stream.ts";
import { patientCrowd } from "../support/gateway.ts";
import { createKey } from "../support/manage.ts";
import { apiNames, spentBy } from "../money/rig.ts";
import { askModerated, moderated, moderation } from "./moderation_rig.ts";

const model = "mock/model";
const bad = "a bad text";
const messages = (content: string) => [{ role: "user" as const, content }];

Deno.test("a flagged request is each client's error for 403, with what was flagged", async () => {
  await using rig = await moderated();
  const { url, apiKey } = rig.gateway;
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
  const anthropic = new Anthropic({ baseURL: `${url}/api`, apiKey, maxRetries: 0 });
  const openrouter = new OpenRouter({ serverURL: `${url}/v1`, apiKey, retryConfig: { strategy: "none" } });
  const isFlagged = (error: unknown) =>
    error instanceof OpenAI.PermissionDeniedError &&
    JSON.stringify(error.error).includes('"reasons":["violence"]');
  for (const stream of [false, true]) {
    const responses = { model, input: bad, stream, ...moderation };
    await assert.rejects(openai.responses.create(responses), isFlagged);
    const chat = { model, messages: messages(bad), stream, ...moderation };
    await assert.rejects(openai.chat.completions.create(chat), isFlagged);
    await assert.rejects(
      anthropic.messages.create({ ...chat, max_tokens: 100 }),
      (error: unknown) =>
        error instanceof Anthropic.PermissionDeniedError &&
        asObject(asObject(asObject(error.error).error)).type === "permission_error",
    );
    await assert.rejects(
      openrouter.beta.responses.send({
        responsesRequest: { model, input: bad, stream, plugins: [{ id: "moderation" }] },
      }),
      (error: unknown) => error instanceof OpenRouterError && error.statusCode === 403,
    );
  }
  const kind = { model, messages: messages("kind"), ...moderation };
  const { choices: [choice] } = await openai.chat.completions.create({ ...kind, stream: false });
  assert.equal(choice?.message.content, "Hello");
});

Deno.test("a limit holds while a hundred requests are moderated at once", async () => {
  await using rig = await moderated({ moderation: { price: "0.001" }, limits: patientCrowd });
  const limit = 0.02;
  const { key } = await createKey(rig.gateway, { limit });
  const answers = await Promise.all(Array.from({ length: 100 }, (_, at) =>
    askModerated(rig, {
      api: apiNames[at % 3] ?? "chat",
      stream: at % 2 === 0,
      key,
      text: `${at % 2 === 0 ? "bad" : "kind"} ${at}`,
    })));
  const judged = answers.filter(({ status, error }) =>
    status === 200 || JSON.stringify(error).includes("flagged its input")
  );
  const spent = await spentBy(rig.gateway, key);
  assert.ok(spent <= limit * 1e9, String(spent));
  assert.ok(spent >= judged.length * 1_000_000, "each verdict was paid");
  assert.ok(rig.judged.length <= 20 && judged.length > 0, String(rig.judged.length));
});
