/** A gateway with a guardrail on its key, a provider that says what a test wants, and how each API tells it. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, type GatewayOptions, startGateway } from "../support/gateway.ts";
import type { WireId } from "../../server/protocols/canonical/item.ts";
import { createKey, managed } from "../support/manage.ts";
import { chatChunk, type Requested, type Scripted, scripted, sse } from "../support/scripted.ts";
import { type ApiName, apis, framesOf, pricedAt } from "../money/rig.ts";

/** Where in a response a text may stand. */
export const places = ["text", "thought", "arguments"] as const;
export type Place = typeof places[number];

/** Answer of the provider, in pieces. `arguments` are those of a call of the function `send`. */
export interface Said {
  readonly place: Place;
  readonly pieces: readonly string[];
}

const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };

const deltaOf: { readonly [P in Place]: (piece: string) => Json } = {
  text: (content) => ({ content }),
  thought: (reasoning) => ({ reasoning }),
  arguments: (text) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] }),
};

const begun: { readonly [P in Place]: readonly Json[] } = {
  text: [],
  thought: [],
  arguments: [{
    tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "send", arguments: "" } }],
  }],
};

export function chatFrames({ place, pieces }: Said): readonly string[] {
  const finish_reason = place === "arguments" ? "tool_calls" : "stop";
  return [
    chatChunk({ delta: { role: "assistant", content: "" } }),
    ...begun[place].map((delta) => chatChunk({ delta })),
    ...pieces.map((piece) => chatChunk({ delta: deltaOf[place](piece) })),
    ...(place === "thought" ? [chatChunk({ delta: { content: "ok" } })] : []),
    chatChunk({ delta: {}, finish_reason }),
    chatChunk(undefined, usage),
    "data: [DONE]\n\n",
  ];
}

const messageOf: { readonly [P in Place]: (text: string) => Json } = {
  text: (content) => ({ content }),
  thought: (reasoning) => ({ reasoning, content: "ok" }),
  arguments: (text) => ({
    content: null,
    tool_calls: [{ id: "call_1", type: "function", function: { name: "send", arguments: text } }],
  }),
};

export function chatWhole({ place, pieces }: Said): Json {
  const message = { role: "assistant", ...messageOf[place](pieces.join("")) };
  const finish_reason = place === "arguments" ? "tool_calls" : "stop";
  const choices = [{ index: 0, message, finish_reason }];
  return { id: "chatcmpl-1", object: "chat.completion", created: 1, model: "m", choices, usage };
}

export interface Guarded extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly upstream: Scripted;
  readonly guardrail: string;
  readonly key: string;
  /** Sets the provider's next answers. */
  say(said: Said): void;
  /** Changes the guardrail. */
  set(fields: Json): Promise<Json>;
  ask(asking: GuardedCall): Promise<Answer>;
}

export interface GuardedCall {
  readonly api: ApiName;
  readonly stream: boolean;
  readonly more?: Json;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly response: Response;
  readonly status: number;
  /** The body. */
  readonly raw: string;
  /** As a client puts it together; `failed` where the response ended in an error. */
  readonly texts: { readonly [P in Place]: string };
  readonly error: Json | undefined;
}

const sendTool = {
  name: "send",
  description: "Sends a message",
  parameters: { type: "object", properties: {} },
};

export const toolsOf: { readonly [A in ApiName]: readonly Json[] } = {
  responses: [{ type: "function", ...sendTool }],
  chat: [{ type: "function", function: sendTool }],
  messages: [{ name: "send", description: sendTool.description, input_schema: sendTool.parameters }],
};

type GuardedOptions = Pick<GatewayOptions, "clock" | "file" | "env">;

export async function guarded(
  fields: Json = {},
  options: GuardedOptions = {},
): Promise<Guarded> {
  let said: Said = { place: "text", pieces: ["ok"] };
  const script = ({ body }: Requested) =>
    body.stream === true ? sse(chatFrames(said)) : Response.json(chatWhole(said));
  const rig = await guardedBy("chat", script, fields, options);
  const say = (next: Said) => {
    said = next;
  };
  return { ...rig, say, [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose]() };
}

