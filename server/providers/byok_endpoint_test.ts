import assert from "node:assert/strict";
import { testEndpoint } from "../../tests/support/endpoint.ts";
import type { Provider } from "./endpoint.ts";
import { type ByokCredential, withByokCredential } from "./byok_endpoint.ts";

const SHARED = "shared-secret-0123456789";
const another = (changes: Partial<ByokCredential> = {}): ByokCredential => ({
  id: "k",
  version: 1,
  key: "own-key",
  fallback: false,
  order: 0,
  zdr: null,
  ...changes,
});

interface Row {
  readonly name: string;
  readonly provider: Partial<Provider>;
  readonly key?: string;
  readonly headers: Provider["headers"] | undefined;
  readonly credential?: object;
}

const account = JSON.stringify({
  client_email: "a@b.c",
  private_key: "-----BEGIN PRIVATE KEY-----",
  token_uri: "http://elsewhere",
});

const serviceAccount = {
  type: "service_account",
  tokenUrl: "https://token",
  clientEmail: "shared@b.c",
  privateKey: SHARED,
  scope: "s",
} as const;

const aws = {
  type: "aws_keys",
  accessKeyId: SHARED,
  secretAccessKey: SHARED,
  region: "r",
  service: "bedrock",
} as const;

const entra = {
  type: "client_credentials",
  tokenUrl: "https://token",
  clientId: "c",
  clientSecret: SHARED,
  scope: "s",
} as const;

const rows: readonly Row[] = [
  {
    name: "a bearer",
    provider: { wire: "chat", headers: { authorization: `Bearer ${SHARED}`, "x-version": "2" } },
    headers: { authorization: "Bearer own-key", "x-version": "2" },
  },
  {
    name: "Anthropic's header",
    provider: { wire: "messages", headers: { "x-api-key": SHARED } },
    headers: { "x-api-key": "own-key" },
  },
  {
    name: "Google's header",
    provider: { wire: "gemini", headers: { "x-goog-api-key": SHARED } },
    headers: { "x-goog-api-key": "own-key" },
  },
  {
    name: "secrets under other names",
    provider: { wire: "chat", headers: { "X-Team-Token": SHARED, "proxy-authorization": SHARED } },
    headers: { authorization: "Bearer own-key" },
  },
  {
    name: "Azure's header",
    provider: { wire: "responses", headers: { "api-key": SHARED } },
    headers: { "api-key": "own-key" },
  },
  {
    name: "Azure instead of an application",
    provider: { id: "azure", wire: "responses", credential: entra },
    headers: { "api-key": "own-key" },
  },
  {
    name: "no Vertex with a plain key",
    provider: { wire: "gemini", credential: serviceAccount },
    headers: undefined,
  },
  {
    name: "Vertex with an account, which signs in where the gateway does",
    provider: { wire: "gemini", credential: serviceAccount },
    key: account,
    headers: {},
    credential: {
      ...serviceAccount,
      clientEmail: "a@b.c",
      privateKey: "-----BEGIN PRIVATE KEY-----",
      keyId: undefined,
    },
  },
  {
    name: "Bedrock with its key",
    provider: { wire: "bedrock", credential: aws },
    headers: { authorization: "Bearer own-key" },
  },
  {
    name: "Bedrock with keys of AWS",
    provider: { wire: "bedrock", credential: aws },
    key: JSON.stringify({ access_key_id: "a", secret_access_key: "b" }),
    headers: {},
    credential: { ...aws, accessKeyId: "a", secretAccessKey: "b", sessionToken: undefined },
  },
  { name: "no document where none is known", provider: { wire: "chat" }, key: account, headers: undefined },
  {
    name: "no wrong document",
    provider: { wire: "gemini", credential: serviceAccount },
    key: "{}",
    headers: undefined,
  },
];

for (const { name, provider, key = "own-key", headers, credential } of rows) {
  Deno.test(`withByokCredential makes ${name}, without the gateway's own key`, () => {
    const endpoint = testEndpoint({ provider });
    const made = withByokCredential(another({ key }))(endpoint);
    assert.deepEqual(made?.provider.headers, headers);
    assert.deepEqual(made?.provider.credential, credential);
    assert(!JSON.stringify(made ?? {}).includes(SHARED));
  });
}

Deno.test("withByokCredential gives the same endpoint again, with an id, a mark and a provider of its own", () => {
  const at = withByokCredential(another({ order: 3, fallback: true }));
  const [one, two] = [testEndpoint(), testEndpoint({ model: { id: "mock/other" } })];
  const made = at(one);
  assert.equal(at(one), made);
  assert.equal(made?.byok, true);
  assert.deepEqual(made?.byokKey, { id: "k", fallback: true, order: 3 });
  assert.equal(made?.id, `${one.id}|byok:k:1`);
  assert.notEqual(at(two)?.id, made?.id);
  assert.notEqual(withByokCredential(another({ version: 2 }))(one)?.id, made?.id);
});

Deno.test("withByokCredential takes what is declared of the account's retention", () => {
  const policy = { training: true, zdr: false };
  const endpoint = testEndpoint({ endpoint: { dataPolicy: policy } });
  const declared = (zdr: boolean | null) => withByokCredential(another({ zdr }))(endpoint)?.dataPolicy;
  assert.deepEqual(declared(null), policy);
  assert.deepEqual(declared(true), { training: false, zdr: true });
  assert.deepEqual(declared(false), policy);
});
