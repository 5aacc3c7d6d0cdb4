/**
 * Requests that the first of `models` refuses as too large, against its provider's rules or unreadable go to
 * the next: on every API, streamed and whole, whether the provider says so with a status or inside of a 200.
 */

import assert from "node:assert/strict";
import { apiNames, call, pricedAt, receiptOf, twoModels } from "../money/rig.ts";
import { startGateway } from "../support/gateway.ts";
import { frame, says, scripted, sse } from "../support/scripted.ts";

interface Refusal {
  readonly name: string;
  readonly status: number;
  readonly message: string;
}

const refusals: readonly Refusal[] = [
  { name: "too long", status: 400, message: "Your request exceeded model token limit: 128000" },
  { name: "too large", status: 413, message: "Request Entity Too Large" },
  { name: "no pictures", status: 400, message: "mock/first is not a multimodal model" },
  { name: "no pictures, as a fault of the server", status: 500, message: "image input is not supported" },
  { name: "moderation", status: 400, message: "Content Exists Risk" },
  {
    name: "moderation with 403",
    status: 403,
    message: "mock/first requires moderation. Your input was flagged",
  },
];

const forms = {
  "with its status": ({ status, message }: Refusal) => Response.json({ error: { message } }, { status }),
  "inside of a 200": ({ message }: Refusal, stream: boolean) =>
    stream ? sse([frame({ error: { message } })]) : Response.json({ error: { message } }),
} as const;

for (const [form, answer] of Object.entries(forms)) {
  for (const refusal of refusals) {
    // Without its status only the words are left.
    if (form === "inside of a 200" && refusal.status === 413) continue;
    Deno.test(`route asks the next of models after ${refusal.name}, ${form}`, async () => {
      await using upstream = scripted((requested, number) =>
        requested.body.model === "first"
          ? answer(refusal, requested.body.stream === true)
          : says("chat", "Hello there")(requested, number)
      );
      await using gateway = await startGateway({
        providers: [pricedAt(upstream.baseUrl, { wire: "chat", models: twoModels })],
      });
      const key = await gateway.addKey({ kind: "api", limit: 1 });
      for (const api of apiNames) {
        for (const stream of [false, true]) {
          const more = { models: ["mock/first", "mock/second"] };
          const response = await call(gateway, { api, key, stream, model: "mock/first", more });
          const said = await response.text();
          assert.equal(response.status, 200, `${api}, ${stream}: ${said}`);
          assert.match(said, /there/);
          const receipt = await receiptOf(gateway, response);
          assert.equal(receipt.model, "mock/second");
          assert.equal(receipt.cost, 7 * 1_000 + 2 * 2_000, "only the second is paid");
        }
      }
      const asked = upstream.requested.map(({ body }) => body.model);
      assert.deepEqual(asked, Array(6).fill(["first", "second"]).flat(), "the first does not rest");
    });
  }
}

Deno.test("route says of a request that every model refuses what the last one said", async () => {
  await using upstream = scripted(() =>
    Response.json({ error: { message: "Content Exists Risk" } }, { status: 400 })
  );
  await using gateway = await startGateway({
    providers: [pricedAt(upstream.baseUrl, { wire: "chat", models: twoModels })],
  });
  for (const api of apiNames) {
    const more = { models: ["mock/first", "mock/second"] };
    const response = await call(gateway, { api, key: gateway.apiKey, model: "mock/first", more });
    assert.equal(response.status, 400);
    assert.match(await response.text(), /content_policy_violation/);
  }
});
