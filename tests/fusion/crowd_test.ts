/** Many runs of one key side by side: its limit holds over all calls of all runs. */

import assert from "node:assert/strict";
import { createReceiptReader } from "../../server/billing/ledger/journal/receipt_reader.ts";
import { listReceipts } from "../../server/billing/ledger/index/receipt_list.ts";
import { call, spentBy } from "../money/rig.ts";
import { says } from "../server_tools/rig.ts";
import { type Gateway, patientCrowd } from "../support/gateway.ts";
import { createKey } from "../support/manage.ts";
import { callsFusion, fusionTool, nothingReserved, withFusion } from "./rig.ts";

const models = ["alpha/mock", "beta/mock", "gamma/mock"];
const tools = [fusionTool(models, { max_completion_tokens: 400 })];
const CROWD = 40;

async function allReceipts({ store, ledger }: Gateway) {
  await ledger.caughtUp();
  const deps = { store, batches: createReceiptReader(store) };
  return (await listReceipts(deps, { filters: {}, limit: 100 })).receipts;
}

/** USD: too little for all of them, and enough. */
for (const limit of [0.004, 0.1]) {
  Deno.test(`forty runs at once never spend more than their key's limit of ${limit} USD`, async () => {
    await withFusion({ models, limits: patientCrowd }, async ({ gateway, plan }) => {
      plan({
        outer: (_turn, body) =>
          JSON.stringify(body).includes("call_fusion") ? [says("Done.")] : [callsFusion],
      });
      const { key } = await createKey(gateway, { limit });
      const statuses = await Promise.all(Array.from({ length: CROWD }, async (_, at) => {
        const stream = at % 2 === 0;
        const answer = await call(gateway, { key, model: "outer/mock", stream, cap: 400, more: { tools } });
        const text = await answer.text();
        assert([200, 402, 429].includes(answer.status), text);
        return answer.status;
      }));
      assert(statuses.includes(200));
      await nothingReserved(gateway, key);
      const receipts = await allReceipts(gateway);
      for (const { cost, reserved, overrun } of receipts) {
        assert.equal(overrun, 0);
        assert(cost <= reserved);
      }
      const spent = await spentBy(gateway, key);
      assert(spent > 0 && spent <= limit * 1e9);
      assert.equal(spent, receipts.reduce((sum, { cost }) => sum + cost, 0));
    });
  });
}
