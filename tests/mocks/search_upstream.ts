/** Every search engine on loopback: takes what the engine would take and answers as it does. */

import type { SearchHit } from "../../server/web/search/engine.ts";
import type { SearchEngineId } from "../../shared/search_engines.ts";
import { searchRules } from "./search_rules.ts";

export const SEARCH_KEY = "search-key";

export interface SearchMock extends AsyncDisposable {
  /** Without a trailing slash. */
  readonly url: string;
  /** Bodies, or queries, that were taken. */
  readonly requests: readonly unknown[];
}

export interface SearchMockOptions {
  readonly hits: readonly SearchHit[];
  /** Instead of an answer. */
  readonly response?: () => Response | Promise<Response>;
}

const answers: Readonly<Record<SearchEngineId, (hits: readonly SearchHit[]) => unknown>> = {
  searxng: (hits) => ({
    query: "q",
    number_of_results: 0,
    results: hits.map(({ url, title, text, published = null }) => ({
      url,
      title,
      content: text,
      publishedDate: published,
      engine: "brave",
      score: 1,
    })),
    answers: [],
    unresponsive_engines: [],
  }),
  exa: (hits) => ({
    requestId: "r",
    results: hits.map(({ url, title, text, published }) => ({
      id: url,
      url,
      title,
      highlights: [text],
      publishedDate: published,
    })),
    costDollars: { total: 0.007 },
  }),
  brave: (hits) => ({
    type: "search",
    query: { original: "q" },
    ...(hits.length === 0 ? {} : {
      web: {
        type: "search",
        results: hits.map(({ url, title, text, published }) => ({
          url,
          title,
          description: text,
          page_age: published,
        })),
      },
    }),
  }),
  tavily: (hits) => ({
    query: "q",
    results: hits.map(({ url, title, text, published }) => ({
      url,
      title,
      content: text,
      score: 0.9,
      published_date: published,
    })),
    response_time: 1,
  }),
  perplexity: (hits) => ({
    id: "i",
    results: hits.map(({ url, title, text, published = null }) => ({
      url,
      title,
      snippet: text,
      date: published,
    })),
  }),
  parallel: (hits) => ({
    search_id: "search_1",
    session_id: "session_1",
    warnings: null,
    results: hits.map(({ url, title, text, published = null }) => ({
      url,
      title,
      excerpts: [text],
      publish_date: published,
    })),
  }),
  firecrawl: (hits) => ({
    success: true,
    data: {
      web: hits.map(({ url, title, text }, at) => ({ url, title, description: text, position: at + 1 })),
    },
  }),
};

export function startSearchMock(engine: SearchEngineId, { hits, response }: SearchMockOptions): SearchMock {
  const rules = searchRules[engine];
  const requests: unknown[] = [];
  const refused = (status: number, why: string) => Response.json({ error: why }, { status });
  const handle = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const body = request.method === "POST" ? await request.json() : Object.fromEntries(url.searchParams);
    if (url.pathname !== rules.path || request.method !== rules.method) return refused(404, "no such route");
    const [header, prefix] = rules.key ?? [];
    if (header !== undefined && request.headers.get(header) !== `${prefix}${SEARCH_KEY}`) {
      return refused(401, "no key");
    }
    const checked = rules.schema.safeParse(body);
    if (!checked.success) return refused(rules.refusal, checked.error.message);
    requests.push(body);
    return response?.() ?? Response.json(answers[engine](hits));
  };
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, handle);
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    requests,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
