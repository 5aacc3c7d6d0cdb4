/** Management operations, called as an operator's script calls them. */

import { type KeyRecord, keyRecordSchema } from "../../shared/keys.ts";
import { asObject, type Json } from "./event_stream.ts";
import type { Gateway } from "./gateway.ts";

type Managed = Pick<Gateway, "url" | "managementKey">;

export interface Call {
  /** Method and path below `/v1`: `PATCH /keys/…`. */
  readonly call: string;
  /** Sent as JSON; a string as it is. */
  readonly body?: unknown;
  /** Instead of the gateway's management key. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function manage(gateway: Managed, { call, body, token, headers = {} }: Call): Promise<Response> {
  const [method = "", path = ""] = call.split(" ", 2);
  const authorization = `Bearer ${token ?? gateway.managementKey}`;
  return fetch(`${gateway.url}/v1${path}`, {
    method,
    headers: { authorization, "content-type": "application/json", ...headers },
    body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
  });
}

export interface ManagedAnswer {
  readonly status: number;
  readonly body: Json;
  readonly headers: Headers;
}

export async function managed(gateway: Managed, call: Call): Promise<ManagedAnswer> {
  const response = await manage(gateway, call);
  const { status, headers } = response;
  return { status, headers, body: asObject(await response.json()) };
}

export interface MadeKey {
  readonly record: KeyRecord;
  readonly key: string;
}

/** A key that an operator makes. Throws when the gateway refuses. */
export async function createKey(
  gateway: Managed,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<MadeKey> {
  const { body } = await managed(gateway, { call: "POST /keys", body: { name: "A test's", ...fields } });
  return { record: keyRecordSchema.parse(body.data), key: String(body.key) };
}
