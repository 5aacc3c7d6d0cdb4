/** Conversations that clients replay turn after turn keep the order and the pairs of thoughts, calls and results. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { upstreams, upstreamWires } from "../mocks/upstreams.ts";
import { type Gateway, mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { scripted } from "../support/scripted.ts";
import { assertProperty, runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";
import { answerOf, type Client, clients } from "./replay/clients.ts";
import { expected, seenBy } from "./replay/seen.ts";
import { answers, conversations, type Turn } from "./replay/turns.ts";
import type { Json } from "../support/event_stream.ts";

async function ask(gateway: Gateway, client: Client, body: Json): Promise<string> {
  const response = await fetch(`${gateway.url}/v1/${client.path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "mock/model", ...body }),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text;
}

const quirks = { reasoning_replay: "reasoning_details", dialect: { asks_reasoning: "object" } };

for (const wire of upstreamWires) {
  for (const [api, client] of Object.entries(clients)) {
    Deno.test(`replayed turns keep their order (${api} to ${wire}, SEED=${seed})`, async () => {
      let turns: readonly Turn[] = [];
      let asked = 0;
      await using upstream = scripted(() => Response.json(answers[wire](turns[asked] ?? [])));
      const models = [{ ...mockModel, upstream_id: `${upstreams[wire].prefix}model` }];
      await using gateway = await startGateway({
        providers: [providerAt(upstream.baseUrl, { wire, models, ...(wire === "chat" ? { quirks } : {}) })],
      });
      const property = fc.asyncProperty(conversations, fc.boolean(), async (some, stream) => {
        turns = some;
        let conversation = client.begin;
        for (asked = 0; asked < turns.length; asked++) {
          const text = await ask(gateway, client, { ...client.body(conversation), stream });
          const sent = upstream.requested.at(-1);
          assert(sent);
          assert.deepEqual(seenBy[wire](sent.body), expected(turns.slice(0, asked)));
          conversation = [...conversation, ...client.next(answerOf(client, { text, stream }))];
        }
        await ask(gateway, client, { ...client.body(conversation), stream: false });
        assert.deepEqual(seenBy[wire](upstream.requested.at(-1)?.body ?? {}), expected(turns));
      });
      await assertProperty(property, { numRuns: runs(15) });
    });
  }
}
