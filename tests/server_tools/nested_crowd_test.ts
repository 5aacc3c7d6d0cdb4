/** M1 with runs: many of one key side by side, over all APIs and forms; its limit holds over all calls of all runs. */

import assert from "node:assert/strict";
import { listReceipts } from "../../server/billing/ledger/index/receipt_list.ts";
import { createReceiptReader } from "../../server/billing/ledger/journal/receipt_reader.ts";
import { checkSpent, receiptOf } from "../money/rig.ts";
import { type Gateway, patientCrowd } from "../support/gateway.ts";
import { nothingHeld } from "../support/held.ts";
import { createKey } from "../support/manage.ts";
import { answerOf } from "./answered_turn.ts";
import {
  callsOnce,
  INNER,
  nestedCases,
  nestedKind,
  nestedKinds,
  planByWire,
  requestOf,
  WENT_ON,
} from "./nested_kinds.ts";
import { calls, says, send, withTools } from "./rig.ts";

const CROWD = 42;
/** Members of fusion, side by side within a run. */
const panel = [INNER, "mock/gemini", "mock/bedrock"];

async function allReceipts({ store, ledger }: Gateway) {
  await ledger.caughtUp();
  const deps = { store, batches: createReceiptReader(store) };
  return (await listReceipts(deps, { filters: {}, limit: 100 })).receipts;
}

for (const kind of nestedKinds) {
  const { tool, args, purposes } = nestedKind(kind);
  const isPanel = kind === "fusion";
  const tools = [
    tool(INNER, { max_completion_tokens: 400, ...(isPanel ? { analysis_models: panel } : {}) }),
  ];
  const callsOfAll = CROWD * (isPanel ? panel.length + 1 : 1);

  /** USD: too little for all of them, and enough. */
  for (const limit of [0.004, 1]) {
    Deno.test(`a crowd of runs of ${kind} never spends more than their key's limit of ${limit} USD`, async () => {
      await withTools({ limits: patientCrowd }, async (rig) => {
        const { gateway } = rig;
        const call = calls(kind, { args: args("Left or right?"), id: "call_nested" });
        planByWire(rig, {
          outer: (_turn, body) => JSON.stringify(body).includes("call_nested") ? [says(WENT_ON)] : [call],
        });
        const { key } = await createKey(gateway, { limit });
        const statuses = await Promise.all(Array.from({ length: CROWD }, async (_, at) => {
          const { api, stream } = nestedCases[at % nestedCases.length] ?? assert.fail();
          const more = { tools };
          const { status, text } = await send(gateway, {
            api,
            key,
            body: requestOf({ kind, api, stream, more }),
          });
          assert([200, 402, 429].includes(status), text);
          return status;
        }));
        assert(statuses.includes(200));
        await nothingHeld({ gateway, key, model: "mock/chat" });
        const receipts = await allReceipts(gateway);
        assert(await checkSpent({ gateway, key, limit, receipts }) > 0);
        const runs = receipts.flatMap(({ calls = [] }) => calls).filter(({ purpose, status }) =>
          purposes.includes(purpose) && status === "completed"
        );
        if (limit < 1) assert(runs.length < callsOfAll, "some were too much");
        else assert.equal(runs.length, callsOfAll);
      });
    });
  }

  Deno.test(`money of a key that is over at any moment of ${kind} ends in words, and nothing is held`, async () => {
    await withTools({ limits: { reservation_seconds: 0.001 } }, async (rig) => {
      const { gateway } = rig;
      const given = kind === "subagent" ? { tools: [{ type: "service:datetime" }] } : {};
      const more = { tools: [tool(INNER, { max_completion_tokens: 100, ...given })] };
      const ends = new Set<string>();
      for (let step = 0; step < 30; step++) {
        const { api, stream } = nestedCases[step % nestedCases.length] ?? assert.fail();
        const limit = (4 + step) / 10_000;
        const { key } = await createKey(gateway, { limit });
        planByWire(rig, {
          outer: callsOnce(kind),
          inner: (turn, { tools }) =>
            tools !== undefined && turn < 4 ? [calls("datetime", { id: `call_${turn}` })] : [says("Wait.")],
        });
        const sent = await send(gateway, { api, key, body: requestOf({ kind, api, stream, more }) });
        await nothingHeld({ gateway, key, model: "mock/chat" });
        if (sent.status !== 200) {
          assert.equal(sent.status, 402, sent.text);
          ends.add("refused");
          continue;
        }
        const receipt = await receiptOf(gateway, sent);
        assert(await checkSpent({ gateway, key, limit, receipts: [receipt] }) > 0);
        ends.add(receipt.status);
        if (receipt.status === "completed") {
          assert(JSON.stringify(answerOf(sent, { api, stream })).includes(WENT_ON));
        } else assert.match(sent.text, /payment_required|credits|limit/i);
      }
      assert(ends.has("refused") && ends.has("failed"), [...ends].join());
    });
  });
}
