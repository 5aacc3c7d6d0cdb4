/** A gateway in front of faultd: what happened, and the invariants that hold after every fault. */

import assert from "node:assert/strict";
import { type Faultd, startFaultd } from "../faultd/server.ts";
import { ask, readError, readJson, type Reported } from "../support/call.ts";
import { asObject, checkStream, type EventStream, type Json, readStream } from "../support/event_stream.ts";
import { type Gateway, PROVIDER_KEY, providerAt, startGateway } from "../support/gateway.ts";
import type { Wire } from "../support/scripted.ts";
import type { CountedClock } from "../support/ticking_clock.ts";
import { until } from "../support/until.ts";

export interface FaultRigOptions {
  readonly wire?: Wire;
  readonly clock?: CountedClock;
  /** As in the configuration file. */
  readonly limits?: Readonly<Record<string, number>>;
  /** Behind the platform's API instead of the gateway's own. */
  readonly platform?: boolean;
  /** Faults of the endpoints that serve `mock/model`, best first. */
  readonly endpoints?: readonly string[];
  /** Stands between the gateway and faultd. */
  readonly through?: (faultd: Faultd) => string;
}

export interface FaultRig {
  readonly gateway: Gateway;
  readonly faultd: Faultd;
  readonly clock: CountedClock;
  readonly ask: (preference?: Preference) => Promise<Response>;
}

export interface Preference {
  /** A fault's name; without one `mock/model` is asked. */
  readonly fault?: string;
  readonly stream?: boolean;
  readonly signal?: AbortSignal;
  readonly body?: Json;
}

/** Outcome of one exchange, whichever way it ended. */
export interface Outcome {
  readonly status: number;
  /** End of the response object; absent where the status has the failure. */
  readonly ended?: unknown;
  readonly error?: Reported;
  readonly stream?: EventStream;
  readonly result?: Json;
}

/** Runs a test; afterwards no upstream socket is open, no deadline, and no secret was logged. */
export async function withFaults(
  options: FaultRigOptions,
  test: (rig: FaultRig) => Promise<void>,
): Promise<void> {
  const { wire = "responses", clock, limits, endpoints = [], through, platform } = options;
  const faultd = await startFaultd(clock === undefined ? {} : { now: clock.now });
  const url = through?.(faultd) ?? faultd.url;
  const row = (id: string, changes: Json) => providerAt(url, { id, name: id, wire, models: [], ...changes });
  const serving = endpoints.map((fault, at) =>
    row(`p${at}`, { models: [{ id: "mock/model", upstream_id: fault }] })
  );
  try {
    const providers = [row("faultd", { open: true }), ...serving];
    // As at a service: a server of the operator's own, which each row is, has more time to begin.
    const asHosted = { first_byte_seconds: 60, ...limits };
    await using gateway = await startGateway({ providers, limits: asHosted, clock, platform });
    await test({ gateway, faultd, clock: gateway.clock, ask: (preference) => askFor(gateway, preference) });
    await until(() => faultd.open() === 0, { what: "that no upstream socket is open" });
    const rests = async () => {
      // What is projected a second later has a deadline until then.
      await gateway.ledger.flush();
      return gateway.clock.open <= gateway.lastingDeadlines;
    };
    await until(rests, { what: "that no deadline is open" });
    assert(!gateway.logged.some((line) => line.includes(PROVIDER_KEY)), "the log holds no provider's key");
  } finally {
    await faultd.close();
  }
}

function askFor(
  gateway: Gateway,
  { fault, stream = false, signal, body = {} }: Preference = {},
): Promise<Response> {
  const model = fault === undefined ? "mock/model" : `faultd/${fault}`;
  const headers = { "x-service-metadata": "enabled" };
  const provider = { order: ["p0", "p1", "p2", "p3", "p4"] };
  return ask(gateway, { model, input: "Hi", stream, provider, ...body }, { headers, signal });
}

/** Reads an answer to its end; fails when it has not exactly one status or one terminal event. */
export async function outcomeOf(response: Response): Promise<Outcome> {
  const { status } = response;
  if (status !== 200) {
    const error = await readError(response);
    assert(!JSON.stringify(error.body).includes(PROVIDER_KEY), "the answer holds no provider's key");
    return { status, error };
  }
  if (response.headers.get("content-type")?.startsWith("application/json")) {
    const result = await readJson(response);
    return { status, ended: result.status, result };
  }
  const stream = await readStream(response);
  const result = checkStream(stream);
  if (result.status === "failed") checkFailure(stream, result);
  return { status, ended: result.status, stream, result };
}

/** A stream that fails says so three times, for three kinds of client (client-requirements 8). */
function checkFailure({ events, text }: EventStream, result: Json): void {
  assert.deepEqual(events.slice(-2).map(({ type }) => type), ["error", "response.failed"]);
  const { code, message, param, error } = asObject(events.at(-2));
  assert.deepEqual(error, { type: "error", code, message, param });
  assert.deepEqual(result.error, { code, message });
  assert.equal(typeof result.error_type, "string");
  assert(!text.includes(PROVIDER_KEY), "the stream holds no provider's key");
}

/** The routing metadata's attempts; one when nothing else was tried. */
export function attemptOf({ result }: Outcome): unknown {
  const metadata = result?.service_metadata;
  return typeof metadata === "object" && metadata !== null && "attempt" in metadata
    ? metadata.attempt
    : undefined;
}
