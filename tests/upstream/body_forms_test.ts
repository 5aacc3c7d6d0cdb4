/** An answer is read as what it is, whatever was asked for and whatever its content type says: on every wire and API. */

import assert from "node:assert/strict";
import { upstreams, upstreamWires } from "../mocks/upstreams.ts";
import { apiNames, call, pricedAt, receiptOf } from "../money/rig.ts";
import { countedAnswer } from "../support/counted_wires.ts";
import { startGateway } from "../support/gateway.ts";
import { scripted } from "../support/scripted.ts";

const TEXT = "Rome is a city in Italy.";
const counts = [{ input: 100, output: 8 }];
/** Nano-USD. */
const COST = 100 * 1_000 + 8 * 2_000;

const types = [undefined, "application/json", "text/plain", "text/event-stream", "application/octet-stream"];

for (const wire of upstreamWires) {
  Deno.test(`an answer is read as what it is (${wire})`, async (t) => {
    let answered: { readonly manner: "streamed" | "whole"; readonly type?: string } = { manner: "whole" };
    await using upstream = scripted(async () => {
      const { manner, type } = answered;
      const made = countedAnswer(wire, { text: TEXT, counts, manner });
      // Bytes have no content type of their own, as a text would.
      const body = new Uint8Array(await made.arrayBuffer());
      return new Response(body, type === undefined ? {} : { headers: { "content-type": type } });
    });
    const model = {
      id: "mock/model",
      upstream_id: `${upstreams[wire].prefix}model`,
      max_output_tokens: 20_000,
      context_length: 200_000,
      pricing: { prompt: "0.000001", completion: "0.000002" },
    };
    await using gateway = await startGateway({
      providers: [pricedAt(upstream.baseUrl, { wire, models: [model] })],
    });
    for (const manner of ["streamed", "whole"] as const) {
      for (const type of types) {
        for (const stream of [false, true]) {
          for (const api of apiNames) {
            await t.step(
              `${manner} as ${type}, ${stream ? "a stream" : "a whole"} asked, ${api}`,
              async () => {
                answered = { manner, type };
                const response = await call(gateway, { key: gateway.apiKey, api, stream, cap: 500 });
                const text = await response.text();
                assert.equal(response.status, 200, text);
                assert(text.includes(TEXT), text);
                const receipt = await receiptOf(gateway, response);
                assert.deepEqual([receipt.cost, receipt.estimated], [COST, false]);
              },
            );
          }
        }
      }
    }
  });
}

Deno.test("a stream is refused in so many words where no stream is wanted", async () => {
  for (const wire of ["responses", "chat", "messages"] as const) {
    await using upstream = scripted(({ body }) =>
      countedAnswer(wire, { text: TEXT, counts, manner: body.stream === true ? "streamed" : "whole" })
    );
    await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire })] });
    for (const api of apiNames) {
      for (const stream of [false, true]) {
        const response = await call(gateway, { key: gateway.apiKey, api, stream, cap: 500 });
        await response.text();
        assert.equal(upstream.requested.at(-1)?.body.stream, stream, `${wire}, ${api}`);
      }
    }
  }
});

Deno.test("an answer of Gemini's that comes as a list of chunks is read", async () => {
  const chunk = (part: string, more = {}) => ({
    candidates: [{ index: 0, content: { role: "model", parts: [{ text: part }] }, ...more }],
  });
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 8 };
  const chunks = [chunk("Rome is "), { ...chunk("a city.", { finishReason: "STOP" }), usageMetadata }];
  await using upstream = scripted(() => Response.json(chunks));
  await using gateway = await startGateway({
    providers: [pricedAt(upstream.baseUrl, { wire: "gemini" })],
  });
  for (const stream of [false, true]) {
    const response = await call(gateway, { key: gateway.apiKey, stream });
    const text = await response.text();
    assert(text.includes("Rome is a city."), text);
    assert.equal((await receiptOf(gateway, response)).cost, COST);
  }
});
