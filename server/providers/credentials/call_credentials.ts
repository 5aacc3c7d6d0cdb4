/** Headers that authorise a call: a token that is minted when it is needed and kept, or a signature. */

import type { Credential, TokenCredential } from "../credential.ts";
import type { AbortSignalLike } from "../upstream/call_abort.ts";
import type { Transport } from "../upstream/transport.ts";
import type { Clock } from "../../runtime.ts";
import { fetchToken } from "./fetch_token.ts";
import { TokenCache } from "./token_cache.ts";

/** A call as it will be made, but for what authorises it. */
interface UnsignedCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** Stops the waiting for a token, not the minting: others may wait for it too. */
  readonly signal: AbortSignalLike;
}

export interface CallCredentials {
  /** The headers to add. Throws a CredentialError when no token could be had, and the signal's reason. */
  headersFor(credential: Credential, call: UnsignedCall): Promise<Readonly<Record<string, string>>>;
  /** The provider did not take it: the next call has to sign in anew. */
  forget(credential: Credential): void;
}

interface CallCredentialsDeps {
  readonly transport: Transport;
  readonly clock: Clock;
}

export function createCallCredentials(deps: CallCredentialsDeps): CallCredentials {
  const tokens = new TokenCache<TokenCredential>(deps.clock, (credential) => fetchToken(credential, deps));
  return {
    headersFor: async (credential, call) => {
      if (credential.type === "aws_keys") {
        // Imported when it is needed: most gateways never call AWS.
        const { signAwsRequest } = await import("./aws_signature.ts");
        return await signAwsRequest(credential, { ...call, now: deps.clock.now() });
      }
      const token = await rejectOnAbort(tokens.get(credential), call.signal);
      return { authorization: `Bearer ${token}` };
    },
    forget: (credential) => {
      if (credential.type !== "aws_keys") tokens.forget(credential);
    },
  };
}

/** Waits for the value, or rejects when the signal aborts first. */
function rejectOnAbort<T>(value: Promise<T>, signal: AbortSignalLike): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop);
    value.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
