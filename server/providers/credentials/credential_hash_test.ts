import assert from "node:assert/strict";
import { type EndpointChanges, testEndpoint } from "../../../tests/support/endpoint.ts";
import type { Provider } from "../endpoint.ts";
import { withByokCredential } from "../byok_endpoint.ts";
import { credentialHashOf } from "./credential_hash.ts";

const account = {
  type: "service_account",
  tokenUrl: "https://token.example",
  clientEmail: "gateway@example.com",
  privateKey: "key one",
  scope: "all",
} as const;

const hashOf = (changes: EndpointChanges) => credentialHashOf(testEndpoint(changes).provider);

Deno.test("credentialHashOf is the same for the same stored credential, and for no other", () => {
  const different: readonly Partial<Provider>[] = [
    {},
    { headers: { authorization: "Bearer one" } },
    { headers: { authorization: "Bearer two" } },
    { headers: { authorization: "Bearer one", "openai-organization": "acme" } },
    { credential: account },
    { credential: { ...account, privateKey: "key two" } },
  ];
  const hashes = different.map((provider) => hashOf({ provider }));
  assert.equal(new Set(hashes).size, different.length);
  assert.deepEqual(different.map((provider) => hashOf({ provider })), hashes);
  for (const hash of hashes) assert.match(hash, /^[\w-]{43}$/);
});

Deno.test("credentialHashOf tells a workspace's own key from the gateway's and from another's", () => {
  const endpoint = testEndpoint({ provider: { headers: { authorization: "Bearer gateway" } } });
  const hashes = ["one", "two"].map((key) => {
    const own = withByokCredential({ id: key, version: 1, key, fallback: false, order: 0, zdr: null })(
      endpoint,
    );
    assert.ok(own);
    return credentialHashOf(own.provider);
  });
  assert.equal(new Set([...hashes, credentialHashOf(endpoint.provider)]).size, 3);
});
