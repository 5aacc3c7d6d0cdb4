/** The task on the receipt: of every completed request that named its model, and of no other. */

import assert from "node:assert/strict";
import { apiNames, call, type Calling, receiptOf } from "../money/rig.ts";
import { asObject } from "../support/event_stream.ts";
import { startGateway } from "../support/gateway.ts";
import { says, scripted } from "../support/scripted.ts";
import { PROMPT, providersAt, withTraffic } from "./receipts_rig.ts";

Deno.test("a completed request has its task on the receipt, on each API, streamed and whole", async () => {
  await using traffic = await withTraffic();
  const { gateway } = traffic;
  for (const api of apiNames) {
    for (const stream of [false, true]) {
      const response = await call(gateway, {
        api,
        stream,
        model: "acme/dear",
        text: PROMPT,
        key: gateway.apiKey,
      });
      await response.text();
      const { task, router, id } = await receiptOf(gateway, response);
      assert.deepEqual([task, router], ["code:debugging", undefined], `${api} ${stream}`);
      const headers = { authorization: `Bearer ${gateway.managementKey}` };
      const shown = await fetch(`${gateway.url}/v1/generation?id=${id}`, { headers });
      const generation = asObject(asObject(await shown.json()).data);
      assert.deepEqual([generation.task, generation.router], ["code:debugging", null]);
    }
  }
});

Deno.test("a request that votes for no model is not classified", async () => {
  await using upstream = scripted((requested, number) =>
    JSON.stringify(requested.body).includes("fail")
      ? new Response("no", { status: 500 })
      : says("responses", "two words")(requested, number)
  );
  await using gateway = await startGateway({
    providers: providersAt(upstream),
    file: { default_model: "acme/cheap" },
  });
  const key = gateway.apiKey;
  const cases: Readonly<Record<string, Calling>> = {
    "one that failed": { key, model: "acme/dear", text: `fail ${PROMPT}` },
    "one that was refused": { key, model: "acme/none", text: PROMPT },
    "one that named no model": { key, text: PROMPT, more: { model: undefined } },
  };
  for (const [name, calling] of Object.entries(cases)) {
    const response = await call(gateway, calling);
    await response.text();
    assert.equal((await receiptOf(gateway, response)).task, undefined, name);
  }
});
