/**
 * Tests each engine's limits of a query, of lists of domains and of countries: more is cut, reported, and filtered
 * here.
 */

import assert from "node:assert/strict";
import { allowedHosts, excludedHosts, parseDomainRule } from "../../shared/fields/domain_rules.ts";
import { type SearchEngineId, searchEngineIds } from "../../shared/search_engines.ts";
import type { SearchInput } from "../../server/web/search/engine.ts";
import { searchEngines } from "../../server/web/search/mod.ts";
import { createSearchClient, type SearchReply } from "../../server/web/search/search_client.ts";
import { fetchTransport } from "../../server/providers/upstream/fetch_transport.ts";
import { SEARCH_KEY, startSearchMock } from "../mocks/search_upstream.ts";
import { fakeClock } from "../support/clock.ts";
import { linesLogger } from "../support/reader.ts";

interface Wanted extends Partial<Pick<SearchInput, "query" | "country">> {
  readonly allowed?: readonly string[];
  readonly excluded?: readonly string[];
}

interface Searched extends SearchReply {
  /** The body, or the query of the address, that the engine took. */
  readonly sent: string;
}

/** One search through the client, of an engine that finds a page of `0.example` and one of `9999.example`. */
async function search(id: SearchEngineId, { query = "news", country, ...lists }: Wanted): Promise<Searched> {
  const hits = ["https://0.example/", "https://9999.example/"].map((url) => ({ url, title: "t", text: "x" }));
  await using mock = startSearchMock(id, { hits });
  const client = createSearchClient({
    transport: fetchTransport(fetch),
    clock: fakeClock(),
    log: linesLogger([]),
  });
  const rules = (texts: readonly string[] = []) =>
    texts.map((text) => parseDomainRule(text) ?? assert.fail());
  const domains = { allowed: rules(lists.allowed), excluded: rules(lists.excluded) };
  const reply = await client({
    engine: { id, engine: searchEngines[id], target: { baseUrl: mock.url, key: SEARCH_KEY } },
    input: {
      query,
      country,
      maxResults: 5,
      allowedDomains: allowedHosts(domains),
      excludedDomains: excludedHosts(domains),
    },
    limits: { maxResults: 5, domains },
    signal: new AbortController().signal,
  });
  assert.equal(reply.result.type, "hits", JSON.stringify(reply.result));
  return { ...reply, sent: JSON.stringify(mock.requests) };
}

const urlsOf = ({ result }: SearchReply): readonly string[] =>
  result.type === "hits" ? result.hits.map(({ url }) => url) : assert.fail();

const names = (count: number) => Array.from({ length: count }, (_, at) => `${at}.example`);

const queries: readonly (readonly [what: string, query: string])[] = [
  ["400 characters", "wide ".repeat(80).trim().slice(0, 400)],
  ["51 short words", Array.from({ length: 51 }, (_, at) => at).join(" ")],
  ["10,000 words", "word ".repeat(10_000)],
  ["one long word", "x".repeat(6_000)],
  ["a long word of characters outside the first plane", "😀".repeat(6_000)],
  ["one that would be cut within a character", `${"😀".repeat(199)}xx😀${"😀".repeat(3_000)}`],
  ["characters that need escapes", "ä ".repeat(3_000)],
  ["spaces around it", "  news \n"],
];

const lists: readonly (readonly [what: string, domains: Wanted])[] = [
  ["21 allowed domains", { allowed: names(21) }],
  ["151 allowed domains", { allowed: names(151) }],
  ["201 allowed domains", { allowed: names(201) }],
  ["5,000 allowed domains", { allowed: names(5_000) }],
  ["21 excluded domains", { excluded: names(21) }],
  ["151 excluded domains", { excluded: names(151) }],
  ["301 excluded domains", { excluded: names(301) }],
  ["5,000 excluded domains", { excluded: names(5_000) }],
  ["names that are no domains of the Internet", {
    allowed: ["0.example", "intranet", "[::1]", "a_b.example"],
  }],
];

