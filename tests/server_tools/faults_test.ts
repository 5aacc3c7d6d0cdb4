/** Tools that fail or hang, clients that leave, and time that runs out. */

import assert from "node:assert/strict";
import { listReceipts } from "../../server/billing/ledger/index/receipt_list.ts";
import { createReceiptReader } from "../../server/billing/ledger/journal/receipt_reader.ts";
import type { Receipt } from "../../shared/receipts.ts";
import { ApiError } from "../../shared/errors.ts";
import type { Stage } from "../../server/pipeline/request_context.ts";
import type { Gateway } from "../support/gateway.ts";
import { fakeClock, turns } from "../support/clock.ts";
import { createKey, managed } from "../support/manage.ts";
import { until } from "../support/until.ts";
import {
  calls,
  itemsOf,
  paths,
  responseOf,
  resultOf,
  says,
  send,
  type Turns,
  wholeOf,
  withTools,
} from "./rig.ts";

const input = "Draw it.";

/** The model has a tool that asks a model which never answers, or fails. */
const draws = (model: string) => [{ type: "service:image_generation", model }];

const drawing: Turns = (turn) =>
  turn === 0 ? [calls("image_generation", { args: { prompt: "A house" } })] : [says("Sorry.")];

/** Undefined while it is not written. */
async function onlyReceipt({ store, ledger }: Gateway): Promise<Receipt | undefined> {
  await ledger.caughtUp();
  const deps = { store, batches: createReceiptReader(store) };
  const { receipts: [receipt] } = await listReceipts(deps, { filters: {}, limit: 1 });
  return receipt;
}

for (const stream of [false, true]) {
  const how = stream ? "streamed" : "whole";

  Deno.test(`a tool that fails is a result, and the model goes on (${how})`, async () => {
    await withTools({ limits: { attempts: 1 } }, async ({ gateway, plan }) => {
      plan(drawing);
      const body = { model: "mock/chat", input, tools: draws("mock/messages-500"), stream };
      const sent = await send(gateway, { body });
      const result = responseOf(sent);
      assert.equal(result.status, "completed");
      const [item, text] = itemsOf(result);
      assert.equal(item?.status, "failed");
      assert.equal(text?.type, "message");
    });
  });

  Deno.test(`a tool that hangs is told to have taken too long (${how})`, async () => {
    await withTools({ limits: { tool_seconds: 0.1 } }, async ({ gateway, plan, taken }) => {
      plan(drawing);
      const body = { model: "mock/chat", input, tools: draws("mock/messages-hang"), stream };
      const sent = await send(gateway, { body });
      const result = responseOf(sent);
      assert.equal(itemsOf(result)[0]?.status, "failed");
      assert.ok(JSON.stringify(taken("chat")).includes("longer than 0.1 s"));
      const receipt = await onlyReceipt(gateway);
      assert.deepEqual(receipt?.calls?.map(({ purpose, status }) => [purpose, status]), [
        ["model", "completed"],
        ["tool:image_generation", "failed"],
        ["model", "completed"],
      ]);
    });
  });

  Deno.test(`a tool that hangs leaves the model time to answer (${how})`, async () => {
    const clock = fakeClock();
    await withTools({ clock, limits: { loop_seconds: 30 } }, async ({ gateway, plan, mock, taken }) => {
      plan(drawing);
      const body = { model: "mock/chat", input, tools: draws("mock/messages-hang"), stream };
      const sending = send(gateway, { body });
      await clock.advanceOnce(async () => mock("messages").open() === 1 && await turns(), 24_000);
      const sent = await sending;
      const result = responseOf(sent);
      assert.equal(result.status, "completed");
      assert.equal(itemsOf(result)[0]?.status, "failed");
      assert.ok(JSON.stringify(taken("chat")).includes("longer than 24 s"));
      assert.equal((await onlyReceipt(gateway))?.status, "completed");
    });
  });

  Deno.test(`time that runs out in a turn ends the request (${how})`, async () => {
    const clock = fakeClock();
    await withTools({ clock, limits: { loop_seconds: 30 } }, async ({ gateway, plan, mock }) => {
      plan(drawing);
      const sending = send(gateway, { body: { model: "mock/chat-stall", input, tools: draws(""), stream } });
      await clock.advanceOnce(async () => mock("chat").open() === 1 && await turns(), 30_000);
      const sent = await sending;
      if (stream) {
        const result = resultOf(sent);
        assert.deepEqual([result.status, result.error_type], ["failed", "timeout"]);
      } else {
        assert.equal(sent.status, 408, sent.text);
      }
      assert.ok(sent.text.includes("longer than 30 s"), sent.text);
      const receipt = await onlyReceipt(gateway);
      assert.equal(receipt?.status, "failed");
    });
  });

  Deno.test(`a client that leaves in a tool ends it, and pays for what was done (${how})`, async () => {
    await withTools({}, async ({ gateway, plan, mock }) => {
      plan(drawing);
      const leaving = new AbortController();
      const asking = fetch(gateway.url + paths.responses, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "mock/chat", input, tools: draws("mock/messages-hang"), stream }),
        signal: leaving.signal,
      }).then((response) => response.text());
      const left = assert.rejects(asking);
      await until(() => mock("messages").open() === 1, { what: "that the tool runs" });
      leaving.abort();
      await left;
      await until(() => mock("messages").open() === 0, { what: "that the tool has ended" });
      await until(async () => await onlyReceipt(gateway) !== undefined);
      const receipt = await onlyReceipt(gateway);
      assert.equal(receipt?.status, "cancelled");
      assert.ok(receipt !== undefined && receipt.cost >= 120_000, "the first turn is paid");
      assert.equal(receipt.calls?.length, 2);
      assert.equal(receipt.calls.reduce((sum, { cost }) => sum + cost, 0), receipt.cost);
    });
  });
}

/** Fails each turn after the first, where a guardrail would refuse it. */
const brokenLater: Stage = (next) => (context) => {
  if (context.call.step === 1) return next(context);
  throw new ApiError("upstream_failed", "The provider is down.");
};

Deno.test("each turn is guarded, and one that cannot be called ends the response", async () => {
  await withTools({ guard: brokenLater }, async ({ gateway, plan }) => {
    for (const stream of [false, true]) {
      plan(() => [calls("datetime")]);
      const body = { model: "mock/chat", input, tools: [{ type: "service:datetime" }], stream };
      const sent = await send(gateway, { body });
      assert.ok(sent.text.includes("The provider is down."));
      const result = responseOf(sent);
      assert.equal(result.status, "failed");
      assert.deepEqual(itemsOf(result).map(({ type }) => type), ["service:datetime"]);
    }
  });
});

Deno.test("a key that is disabled with abort=true while a tool runs ends the request", async () => {
  await withTools({}, async ({ gateway, plan, mock }) => {
    plan(drawing);
    const { key, record } = await createKey(gateway);
    const body = { model: "mock/chat", input, tools: draws("mock/messages-hang") };
    const asking = send(gateway, { key, body });
    await until(() => mock("messages").open() === 1, { what: "that the tool runs" });
    const change = { call: `PATCH /keys/${record.hash}?abort=true`, body: { disabled: true } };
    assert.equal((await managed(gateway, change)).status, 200);
    const sent = await asking;
    const result = wholeOf(sent);
    assert.deepEqual([result.status, result.error_type], ["failed", "permission_denied"]);
    assert.equal((await onlyReceipt(gateway))?.status, "failed");
  });
});
