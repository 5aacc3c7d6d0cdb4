import assert from "node:assert/strict";
import { memoryClock } from "../../../../tests/support/clock.ts";
import { assertSound } from "../../../../tests/support/journal.ts";
import {
  billingOf,
  flatOrder,
  ledgerRuntime,
  nano,
  openTransaction,
} from "../../../../tests/support/ledger.ts";
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import { openLedger } from "../core/open_ledger.ts";
import { recoverJournal } from "./recovery/recovery.ts";

async function opened() {
  const store = memoryStore();
  const runtime = ledgerRuntime(memoryClock());
  const ledger = await openLedger({ store, runtime, projectionParts: [], isShared: false });
  return { store, runtime, ledger };
}

const long = (chars: number) => "x".repeat(chars);

Deno.test("BatchBuilder writes a receipt that no batch could hold without what its caller has put into it", async () => {
  const { store, ledger } = await opened();
  const { close } = openTransaction(ledger, { id: "gen-large" });
  const trace = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`t${at}`, long(1_000)]));
  const others = Array.from({ length: 100 }, () => openTransaction(ledger).close({ user: long(3_000) }));
  await close({ trace, user: long(5_000) });
  await Promise.all(others);
  await ledger.flush();
  const closes = await assertSound(store, {
    instances: ["own"],
    scopes: billingOf().scopes,
    seen: ["gen-large"],
  });
  assert.equal(closes.length, 101);
  const large = closes.find(({ receipt }) => receipt.id === "gen-large");
  assert.deepEqual([large?.receipt.trace, large?.receipt.user], [null, long(200)]);
  await ledger.close();
});

Deno.test("BatchBuilder passes over what no batch can hold", async () => {
  const { store, ledger, runtime } = await opened();
  const billing = { scopes: [long(70_000)], limits: [] };
  const poison = openTransaction(ledger, { billing });
  const durable = (await poison.transaction.reserve(flatOrder(1))).durable();
  await assert.rejects(durable, { kind: "unavailable" });
  await openTransaction(ledger, { id: "gen-next" }).close();
  assert.deepEqual(runtime.lines, ["Request too large for the journal"]);
  await ledger.flush();
  await assertSound(store, { instances: ["own"], scopes: billingOf().scopes, seen: ["gen-next"] });
  await ledger.close();
});

Deno.test("BatchDraft trims a receipt that no batch could hold, and writes the others whole", async () => {
  const { store, ledger } = await opened();
  const user = long(40_000);
  const ids = ["gen-cut", "gen-whole", "gen-like"];
  await Promise.all([
    openTransaction(ledger, { id: "gen-cut" }).close({ user, session_id: long(30_000) }),
    openTransaction(ledger, { id: "gen-whole" }).close({ user }),
    openTransaction(ledger, { id: "gen-like" }).close({ user }),
  ]);
  await ledger.flush();
  const seen = await assertSound(store, { instances: ["own"], scopes: billingOf().scopes, seen: ids });
  assert.deepEqual(seen.map(({ receipt }) => receipt.user), [long(200), user, user]);
  await ledger.close();
});

Deno.test("JournaledTransaction tells many calls in few words, and loses none of their cost", async () => {
  const { store, ledger, runtime } = await opened();
  const { transaction } = openTransaction(ledger, { id: "gen-many" });
  for (let at = 0; at < 500; at++) {
    (await transaction.reserve(flatOrder(100))).settle({ cost: nano(3), byok: nano(0) });
  }
  const running = await transaction.reserve(flatOrder(100));
  running.progress({ cost: nano(40), byok: nano(0) });
  await running.durable();
  await ledger.flush();
  const { open: [left] } = await recoverJournal(store, "own");
  assert.deepEqual(left?.holds.map(({ cost, done }) => [cost, done]), [[1_500, true], [40, false]]);
  const again = await openLedger({ store, runtime, projectionParts: [], isShared: false });
  const [entry] = await assertSound(store, {
    instances: ["own"],
    scopes: billingOf().scopes,
    seen: ["gen-many"],
  });
  assert.equal(entry?.cost, 1_540);
  await again.close();
});

Deno.test("openLedger starts over a receipt that it cannot read", async () => {
  const { store, ledger, runtime } = await opened();
  await openTransaction(ledger, { id: "gen-odd" }).close({ total_ms: NaN });
  await ledger.close();
  const again = await openLedger({ store, runtime, projectionParts: [], isShared: false });
  assert.equal((await recoverJournal(store, "own")).open.length, 0);
  await again.close();
});
