/** The official clients, unmodified and with their usual retries, when a later turn of a loop of server tools fails. */

import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { ChatCompletionTool } from "openai/resources/chat/completions";
import type { Tool } from "openai/resources/responses/responses";
import { pricedAt, spentBy } from "../money/rig.ts";
import { asObject } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { chatTurn, scripted } from "../support/scripted.ts";

const call = { id: "call_1", type: "function", function: { name: "datetime", arguments: "{}" } };
const tool = { type: "service:datetime" };
const model = "mock/model";
const text = "What time is it?";

/** The libraries' types know their own tools only. */
const asTool = (one: { readonly type: string }) => one as unknown as Tool;
const asChatTool = (one: { readonly type: string }) => one as unknown as ChatCompletionTool;
const asMessagesTool = (one: { readonly type: string }) => one as unknown as Anthropic.Tool;

type Asking = (gateway: Gateway) => Promise<object>;

const openaiAt = ({ url, apiKey }: Gateway) => new OpenAI({ baseURL: `${url}/v1`, apiKey });

const clients: Readonly<Record<string, Asking>> = {
  "openai's responses": (gateway) =>
    openaiAt(gateway).responses.create({ model, input: text, tools: [asTool(tool)] }),
  "openai's chat completions": (gateway) =>
    openaiAt(gateway).chat.completions.create({
      model,
      messages: [{ role: "user", content: text }],
      tools: [asChatTool(tool)],
    }),
  "@anthropic-ai/sdk's messages": (gateway) =>
    new Anthropic({ baseURL: gateway.url, apiKey: gateway.apiKey }).messages.create({
      model,
      max_tokens: 300,
      messages: [{ role: "user", content: text }],
      tools: [asMessagesTool(tool)],
    }),
};

for (const [name, ask] of Object.entries(clients)) {
  Deno.test(`${name} get what was made when a later turn fails, and do not buy it again`, async () => {
    await using upstream = scripted(({ body }, number) =>
      number === 0
        ? chatTurn(body, { content: "Let me see.", tool_calls: [{ index: 0, ...call }] })
        : Response.json({ error: { message: "Down for good." } }, { status: 500 })
    );
    await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
    const answer = asObject(await ask(gateway));
    assert.equal(upstream.requested.length, 2, "two turns, once");
    const said = JSON.stringify(answer);
    assert.match(said, /Let me see\./);
    assert.match(JSON.stringify(answer.error), /Down for good/);
    assert.equal(await spentBy(gateway, gateway.apiKey), 17_000);
  });
}

Deno.test("a repetition with the same Idempotency-Key gets the same failed response, and buys nothing", async () => {
  await using upstream = scripted(({ body }, number) =>
    number === 0
      ? chatTurn(body, { content: "Let me see.", tool_calls: [{ index: 0, ...call }] })
      : Response.json({ error: { message: "Down for good." } }, { status: 500 })
  );
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const ask = async () => {
    const response = await fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${gateway.apiKey}`,
        "content-type": "application/json",
        "idempotency-key": "once",
      },
      body: JSON.stringify({ model, input: text, tools: [tool] }),
    });
    return { status: response.status, text: await response.text() };
  };
  const first = await ask();
  assert.equal(asObject(JSON.parse(first.text)).status, "failed");
  assert.deepEqual(await ask(), first);
  assert.equal(upstream.requested.length, 2);
});
