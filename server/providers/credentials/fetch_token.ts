/** Mints tokens: one POST to the sign-in service. */

import * as z from "zod";
import { tryParseJson } from "../../../shared/util/json.ts";
import type { ClientCredentials, TokenCredential } from "../credential.ts";
import type { Transport } from "../upstream/transport.ts";
import type { Clock } from "../../runtime.ts";
import { CredentialError } from "./credential_error.ts";
import { signServiceAccountJwt } from "./service_account_jwt.ts";
import type { AccessToken } from "./token_cache.ts";

const MINT_MS = 10_000;
const ANSWER_BYTES = 64 * 1024;

const granted = z.object({
  access_token: z.string().min(1).regex(/^[\x21-\x7e]+$/),
  /** Seconds; some services write them as text. */
  expires_in: z.coerce.number().positive().max(86_400).catch(3_600),
});

const refused = z.object({ error: z.string().regex(/^[\w.-]{1,60}$/) });

interface FetchTokenDeps {
  readonly transport: Transport;
  readonly clock: Clock;
}

/** Throws a CredentialError. */
export async function fetchToken(
  credential: TokenCredential,
  { transport, clock }: FetchTokenDeps,
): Promise<AccessToken> {
  const abort = new AbortController();
  const cancel = clock.after(MINT_MS, () => abort.abort(new CredentialError(failed("it took too long"))));
  try {
    const url = new URL(credential.tokenUrl).href;
    const response = await transport({
      url,
      baseUrl: url,
      credentialHash: "",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body: new URLSearchParams(formOf(credential, clock.now())).toString(),
      signal: abort.signal,
      // An hour has passed since the last one.
      fresh: true,
    });
    return tokenOf(await response.text(ANSWER_BYTES), { status: response.status, now: clock.now() });
  } catch (cause) {
    if (cause instanceof CredentialError) throw cause;
    throw new CredentialError(failed("it cannot be reached"), { cause });
  } finally {
    cancel();
  }
}

const failed = (why: string) => `Cannot sign in at the provider's sign-in service: ${why}.`;

function formOf(credential: TokenCredential, now: number): Record<string, string> {
  switch (credential.type) {
    case "client_credentials":
      return clientForm(credential);
    case "service_account":
      return {
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion: signServiceAccountJwt(credential, now),
      };
    default:
      return credential satisfies never;
  }
}

const clientForm = ({ clientId, clientSecret, scope }: ClientCredentials) => ({
  grant_type: "client_credentials",
  client_id: clientId,
  client_secret: clientSecret,
  scope,
});

interface TokenReply {
  readonly status: number;
  readonly now: number;
}

function tokenOf(text: string, { status, now }: TokenReply): AccessToken {
  const body = tryParseJson(text);
  const { data } = granted.safeParse(body);
  if (status === 200 && data !== undefined) {
    return { value: data.access_token, expiresAt: now + data.expires_in * 1_000 };
  }
  const code = refused.safeParse(body).data?.error;
  throw new CredentialError(failed(`it answered ${status}${code === undefined ? "" : ` (${code})`}`), {
    // RFC 6749: `invalid_grant` and its like are 400, a wrong secret may be 401.
    isRefused: code !== undefined && [400, 401, 403].includes(status),
  });
}
