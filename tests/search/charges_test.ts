/** Which searches are charged: those that the engine has made, whatever became of its answer. */

import assert from "node:assert/strict";
import { searchEngineIds } from "../../shared/search_engines.ts";
import { searchEngines } from "../../server/web/search/mod.ts";
import { createSearchClient, type SearchReply } from "../../server/web/search/search_client.ts";
import { fetchTransport } from "../../server/providers/upstream/fetch_transport.ts";
import { SEARCH_KEY, type SearchMockOptions, startSearchMock } from "../mocks/search_upstream.ts";
import { type FakeClock, fakeClock } from "../support/clock.ts";
import { linesLogger } from "../support/reader.ts";
import { until } from "../support/until.ts";

/** A body that begins and then breaks the connection. */
function breaksOff(status: number): Response {
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (pulls++ === 0) controller.enqueue(new TextEncoder().encode('{"results": ['));
      else controller.error(new Error("The engine has broken off"));
    },
  }, { highWaterMark: 0 });
  return new Response(body, { status, headers: { "content-type": "application/json" } });
}

interface Situation {
  readonly what: string;
  /** Absent: the engine answers as it does. */
  readonly response?: NonNullable<SearchMockOptions["response"]>;
  /** Runs while the search is under way. */
  readonly meanwhile?: (clock: FakeClock) => Promise<void>;
  readonly charged: boolean;
  readonly message?: RegExp;
}

const situations: readonly Situation[] = [
  { what: "is answered", charged: true },
  { what: "is answered with nonsense", response: () => new Response("<html>"), charged: true },
  {
    what: "is answered with 200, and the answer breaks off",
    response: () => breaksOff(200),
    charged: true,
    message: /Its answer broke off/,
  },
  {
    what: "is answered with more than is read",
    response: () => new Response("x".repeat(5 * 1024 * 1024)),
    charged: true,
    message: /Its answer broke off/,
  },
  {
    what: "is not answered in time",
    response: () => new Promise(() => {}),
    meanwhile: (clock) => clock.advanceOnce(() => clock.open > 0, 20_000),
    charged: true,
    message: /did not answer within 20 s/,
  },
  { what: "is refused", response: () => Response.json({ error: "No." }, { status: 429 }), charged: false },
  {
    what: "fails, and the failure breaks off",
    response: () => breaksOff(500),
    charged: false,
    message: /Its answer broke off/,
  },
];

for (const id of searchEngineIds) {
  const engine = searchEngines[id];
  const searchAt = (baseUrl: string, clock: FakeClock): Promise<SearchReply> => {
    const client = createSearchClient({ transport: fetchTransport(fetch), clock, log: linesLogger([]) });
    return client({
      engine: { id, engine, target: { baseUrl, key: SEARCH_KEY } },
      input: { query: "news", maxResults: 5, allowedDomains: [], excludedDomains: [] },
      limits: { maxResults: 5, domains: { allowed: [], excluded: [] } },
      signal: new AbortController().signal,
    });
  };

  for (const { what, response, meanwhile, charged, message } of situations) {
    Deno.test(`a search of ${id} that ${what} is ${charged ? "charged" : "free"}`, async () => {
      const clock = fakeClock();
      const end = Promise.withResolvers<Response>();
      let requested = 0;
      const hits = [{ url: "https://a.example/", title: "t", text: "x" }];
      const answer = response &&
        (() => (requested++, Promise.race([end.promise, Promise.resolve(response())])));
      await using mock = startSearchMock(id, { hits, response: answer });
      const going = searchAt(mock.url, clock);
      if (meanwhile !== undefined) {
        await until(() => requested > 0, { what: "that the engine is asked" });
        await meanwhile(clock);
      }
      const { result, isCharged } = await going;
      end.resolve(new Response("{}"));
      assert.equal(isCharged, charged);
      if (message !== undefined) assert.match(result.type === "failed" ? result.message : "", message);
    });
  }

  Deno.test(`a search of ${id} that cannot reach it is free`, async () => {
    const { result, isCharged } = await searchAt("http://127.0.0.1:9", fakeClock());
    assert.deepEqual([result.type, isCharged], ["failed", false]);
  });
}
