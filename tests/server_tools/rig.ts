/** A gateway in front of a mock of each wire, whose models say what the test plans turn by turn. */

import assert from "node:assert/strict";
import type { Plan, Planned } from "../mocks/plan.ts";
import type { Json } from "../mocks/published.ts";
import type { Mock, MockOptions } from "../mocks/serve.ts";
import { type MockedWire, upstreams, upstreamWires } from "../mocks/upstreams.ts";
import { asObject } from "../support/event_stream.ts";
import { until } from "../support/until.ts";
import {
  type Gateway,
  type GatewayOptions,
  mockModel,
  PROVIDER_KEY,
  providerAt,
  type ProviderSpec,
  startGateway,
} from "../support/gateway.ts";

export { type MockedWire, upstreamWires };

/** Answer of the model in a turn: by the turn, from 0, of the request under way. */
export type Turns = (turn: number, body: Json) => readonly Planned[] | Plan;

export interface ToolRig {
  readonly gateway: Gateway;
  /** Sets what the models say from now on, and forgets the bodies that they were sent. */
  readonly plan: (turns: Turns) => void;
  /** Bodies that the provider of that wire took since then: it refuses what its service would refuse. */
  readonly taken: (wire: MockedWire) => readonly Json[];
  readonly mock: (wire: MockedWire) => Mock;
}

export const counts = { input: 100, output: 10, cached: 0, reasoning: 0 };

export function planOf(said: readonly Planned[] | Plan): Plan {
  return "items" in said ? said : { items: said, finish: "stop", counts, pieces: [3, 5, 8] };
}

/** A call of a function by the model. */
export const calls = (
  name: string,
  { args = {}, id = `call_${name}` }: { readonly args?: Json | string; readonly id?: string } = {},
): Planned => ({
  type: "call",
  kind: "function",
  callId: id,
  name,
  arguments: typeof args === "string" ? args : JSON.stringify(args),
});

export const says = (text: string): Planned => ({ type: "text", text });

/** USD: a millionth for a token of the prompt, two for one of the answer. */
export const price = { prompt: "0.000001", completion: "0.000002" } as const;

/** Fields of every model, or of those of a wire. */
export type ModelFields = Json | ((wire: MockedWire) => Json);

export interface RigOptions extends GatewayOptions {
  readonly model?: ModelFields;
  /** Fields of every provider. */
  readonly provider?: ProviderSpec;
  /** Finds what every provider refuses besides what its service would. */
  readonly refuses?: MockOptions["refuses"];
}

export async function withTools(
  { model = {}, provider = {}, refuses, ...options }: RigOptions,
  test: (rig: ToolRig) => Promise<void>,
): Promise<void> {
  let turns: Turns = () => [says("Hi")];
  let turn = 0;
  const from = new Map<MockedWire, number>();
  const answer = (body: Json) => planOf(turns(turn++, body));
  const mocks = new Map(
    upstreamWires.map((wire) =>
      [wire, upstreams[wire].start({ apiKey: PROVIDER_KEY, answer, refuses })] as const
    ),
  );
  const mock = (wire: MockedWire) => {
    const found = mocks.get(wire);
    assert(found !== undefined);
    return found;
  };
  try {
    const providers = [...mocks].map(([wire, { url }]) =>
      providerAt(url, {
        id: `mock-${wire}`,
        wire,
        ...provider,
        models: ["", "-hang", "-stall", "-500", "-slow-20"].map((fault) => ({
          ...mockModel,
          id: `mock/${wire}${fault}`,
          upstream_id: `${upstreams[wire].prefix}mock${fault}`,
          max_output_tokens: 20_000,
          pricing: price,
          ...(typeof model === "function" ? model(wire) : model),
        })),
      })
    );
    await using gateway = await startGateway({ ...options, providers });
    await test({
      gateway,
      mock,
      plan: (next) => {
        turns = next;
        turn = 0;
        for (const wire of upstreamWires) from.set(wire, mock(wire).requests.length);
      },
      taken: (wire) => mock(wire).requests.slice(from.get(wire) ?? 0).map(({ body }) => body),
    });
    const open = () => [...mocks.values()].reduce((sum, one) => sum + one.open(), 0);
    await until(() => open() === 0, { what: "that no call of a provider is open" });
  } finally {
    await Promise.all([...mocks.values()].map((one) => one.close()));
  }
}

export const paths = {
  responses: "/v1/responses",
  chat: "/v1/chat/completions",
  messages: "/v1/messages",
} as const;
export type Api = keyof typeof paths;
export const apis: readonly Api[] = ["responses", "chat", "messages"];

export interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface SendOptions {
  readonly api?: Api;
  readonly body: Json;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function send(gateway: Gateway, options: SendOptions): Promise<Sent> {
  const { api = "responses", body, key = gateway.apiKey, headers = {} } = options;
  const response = await fetch(gateway.url + paths[api], {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The JSON of an answer that is one object. */
export function wholeOf({ status, text }: Sent, expected = 200): Json {
  assert.equal(status, expected, text);
  return asObject(JSON.parse(text));
}

/** The events of an answer that is a stream. */
export function eventsOf({ status, text }: Sent): readonly Json[] {
  assert.equal(status, 200, text);
  return text.split("\n").filter((line) => line.startsWith("data: {"))
    .map((line) => asObject(JSON.parse(line.slice("data: ".length))));
}

/** The result object of a streamed response. */
export function resultOf(sent: Sent): Json {
  const last = eventsOf(sent).at(-1);
  return asObject(last?.response);
}

/** The result object of a response, whole or streamed. */
export const responseOf = (sent: Sent): Json =>
  sent.headers.get("content-type")?.startsWith("text/event-stream") ? resultOf(sent) : wholeOf(sent);

/** The items of a response, whole or streamed. */
export const outputOf = (sent: Sent): readonly Json[] => itemsOf(responseOf(sent));

export const itemsOf = (result: Json): readonly Json[] => {
  assert(Array.isArray(result.output));
  return result.output.map(asObject);
};
