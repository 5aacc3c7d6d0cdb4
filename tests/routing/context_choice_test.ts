/** Which endpoints a request may go to that is made to fit: those whose context is at least half of what it needs. */

import assert from "node:assert/strict";
import { ApiError } from "../../shared/errors.ts";
import type { Item } from "../../server/protocols/canonical/item.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import { UpstreamError } from "../../server/pipeline/routing/upstream_error.ts";
import { endpointAt, routing, type Row } from "./rig.ts";

const plugin = (enabled?: boolean): Partial<ModelRequest> => ({
  plugins: [{ id: "context-compression", enabled }],
});
/** So many tokens, as English words of one token each. */
const input = (tokens: number): readonly Item[] => [{
  type: "message",
  role: "user",
  parts: [{ type: "text", text: "abc ".repeat(tokens) }],
}];

interface Case {
  /** Contexts of the endpoints. */
  readonly contexts: readonly (number | null)[];
  readonly tokens: number;
  readonly request?: Partial<ModelRequest>;
  readonly rows?: Row;
  /** Contexts of the endpoints that are asked. */
  readonly asked: readonly (number | null)[];
}

const cases: Readonly<Record<string, Case>> = {
  "half is enough": {
    contexts: [10_000, 20_000, 40_000],
    tokens: 36_000,
    request: { ...plugin(), maxOutputTokens: 4_000 },
    asked: [20_000, 40_000],
  },
  "less than half is not": {
    contexts: [10_000, 19_999, 40_000],
    tokens: 36_000,
    request: { ...plugin(), maxOutputTokens: 4_000 },
    asked: [40_000],
  },
  "no half: the longest": {
    contexts: [10_000, 30_000, 30_000, 20_000],
    tokens: 100_000,
    request: plugin(),
    asked: [30_000, 30_000],
  },
  "an unknown context may be enough": {
    contexts: [10_000, null],
    tokens: 100_000,
    request: plugin(),
    asked: [null],
  },
  "one endpoint": { contexts: [10_000], tokens: 100_000, request: plugin(), asked: [10_000] },
  "truncation auto": {
    contexts: [10_000, 40_000],
    tokens: 36_000,
    request: { truncation: "auto" },
    asked: [40_000],
  },
  "small contexts, for which it is on": {
    contexts: [8_192, 4_096, 100_000],
    tokens: 12_000,
    asked: [8_192, 100_000],
  },
  "small contexts, and it is off": {
    contexts: [8_192, 4_096, 100_000],
    tokens: 12_000,
    request: plugin(false),
    asked: [100_000],
  },
  "large contexts, for which it is off": { contexts: [10_000, 40_000], tokens: 12_000, asked: [40_000] },
  "a request that fits": {
    contexts: [4_096, 40_000],
    tokens: 100,
    request: plugin(),
    asked: [4_096, 40_000],
  },
};

for (const [name, { contexts, tokens, request, asked }] of Object.entries(cases)) {
  Deno.test(`a request that can be shortened goes to contexts of half its length or more: ${name}`, async () => {
    const endpoints = contexts.map((contextLength, at) => endpointAt(`p${at}`, { model: { contextLength } }));
    const rig = routing({
      endpoints,
      at: (endpoint) => {
        throw new UpstreamError({
          endpoint,
          kind: "unavailable",
          status: 503,
          message: "",
          endpointSpecific: false,
        });
      },
    });
    const { called, record } = await rig.send({ input: input(tokens), ...request });
    const byLength = (one: number | null, other: number | null) => (one ?? 0) - (other ?? 0);
    assert.deepEqual(
      called.map(({ model }) => model.contextLength).toSorted(byLength),
      asked.toSorted(byLength),
    );
    const skipped = record.lastTurn.skipped ?? [];
    assert(skipped.every(({ reason }) => reason === "context_length"));
    assert.equal(skipped.length, contexts.length - asked.length);
  });
}

const tooLong = (endpoints: readonly ReturnType<typeof endpointAt>[]) =>
  routing({
    endpoints,
    at: (endpoint) => {
      throw new UpstreamError({
        endpoint,
        kind: "context_length",
        status: 400,
        message: "Too many tokens.",
        endpointSpecific: true,
      });
    },
  });

Deno.test("an error about the length has the counts, and names the plugin where it is off", async () => {
  const large = endpointAt("a", { model: { contextLength: 20_000 } });
  const small = endpointAt("a", { model: { contextLength: 8_000 } });
  const send = async (endpoint: typeof large, request: Partial<ModelRequest>) => {
    const { error } = await tooLong([endpoint]).send({ input: input(10_000), ...request });
    assert(error instanceof ApiError);
    assert.equal(error.errorType, "context_length_exceeded");
    assert.equal(error.status, 400);
    const { metadata } = error.details;
    assert.equal(metadata?.context_length, endpoint.model.contextLength);
    assert.equal(metadata?.input_tokens, 10_000);
    return error.message;
  };
  assert.match(await send(large, {}), /^Too many tokens\. .*context-compression/);
  assert.match(await send(large, plugin(false)), /context-compression/);
  assert.match(await send(small, plugin(false)), /context-compression/, "known before the call");
  for (
    const [endpoint, request] of [[large, plugin()], [large, { truncation: "auto" }], [small, {}]] as const
  ) {
    assert.equal(await send(endpoint, request), "Too many tokens.");
  }
});
