/** Calls of aggregators are settled by the cost that they report, where it can be true. */

import assert from "node:assert/strict";
import { asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import {
  endFrames,
  openingFrames,
  type Script,
  scripted,
  sse,
  textFrames,
  wholeText,
} from "../support/scripted.ts";
import { call, framesOf, pricedAt, receiptOf, usageIn } from "./rig.ts";

/** Seven tokens in, three out: 13,000 nano-USD by the list. */
function reporting(usage: Json): Script {
  const all = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10, ...usage };
  return ({ body }) =>
    body.stream === true
      ? sse([
        ...openingFrames("chat"),
        ...textFrames("chat", "one two three").slice(1, 4),
        ...endFrames("chat", "", { usage: all }),
      ])
      : Response.json({ ...wholeText("chat", "one two three"), usage: all });
}

interface Answered {
  readonly stream: boolean;
  readonly key?: string;
}

async function answered(gateway: Gateway, { stream, key = gateway.apiKey }: Answered) {
  const response = await call(gateway, { key, stream, cap: 300 });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const usage = stream ? usageIn(framesOf(text)) : asObject(asObject(JSON.parse(text)).usage);
  return { usage, receipt: await receiptOf(gateway, response) };
}

const start = (baseUrl: string, more: Json = { reports_cost: true }) =>
  startGateway({ providers: [pricedAt(baseUrl, { wire: "chat", ...more })] });

const disbelieved = ({ logged }: Gateway) => logged.filter((line) => line.includes("not believed"));

for (const stream of [false, true]) {
  const how = stream ? "streamed" : "whole";

  Deno.test(`a call of an aggregator is settled by the cost that it reports (${how})`, async () => {
    await using upstream = scripted(reporting({ cost: 0.00004 }));
    await using gateway = await start(upstream.baseUrl);
    const key = await gateway.addKey({ kind: "api", limit: 1 });
    for (const one of [{ stream }, { stream, key }]) {
      const { usage, receipt } = await answered(gateway, one);
      assert.equal(usage.cost, 0.00004);
      assert.deepEqual([receipt.cost, receipt.reported_cost, receipt.upstream_cost], [
        40_000,
        40_000,
        40_000,
      ]);
      // Split as the list's own sum is: 7,000 and 6,000.
      assert.deepEqual([receipt.input_cost, receipt.output_cost, receipt.lines], [21_538, 18_462, []]);
      assert.deepEqual([receipt.price_source, receipt.unpriced, receipt.overrun], [null, false, 0]);
    }
    assert.deepEqual(disbelieved(gateway), []);
  });

  Deno.test(`a reported cost beyond the reservation is charged, and marked as overrun (${how})`, async () => {
    await using upstream = scripted(reporting({ cost: 0.002 }));
    await using gateway = await start(upstream.baseUrl);
    const key = await gateway.addKey({ kind: "api", limit: 1 });
    const { receipt } = await answered(gateway, { stream, key });
    assert.ok(receipt.reserved < 2_000_000 && receipt.reserved * 10 > 2_000_000, String(receipt.reserved));
    assert.deepEqual([receipt.cost, receipt.overrun], [2_000_000, 2_000_000 - receipt.reserved]);
  });

  Deno.test(`a reported cost that cannot be true is logged, and the computed one stands (${how})`, async () => {
    const costs = [1_000, -0.5, "much", { total: 1 }, NaN, true];
    await using upstream = scripted((requested, number) =>
      reporting({ cost: costs[number] })(requested, number)
    );
    await using gateway = await start(upstream.baseUrl);
    const key = await gateway.addKey({ kind: "api", limit: 1 });
    for (const cost of costs) {
      const { receipt } = await answered(gateway, { stream, key });
      assert.equal(receipt.cost, 13_000, String(cost));
    }
    const lines = disbelieved(gateway);
    // NaN is null in JSON: nothing was reported.
    assert.equal(lines.length, costs.length - 1);
    assert.match(lines[0] ?? "", /10 times the reservation/);
    assert.match(lines[1] ?? "", /usage\.cost is -0\.5/);
  });

  Deno.test(`other providers are charged by the list, whatever they report (${how})`, async () => {
    await using upstream = scripted(reporting({ cost: 0.00004 }));
    await using gateway = await start(upstream.baseUrl, {});
    const { receipt } = await answered(gateway, { stream });
    assert.deepEqual([receipt.cost, receipt.reported_cost], [13_000, 40_000]);
  });
}

Deno.test("an aggregator that reports nothing is charged by the list", async () => {
  await using upstream = scripted(reporting({}));
  await using gateway = await start(upstream.baseUrl);
  const { receipt } = await answered(gateway, { stream: false });
  assert.equal(receipt.cost, 13_000);
  assert.deepEqual(disbelieved(gateway), []);
});
