/** A gateway with a moderation service that answers as a test wants, and a provider that counts its calls. */

import assert from "node:assert/strict";
import { asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, type GatewayOptions, startGateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";
import { says, type Scripted, scripted } from "../support/scripted.ts";
import { type ApiName, call, pricedAt } from "../money/rig.ts";

export interface ServiceCall {
  readonly path: string;
  readonly headers: Headers;
  readonly body: Json;
}

type Reply = (call: ServiceCall) => Response | Promise<Response>;

export interface ModerationRig extends AsyncDisposable {
  readonly gateway: Gateway;
  /** The provider of `mock/model`. */
  readonly upstream: Scripted;
  readonly serviceUrl: string;
  /** Calls of the service. */
  readonly judged: readonly ServiceCall[];
  /** Sets the service's next answers. */
  answer(reply: Reply): void;
}

export const KEY = "sk-of-the-service";

/** A result of `POST /moderations` for one text, which is flagged where it has the word `bad`. */
export function scoredResult(text: string): Json {
  const violence = text.includes("bad") ? 0.9 : 0.01;
  return {
    flagged: violence > 0.5,
    categories: { violence: violence > 0.5, hate: false },
    category_scores: { violence, hate: 0 },
  };
}

export const scored: Reply = ({ body: { input } }) => {
  const inputs: readonly unknown[] = Array.isArray(input) ? input : [input];
  return Response.json({
    id: "modr-1",
    model: "m",
    results: inputs.map((one) => scoredResult(JSON.stringify(one))),
  });
};

/** An answer of a judging model. */
export const chatAnswer = (content: string): Response =>
  Response.json({
    id: "c",
    object: "chat.completion",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
  });

export interface ModerationOptions extends GatewayOptions {
  /** Fields of the setting `moderation` besides its address and key; null: there is none. */
  readonly moderation?: Json | null;
}

export async function moderated(options: ModerationOptions = {}): Promise<ModerationRig> {
  const { moderation = {}, file = {}, env = {}, providers = [], ...rest } = options;
  let reply = scored;
  const judged: ServiceCall[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const text = await request.text();
    const { pathname: path } = new URL(request.url);
    const one = { path, headers: request.headers, body: text === "" ? {} : asObject(JSON.parse(text)) };
    judged.push(one);
    return await reply(one);
  });
  const upstream = scripted(says("chat", "Hello"));
  const serviceUrl = `http://127.0.0.1:${server.addr.port}/v1`;
  const service = {
    wire: "openai",
    base_url: serviceUrl,
    api_key_env: "MODERATION_KEY",
    ...moderation,
  };
  const gateway = await startGateway({
    providers: [pricedAt(upstream.baseUrl, { wire: "chat" }), ...providers],
    env: { MODERATION_KEY: KEY, TOLLGATE_LOCAL: "on", ...env },
    file: { ...(moderation === null ? {} : { moderation: service }), ...file },
    ...rest,
  });
  return {
    gateway,
    upstream,
    serviceUrl,
    judged,
    answer: (next) => {
      reply = next;
    },
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
      await server.shutdown();
    },
  };
}

export const moderation = { plugins: [{ id: "moderation" }] } as const;

export interface ModerationRequest {
  readonly api: ApiName;
  readonly stream?: boolean;
  readonly text?: string;
  readonly model?: string;
  readonly more?: Json;
  readonly key?: string;
}

export interface ModeratedAnswer {
  readonly response: Response;
  readonly status: number;
  readonly raw: string;
  /** Where the whole answer is an error. */
  readonly error: Json;
}

/** Asks with the routing metadata; the plugin is named unless `more` says otherwise. */
export async function askModerated(
  { gateway }: Pick<ModerationRig, "gateway">,
  { key = gateway.apiKey, more = moderation, ...input }: ModerationRequest,
): Promise<ModeratedAnswer> {
  const headers = { "x-service-metadata": "enabled" };
  const response = await call(gateway, { key, headers, more, ...input });
  const raw = await response.text();
  const error = response.ok ? {} : asObject(asObject(JSON.parse(raw)).error);
  return { response, status: response.status, raw, error };
}

export async function setDefaults(
  { gateway }: Pick<ModerationRig, "gateway">,
  plugins: unknown,
): Promise<void> {
  const body = { default_plugins: plugins };
  const { status, body: reply } = await managed(gateway, { call: "PATCH /workspaces/default", body });
  assert.equal(status, 200, JSON.stringify(reply));
}
