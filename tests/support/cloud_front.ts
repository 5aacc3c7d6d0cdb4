/** A cloud in front of a mock: its own addresses and its own way to sign in; the mock behind it speaks the wire. */

import { isObject, type Json } from "../mocks/published.ts";
import type { Mock } from "../mocks/serve.ts";

export interface Fronted {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: Json;
  readonly text: string;
}

/** Request that the mock gets instead, below its base URL. */
export interface Forwarded {
  readonly path: string;
  readonly body: Json;
}

export interface Front {
  /** Without a path. */
  readonly url: string;
  readonly requests: readonly Fronted[];
  close(): Promise<void>;
}

/** `answer` refuses with a response of its own, or says what the mock is asked. */
export function startFront(mock: Mock, answer: (request: Fronted) => Forwarded | Response): Front {
  const requests: Fronted[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const fronted = await frontedOf(request);
    requests.push(fronted);
    const forwarded = answer(fronted);
    if (forwarded instanceof Response) return forwarded;
    return await fetch(mock.url + forwarded.path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(forwarded.body),
    });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    requests,
    close: async () => {
      await server.shutdown();
      await mock.close();
    },
  };
}

async function frontedOf(request: Request): Promise<Fronted> {
  const { pathname, search } = new URL(request.url);
  const text = await request.text();
  const value: unknown = text.startsWith("{") ? JSON.parse(text) : {};
  return {
    method: request.method,
    path: pathname + search,
    headers: request.headers,
    body: isObject(value) ? value : {},
    text,
  };
}
