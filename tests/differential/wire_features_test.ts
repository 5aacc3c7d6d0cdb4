/** The table of features by wire, held for every API that has the feature. */

import assert from "node:assert/strict";
import { type WireId, wireIds } from "../../server/protocols/canonical/item.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import { outboundFor } from "../../server/protocols/mod.ts";
import { type ApiName, apis } from "../golden/apis.ts";
import { observe } from "./feature_fates.ts";
import { type FeatureName, type FeatureRequest, featureRequests } from "./feature_requests.ts";
import { gatewaysOwn, shapes } from "./parameters.ts";
import { wireFeatures } from "./wire_features.ts";

interface Row {
  readonly feature: FeatureName;
  readonly api: ApiName;
  readonly asked: FeatureRequest;
  readonly wire: WireId;
}

const isApi = (name: string): name is ApiName => Object.hasOwn(apis, name);
const isFeature = (name: string): name is FeatureName => Object.hasOwn(featureRequests, name);

const rows: readonly Row[] = Object.entries(featureRequests).flatMap(([feature, requests]) =>
  Object.entries(requests).flatMap(([api, asked]) =>
    isFeature(feature) && isApi(api) ? wireIds.map((wire) => ({ feature, api, asked, wire })) : []
  )
);

function verify({ feature, api, asked, wire }: Row): void {
  const fate = wireFeatures[feature][wire];
  const plain = observe(asked, { api, wire });
  if (fate.type === "refused") return assert.equal(plain.type, "refused");
  assert(plain.type === "said", "refused");
  switch (fate.type) {
    case "sent":
      assert.ok(plain.sent.includes(fate.place), `${fate.place} is not among ${plain.sent}`);
      return assert.deepEqual(plain.named, []);
    case "named":
      return assert.ok(plain.named.includes(fate.name), `${fate.name} is not among ${plain.named}`);
    case "done":
      return assert.deepEqual(plain.named, []);
    case "held":
      return verifyHeld({ feature, api, asked, wire });
    case "listed": {
      assert.deepEqual([plain.sent.includes(fate.name), plain.named], [false, [fate.name]]);
      const taken = observe(asked, { api, wire, listed: [fate.name] });
      assert(taken.type === "said");
      return assert.deepEqual([taken.sent.includes(fate.name), taken.named], [true, []]);
    }
    default:
      return fate satisfies never;
  }
}

const call = (name: string) => ({ functionCall: { name, args: {} } });
const use = (toolUseId: string) => ({ toolUse: { toolUseId, name: "look", input: {} } });

/** Two calls, though the model was to make fewer. */
const twoCalls: { readonly [W in WireId]?: object } = {
  gemini: {
    candidates: [{ content: { role: "model", parts: [call("look"), call("look")] }, finishReason: "STOP" }],
  },
  bedrock: {
    output: { message: { role: "assistant", content: [use("one"), use("two")] } },
    stopReason: "tool_use",
  },
};

const mostCalls: { readonly [F in FeatureName]?: number } = { "no call": 0, "one call at most": 1 };

/** The gateway does not pass on what the model says against it. */
function verifyHeld({ feature, api, asked: { fields, with: base }, wire }: Row): void {
  const message = { role: "user", content: "Hi" };
  const request = apis[api].parse({
    model: "acme/one",
    ...(api === "responses" ? { input: [message] } : { messages: [message] }),
    ...(api === "messages" ? { max_tokens: 100 } : {}),
    ...base,
    ...fields,
  });
  assert.equal(callsIn(wire, request), mostCalls[feature]);
  assert.equal(callsIn(wire, { ...request, toolChoice: undefined, parallelToolCalls: undefined }), 2);
}

function callsIn(wire: WireId, request: ModelRequest): number {
  const events = outboundFor(wire).parseResponse(twoCalls[wire], request);
  const calls = events.flatMap((event) =>
    "itemKey" in event && JSON.stringify(event).includes('"look"') ? [event.itemKey] : []
  );
  return new Set(calls).size;
}

Deno.test("each wire sends, names, holds or refuses each feature as the documents say", async (t) => {
  for (const row of rows) {
    await t.step(`${row.feature}: ${row.api} to ${row.wire}`, () => verify(row));
  }
});

Deno.test("each field of a client's request has a row, or is the gateway's own", () => {
  for (const [api, keys] of Object.entries(shapes)) {
    const requests = Object.values(featureRequests).flatMap((requests) => Object.entries(requests));
    const asked = new Set(requests.flatMap(([name, { fields }]) => name === api ? Object.keys(fields) : []));
    const missing = keys.filter((key) => !asked.has(key) && !Object.hasOwn(gatewaysOwn, key));
    assert.deepEqual(missing, [], api);
  }
});
