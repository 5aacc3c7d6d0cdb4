/** Searches over the gateway's own connections whose answers break as they do on real sockets: what is charged. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { searchEngineIds } from "../../shared/search_engines.ts";
import { searchEngines } from "../../server/web/search/mod.ts";
import { createSearchClient } from "../../server/web/search/search_client.ts";
import { httpTransport } from "../../server/providers/upstream/http_transport.ts";
import { SingleUseOrigins } from "../../server/providers/upstream/connections/single_use_origins.ts";
import { SEARCH_KEY } from "../mocks/search_upstream.ts";
import { linesLogger } from "../support/reader.ts";
import { tickingClock } from "../support/ticking_clock.ts";

interface Broken {
  readonly bytes: string;
  readonly end: "close" | "reset";
  readonly isCharged: boolean;
}

const json = "content-type: application/json\r\n";
const ok = `HTTP/1.1 200 OK\r\n${json}`;
const begun = '{"results": [{"url": "https://a.example/", "title"';

const answers: Readonly<Record<string, Broken>> = {
  "a body shorter than its content-length": {
    bytes: `${ok}content-length: 5000\r\n\r\n${begun}`,
    end: "close",
    isCharged: true,
  },
  "a body shorter than its content-length, and a reset": {
    bytes: `${ok}content-length: 5000\r\n\r\n${begun}`,
    end: "reset",
    isCharged: true,
  },
  "no byte of a body": { bytes: `${ok}content-length: 5000\r\n\r\n`, end: "close", isCharged: true },
  "no byte of a body, and a reset": {
    bytes: `${ok}content-length: 5000\r\n\r\n`,
    end: "reset",
    isCharged: true,
  },
  "chunks without the last": {
    bytes: `${ok}transfer-encoding: chunked\r\n\r\n32\r\n${begun}\r\n`,
    end: "close",
    isCharged: true,
  },
  "half a chunk": {
    bytes: `${ok}transfer-encoding: chunked\r\n\r\nfff\r\n${begun}`,
    end: "reset",
    isCharged: true,
  },
  "a chunk that is none": {
    bytes: `${ok}transfer-encoding: chunked\r\n\r\nzz\r\n${begun}\r\n`,
    end: "close",
    isCharged: true,
  },
  "a body that ends with the connection, in the middle": {
    bytes: `${ok}connection: close\r\n\r\n${begun}`,
    end: "close",
    isCharged: true,
  },
  "half a head": { bytes: "HTTP/1.1 200 OK\r\ncontent-ty", end: "close", isCharged: false },
  "no byte at all": { bytes: "", end: "reset", isCharged: false },
  "a refusal that breaks off": {
    bytes: `HTTP/1.1 429 Too Many\r\n${json}content-length: 5000\r\n\r\n{`,
    end: "reset",
    isCharged: false,
  },
};

/** Answers with the bytes once a request is there, and ends. */
async function brokenEngine({ bytes, end }: Broken) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("data", () => {
      const finish = () => end === "close" ? socket.end() : socket.resetAndDestroy();
      if (bytes === "") finish();
      else socket.write(bytes, finish);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert(typeof address === "object" && address !== null);
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

for (const id of searchEngineIds) {
  Deno.test(`a search of ${id} whose answer (200) breaks on its way is charged, others are free`, async (t) => {
    for (const [what, broken] of Object.entries(answers)) {
      await t.step(what, async () => {
        await using server = await brokenEngine(broken);
        const clock = tickingClock();
        const log = linesLogger([]);
        const transport = httpTransport({ clock, singleUse: new SingleUseOrigins({ clock, log }) });
        const search = createSearchClient({ transport, clock, log });
        try {
          const { result, isCharged } = await search({
            engine: { id, engine: searchEngines[id], target: { baseUrl: server.url, key: SEARCH_KEY } },
            input: { query: "news", maxResults: 5, allowedDomains: [], excludedDomains: [] },
            limits: { maxResults: 5, domains: { allowed: [], excluded: [] } },
            signal: new AbortController().signal,
          });
          assert.deepEqual([result.type, isCharged], ["failed", broken.isCharged]);
        } finally {
          transport.close();
        }
      });
    }
  });
}
