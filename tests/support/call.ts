/** Plain HTTP calls of a gateway, as `curl` makes them. */

import assert from "node:assert/strict";
import { asObject, type Json } from "./event_stream.ts";
import type { Gateway } from "./gateway.ts";

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** POST /v1/responses with the gateway's API key. */
export function ask(
  { url, apiKey }: Pick<Gateway, "url" | "apiKey">,
  body: Json | string,
  { headers = {}, signal }: CallOptions = {},
): Promise<Response> {
  return fetch(`${url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    signal,
  });
}

/** The same without a socket between: the chunks of the body are those that the gateway wrote. */
export function askInside(
  { app, apiKey }: Pick<Gateway, "app" | "apiKey">,
  body: Json | string,
  { headers = {}, signal }: CallOptions = {},
): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return app.fetch(
    new Request("http://localhost/v1/responses", {
      method: "POST",
      headers: {
        host: "localhost",
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        "content-length": String(new TextEncoder().encode(text).length),
        ...headers,
      },
      body: text,
      signal,
    }),
    "127.0.0.1",
  );
}

export interface Reported {
  readonly status: number;
  readonly message: string;
  readonly error: Json;
  readonly body: Json;
  readonly headers: Headers;
}

/** An error answer; fails when the envelope is not the one that every client understands. */
export async function readError(response: Response): Promise<Reported> {
  const text = await response.text();
  assert(response.status >= 400, `status ${response.status}: ${text.slice(0, 200)}`);
  assert.equal(response.headers.get("content-type"), "application/json");
  const body = asObject(JSON.parse(text));
  const error = asObject(body.error);
  assert.equal(error.code, response.status, "error.code is the status");
  const { message } = error;
  assert(typeof message === "string" && message.length > 0);
  assert.equal(typeof asObject(error.metadata).error_type, "string");
  assert.match(response.headers.get("x-request-id") ?? "", /^req_[0-9a-f]{32}$/);
  assert.match(response.headers.get("server-timing") ?? "", /^gateway;dur=[\d.]+/);
  return { status: response.status, message, error, body, headers: response.headers };
}

/** A JSON answer with status 200. */
export async function readJson(response: Response): Promise<Json> {
  const text = await response.text();
  assert.equal(response.status, 200, text.slice(0, 500));
  assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
  return asObject(JSON.parse(text));
}
