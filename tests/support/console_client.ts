/** Calls of the console as its page makes them: with the session's cookie, from its own origin, with `X-CSRF`. */

import assert from "node:assert/strict";
import { type ConsoleSession, consoleSessionSchema } from "../../shared/console.ts";
import type { Gateway } from "./gateway.ts";
import { asObject, type Json } from "./event_stream.ts";

export interface ConsoleCall {
  /** Method and path below `/console`: `GET /api/keys`. */
  readonly call: string;
  readonly body?: unknown;
  /** Over what the page sends; undefined leaves a header out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** The other end of the connection. */
  readonly peer?: string;
  /** Instead of the loopback's. */
  readonly host?: string;
}

export interface ConsoleAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

const LOOPBACK = "127.0.0.1";

/** Client that holds one session as a browser does. */
export class ConsoleClient {
  readonly #gateway: Pick<Gateway, "app">;
  readonly origin: string;
  cookie: string | undefined;
  session: ConsoleSession | undefined;

  constructor(gateway: Pick<Gateway, "app">, origin = "http://localhost") {
    this.#gateway = gateway;
    this.origin = origin;
  }

  async send({ call, body, headers = {}, peer = LOOPBACK }: ConsoleCall): Promise<Response> {
    const [method = "", path = ""] = call.split(" ", 2);
    const own: Record<string, string | undefined> = {
      host: new URL(this.origin).host,
      origin: method === "GET" ? undefined : this.origin,
      "sec-fetch-site": "same-origin",
      "content-type": body === undefined ? undefined : "application/json",
      "x-csrf": method === "GET" ? undefined : this.session?.csrf,
      cookie: this.cookie,
      ...headers,
    };
    const sent = Object.entries(own).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const request = new Request(`${this.origin}/console${path}`, {
      method,
      headers: sent,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return await this.#gateway.app.fetch(request, peer);
  }

  async answer(call: ConsoleCall): Promise<ConsoleAnswer> {
    const response = await this.send(call);
    const { status, headers } = response;
    return { status, headers, body: asObject(await response.json()) };
  }

  /** Signs in and keeps the cookie. */
  async signIn(body: { readonly key: string } | { readonly token: string }): Promise<ConsoleSession> {
    const { status, headers, body: answer } = await this.answer({ call: "POST /session", body });
    assert.equal(status, 201, JSON.stringify(answer));
    this.cookie = headers.get("set-cookie")?.split(";")[0];
    return this.session = consoleSessionSchema.parse(answer.data);
  }
}

/** A client that is signed in. */
export async function signedIn(gateway: Gateway, key = gateway.managementKey): Promise<ConsoleClient> {
  const client = new ConsoleClient(gateway);
  await client.signIn({ key });
  return client;
}

/** The `metadata` of an API error. */
export function errorMetadata({ body }: Pick<ConsoleAnswer, "body">): Json {
  return asObject(asObject(body.error).metadata);
}
