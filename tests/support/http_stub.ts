/** A server on loopback that answers as a test says. */

export interface HttpStub extends AsyncDisposable {
  /** Without a trailing slash. */
  readonly url: string;
}

export function httpStub(handle: (request: Request) => Response | Promise<Response>): HttpStub {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, handle);
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
