/** Content filters when something changes or fails, and what is never written down. */

import assert from "node:assert/strict";
import { chatChunk, scripted } from "../support/scripted.ts";
import { startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { asObject } from "../support/event_stream.ts";
import { call, pricedAt, receiptOf } from "../money/rig.ts";
import { guardrailCollection } from "../../server/management/guardrails/guardrail_rows.ts";
import { guarded } from "./guarded.ts";

Deno.test("a stream keeps the guardrail that it began with", async () => {
  const { promise: goOn, resolve } = Promise.withResolvers<void>();
  const encoder = new TextEncoder();
  await using upstream = scripted(() => {
    const frames = (text: string) => encoder.encode(chatChunk({ delta: { content: text } }));
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(frames("first word, then "));
        await goOn;
        controller.enqueue(frames("id-4711-x and more"));
        controller.enqueue(
          encoder.encode(chatChunk({ delta: {}, finish_reason: "stop" }) + "data: [DONE]\n\n"),
        );
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const { key } = await createKey(gateway);
  const { body } = await managed(gateway, { call: "GET /workspaces/default" });
  const { default_guardrail_id: id } = asObject(body.data);
  const set = (content_filters: unknown) =>
    managed(gateway, { call: `PATCH /guardrails/${id}`, body: { content_filters } });
  await set([{ pattern: "id-\\d{4}-[a-z]", action: "redact", label: "ID" }]);
  const response = await call(gateway, { api: "chat", key, stream: true });
  await set(null);
  resolve();
  const text = await response.text();
  assert.match(text, /\[ID\]/);
  assert.doesNotMatch(text, /id-4711|4711-x/);
  const next = await call(gateway, { api: "chat", key, stream: true }).then((one) => one.text());
  assert.ok(next.includes("4711"), next);
});

Deno.test("nothing of what was found is written down", async () => {
  const planted = "zebra-81723-quilt";
  await using rig = await guarded({
    content_filters: [{ pattern: "zebra-\\d{5}-quilt", action: "redact", label: "ANIMAL" }],
  });
  rig.say({ place: "text", pieces: [...`It is ${planted}.`] });
  const bodies: string[] = [];
  for (const action of ["redact", "block", "flag"]) {
    await rig.set({ content_filters: [{ pattern: "zebra-\\d{5}-quilt", action, label: "ANIMAL" }] });
    for (const api of ["responses", "chat", "messages"] as const) {
      for (const stream of [true, false]) {
        const headers = { "x-service-metadata": "enabled" };
        const answer = await rig.ask({ api, stream, text: `See ${planted}`, headers });
        if (action !== "flag") bodies.push(answer.raw);
        bodies.push(JSON.stringify(await receiptOf(rig.gateway, answer.response)));
      }
    }
  }
  for (const path of ["audit", "receipts", "analytics", `guardrails/${rig.guardrail}`]) {
    const response = await fetch(`${rig.gateway.url}/v1/${path}`, {
      headers: { authorization: `Bearer ${rig.gateway.managementKey}` },
    });
    bodies.push(await response.text());
  }
  for (const rows of ["journal", "receipts_by", "usage", "audit", "guardrails"]) {
    for (const entry of await rig.gateway.store.list([rows], { limit: 500 })) {
      bodies.push(JSON.stringify(entry));
    }
  }
  bodies.push(...rig.gateway.logged);
  for (const text of bodies) assert.ok(!text.includes(planted), text);
  for (const { body } of rig.upstream.requested.slice(0, 6)) {
    assert.ok(!JSON.stringify(body).includes(planted));
  }
});

Deno.test("a filter that fails lets nothing through", async () => {
  await using rig = await guarded({ content_filters: [{ pattern: "a", action: "flag" }] });
  // No version has stored it: whatever stands in the store, nothing passes unread.
  const content_filters = [{ pattern: "(?=a)", action: "flag" as const }];
  await guardrailCollection(rig.gateway.store).update(
    [rig.guardrail],
    (row) => ({ ...row, content_filters }),
  );
  await managed(rig.gateway, { call: `PATCH /guardrails/${rig.guardrail}`, body: { name: "Broken" } });
  for (const stream of [true, false]) {
    const headers = { "x-service-metadata": "enabled" };
    const { status, error, raw } = await rig.ask({ api: "chat", stream, headers });
    assert.equal(status, 403, raw);
    assert.deepEqual(asObject(error?.metadata).patterns, []);
    assert.match(raw, /could not be judged/);
  }
  assert.equal(rig.upstream.requested.length, 0);
  const lines = rig.gateway.logged.filter((line) => line.includes("Cannot apply content filters"));
  assert.equal(lines.length, 1);
});
