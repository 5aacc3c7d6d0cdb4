/** How long the first byte of a stream may take, by whose server it is. */

import assert from "node:assert/strict";
import { ask } from "../support/call.ts";
import { fakeClock } from "../support/clock.ts";
import { mockModel, PROVIDER_KEY, providerAt, startGateway } from "../support/gateway.ts";
import { runOut } from "../support/run_out.ts";

const SECOND = 1_000;

interface Waiting {
  readonly model: string;
  /** Seconds. */
  readonly expected: number;
  readonly limits?: Readonly<Record<string, number>>;
}

/** Asks a host that is silent, and says by how many seconds of fake time it was given up. */
async function verifyPatience({ model, expected, limits = {} }: Waiting): Promise<void> {
  let requests = 0;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    requests++;
    return new Promise<Response>((resolve) =>
      request.signal.addEventListener("abort", () => resolve(new Response()))
    );
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const clock = fakeClock();
  const quick = { id: "quick", first_byte_seconds: 20, models: [{ ...mockModel, id: "quick/model" }] };
  try {
    await using gateway = await startGateway({
      clock,
      env: { GROQ_API_KEY: PROVIDER_KEY, GROQ_BASE_URL: url, VLLM_BASE_URL: url },
      providers: [providerAt(url, { wire: "chat" }), providerAt(url, { wire: "chat", ...quick })],
      // The first comment would come before, and with it the status.
      limits: { heartbeat_seconds: 5_000, attempts: 1, ...limits },
    });
    const body = { model, input: "Hi", stream: true };
    const { value, took } = await runOut(ask(gateway, body), { clock, once: () => requests > 0 });
    assert.equal(value.status, 524, await value.text());
    assert.ok(
      took >= expected * SECOND && took <= (expected + 15) * SECOND,
      `${model} took ${took / SECOND} s`,
    );
  } finally {
    await server.shutdown();
  }
}

const cases: readonly Waiting[] = [
  { model: "groq/some-model", expected: 60 },
  { model: "vllm/some-model", expected: 300 },
  { model: "mock/model", expected: 300 },
  { model: "quick/model", expected: 20 },
  { model: "vllm/some-model", limits: { first_byte_seconds: 40 }, expected: 40 },
  { model: "groq/some-model", limits: { first_byte_seconds: 40 }, expected: 40 },
];

for (const one of cases) {
  const { model, limits = {}, expected } = one;
  Deno.test(`${model} has ${expected} s to begin (${JSON.stringify(limits)})`, () => verifyPatience(one));
}
