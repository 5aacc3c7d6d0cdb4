/** The signed assertion by which a service account asks for a token: a JWT, RS256 (RFC 7523). */

import { Buffer } from "node:buffer";
import { sign } from "node:crypto";
import type { ServiceAccount } from "../credential.ts";
import { CredentialError } from "./credential_error.ts";

/** Google takes assertions of at most an hour. */
const LIFE_S = 3_600;

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** `now`: milliseconds since the epoch. Throws a CredentialError for a key that cannot sign. */
export function signServiceAccountJwt(account: ServiceAccount, now: number): string {
  const issued = Math.floor(now / 1_000);
  const header = { alg: "RS256", typ: "JWT", ...(account.keyId === undefined ? {} : { kid: account.keyId }) };
  const claims = {
    iss: account.clientEmail,
    scope: account.scope,
    aud: account.tokenUrl,
    iat: issued,
    exp: issued + LIFE_S,
  };
  const text = `${base64url(header)}.${base64url(claims)}`;
  return `${text}.${signature(text, account.privateKey)}`;
}

function signature(text: string, privateKey: string): string {
  try {
    return sign("RSA-SHA256", Buffer.from(text), privateKey).toString("base64url");
  } catch {
    // What went wrong may quote the key.
    throw new CredentialError(
      "Cannot sign in at the provider: the service account's private key cannot sign.",
      { isRefused: true },
    );
  }
}
