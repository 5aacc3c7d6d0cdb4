/** Management operations as an operator calls them. */

import assert from "node:assert/strict";
import { asObject, type Json } from "./event_stream.ts";

export interface Operator {
  /** Address of the gateway, without a trailing slash. */
  readonly url: string;
  readonly key: string;
}

export interface Operation {
  readonly method?: string;
  /** Below `/v1`. */
  readonly path: string;
  readonly body?: Json;
}

export interface Answer {
  readonly status: number;
  readonly body: Json;
}

export async function operate(
  { url, key }: Operator,
  { method = "GET", path, body }: Operation,
): Promise<Answer> {
  const answer = await fetch(`${url}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  return { status: answer.status, body: asObject(await answer.json()) };
}

/** The `data` of a good answer. */
export function dataOf({ status, body }: Answer): Json {
  assert.equal(status, 200, JSON.stringify(body));
  return asObject(body.data);
}

/** The same of a list. */
export function rowsOf({ status, body }: Answer): readonly Json[] {
  assert.equal(status, 200, JSON.stringify(body));
  assert(Array.isArray(body.data));
  return body.data.map(asObject);
}
