/** A loopback server with pages of a test's own: for the harness itself, and for what other origins may try. */

export interface FixturePage {
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
}

export interface FixturePages extends AsyncDisposable {
  /** Without a trailing slash. */
  readonly url: string;
  /** The `Cookie` header of each request so far. */
  readonly cookies: readonly string[];
}

/** Serves each path its page, as HTML unless its headers say otherwise; other paths are 404. */
export function servePages(pages: Readonly<Record<string, FixturePage>>): FixturePages {
  const known = new Map(Object.entries(pages));
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => undefined };
  const cookies: string[] = [];
  const server = Deno.serve(options, ({ url, headers: sent }) => {
    cookies.push(sent.get("cookie") ?? "");
    const found = known.get(new URL(url).pathname);
    if (found === undefined) return new Response("There is no such page", { status: 404 });
    const { body, headers = {}, status = 200 } = found;
    return new Response(body, {
      status,
      headers: { "content-type": "text/html; charset=utf-8", ...headers },
    });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    cookies,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
