/** Sessions keep their endpoints: over instances, and over the failures of others. */

import assert from "node:assert/strict";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import type { EndpointExplanation } from "../../server/pipeline/routing/explain_route.ts";
import { modelRequest } from "../support/requests.ts";
import { endpointAt, routing } from "./rig.ts";
import { seeded } from "../fuzz/random.ts";
import { seed } from "../support/seed.ts";

const endpoints = [1, 1.5, 0.8, 1.2, 2].map((usd, at) => endpointAt(`p${at}`, { usd }));
const SESSIONS = 10_000;

async function homesOf({ send }: ReturnType<typeof routing>): Promise<readonly (string | undefined)[]> {
  const homes: (string | undefined)[] = [];
  for (let at = 0; at < SESSIONS; at++) {
    const { called } = await send({ sessionId: `session-${at}` });
    homes.push(called[0]?.id);
  }
  return homes;
}

Deno.test("route sends 10,000 sessions to the same endpoints from two instances, and moves only a resting one's", async () => {
  const one = routing({ endpoints });
  const other = routing({ endpoints: endpoints.toReversed() });
  const homes = await homesOf(one);
  assert.deepEqual(await homesOf(other), homes);
  assert.equal(new Set(homes).size, endpoints.length);
  const [resting] = endpoints;
  assert(resting);
  const info = { kind: "rate_limited", status: 429, message: "", endpointSpecific: false } as const;
  one.health.recordFailure({ ...info, endpoint: resting, retryAfter: 60 });
  const moved = await homesOf(one);
  let gone = 0;
  for (const [at, home] of homes.entries()) {
    if (home === resting.id) {
      gone++;
      assert.notEqual(moved[at], resting.id);
    } else assert.equal(moved[at], home);
  }
  assert(gone > 0);
  one.clock.leap(60_000);
  assert.deepEqual(await homesOf(one), homes, "they come back");
});

Deno.test("route spreads 10,000 calls as explain says (χ²)", async () => {
  const random = seeded(seed).next;
  const priced = Array.from({ length: 5 }, (_, at) => endpointAt(`p${at}`, { usd: 0.5 + random() * 2 }));
  const { send, explain } = routing({ endpoints: [...priced, endpointAt("dear", { usd: null })] });
  const counts = new Map<string, number>();
  for (let at = 0; at < SESSIONS; at++) {
    const { called } = await send({ sessionId: undefined });
    const slug = called[0]?.provider.id ?? "";
    counts.set(slug, (counts.get(slug) ?? 0) + 1);
  }
  const { candidates } = asExplained(explain(asRequest({})));
  let square = 0;
  for (const { provider_slug, probability } of candidates) {
    const expected = probability * SESSIONS;
    square += ((counts.get(provider_slug) ?? 0) - expected) ** 2 / expected;
  }
  assert.equal(candidates.length, 6);
  // Five degrees of freedom: above 25.7 once in ten thousand.
  assert(square < 25.7, `χ² ${square}: ${JSON.stringify([...counts])}`);
});

Deno.test("route keeps what shares a cache key or a marked beginning together, and spreads the rest", async () => {
  const { send } = routing({ endpoints });
  const homes = async (fields: (at: number) => Parameters<typeof send>[0]) => {
    const seen = new Set<string | undefined>();
    for (let at = 0; at < 50; at++) seen.add((await send(fields(at))).called[0]?.id);
    return seen.size;
  };
  assert.equal(await homes(() => ({ promptCacheKey: "k" })), 1);
  assert.equal(await homes(() => ({ cache: {}, instructions: "You are a poet." })), 1);
  assert.equal(await homes((at) => ({ sessionId: "s", promptCacheKey: `k${at}` })), 1, "the session wins");
  assert((await homes((at) => ({ promptCacheKey: `k${at}` }))) > 1);
  assert((await homes(() => ({}))) > 1);
});

const asRequest = (fields: Partial<ModelRequest>) => modelRequest({ model: "acme/llama", ...fields });

function asExplained(answer: unknown): { readonly candidates: readonly EndpointExplanation[] } {
  return answer as { readonly candidates: readonly EndpointExplanation[] };
}
