/** Faithful on its own wire: what arrives at a provider is what its client sent, but for a closed list of changes. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { apis } from "../golden/apis.ts";
import { wires } from "../golden/wires.ts";
import type { Json } from "../mocks/published.ts";
import { assertProperty, runs } from "../support/property.ts";
import { endpointTraits } from "../support/requests.ts";
import { seed } from "../support/seed.ts";
import type { DocumentedChange, FaithfulWire } from "./faithful/changes.ts";
import { documentedChanges } from "./faithful/documented_changes.ts";
import { messagesRequests } from "./faithful/messages_requests.ts";

const wiresOf: readonly (readonly [FaithfulWire, fc.Arbitrary<Json>])[] = [["messages", messagesRequests]];

function arrived(wire: FaithfulWire, body: Json): Json {
  const request = apis[wire].parse(body);
  const rendered = wires[wire]?.renderRequest(request, endpointTraits({ upstreamModel: String(body.model) }));
  assert(rendered);
  return JSON.parse(JSON.stringify(rendered.body));
}

for (const [wire, requests] of wiresOf) {
  const changes = documentedChanges.filter((one) => one.wire === wire);

  Deno.test(`${wire}: what arrives at a provider is what was sent (SEED=${seed})`, () => {
    const used = new Set<DocumentedChange>();
    const property = fc.property(requests, (sent) => {
      const expected = changes.reduce((body, change) => {
        const changed = change.apply(body);
        if (JSON.stringify(changed) !== JSON.stringify(body)) used.add(change);
        return changed;
      }, sent);
      assert.deepEqual(arrived(wire, sent), JSON.parse(JSON.stringify(expected)));
    });
    assertProperty(property, { numRuns: runs(300) });
    assert.deepEqual(
      changes.filter((one) => !used.has(one)).map(({ what }) => what),
      [],
      "no request needs it",
    );
  });
}
