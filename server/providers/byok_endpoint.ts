/** An endpoint as it is called with another key than the gateway's own, which goes nowhere then. */

import * as z from "zod";
import type { Credential } from "./credential.ts";
import type { DataPolicy, Endpoint, Provider } from "./endpoint.ts";
import { authHeader } from "./configured_providers.ts";

export interface ByokCredential {
  /** Id of its record. */
  readonly id: string;
  /** Counts up when the key is replaced: what is known of the old one's health ends with it. */
  readonly version: number;
  readonly key: string;
  readonly fallback: boolean;
  readonly order: number;
  /** Statement on zero data retention for the account; null: none. */
  readonly zdr: boolean | null;
}

interface Auth {
  readonly headers: Provider["headers"];
  readonly credential?: Credential;
}

/**
 * The endpoint called with this key: the same object for the same endpoint. Undefined where the provider cannot be
 * called with such a key.
 */
export function withByokCredential(another: ByokCredential): (endpoint: Endpoint) => Endpoint | undefined {
  const providers = new WeakMap<Provider, Provider | "unusable">();
  const endpoints = new WeakMap<Endpoint, Endpoint>();
  const providerOf = (provider: Provider): Provider | undefined => {
    const known = providers.get(provider) ?? providerWithKey(provider, another.key) ?? "unusable";
    providers.set(provider, known);
    return known === "unusable" ? undefined : known;
  };
  return (endpoint) => {
    const known = endpoints.get(endpoint);
    if (known !== undefined) return known;
    const provider = providerOf(endpoint.provider);
    if (provider === undefined) return undefined;
    const made = endpointWithKey({ ...endpoint, provider }, another);
    endpoints.set(endpoint, made);
    return made;
  };
}

function endpointWithKey(
  endpoint: Endpoint,
  { id, version, fallback, order, zdr }: ByokCredential,
): Endpoint {
  const policy = endpoint.dataPolicy ?? endpoint.provider.dataPolicy;
  return {
    ...endpoint,
    id: `${endpoint.id}|byok:${id}:${version}`,
    byok: true,
    byokKey: { id, fallback, order },
    dataPolicy: zdr === null ? endpoint.dataPolicy : declared(zdr, policy),
  };
}

/**
 * Joins the statement for an account with the provider's policy: an account that keeps nothing trains on nothing; of
 * one that keeps, nothing more is known than of the provider.
 */
function declared(zdr: boolean, policy: DataPolicy | undefined): DataPolicy {
  return { zdr, training: zdr ? false : policy?.training ?? true };
}

function providerWithKey(provider: Provider, key: string): Provider | undefined {
  const auth = authOf(provider, key);
  if (auth === undefined) return undefined;
  const { credential: _, headers, ...rest } = provider;
  return { ...rest, headers: { ...withoutSecrets(headers), ...auth.headers }, credential: auth.credential };
}

/** By their names: what the operator sends besides, such as a version of the API, stays. */
const secretive = /auth|key|token|secret|cookie|credential|signature|password/i;

function withoutSecrets(headers: Provider["headers"]): Provider["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !secretive.test(name)));
}

const AZURE = "api-key";

function authOf({ id, wire, speech, headers, credential }: Provider, key: string): Auth | undefined {
  if (key.startsWith("{")) return documentAuth(credential, key);
  if (credential?.type === "service_account") return undefined;
  const azure = credential?.type === "client_credentials" || Object.hasOwn(headers, AZURE) ||
    (id.startsWith("azure") && speech !== "azure");
  return { headers: azure ? { [AZURE]: key } : authHeader({ wire, speech }, key) };
}

const serviceAccount = z.object({
  client_email: z.string().min(3),
  private_key: z.string().startsWith("-----BEGIN"),
  private_key_id: z.string().optional(),
});

const awsKeys = z.object({
  access_key_id: z.string().min(1),
  secret_access_key: z.string().min(1),
  session_token: z.string().optional(),
});

/** Where it signs in is the gateway's affair: an address in the document is not followed. */
function documentAuth(credential: Credential | undefined, text: string): Auth | undefined {
  const document: unknown = JSON.parse(text);
  if (credential?.type === "service_account") {
    const { data } = serviceAccount.safeParse(document);
    return data && {
      headers: {},
      credential: {
        ...credential,
        clientEmail: data.client_email,
        privateKey: data.private_key,
        keyId: data.private_key_id,
      },
    };
  }
  if (credential?.type !== "aws_keys") return undefined;
  const { data } = awsKeys.safeParse(document);
  return data && {
    headers: {},
    credential: {
      ...credential,
      accessKeyId: data.access_key_id,
      secretAccessKey: data.secret_access_key,
      sessionToken: data.session_token,
    },
  };
}
