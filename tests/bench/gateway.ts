/** The gateway under measurement: its settings, and the requests that go to it. */

import type { Target } from "./job.ts";
import { type LoopPreference, loopPromptOf, type Preference, promptOf } from "./marker.ts";
import { type StartedServer, startGateway } from "./process.ts";

export const API_KEY = "bench-api-key-of-at-least-32-characters";
export const MANAGEMENT_KEY = "bench-management-key-of-at-least-32-characters";

/** The wires that the instant upstream speaks; each is a provider with one model. */
export type BenchWire = "responses" | "chat";

function provider(wire: BenchWire, upstream: number) {
  const model = {
    upstream_id: "bench",
    context_length: 128_000,
    max_output_tokens: 8192,
    input_modalities: ["text"],
    output_modalities: ["text"],
    supported_parameters: ["max_output_tokens", "temperature", "tools"],
    pricing: { prompt: "0.0000002", completion: "0.0000006" },
  };
  const long = { ...model, id: `bench/${wire}-long`, context_length: 100_000_000 };
  return {
    id: `bench-${wire}`,
    name: `Instant upstream, ${wire}`,
    wire,
    base_url: `http://127.0.0.1:${upstream}/v1`,
    api_key_env: "BENCH_UPSTREAM_KEY",
    models: [{ ...model, id: `bench/${wire}` }, long],
  };
}

/** The settings of a gateway on a store and a configuration of its own below `folder`, which they are written to. */
export async function benchSettings(
  upstream: number,
  folder: string,
): Promise<Readonly<Record<string, string>>> {
  const config = `${folder}/bench.jsonc`;
  const providers = [provider("responses", upstream), provider("chat", upstream)];
  await Deno.writeTextFile(config, JSON.stringify({ providers }));
  return {
    TOLLGATE_DATA: `${folder}/data`,
    TOLLGATE_CONFIG: config,
    TOLLGATE_API_KEY: API_KEY,
    TOLLGATE_MANAGEMENT_KEY: MANAGEMENT_KEY,
    BENCH_UPSTREAM_KEY: "bench",
    LOG_LEVEL: "error",
    LOG_FORMAT: "json",
  };
}

/** Starts the gateway with these settings. */
export async function benchGateway(upstream: number, folder: string): Promise<StartedServer> {
  return await startGateway(await benchSettings(upstream, folder));
}

export interface Requested {
  readonly method: string;
  /** Below `/v1`. */
  readonly path: string;
  readonly body: unknown;
}

/** Calls a management operation. Throws when it refuses. */
export async function managed(port: number, { method, path, body }: Requested): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
    method,
    headers: { ...bearer(MANAGEMENT_KEY), "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`);
  return JSON.parse(text);
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const headers = bearer(API_KEY);

/** Whoever fetches files needs a management key. */
export const fileHeaders = bearer(MANAGEMENT_KEY);

/** A short question to the gateway, as a newcomer's `curl` asks it; by the first API key by default. */
export function gatewayQuestion(port: number, wire: BenchWire, { key = API_KEY } = {}): Target {
  const body = JSON.stringify({
    model: `bench/${wire}`,
    instructions: "Answer briefly.",
    input: "Say hello to the person who measures you.",
    max_output_tokens: 64,
    temperature: 0.5,
  });
  return { port, path: "/v1/responses", headers: bearer(key), body };
}

/** For a prompt of any length, which the load generator puts in. */
export function gatewayLongQuestion(port: number): Target {
  const body = JSON.stringify({ model: "bench/chat-long" });
  return { port, path: "/v1/responses", headers, body };
}

/** A question whose model calls a server tool in each of so many turns. */
export function gatewayLoop(port: number, steps: number): Target {
  const body = JSON.stringify({
    model: "bench/chat",
    input: loopPromptOf({ steps, atOnce: 1 }),
    tools: [{ type: "service:datetime" }],
    max_tool_calls: steps + 1,
  });
  return { port, path: "/v1/responses", headers, body };
}

/** The same as a stream, with several calls in each turn. */
export function gatewayLoopStream(port: number, preference: LoopPreference): Target {
  const body = JSON.stringify({
    model: "bench/chat",
    input: loopPromptOf(preference),
    tools: [{ type: "service:datetime" }],
    stop_server_tools_when: [{ type: "step_count_is", step_count: preference.steps + 1 }],
    stream: true,
  });
  return { port, path: "/v1/responses", headers, body };
}

/** A question with the same size and the same answer, for the proxy or the upstream itself. */
export function plainQuestion(port: number): Target {
  const body = JSON.stringify({
    model: "bench",
    messages: [
      { role: "developer", content: "Answer briefly." },
      { role: "user", content: "Say hello to the person who measures you." },
    ],
    max_completion_tokens: 64,
    temperature: 0.5,
  });
  return { port, path: "/v1/chat/completions", headers, body };
}

export function gatewayStream(port: number, preference: Preference): Target {
  const body = JSON.stringify({ model: "bench/chat", input: promptOf(preference), stream: true });
  return { port, path: "/v1/responses", headers, body };
}

export function plainStream(port: number, preference: Preference): Target {
  const messages = [{ role: "user", content: promptOf(preference) }];
  const body = JSON.stringify({ model: "bench", stream: true, messages });
  return { port, path: "/v1/chat/completions", headers, body };
}
