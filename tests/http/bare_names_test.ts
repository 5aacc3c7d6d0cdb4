/** Models that callers name without their author. */

import assert from "node:assert/strict";
import { readJson } from "../support/call.ts";
import { startGateway } from "../support/gateway.ts";
import { createKey } from "../support/manage.ts";
import { asObject } from "../support/event_stream.ts";
import { apiNames, call, pricedAt, receiptOf } from "../money/rig.ts";
import { chatFrames, chatWhole } from "../guardrails/guarded.ts";
import { scripted, sse } from "../support/scripted.ts";

Deno.test("a name without its author, as agents write it, is served by its model on every API", async () => {
  const said = { place: "text", pieces: ["Hello"] } as const;
  await using upstream = scripted(({ body }) =>
    body.stream === true ? sse(chatFrames(said)) : Response.json(chatWhole(said))
  );
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const { key } = await createKey(gateway);
  for (const model of ["model", "MODEL[1m]", "model-20260101", "model:nitro"]) {
    for (const api of apiNames) {
      for (const stream of [true, false]) {
        const response = await call(gateway, { key, api, model, stream });
        assert.equal(response.status, 200, `${api} ${model}`);
        await response.text();
        assert.equal((await receiptOf(gateway, response)).model, "mock/model", `${api} ${model}`);
      }
    }
  }
  const explained = await fetch(`${gateway.url}/v1/route/explain`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "model", input: "Hi" }),
  });
  const text = JSON.stringify(await readJson(explained));
  assert.match(text, /"strategy":"alias"/);
  assert.match(text, /"mock\/model"/);
});

Deno.test("a model without an endpoint is 404 with what was meant, on every API", async () => {
  await using gateway = await startGateway({ providers: [pricedAt("http://127.0.0.1:9")] });
  const { key } = await createKey(gateway);
  const cases: readonly (readonly [string, RegExp])[] = [
    ["modle", /is configured here\. Did you mean mock\/model\? GET/],
    ["mock/modell", /is configured here\. Did you mean mock\/model\? GET/],
    ["gpt-5.5", /is configured here\. OpenAI is off: set OPENAI_API_KEY\. GET/],
    ["anthropic/claude-opus-4-8", /is configured here\. Anthropic is off: set ANTHROPIC_API_KEY\. GET/],
    ["nothing of the kind", /is configured here\. GET/],
    ["constructor", /is configured here\. GET/],
  ];
  for (const [model, words] of cases) {
    for (const api of apiNames) {
      for (const stream of [true, false]) {
        const response = await call(gateway, { key, api, model, stream });
        assert.equal(response.status, 404);
        const { error } = asObject(await response.json());
        assert.match(String(asObject(error).message), words, `${api} ${model}`);
      }
    }
  }
});
