import assert from "node:assert/strict";
import { testEndpoint } from "../../../../tests/support/endpoint.ts";
import { weighEndpoints } from "./weighted_rendezvous.ts";

const priced = (id: string, prompt: string) =>
  testEndpoint({ endpoint: { id, pricing: { prompt, completion: prompt } } });

Deno.test("weighEndpoints weighs an endpoint among those that stand beside it in the list", () => {
  const unknown = testEndpoint({ endpoint: { id: "unknown", pricing: null } });
  const [cheap, dear] = [priced("cheap", "0.000001"), priced("dear", "0.000002")];
  const weights = (...list: Parameters<typeof weighEndpoints>[0]) =>
    weighEndpoints(list).map(({ weight }) => weight);
  assert.deepEqual(weights(unknown), [1]);
  assert.deepEqual(weights(unknown, cheap), [1, 1]);
  assert.deepEqual(weights(cheap, unknown, dear), [1, 0.25, 0.25]);
});

Deno.test("weighEndpoints of a new catalog's list is made of its endpoints", () => {
  const list = [priced("one", "0.000001")];
  assert.equal(weighEndpoints(list), weighEndpoints(list), "worked out once a list");
  const after = [priced("one", "0.000003")];
  assert.equal(weighEndpoints(after)[0]?.profile.endpoint, after[0]);
  assert.equal(weighEndpoints(after)[0]?.profile.prices?.prompt, 3);
});
