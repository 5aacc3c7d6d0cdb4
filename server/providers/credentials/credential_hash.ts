/** Names the credential of a provider's calls without telling it. */

import { createHash } from "node:crypto";
import type { Provider } from "../endpoint.ts";

const known = new WeakMap<Provider, string>();

/**
 * A hash of the credential as it is stored: that of a token which is minted, or of a signature, is the same for all
 * calls. Headers without a secret count as well, since an account may be named by one.
 */
export function credentialHashOf(provider: Provider): string {
  const before = known.get(provider);
  if (before !== undefined) return before;
  const { headers, credential = null } = provider;
  const hash = createHash("sha256").update(JSON.stringify([headers, credential])).digest("base64url");
  known.set(provider, hash);
  return hash;
}
