/** Words and ids of a provider in which another text stands: no client and no receipt gets it. */

import assert from "node:assert/strict";
import { apiNames, receiptOf } from "../money/rig.ts";
import type { Json } from "../support/event_stream.ts";
import { sse } from "../support/scripted.ts";
import { chatFrames, chatWhole, guardedBy } from "./guarded.ts";

const secret = "id-4711-x";
const text = `is ${secret}`;
const fields = { content_filters: [{ pattern: "id-\\d{4}-[a-z]", action: "redact", label: "ID" }] };
const said = { place: "text", pieces: ["ok"] } as const;

/** Fields besides texts that a provider of chat completions may send, each with the secret in it. */
const planted: Readonly<Record<string, Json>> = {
  "service_tier": { service_tier: text },
  "id": { id: text },
  "model": { model: text },
  "system_fingerprint": { system_fingerprint: text },
  "provider": { provider: text },
};

Deno.test("a text in the place of a provider's word is replaced, and is on no receipt", async () => {
  let more: Json = {};
  await using rig = await guardedBy("chat", ({ body }) => {
    if (body.stream !== true) return Response.json({ ...chatWhole(said), ...more });
    const frames = chatFrames(said).map((frame) => {
      const data = /^data: (\{.*\})/s.exec(frame)?.[1];
      return data === undefined ? frame : `data: ${JSON.stringify({ ...JSON.parse(data), ...more })}\n\n`;
    });
    return sse(frames);
  }, fields);
  for (const [name, one] of Object.entries(planted)) {
    more = one;
    for (const api of apiNames) {
      for (const stream of [false, true]) {
        const headers = { "x-service-metadata": "enabled" };
        const { response, raw } = await rig.ask({ api, stream, headers });
        assert.equal(response.status, 200, raw);
        assert.ok(!raw.includes(secret), `${name} ${api} ${stream} ${raw}`);
        const receipt = JSON.stringify(await receiptOf(rig.gateway, response));
        assert.ok(!receipt.includes(secret), `${name} ${api} ${stream} ${receipt}`);
      }
    }
  }
  assert.ok(!rig.gateway.logged.join("\n").includes(secret));
});

Deno.test("words that a provider may say are on the receipt", async () => {
  const words = { service_tier: "on_demand", id: "chatcmpl-9/a:b" };
  await using rig = await guardedBy("chat", () => Response.json({ ...chatWhole(said), ...words }), fields);
  const { response, raw } = await rig.ask({ api: "chat", stream: false });
  assert.match(raw, /"service_tier":"on_demand"/);
  const { service_tier, upstream_id } = await receiptOf(rig.gateway, response);
  assert.deepEqual([service_tier, upstream_id], [words.service_tier, words.id]);
});
