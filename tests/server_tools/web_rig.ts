/** A gateway whose server tools reach the web: search engines of every dialect and a site, all on loopback. */

import type { SearchHit } from "../../server/web/search/engine.ts";
import type { SearchEngineId } from "../../shared/search_engines.ts";
import { searchEngineVariables } from "../../server/config/search_settings.ts";
import { SEARCH_KEY, type SearchMock, startSearchMock } from "../mocks/search_upstream.ts";
import type { GatewayOptions } from "../support/gateway.ts";
import { type ModelFields, type RigOptions, type ToolRig, withTools } from "./rig.ts";

export const hits: readonly SearchHit[] = [
  { url: "https://a.example/one", title: "One", text: "The first 😀 text", published: "2026-01-02" },
  { url: "https://b.example/two?x=1#y", title: "Two", text: "The second text" },
];

export interface WebRig extends ToolRig {
  readonly engine: (id: SearchEngineId) => SearchMock;
  /** Address of the site, without a trailing slash. */
  readonly site: string;
  /** Paths that were fetched. */
  readonly fetched: readonly string[];
}

export interface WebOptions {
  readonly engines?: readonly SearchEngineId[];
  readonly hits?: readonly SearchHit[];
  /** Instead of an engine's answer. */
  readonly response?: () => Response | Promise<Response>;
  /** USD a search. */
  readonly price?: string;
  readonly pages?: (path: string) => Response;
  readonly gateway?: GatewayOptions;
  readonly model?: ModelFields;
  readonly provider?: RigOptions["provider"];
}

export async function withWeb(options: WebOptions, test: (rig: WebRig) => Promise<void>): Promise<void> {
  const { engines = ["exa"], response, price, gateway = {} } = options;
  const pages = options.pages ?? (() => new Response("Nothing here.", { status: 404 }));
  await using stack = new AsyncDisposableStack();
  const mocks = new Map(
    engines.map((id) =>
      [id, stack.use(startSearchMock(id, { hits: options.hits ?? hits, response }))] as const
    ),
  );
  const fetched: string[] = [];
  const site = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    fetched.push(pathname);
    return pages(pathname);
  });
  stack.defer(() => site.shutdown());
  const env = Object.fromEntries(
    [...mocks].map(([id, { url }]) => [searchEngineVariables[id], id === "searxng" ? url : SEARCH_KEY]),
  );
  const rows = [...mocks].filter(([id]) => id !== "searxng")
    .map(([id, { url }]) => [id, { base_url: url, ...(price === undefined ? {} : { price }) }]);
  const { env: more = {}, file = {}, ...rest } = gateway;
  await withTools({
    ...rest,
    model: options.model,
    provider: options.provider,
    env: { ...env, ...more },
    file: {
      search: Object.fromEntries(rows),
      fetch: { allowed_hosts: [`127.0.0.1:${site.addr.port}`] },
      ...file,
    },
  }, (rig) =>
    test({
      ...rig,
      site: `http://127.0.0.1:${site.addr.port}`,
      fetched,
      engine: (id) => {
        const mock = mocks.get(id);
        if (mock === undefined) throw new Error(`${id} is not there`);
        return mock;
      },
    }));
}
