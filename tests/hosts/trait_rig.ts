/** One gateway in front of one scripted provider that answers on every wire and at every host. */

import { generateKeyPairSync } from "node:crypto";
import type { WireId } from "../../server/protocols/canonical/item.ts";
import { readJson } from "../support/call.ts";
import { asObject, isObject, type Json } from "../support/event_stream.ts";
import { type Gateway, PROVIDER_KEY, type ProviderSpec, startGateway } from "../support/gateway.ts";
import { hosts } from "./trait_holders.ts";
import type { Sent } from "./sent.ts";

export interface Question {
  readonly api?: "responses" | "messages" | "chat/completions";
  readonly body: Json;
  readonly headers?: Readonly<Record<string, string>>;
  /** The text of the provider's answer, on the Chat Completions wire. */
  readonly says?: string;
}

export interface Answered {
  readonly sent: Sent;
  readonly result: Json;
  /** Parameters that the routing metadata names as dropped. */
  readonly dropped: readonly string[];
}

/** A model, and the wire that it is on. */
export interface HostedModel {
  readonly model: string;
  readonly wire: WireId;
}

export interface TraitRig {
  /** Asks a model that is on this wire; fails for anything but 200. */
  readonly ask: (target: HostedModel, question: Question) => Promise<Answered>;
  readonly gateway: Gateway;
}

const TEXT = "Said.";

/** Answer of the provider to the question that is under way. */
interface Script {
  says?: string;
}

const chatAnswer = (content = TEXT): Json => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 },
});

/** A whole answer of each wire. */
const answers: { readonly [W in WireId]: Json } = {
  responses: {
    id: "resp_up",
    object: "response",
    created_at: 1,
    status: "completed",
    model: "m",
    output: [{
      type: "message",
      id: "msg_up",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: TEXT, annotations: [] }],
    }],
    usage: {
      input_tokens: 7,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 2,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 9,
    },
  },
  chat: chatAnswer(),
  messages: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: TEXT }],
    stop_reason: "end_turn",
    usage: { input_tokens: 7, output_tokens: 2 },
  },
  gemini: {
    candidates: [{ content: { role: "model", parts: [{ text: TEXT }] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 2, totalTokenCount: 9 },
  },
  bedrock: {
    output: { message: { role: "assistant", content: [{ text: TEXT }] } },
    stopReason: "end_turn",
    usage: { inputTokens: 7, outputTokens: 2, totalTokens: 9 },
  },
};

/** By the end of the path. */
const paths: readonly (readonly [RegExp, WireId])[] = [
  [/\/responses$/, "responses"],
  [/\/chat\/completions$/, "chat"],
  [/\/messages$|:rawPredict$/, "messages"],
  [/:generateContent$/, "gemini"],
  [/\/converse$/, "bedrock"],
];

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

/** Switches on every host, all at one address. */
function environment(url: string): Readonly<Record<string, string>> {
  const account = {
    client_email: "gateway@my-project.iam.gserviceaccount.com",
    private_key: privateKey,
    project_id: "my-project",
    token_uri: `${url}/token`,
  };
  const rows = hosts.flatMap((host) =>
    "keyEnv" in host && "baseUrlEnv" in host
      ? [[String(host.keyEnv), PROVIDER_KEY], [String(host.baseUrlEnv), url]]
      : []
  );
  return {
    ...Object.fromEntries(rows),
    VERTEX_SERVICE_ACCOUNT: JSON.stringify(account),
    VERTEX_BASE_URL: url,
    BEDROCK_REGION: "eu-west-1",
    BEDROCK_BASE_URL: url,
    AWS_BEARER_TOKEN_BEDROCK: "bedrock-api-key",
    AZURE_OPENAI_ENDPOINT: url,
    AZURE_OPENAI_API_KEY: "azure-key",
  };
}

/** `providers` are rows of the configuration file, without an address. */
export async function withTraitRig(
  providers: readonly ProviderSpec[],
  test: (rig: TraitRig) => Promise<void>,
): Promise<void> {
  const requested: Sent[] = [];
  const script: Script = {};
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    const text = await request.text();
    if (pathname === "/token") {
      return Response.json({ access_token: "ya29.token", expires_in: 3599, token_type: "Bearer" });
    }
    const wire = paths.find(([path]) => path.test(pathname))?.[1];
    if (wire === undefined) return new Response(pathname, { status: 404 });
    requested.push({ wire, body: asObject(JSON.parse(text)), headers: request.headers });
    return Response.json(wire === "chat" ? chatAnswer(script.says) : answers[wire]);
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  try {
    await using gateway = await startGateway({
      env: environment(url),
      providers: providers.map((row) => ({ base_url: url, ...row })),
    });
    await test({
      gateway,
      ask: ({ model, wire }, question) => ask({ gateway, requested, script, model, wire }, question),
    });
  } finally {
    await server.shutdown();
  }
}

interface Asking extends HostedModel {
  readonly gateway: Gateway;
  readonly requested: Sent[];
  readonly script: Script;
}

async function ask(
  { gateway, requested, script, model, wire }: Asking,
  { api = "responses", body, headers = {}, says }: Question,
): Promise<Answered> {
  script.says = says;
  const response = await fetch(`${gateway.url}/v1/${api}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${gateway.apiKey}`,
      "content-type": "application/json",
      "x-service-metadata": "enabled",
      ...headers,
    },
    body: JSON.stringify({ model, ...body }),
  });
  const result = asObject(await readJson(response));
  const sent = requested.at(-1);
  if (response.status !== 200 || sent?.wire !== wire) {
    throw new Error(`${model} on ${wire}: ${response.status} ${JSON.stringify(result)}`);
  }
  const { params } = asObject(result.service_metadata);
  const dropped = isObject(params) && Array.isArray(params.dropped) ? params.dropped.map(String) : [];
  return { sent, result, dropped };
}

/** Tells whether the result has the model's text in it, on either API. */
export const saidBy = (result: Json): boolean => JSON.stringify(result).includes(TEXT);
