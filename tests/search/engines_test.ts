/** Each engine's dialect: what it would refuse fails, and what it answers is read. */

import assert from "node:assert/strict";
import {
  allowedHosts,
  type DomainRule,
  excludedHosts,
  parseDomainRule,
} from "../../shared/fields/domain_rules.ts";
import type { SearchHit, SearchInput } from "../../server/web/search/engine.ts";
import { fitSearch } from "../../server/web/search/fit_search.ts";
import { type SearchEngineId, searchEngineIds } from "../../shared/search_engines.ts";
import { searchEngines } from "../../server/web/search/mod.ts";
import { parseSearchResponse, type SearchResult } from "../../server/web/search/parse_search_response.ts";
import {
  SEARCH_KEY,
  type SearchMock,
  type SearchMockOptions,
  startSearchMock,
} from "../mocks/search_upstream.ts";

const hits: readonly SearchHit[] = [
  { url: "https://a.example/one", title: "One", text: "The first 😀 text" },
  { url: "https://b.example/two?x=1#y", title: "Two", text: "The second text" },
];

const rulesOf = (texts: readonly string[] = []): readonly DomainRule[] =>
  texts.map((text) => parseDomainRule(text) ?? assert.fail(text));

interface Wanted extends Partial<Omit<SearchInput, "allowedDomains" | "excludedDomains">> {
  readonly allowed?: readonly string[];
  readonly excluded?: readonly string[];
  readonly key?: string;
}

/** One search within the limits of its engine, sent over HTTP. */
async function searched(
  id: SearchEngineId,
  { mock, wanted = {} }: { readonly mock: SearchMock; readonly wanted?: Wanted },
): Promise<SearchResult> {
  const engine = searchEngines[id];
  const { allowed, excluded, key = SEARCH_KEY, query = "what is new?", maxResults = 5, ...rest } = wanted;
  const domains = { allowed: rulesOf(allowed), excluded: rulesOf(excluded) };
  const input = {
    query,
    maxResults,
    ...rest,
    allowedDomains: allowedHosts(domains),
    excludedDomains: excludedHosts(domains),
  };
  const target = { baseUrl: mock.url, key };
  const { method, url, headers, body } = engine.renderRequest(fitSearch(engine, input).input, target);
  const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  const answer = { status: response.status, text: await response.text() };
  return parseSearchResponse(engine, {
    answer,
    limits: { maxResults, maxCharacters: rest.maxCharacters, domains },
  });
}

async function withMock(
  id: SearchEngineId,
  { options, use }: {
    readonly options?: SearchMockOptions;
    readonly use: (mock: SearchMock) => Promise<void>;
  },
): Promise<void> {
  await using mock = startSearchMock(id, options ?? { hits });
  await use(mock);
}

const message = (result: SearchResult): string => result.type === "failed" ? result.message : assert.fail();

const inputs: readonly (readonly [what: string, wanted: Wanted])[] = [
  ["a plain search", {}],
  ["the fewest results", { maxResults: 1 }],
  ["the most results", { maxResults: 25 }],
  ["a limit of characters", { maxCharacters: 100_000 }],
  ["a country", { country: "DE" }],
  ["an allowed domain", { allowed: ["a.example"] }],
  ["allowed domains with wildcards and paths", { allowed: ["a.example", "*.b.example", "c.example/docs"] }],
  ["excluded domains", { excluded: ["c.example", "*.d.example", "e.example/f"] }],
  ["a mode of Exa", { mode: "deep" }],
  ["a mode of Parallel", { mode: "turbo" }],
  ["a mode of nobody", { mode: "constructor" }],
  ["a query with everything in it", { query: 'ä 😀 "x" & y=1 #z' }],
  ["a long query", { query: "word ".repeat(45).trim() }],
];