for (const id of searchEngineIds) {
  Deno.test(`${id} is asked with whole characters`, async () => {
    const { sent } = await search(id, { query: "news \ud83d of" });
    assert(sent.includes("news \ufffd of") || sent.includes("%EF%BF%BD"), sent);
  });

  for (const [what, query] of queries) {
    Deno.test(`${id} takes a query of ${what}`, async () => {
      const { sent, cuts } = await search(id, { query });
      const isCut = !sent.includes(JSON.stringify(query.trim()).slice(1, -1));
      assert.equal(cuts.length, isCut ? 1 : 0, cuts.join());
      for (const cut of cuts) assert.match(cut, /^The query is longer than \w+ takes: it was cut to "/);
    });
  }

  for (const [what, wanted] of lists) {
    Deno.test(`${id} takes ${what}, and what it finds is filtered by all of them`, async () => {
      const reply = await search(id, { ...wanted, query: "word ".repeat(30) });
      const isAllowed = wanted.allowed !== undefined;
      assert.deepEqual(urlsOf(reply), [isAllowed ? "https://0.example/" : "https://9999.example/"]);
      assert.match(reply.sent, /0\.example/, "the engine is told the first of them");
      const list = wanted.allowed ?? wanted.excluded ?? [];
      const told = list.filter((name) => reply.sent.includes(`${name}"`) || reply.sent.includes(`:${name}`));
      assert.equal(reply.cuts.some((cut) => cut.includes("domains")), told.length < list.length);
    });
  }

  Deno.test(`${id} searches by the countries that it has, and says so of others`, async () => {
    for (const country of ["DE", "US", "GB", "LU", "KE", "IS"]) {
      const { sent, cuts } = await search(id, { country });
      const isSent = new RegExp(`"${country}"`, "i").test(sent);
      assert.equal(cuts.length, isSent ? 0 : 1, `${country}: ${cuts.join()}`);
    }
  });
}

const limits: readonly (readonly [id: SearchEngineId, wanted: Wanted, sent: RegExp])[] = [
  ["brave", { query: "x".repeat(500) }, /"x{400}"/],
  ["brave", { query: "a ".repeat(60) }, /"(?:a ){49}a"/],
  ["brave", { query: "x", country: "LU" }, /^(?!.*country)/],
  ["brave", { query: "x", allowed: ["a.example", "b.example"] }, /x \(site:a\.example OR site:b\.example\)/],
  ["brave", { query: `${"word ".repeat(60)}`, excluded: names(300) }, /(?:word ){25}-site:0\.example/],
  ["firecrawl", { query: "x".repeat(600) }, /"x{500}"/],
  ["firecrawl", { allowed: ["a.example"] }, /"query":"news".*"includeDomains":\["a\.example"\]/],
  ["firecrawl", { excluded: ["a.example"] }, /"query":"news".*"excludeDomains":\["a\.example"\]/],
  ["tavily", { query: "x".repeat(500) }, /"x{400}"/],
  ["tavily", { excluded: names(151) }, /"149\.example"\]/],
  ["tavily", { allowed: names(301) }, /"299\.example"\]/],
  ["parallel", { allowed: names(201) }, /"199\.example"\]/],
  ["parallel", { query: "x".repeat(300) }, /"search_queries":\["x{200}"\],"objective":"x{300}"/],
  ["perplexity", { allowed: names(21) }, /"19\.example"\]/],
  ["perplexity", { excluded: names(21) }, /"-19\.example"\]/],
  ["exa", { allowed: names(1_201) }, /"1199\.example"\]/],
  ["searxng", { query: "ä".repeat(600) }, /"ä{500}"/],
];

for (const [id, wanted, sent] of limits) {
  Deno.test(`${id} is sent ${sent.source.slice(0, 60)}`, async () => {
    assert.match((await search(id, wanted)).sent, sent);
  });
}
