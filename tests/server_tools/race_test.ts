/** M1 with loops: limits hold to the nano-dollar while many requests make their turns, and calls of their own tools. */

import assert from "node:assert/strict";
import { calls, says, type ToolRig, type Turns, withTools } from "./rig.ts";
import { call, checkSpent, receiptOf } from "../money/rig.ts";
import type { Json } from "../support/event_stream.ts";
import { patientCrowd } from "../support/gateway.ts";

const REQUESTS = 100;
/** Nano-USD of a model call: 100 tokens of input and 10 of output, at the rig's prices. */
const COST = 120_000;

/** Two tools at once in each of two turns, then the answer. */
const talking = (tools: (turn: number) => ReturnType<typeof calls>[]): Turns => (_turn, body) => {
  const text = JSON.stringify(body);
  if (!text.includes('"datetime"')) return [says("A house.")];
  const turn = text.includes("call_1_") ? 2 : text.includes("call_0_") ? 1 : 0;
  return turn === 2 ? [says("Done.")] : tools(turn);
};

interface Race {
  readonly rig: ToolRig;
  readonly tools: readonly Json[];
  /** USD. */
  readonly limit: number;
  /** Model calls of a request that comes to its end. */
  readonly most: number;
}

/** How many came to their end, and how many ended for their money. */
async function race({ rig: { gateway }, tools, limit, most }: Race) {
  const key = await gateway.addKey({ kind: "api", limit });
  const made = await Promise.all(Array.from({ length: REQUESTS }, async (_, at) => {
    const stream = at % 2 === 0;
    const response = await call(gateway, { key, model: "mock/chat", stream, cap: 400, more: { tools } });
    const text = await response.text();
    if (response.status === 402) return undefined;
    assert.equal(response.status, 200, text);
    const receipt = await receiptOf(gateway, response);
    const paid = (receipt.calls ?? []).filter(({ cost }) => cost > 0);
    assert.equal(receipt.cost, paid.length * COST);
    assert(text.includes(receipt.status === "completed" ? "Done." : "payment_required"), text);
    return { receipt, isWhole: receipt.status === "completed" && paid.length === most };
  }));
  const served = made.filter((one) => one !== undefined);
  const spent = await checkSpent({ gateway, key, limit, receipts: served.map(({ receipt }) => receipt) });
  return { whole: served.filter(({ isWhole }) => isWhole).length, spent };
}

Deno.test("M1 holds with loops whose turns call tools in parallel", async () => {
  await withTools({ limits: patientCrowd }, async (rig) => {
    rig.plan(talking((turn) => ["a", "b"].map((name) => calls("datetime", { id: `call_${turn}_${name}` }))));
    const tools = [{ type: "service:datetime" }];
    const { whole, spent } = await race({ rig, tools, limit: 100 * COST / 1e9, most: 3 });
    assert(whole <= 33, `${whole} came to their end`);
    assert(spent >= 50 * COST, `${spent} was spent`);
    const all = await race({ rig, tools, limit: 1, most: 3 });
    assert.equal(all.whole, REQUESTS);
  });
});

Deno.test("M1 holds with tools that call models themselves, in parallel", async () => {
  await withTools({ limits: patientCrowd }, async (rig) => {
    const draw = (turn: number, name: string) =>
      calls("image_generation", { args: { prompt: "A house" }, id: `call_${turn}_${name}` });
    rig.plan(talking((turn) => [draw(turn, "a"), draw(turn, "b")]));
    const tools = [{ type: "service:datetime" }, {
      type: "service:image_generation",
      model: "mock/chat",
      quality: "low",
    }];
    const { spent } = await race({ rig, tools, limit: 150 * COST / 1e9, most: 7 });
    assert(spent >= 75 * COST, `${spent} was spent`);
    const all = await race({ rig, tools, limit: 1, most: 7 });
    assert.equal(all.whole, REQUESTS);
  });
});
