/**
 * Names for end users that a provider may see: an HMAC with a secret of this gateway's own, so that a provider
 * can tell abusers apart and can learn nobody's name (specification, `safety_identifier`).
 */

import { createHmac } from "node:crypto";
import * as z from "zod";
import { Collection } from "../../storage/stores/collection.ts";
import { type Store, StoreError } from "../../storage/stores/store.ts";
import type { Runtime } from "../../runtime.ts";

const pepperSchema = z.object({ secret: z.string().min(40) });
const PEPPER_BYTES = 32;

interface EndUserIdentity {
  readonly providerId: string;
  readonly workspaceId: string;
  /** Caller's name of the user; without it the workspace itself is meant. */
  readonly user?: string;
}

/** Makes the secret at the first start and finds it again at later ones. */
export async function createPseudonymizer(store: Store, { randomToken }: Pick<Runtime, "randomToken">) {
  const rows = new Collection({ store, name: "meta", schema: pepperSchema });
  await rows.create(["pepper"], { secret: randomToken(PEPPER_BYTES) });
  const found = await rows.get("pepper");
  if (!found) throw new StoreError("unavailable", "The store lost the secret that end users are named with");
  const { secret } = found.record;
  const names = new Map<string, string>();
  return ({ providerId, workspaceId, user = "" }: EndUserIdentity): string => {
    const who = `${providerId}\n${workspaceId}\n${user}`;
    const known = names.get(who);
    if (known !== undefined) return known;
    const name = createHmac("sha256", secret).update(JSON.stringify([providerId, workspaceId, user]));
    return remember(names, { who, name: name.digest("hex") });
  };
}

/** Users whose names are kept: the same few ask again and again, and an HMAC a request costs a tenth of it. */
const MAX_NAMES = 10_000;

function remember(
  names: Map<string, string>,
  { who, name }: { readonly who: string; readonly name: string },
) {
  if (names.size >= MAX_NAMES) names.clear();
  names.set(who, name);
  return name;
}
