import assert from "node:assert/strict";
import { Refusal } from "../../shared/errors.ts";
import type { Endpoint } from "../../server/providers/endpoint.ts";
import { Fault } from "../../server/routing/fault.ts";
import { Unpaid } from "../../server/routing/unpaid.ts";
import { endpointAt, routing } from "./rig.ts";

const order = ["dear", "dearer", "same", "cheap", "unknown", "free"];
const endpoints = [
  endpointAt("dear", { usd: 5 }),
  endpointAt("dearer", { usd: 9 }),
  endpointAt("same", { usd: 5 }),
  endpointAt("cheap", { usd: 1 }),
  endpointAt("unknown", { usd: null }),
  endpointAt("free", { usd: 0 }),
];
const preferred = { provider: { order } } as const;

const refused = (endpoint: Endpoint, retryAfter?: number) =>
  new Unpaid(
    endpoint,
    new Refusal("payment_required", `${endpoint.provider.id} cannot be paid`, { retryAfter }),
  );

const asked = (called: readonly Endpoint[]) => called.map(({ provider }) => provider.id);

Deno.test("route goes on with what costs less than what could not be paid, and hurts nobody's health", async () => {
  const rig = routing({
    endpoints,
    at: (endpoint) => {
      if (endpoint.provider.id !== "free") throw refused(endpoint);
      return undefined;
    },
  });
  for (let at = 0; at < 6; at++) {
    const { called, error, notes } = await rig.send(preferred);
    assert.equal(error, undefined);
    assert.deepEqual(asked(called), ["dear", "cheap", "free"]);
    assert.deepEqual(notes.passed?.map(({ endpoint, by }) => [endpoint.provider.id, by]), [
      ["dear", "limit"],
      ["cheap", "limit"],
    ]);
  }
  assert(endpoints.every(({ id }) => rig.health.standing(id).type === "well"));
});

Deno.test("route waits for money once: then it tries only what is free", async () => {
  const rig = routing({
    endpoints,
    at: (endpoint) => {
      if (endpoint.provider.id !== "free") throw refused(endpoint, 5);
      return undefined;
    },
  });
  assert.deepEqual(asked((await rig.send(preferred)).called), ["dear", "free"]);
});

Deno.test("route tells the refusal of the first choice where nobody can be paid", async () => {
  const rig = routing({
    endpoints,
    at: (endpoint) => {
      throw refused(endpoint);
    },
  });
  const { error } = await rig.send(preferred);
  assert(error instanceof Refusal && error.status === 402);
  assert.match(error.message, /^dear cannot/);
});

Deno.test("route tells a provider's failure rather than the price of its fallback", async () => {
  const rig = routing({
    endpoints: endpoints.slice(0, 2),
    at: (endpoint) => {
      if (endpoint.provider.id === "dearer") throw refused(endpoint);
      const message = "No.";
      throw new Fault({ endpoint, kind: "unavailable", status: 503, message, endpointSpecific: false });
    },
  });
  const { called, error } = await rig.send(preferred);
  assert.deepEqual(asked(called), ["dear", "dearer"]);
  assert(error instanceof Refusal && error.status === 503);
});
