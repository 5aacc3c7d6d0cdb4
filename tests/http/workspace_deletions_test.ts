/** Many workspaces deleted at once, on the embedded store, beside others who write the same shared records. */

import assert from "node:assert/strict";
import { denoKvStore } from "../../server/storage/stores/embedded/deno_kv_store.ts";
import { asObject } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { upload } from "../support/files.ts";
import { createKey, managed } from "../support/manage.ts";
import { orphansIn } from "../support/leftover_records.ts";
import { tickingClock } from "../support/ticking_clock.ts";

const all = Deno.env.get("TOLLGATE_TEST_ALL") === "1";
const AT_ONCE = 32;
const WRITERS = 14;

async function workspace(gateway: Gateway, at: number): Promise<string> {
  const body = { name: `Lab ${at}`, slug: `lab-${at}` };
  const { id } = asObject((await managed(gateway, { call: "POST /workspaces", body })).body.data);
  await managed(gateway, { call: "POST /guardrails", body: { name: "Careful", workspace_id: id } });
  const { record, key } = await createKey(gateway, { workspace_id: id });
  for (let file = 0; file < 2; file++) assert.equal((await upload(gateway, { token: key })).status, 200);
  await managed(gateway, { call: `PATCH /keys/${record.hash}`, body: { disabled: true } });
  return String(id);
}

/** Makes keys one after another until it is told to stop; tells the statuses. */
async function writer(gateway: Gateway, { signal }: { readonly signal: AbortSignal }): Promise<Set<number>> {
  const statuses = new Set<number>();
  while (!signal.aborted) {
    const { status } = await managed(gateway, { call: "POST /keys", body: { name: "Another" } });
    statuses.add(status);
  }
  return statuses;
}

/** How often each status came. */
async function deleteAll(
  gateway: Gateway,
  ids: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const left = [...ids];
  const counts = new Map<number, number>();
  const worker = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const { status } = await managed(gateway, { call: `DELETE /workspaces/${id}` });
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return Object.fromEntries(counts);
}

/** Each of `count` workspaces is deleted by so many clients. */
async function deletions(count: number, { each = 1 } = {}): Promise<void> {
  const store = denoKvStore({ kv: await Deno.openKv(":memory:"), clock: tickingClock() });
  await using gateway = await startGateway({ store });
  const ids: string[] = [];
  for (let at = 0; at < count; at++) ids.push(await workspace(gateway, at));
  const stop = new AbortController();
  const writers = Array.from({ length: WRITERS }, () => writer(gateway, stop));
  const counts = await deleteAll(gateway, ids.flatMap((id) => Array.from({ length: each }, () => id)));
  stop.abort();
  const statuses = await Promise.all(writers);
  assert.deepEqual(counts, each === 1 ? { 200: count } : { 200: count, 404: count * (each - 1) });
  assert.deepEqual([...new Set(statuses.flatMap((set) => [...set]))], [201]);
  assert.deepEqual(await orphansIn(gateway.store), []);
  assert.deepEqual(await Array.fromAsync(gateway.blobs.list()), []);
}

Deno.test("32 workspaces are deleted at once, beside 14 who make keys", () => deletions(32));

Deno.test("16 workspaces are deleted by two clients each, of whom one finds nothing", () =>
  deletions(16, { each: 2 }));

Deno.test({
  name: "256 workspaces are deleted, 32 at once, beside 14 who make keys",
  ignore: !all,
  fn: () => deletions(256),
});
