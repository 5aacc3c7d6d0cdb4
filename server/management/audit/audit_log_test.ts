import assert from "node:assert/strict";
import { memoryClock } from "../../../tests/support/clock.ts";
import { memoryStore } from "../../storage/stores/memory_store.ts";
import { auditOperations } from "./audit_operations.ts";
import { createAuditWriter } from "./audit_log.ts";

Deno.test("changes of one moment are listed in their order, behind those of a later one", async () => {
  const store = memoryStore();
  const clock = memoryClock();
  let ids = 100;
  // Ids fall, so that an order by them would be the wrong one.
  const audit = createAuditWriter(store, { clock, id: () => String(ids--) });
  const change = async (operation: string) => {
    const subject = { type: "key", id: "k" };
    await store.commit({ puts: [audit.put({ operation, subject, before: null, after: null })] });
  };
  for (let n = 0; n < 12; n++) await change(`early ${n}`);
  await clock.advance(1);
  await change("late 0");
  await change("late 1");
  const acts = auditOperations({ store, runtime: { clock }, pause: () => Promise.resolve() });
  const caller = { kind: "management", keyHash: "m", workspaceId: "w" } as const;
  const header = () => null;
  const input = { caller, query: {}, params: {}, body: undefined, header, requestId: "r" };
  const listed = await acts["audit.list"](input);
  const early = Array.from({ length: 12 }, (_, n) => `early ${11 - n}`);
  assert.deepEqual(listed.data.map(({ operation }) => operation), ["late 1", "late 0", ...early]);
});

Deno.test("a list tells until when it looked, and a narrower time goes further back", async () => {
  const store = memoryStore();
  const clock = memoryClock();
  let ids = 0;
  const audit = createAuditWriter(store, { clock, id: () => String(ids++) });
  const subject = { type: "key", id: "k" };
  const puts = (operation: string) => audit.put({ operation, subject, before: null, after: null });
  await store.commit({ puts: [puts("oldest")] });
  for (let batch = 0; batch < 210; batch++) {
    await clock.advance(1_000);
    await store.commit({ puts: Array.from({ length: 100 }, () => puts("newer")) });
  }
  const acts = auditOperations({ store, runtime: { clock }, pause: () => Promise.resolve() });
  const caller = { kind: "management", keyHash: "m", workspaceId: "w" } as const;
  const list = (query: Parameters<typeof acts["audit.list"]>[0]["query"]) =>
    acts["audit.list"]({
      caller,
      query,
      params: {},
      body: undefined,
      header: () => null,
      requestId: "r",
    });
  const first = await list({ operation: "oldest" });
  assert.equal(first.total_count, 0);
  assert(first.scanned_until !== null);
  const further = await list({ operation: "oldest", until: first.scanned_until });
  assert.deepEqual([further.total_count, further.scanned_until], [1, null]);
});
