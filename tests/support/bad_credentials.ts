/** Credentials that are none, in every form that somebody might try. */

import { createHash } from "node:crypto";
import type { Gateway } from "./gateway.ts";
import { createKey, managed } from "./manage.ts";
import { asObject } from "./event_stream.ts";

/** The headers that a request comes with. */
export type Nobody = Readonly<Record<string, string>>;

export const bearer = (token: string): Nobody => ({ authorization: `Bearer ${token}` });

/** Texts that were credentials until a moment ago. */
async function goneKeys(gateway: Gateway) {
  const one = await createKey(gateway);
  await managed(gateway, { call: `DELETE /keys/${one.record.hash}` });
  const other = await createKey(gateway);
  await managed(gateway, { call: `POST /keys/${other.record.hash}/rotate` });
  const management = await managed(gateway, { call: "POST /management-keys", body: { name: "Gone" } });
  await managed(gateway, { call: `DELETE /management-keys/${asObject(management.body.data).hash}` });
  const client = await managed(gateway, { call: "POST /connect/clients", body: { name: "Gone" } });
  await managed(gateway, { call: `POST /connect/clients/${asObject(client.body.data).id}/revoke` });
  return {
    deleted: one.key,
    rotated: other.key,
    management: String(management.body.key),
    secret: String(client.body.secret),
  };
}

/** Everything that is no credential; each must look like every other. */
export async function nobodies(gateway: Gateway): Promise<Readonly<Record<string, Nobody>>> {
  const { apiKey, managementKey } = gateway;
  const past = gateway.clock.now() - 1;
  const gone = await goneKeys(gateway);
  const last = apiKey.endsWith("A") ? "B" : "A";
  return {
    "no header": {},
    "an empty header": { authorization: "" },
    "a scheme without a key": { authorization: "Bearer" },
    "a key without a scheme": { authorization: apiKey },
    "another scheme": { authorization: `Basic ${btoa(`user:${apiKey}`)}` },
    "two keys": { authorization: `Bearer ${apiKey} ${apiKey}` },
    "two headers": { authorization: `Bearer ${apiKey}, Bearer ${managementKey}` },
    "a quoted key": { authorization: `Bearer "${apiKey}"` },
    "an endless key": bearer("a".repeat(5_000)),
    "an unknown key": bearer("tg-api-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
    "a key with another end": bearer(apiKey.slice(0, -1) + last),
    "the beginning of a key": bearer(apiKey.slice(0, -1)),
    "a key with more": bearer(`${apiKey}A`),
    "a key in capitals": bearer(apiKey.toUpperCase()),
    "the hash of a key": bearer(createHash("sha256").update(apiKey).digest("hex")),
    "a cookie": { cookie: `__Host-tollgate=${managementKey}; key=${apiKey}` },
    "the key header of another API": { "x-api-key": apiKey },
    "a disabled key": bearer(await gateway.addKey({ kind: "api", disabled: true })),
    "an expired key": bearer(await gateway.addKey({ kind: "api", expiresAt: past })),
    "a disabled management key": bearer(await gateway.addKey({ kind: "management", disabled: true })),
    "an expired client secret": bearer(await gateway.addKey({ kind: "client", expiresAt: past })),
    "a deleted key": bearer(gone.deleted),
    "a key that was rotated": bearer(gone.rotated),
    "a deleted management key": bearer(gone.management),
    "the secret of a revoked client": bearer(gone.secret),
    "a query in a store's language": bearer("'OR/**/1=1--"),
  };
}
