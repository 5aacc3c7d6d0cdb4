/** The official clients, each at its own API, reduced to what all of them can do. */

import assert from "node:assert/strict";
import type Anthropic from "@anthropic-ai/sdk";
import type { OpenResponsesResult, ResponsesRequest } from "@openrouter/sdk/models";
import type { ChatFunctionTool, ChatMessages, ChatRequest, ChatResult } from "@openrouter/sdk/models";
import type { ChatCompletionMessageParam, ChatCompletionTool } from "openai/resources/chat/completions";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { anthropicOf, textOf } from "./anthropic.ts";
import { asInput, type Rig } from "./targets.ts";

export type ApiRig = Pick<Rig, "gateway" | "openai" | "openrouter" | "model">;

export interface Client {
  /** The text that answers `said`. */
  readonly whole: (rig: ApiRig, received: string) => Promise<string>;
  /** The same, put together from the chunks in which it came. */
  readonly pieces: (rig: ApiRig, received: string) => Promise<readonly string[]>;
  /** Has a tool called, brings its result, and tells the text that follows and what the tool was asked. */
  readonly tool: (
    rig: ApiRig,
    result: string,
  ) => Promise<{ readonly requested: unknown; readonly text: string }>;
}

const name = "get_weather";
const parameters = {
  type: "object" as const,
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const QUESTION = "Use get_weather for Rome";

const openaiResponses: Client = {
  whole: async ({ openai, model }, input) => (await openai.responses.create({ model, input })).output_text,
  pieces: async ({ openai, model }, input) => {
    const chunks: string[] = [];
    const stream = openai.responses.stream({ model, input });
    stream.on("response.output_text.delta", ({ delta }) => chunks.push(delta));
    assert.equal((await stream.finalResponse()).output_text, chunks.join(""));
    return chunks;
  },
  tool: async ({ openai, model }, output) => {
    const tools = [{ type: "function" as const, name, parameters, strict: true }];
    const input: ResponseInputItem[] = [{ role: "user", content: QUESTION }];
    const forced = { type: "function" as const, name };
    const first = await openai.responses.create({ model, input, tools, tool_choice: forced });
    const call = first.output.find((item) => item.type === "function_call");
    assert(call !== undefined);
    input.push(...asInput(first.output), { type: "function_call_output", call_id: call.call_id, output });
    const { output_text: text } = await openai.responses.create({ model, input, tools });
    return { requested: JSON.parse(call.arguments), text };
  },
};

const openaiChat: Client = {
  whole: async ({ openai, model }, content) => {
    const body = { model, messages: [{ role: "user" as const, content }] };
    return (await openai.chat.completions.create(body)).choices[0]?.message.content ?? "";
  },
  pieces: async ({ openai, model }, content) => {
    const chunks: string[] = [];
    const stream = openai.chat.completions.stream({ model, messages: [{ role: "user", content }] });
    stream.on("content.delta", ({ delta }) => chunks.push(delta));
    assert.equal(await stream.finalContent(), chunks.join(""));
    return chunks;
  },
  tool: async ({ openai, model }, content) => {
    const tools: ChatCompletionTool[] = [{ type: "function", function: { name, parameters, strict: true } }];
    const messages: ChatCompletionMessageParam[] = [{ role: "user", content: QUESTION }];
    const forced = { type: "function" as const, function: { name } };
    const first = await openai.chat.completions.create({ model, messages, tools, tool_choice: forced });
    const message = first.choices[0]?.message;
    const call = message?.tool_calls?.[0];
    assert(message !== undefined && call?.type === "function");
    messages.push(message, { role: "tool", tool_call_id: call.id, content });
    const second = await openai.chat.completions.create({ model, messages, tools });
    return {
      requested: JSON.parse(call.function.arguments),
      text: second.choices[0]?.message.content ?? "",
    };
  },
};

const max_tokens = 1_000;

const anthropicMessages: Client = {
  whole: async (rig, content) => {
    const messages: Anthropic.MessageParam[] = [{ role: "user", content }];
    return textOf(await anthropicOf(rig).messages.create({ model: rig.model, max_tokens, messages }));
  },
  pieces: async (rig, content) => {
    const chunks: string[] = [];
    const messages: Anthropic.MessageParam[] = [{ role: "user", content }];
    const stream = anthropicOf(rig).messages.stream({ model: rig.model, max_tokens, messages });
    stream.on("text", (delta) => chunks.push(delta));
    assert.equal(await stream.finalText(), chunks.join(""));
    return chunks;
  },
  tool: async (rig, content) => {
    const client = anthropicOf(rig);
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: QUESTION }];
    const body = { model: rig.model, max_tokens, messages, tools: [{ name, input_schema: parameters }] };
    const first = await client.messages.create({ ...body, tool_choice: { type: "tool", name } });
    const call = first.content.find((block) => block.type === "tool_use");
    assert(call?.type === "tool_use");
    const result = { type: "tool_result" as const, tool_use_id: call.id, content };
    messages.push({ role: "assistant", content: first.content }, { role: "user", content: [result] });
    return { requested: call.input, text: textOf(await client.messages.create(body)) };
  },
};

