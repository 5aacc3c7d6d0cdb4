/** Texts that plugins add to a request are judged by the context of the endpoint, before its provider is asked. */

import assert from "node:assert/strict";
import type { Json } from "../support/event_stream.ts";
import { type Api, apis, says, send } from "../server_tools/rig.ts";
import { withWeb } from "../server_tools/web_rig.ts";
import { question } from "./documents_rig.ts";
import { requestOn } from "./rig.ts";

const long = "many words of a long text, ".repeat(4_000);

/** Tokens that results of a search have at most. */
const MOST_RESULTS = 5_000;

interface Adding {
  readonly body: (api: Api, site: string) => Json;
}

const adding: Readonly<Record<string, Adding>> = {
  "the text of a document": {
    body: (api) => {
      const document = { name: "long.txt", type: "text/plain", bytes: new TextEncoder().encode(long) };
      return requestOn(api, { text: question(api, [document]) });
    },
  },
  "search results": {
    body: (api) => requestOn(api, { text: "Which ships?", plugins: [{ id: "web" }] }),
  },
  "a page": {
    body: (api, site) =>
      requestOn(api, {
        text: `See ${site}/page`,
        plugins: [{ id: "web-fetch", max_content_tokens: 200_000 }],
      }),
  },
};

const options = {
  hits: Array.from({ length: 20 }, (_, at) => ({
    url: `https://a.example/${at}`,
    title: "Ships",
    text: long.slice(0, 2_000),
  })),
  pages: () => new Response(long, { headers: { "content-type": "text/plain" } }),
};

for (const [what, { body }] of Object.entries(adding)) {
  for (const context of [9_000, 1_000]) {
    if (context > MOST_RESULTS && what === "search results") continue;
    Deno.test(`${what} beyond a context of ${context} tokens is told with its counts on every API`, async () => {
      const model = { input_modalities: ["text"], context_length: context };
      await withWeb({ ...options, model }, async ({ gateway, plan, taken, site }) => {
        for (const api of apis) {
          for (const stream of [false, true]) {
            plan(() => [says("Hi.")]);
            const asked: Json = { model: "mock/chat", ...body(api, site), stream };
            const off = { id: "context-compression", enabled: false };
            const plugins = [...toList(asked.plugins), off];
            const sent = await send(gateway, { api, body: { ...asked, plugins } });
            assert.equal(sent.status, 400, sent.text);
            assert.match(sent.text, /context_length_exceeded/);
            assert.match(sent.text, new RegExp(`takes ${context} tokens`));
            assert.equal(taken("chat").length, 0);
            const on = [...toList(asked.plugins), { id: "context-compression" }];
            const fitted = await send(gateway, { api, body: { ...asked, plugins: on } });
            assert.equal(fitted.status, 200, fitted.text);
            assert.match(JSON.stringify(taken("chat")), /characters left out/);
          }
        }
      });
    });
  }
}

const toList = (value: unknown): readonly unknown[] => Array.isArray(value) ? value : [];
