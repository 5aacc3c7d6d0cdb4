import assert from "node:assert/strict";
import OpenAI from "openai";
import { OpenRouter } from "@openrouter/sdk";
import { wires as storied } from "../golden/wires.ts";
import { isObject } from "../support/event_stream.ts";
import { mockModel, PROVIDER_KEY, providerAt, startGateway } from "../support/gateway.ts";
import type { Mock } from "../mocks/serve.ts";
import { type MockedWire, upstreams, upstreamWires } from "../mocks/upstreams.ts";
import { type ApiRig, type Client, clients } from "./apis.ts";

const model = "mock/model";
const greeting = "Say good morning to Köln 👋";

interface Behind extends ApiRig {
  readonly mock: Mock;
}

interface Preference {
  readonly wire: MockedWire;
  /** Ending of the model's name at the mock: it may ask for a fault. */
  readonly upstream?: string;
}

/** Runs a test on a gateway before the mock of a wire, and leaves nothing behind. */
async function withWire(
  { wire, upstream = "mock" }: Preference,
  test: (rig: Behind) => Promise<void>,
): Promise<void> {
  const mock = upstreams[wire].start({ apiKey: PROVIDER_KEY });
  try {
    const models = [{ ...mockModel, upstream_id: `${upstreams[wire].prefix}${upstream}` }];
    await using gateway = await startGateway({ providers: [providerAt(mock.url, { wire, models })] });
    const { url, apiKey } = gateway;
    await test({
      gateway,
      mock,
      model,
      openai: new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 }),
      openrouter: new OpenRouter({
        serverURL: `${url}/api/v1`,
        apiKey,
        retryConfig: { strategy: "none" },
      }),
    });
    assert.equal(mock.open(), 0, "nothing is left open at the provider");
  } finally {
    await mock.close();
  }
}

const statusOf = (error: unknown): unknown => isObject(error) ? error.status ?? error.statusCode : undefined;

/** Every client throws an error of its own that has the status, whatever way it asked. */
function refuses(status: number) {
  return (client: Client, wire: MockedWire) =>
    withWire({ wire, upstream: `mock-${status}` }, async (rig) => {
      for (const call of [client.whole, client.pieces]) {
        await assert.rejects(() => Promise.resolve(call(rig, "Hi")), (error: unknown) => {
          assert(error instanceof Error);
          assert.equal(statusOf(error), status, `${error.name}: ${error.message}`);
          assert(!JSON.stringify(error).includes(PROVIDER_KEY) && !error.message.includes(PROVIDER_KEY));
          return true;
        });
      }
    });
}

type Case = (client: Client, wire: MockedWire) => Promise<void>;

const cases: Readonly<Record<string, Case>> = {
  "text, whole": (client, wire) =>
    withWire({ wire }, async (rig) => {
      assert.equal(await client.whole(rig, greeting), `You said: ${greeting}`);
      assert.equal(rig.mock.requests.length, 1);
    }),
  "text, streamed": (client, wire) =>
    withWire({ wire }, async (rig) => {
      const chunks = await client.pieces(rig, greeting);
      assert(chunks.length > 2, "it comes in pieces");
      assert.equal(chunks.join(""), `You said: ${greeting}`);
    }),
  "a tool's call and its result": (client, wire) =>
    withWire({ wire }, async (rig) => {
      const { requested, text } = await client.tool(rig, "18 °C");
      assert.deepEqual(requested, { city: "text" });
      assert.equal(text, "The tool said: 18 °C");
      assert.equal(rig.mock.requests.length, 2);
    }),
  "404": refuses(404),
  "429": refuses(429),
};

const registered: string[] = [];

for (const [client, calls] of Object.entries(clients)) {
  for (const wire of upstreamWires) {
    for (const [name, test] of Object.entries(cases)) {
      const bucket = `${client}, on ${wire}: ${name}`;
      registered.push(bucket);
      Deno.test(bucket, () => test(calls, wire));
    }
  }
}

/** Names that must be there, written once more: the loops above may not lose any of them. */
const promised = {
  clients: [
    "openai at /responses",
    "openai at /chat/completions",
    "@anthropic-ai/sdk at /messages",
    "@openrouter/sdk at /responses",
    "@openrouter/sdk at /chat/completions",
  ],
  cases: ["text, whole", "text, streamed", "a tool's call and its result", "404", "429"],
} as const;

/** Wires whose mock is still to be written; nothing else may be missing, and nothing that is there may stay here. */
const awaited: readonly string[] = [];

Deno.test("every wire that has its stories has its mock among these", () => {
  const mocked: readonly string[] = upstreamWires;
  const missing = Object.keys(storied).filter((wire) => !mocked.includes(wire) && !awaited.includes(wire));
  assert.deepEqual(missing, []);
  assert.deepEqual(awaited.filter((wire) => mocked.includes(wire)), []);
});

Deno.test("no cell of clients × wires × cases is missing", () => {
  const all = promised.clients.flatMap((client) =>
    upstreamWires.flatMap((wire) => promised.cases.map((name) => `${client}, on ${wire}: ${name}`))
  );
  assert.deepEqual(registered.toSorted(), all.toSorted());
});
