/** The gateway in front of one mock provider of every wire, asked by OpenAI's own client. */

import assert from "node:assert/strict";
import OpenAI from "openai";
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
} from "openai/resources/responses/responses";
import type { Plan } from "../mocks/plan.ts";
import type { Json } from "../mocks/published.ts";
import type { Mock } from "../mocks/serve.ts";
import { type MockedWire, upstreams, upstreamWires } from "../mocks/upstreams.ts";
import { mockModel, PROVIDER_KEY, providerAt, startGateway } from "../support/gateway.ts";

export type Requested = Omit<ResponseCreateParamsNonStreaming, "model" | "stream">;

export interface Rig {
  /** Asks the model of that wire, streamed or whole. */
  readonly ask: (
    wire: MockedWire,
    requested: Requested,
    options: { readonly stream: boolean },
  ) => Promise<Response>;
  /** Bodies that the provider of that wire took: it refuses what its service would refuse. */
  readonly taken: (wire: MockedWire) => readonly Json[];
}

export interface RigOptions {
  /** Makes the next answer, of whichever wire is asked. */
  readonly next: (wire: MockedWire) => Plan;
}

type Mocks = ReadonlyMap<MockedWire, Mock>;

/** Runs a test and leaves nothing behind. */
export async function withAllWires({ next }: RigOptions, test: (rig: Rig) => Promise<void>): Promise<void> {
  const mocks: Mocks = new Map(
    upstreamWires.map((wire) => [
      wire,
      upstreams[wire].start({ apiKey: PROVIDER_KEY, answer: () => next(wire) }),
    ]),
  );
  try {
    await using gateway = await startGateway({ providers: [...mocks].map(providerOf) });
    const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey, maxRetries: 0 });
    await test({
      ask: (wire, requested, { stream }) =>
        answer(openai, { ...requested, model: `mock/${wire}` }, { stream }),
      taken: (wire) => mocks.get(wire)?.requests.map(({ body }) => body) ?? [],
    });
    for (const mock of mocks.values()) assert.equal(mock.open(), 0);
  } finally {
    await Promise.all([...mocks.values()].map((mock) => mock.close()));
  }
}

function providerOf([wire, mock]: readonly [MockedWire, Mock]) {
  const model = { ...mockModel, id: `mock/${wire}`, upstream_id: `${upstreams[wire].prefix}mock` };
  return providerAt(mock.url, { id: `mock-${wire}`, wire, models: [model] });
}

/** The streamed answer is what the last event holds; what came before it is the matter of other tests. */
async function answer(
  openai: OpenAI,
  requested: ResponseCreateParamsNonStreaming,
  { stream }: { readonly stream: boolean },
): Promise<Response> {
  if (!stream) return await openai.responses.create(requested);
  const events = await openai.responses.create({ ...requested, stream: true });
  let last: Response | undefined;
  for await (const event of events) {
    if (event.type === "response.completed" || event.type === "response.incomplete") last = event.response;
  }
  assert(last !== undefined, "the stream has an end");
  return last;
}

/** Output goes back as input, as the documentation of the library has it; its types disagree in one rare item. */
export const asInput = (output: Response["output"]): ResponseInputItem[] => output as ResponseInputItem[];