/** In front of a provider that answers by a script, on any wire. */
export async function guardedBy(
  ...[wire, script, fields, options = {}]: [WireId, (requested: Requested) => Response, Json, GuardedOptions?]
): Promise<Omit<Guarded, "say">> {
  const upstream = scripted(script);
  const gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire })], ...options });
  const { key, record } = await createKey(gateway);
  const made = await managed(gateway, { call: "POST /guardrails", body: { name: "Filters", ...fields } });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const guardrail = String(asObject(made.body.data).id);
  const assign = {
    call: `POST /guardrails/${guardrail}/assignments/keys`,
    body: { key_hashes: [record.hash] },
  };
  assert.equal((await managed(gateway, assign)).status, 200);
  return {
    gateway,
    upstream,
    guardrail,
    key,
    set: async (body) => {
      const { status, body: answered } = await managed(gateway, {
        call: `PATCH /guardrails/${guardrail}`,
        body,
      });
      assert.equal(status, 200, JSON.stringify(answered));
      return answered;
    },
    ask: (asking) => ask({ url: gateway.url, key }, asking),
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await upstream.close();
    },
  };
}

async function ask(
  { url, key }: { readonly url: string; readonly key: string },
  { api, stream, text, more = {}, headers = {} }: GuardedCall,
): Promise<Answer> {
  const body = { model: "mock/model", stream, tools: toolsOf[api], ...apis[api].body({ text }), ...more };
  const response = await fetch(url + apis[api].path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const raw = await response.text();
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const frames = isStream ? framesOf(raw) : [asObject(JSON.parse(raw))];
  const failed = frames.find((one) => "error" in one && one.error !== null);
  const read = isStream ? streamed[api] : whole[api];
  const texts = { text: "", thought: "", arguments: "" };
  for (const one of failed !== undefined && !isStream ? [] : frames) {
    for (const [place, piece] of read(one)) texts[place] += piece;
  }
  return { response, status: response.status, raw, texts, error: failed && asObject(failed.error) };
}

type Piece = readonly [Place, string];
type Read = (frame: Json) => readonly Piece[];

const listOf = (value: unknown): readonly Json[] => Array.isArray(value) ? asList(value).map(asObject) : [];

function piecesOf(content: Json): readonly Piece[] {
  const pieces: Piece[] = [];
  if (typeof content.content === "string") pieces.push(["text", content.content]);
  if (typeof content.reasoning === "string") pieces.push(["thought", content.reasoning]);
  for (const call of listOf(content.tool_calls)) {
    const { arguments: text } = asObject(call.function);
    if (typeof text === "string") pieces.push(["arguments", text]);
  }
  return pieces;
}

const whole: { readonly [A in ApiName]: Read } = {
  chat: (body) => listOf(body.choices).flatMap((choice) => piecesOf(asObject(choice.message))),
  responses: (body) =>
    listOf(body.output).flatMap((item): readonly Piece[] => {
      if (item.type === "function_call") return [["arguments", String(item.arguments)]];
      const place = item.type === "reasoning" ? "thought" : "text";
      return [...listOf(item.content), ...listOf(item.summary)].map((part) =>
        [place, String(part.text)] as const
      );
    }),
  messages: (body) =>
    listOf(body.content).map((block): Piece => {
      if (block.type === "tool_use") return ["arguments", JSON.stringify(block.input)];
      return block.type === "thinking" ? ["thought", String(block.thinking)] : ["text", String(block.text)];
    }),
};

const responsesDeltas: ReadonlyMap<unknown, Place> = new Map([
  ["response.output_text.delta", "text"],
  ["response.reasoning_text.delta", "thought"],
  ["response.reasoning_summary_text.delta", "thought"],
  ["response.function_call_arguments.delta", "arguments"],
]);

const messagesDeltas: ReadonlyMap<unknown, readonly [Place, string]> = new Map([
  ["text_delta", ["text", "text"]],
  ["thinking_delta", ["thought", "thinking"]],
  ["input_json_delta", ["arguments", "partial_json"]],
]);

const streamed: { readonly [A in ApiName]: Read } = {
  chat: (frame) => listOf(frame.choices).flatMap((choice) => piecesOf(asObject(choice.delta))),
  responses: ({ type, delta }) => {
    const place = responsesDeltas.get(type);
    return place === undefined ? [] : [[place, String(delta)]];
  },
  messages: ({ type, delta }) => {
    const found = type === "content_block_delta" ? messagesDeltas.get(asObject(delta).type) : undefined;
    return found === undefined ? [] : [[found[0], String(asObject(delta)[found[1]])]];
  },
};