const receivedIn = ({ output }: OpenResponsesResult) =>
  output.flatMap((item) => item.type === "message" ? item.content : [])
    .map((part) => part.type === "output_text" ? part.text : "").join("");

async function sendResponses({ openrouter, model }: ApiRig, preference: ResponsesRequest) {
  const request = { ...preference, model, stream: false as const };
  const result = await openrouter.beta.responses.send({ responsesRequest: request });
  assert("output" in result);
  return result;
}

const openrouterResponses: Client = {
  whole: async (rig, input) => receivedIn(await sendResponses(rig, { input })),
  pieces: async ({ openrouter, model }, input) => {
    const request = { model, input, stream: true as const };
    const stream = await openrouter.beta.responses.send({ responsesRequest: request });
    assert(!("output" in stream));
    const chunks: string[] = [];
    for await (const event of stream) {
      if (event.type === "response.output_text.delta") chunks.push(event.delta);
    }
    return chunks;
  },
  tool: async (rig, output) => {
    const tools = [{ type: "function" as const, name, parameters, strict: true }];
    const question = { role: "user" as const, content: QUESTION };
    const toolChoice = { type: "function" as const, name };
    const first = await sendResponses(rig, { input: [question], tools, toolChoice });
    const call = first.output.find((item) => item.type === "function_call");
    assert(call?.type === "function_call");
    const answer = { type: "function_call_output" as const, callId: call.callId, output };
    const replayed = { ...call, type: "function_call" as const, id: call.id ?? "fc_1" };
    const second = await sendResponses(rig, { input: [question, replayed, answer], tools });
    return { requested: JSON.parse(call.arguments), text: receivedIn(second) };
  },
};

async function sendChat({ openrouter, model }: ApiRig, preference: ChatRequest): Promise<ChatResult> {
  const result = await openrouter.chat.send({ chatRequest: { ...preference, model, stream: false } });
  assert("choices" in result);
  return result;
}

const contentOf = ({ choices: [choice] }: ChatResult) => {
  const content = choice?.message.content;
  return typeof content === "string" ? content : "";
};

const openrouterChat: Client = {
  whole: async (rig, content) => contentOf(await sendChat(rig, { messages: [{ role: "user", content }] })),
  pieces: async ({ openrouter, model }, content) => {
    const messages: ChatMessages[] = [{ role: "user", content }];
    const stream = await openrouter.chat.send({ chatRequest: { model, messages, stream: true } });
    assert(!("choices" in stream));
    const chunks: string[] = [];
    for await (const { choices: [choice] } of stream) {
      if (choice?.delta.content) chunks.push(choice.delta.content);
    }
    return chunks;
  },
  tool: async (rig, content) => {
    const tools: ChatFunctionTool[] = [{ type: "function", function: { name, parameters, strict: true } }];
    const messages: ChatMessages[] = [{ role: "user", content: QUESTION }];
    const toolChoice = { type: "function" as const, function: { name } };
    const first = await sendChat(rig, { messages, tools, toolChoice });
    const message = first.choices[0]?.message;
    const call = message?.toolCalls?.[0];
    assert(message !== undefined && call !== undefined);
    messages.push(message, { role: "tool", toolCallId: call.id, content });
    return {
      requested: JSON.parse(call.function.arguments),
      text: contentOf(await sendChat(rig, { messages, tools })),
    };
  },
};

/** Every client with each of the API that it knows. */
export const clients = {
  "openai at /responses": openaiResponses,
  "openai at /chat/completions": openaiChat,
  "@anthropic-ai/sdk at /messages": anthropicMessages,
  "@openrouter/sdk at /responses": openrouterResponses,
  "@openrouter/sdk at /chat/completions": openrouterChat,
} as const satisfies Readonly<Record<string, Client>>;