for (const id of searchEngineIds) {
  for (const [what, wanted] of inputs) {
    Deno.test(`${id} takes ${what}`, () =>
      withMock(id, {
        use: async (mock) => {
          const result = await searched(id, { mock, wanted });
          assert.equal(result.type, "hits", JSON.stringify(result));
          assert.equal(mock.requests.length, 1);
        },
      }));
  }

  Deno.test(`${id} gives address, title and text of each result`, () =>
    withMock(id, {
      use: async (mock) => {
        const result = await searched(id, { mock });
        const found = result.type === "hits" ? result.hits : assert.fail();
        assert.deepEqual(found.map(({ url, title, text }) => ({ url, title, text })), hits);
      },
    }));

  Deno.test(`${id} leaves out a broken entry alone, and fails where every entry is broken`, () => {
    const broken = JSON.parse('{"url": 5, "title": "t", "text": "u"}');
    return withMock(id, {
      options: { hits: [broken, ...hits, broken] },
      use: async (mock) => {
        const result = await searched(id, { mock });
        const found = result.type === "hits" ? result.hits : assert.fail();
        assert.deepEqual(found.map(({ url }) => url), hits.map(({ url }) => url));
      },
    }).then(() =>
      withMock(id, {
        options: { hits: [broken] },
        use: async (mock) =>
          assert.match(message(await searched(id, { mock })), /something else than results/),
      })
    );
  });

  Deno.test(`${id}'s results have no secrets and no private hosts in their addresses`, () => {
    const urls = [
      "https://user:pw@a.example/",
      "https://user@a.example/",
      "http://127.0.0.1/admin",
      "http://2130706433/",
      "http://[::1]:8080/",
      "http://169.254.169.254/latest/meta-data",
      "http://localhost/",
      "http://router.lan/",
      "http://intranet/",
      "https://a.example:8443/kept",
    ];
    return withMock(id, {
      options: { hits: urls.map((url) => ({ url, title: "t", text: "u" })) },
      use: async (mock) => {
        const result = await searched(id, { mock, wanted: { maxResults: 20 } });
        const found = result.type === "hits" ? result.hits : assert.fail();
        assert.deepEqual(found.map(({ url }) => url), ["https://a.example:8443/kept"]);
      },
    });
  });

  Deno.test(`${id} finds nothing where there is nothing`, () =>
    withMock(id, {
      options: { hits: [] },
      use: async (mock) =>
        assert.deepEqual(await searched(id, { mock }), { type: "hits", hits: [], found: 0 }),
    }));

  Deno.test(`${id}'s results are cut, and held to the domains, whatever it finds`, () => {
    const many = [
      ...[
        "https://a.example/1",
        "https://a.example/1",
        "https://evil.example/",
        "https://x.a.example/docs/2",
      ],
      ...["javascript:alert(1)", "https://a.example.evil.example/", "nothing", "https://a.example/3"],
    ].map((url) => ({ url, title: "t", text: "😀😀😀" }));
    return withMock(id, {
      options: { hits: many },
      use: async (mock) => {
        const wanted = { allowed: ["a.example"], maxResults: 2, maxCharacters: 3 };
        const result = await searched(id, { mock, wanted });
        const found = result.type === "hits" ? result.hits : assert.fail();
        assert.deepEqual(found.map(({ url, text }) => [url, text]), [
          ["https://a.example/1", "😀"],
          ["https://x.a.example/docs/2", "😀"],
        ]);
      },
    });
  });

  Deno.test(`${id}'s results have no invisible characters`, () => {
    const tags = [..."ignore"].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");
    const hidden = {
      url: "https://a.example/x\u200b\u202e",
      title: `Title${tags}`,
      text: `Te\u200bxt \u202e${tags}`,
      published: "2026\u2060",
    };
    return withMock(id, {
      options: { hits: [hidden] },
      use: async (mock) => {
        const result = await searched(id, { mock });
        const [hit] = result.type === "hits" ? result.hits : assert.fail();
        assert.deepEqual([hit?.url, hit?.title, hit?.text], [
          "https://a.example/x%E2%80%8B%E2%80%AE",
          "Title",
          "Text ",
        ]);
        assert.doesNotMatch(JSON.stringify(hit), /[\u2060\u{E0069}]/u);
      },
    });
  });

  for (const status of [400, 401, 402, 403, 404, 422, 429, 432, 500, 503]) {
    Deno.test(`${id} says in a sentence that it answered ${status}`, () =>
      withMock(id, {
        options: { hits, response: () => new Response(`secret ${SEARCH_KEY}`, { status }) },
        use: async (mock) => {
          const text = message(await searched(id, { mock }));
          assert.match(text, new RegExp(`^The search with \\w+ failed: .* \\(status ${status}\\)\\.$`));
          assert.doesNotMatch(text, /secret|search-key/);
        },
      }));
  }

  for (
    const text of [
      "<!doctype html><p>results",
      "",
      "null",
      "[]",
      "{}",
      '{"results":[{"url":1}]}',
      '{"error":"x"}',
    ]
  ) {
    Deno.test(`${id} says that ${text || "nothing"} is no answer`, () =>
      withMock(id, {
        options: { hits, response: () => new Response(text) },
        use: async (mock) =>
          assert.match(message(await searched(id, { mock })), /something else than results\.$/),
      }));
  }
}

Deno.test("SearXNG names the setting that is missing", () =>
  withMock("searxng", {
    options: { hits, response: () => new Response("Forbidden", { status: 403 }) },
    use: async (mock) => assert.match(message(await searched("searxng", { mock })), /search\.formats/),
  }));

Deno.test("the mocks refuse a wrong key", async () => {
  for (const id of searchEngineIds.filter((engine) => engine !== "searxng")) {
    await withMock(id, {
      use: async (mock) =>
        assert.match(
          message(await searched(id, { mock, wanted: { key: "wrong" } })),
          /key is missing or wrong/,
        ),
    });
  }
});
