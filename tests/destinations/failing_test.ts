/** Destinations that fail are told of: by attention and an alert, after a while, until they are well again. */

import assert from "node:assert/strict";
import { pause } from "../../shared/util/pause.ts";
import { destinationTypes } from "../../shared/observability/records.ts";
import { destinationAlerts } from "../../server/management/alerts/gateway_alerts.ts";
import { MOST_RETRY_MS } from "../../server/management/destinations/destination_sender.ts";
import { FAILING_MS } from "../../server/management/destinations/failing_destinations.ts";
import { add } from "./destination_calls.ts";
import { type DestinationRig, destinationRig } from "./destination_rig.ts";

/** Asks for what needs attention now, in all workspaces or in one. */
async function attention({ admin, clock }: DestinationRig, workspace_id = "all") {
  admin.clock.leap(clock.now() - admin.clock.now());
  const { data } = await admin.call("attention.get", { query: { workspace_id } });
  return data.destinations.failing;
}

const alerts = async ({ admin: { store }, clock }: DestinationRig) =>
  await Array.fromAsync(destinationAlerts({ store, pause })(clock.now()));

Deno.test("a destination of each type is told of once it has failed for long, and no more when it is well", async () => {
  await using rig = await destinationRig();
  const { at, clock, admin } = rig;
  const ledger = await rig.openLedger();
  const arrives = at.held.answer;
  at.held.answer = () => new Response(null, { status: 503 });
  const made = new Map<string, string>();
  for (const type of destinationTypes) made.set((await add(rig, type)).id, type);
  await rig.receipt(ledger, { id: "gen-one" });
  await rig.round();
  clock.leap(FAILING_MS - 1);
  assert.deepEqual([(await attention(rig)).count, (await alerts(rig)).length], [0, 0], "not yet");
  clock.leap(1);
  const { count, first } = await attention(rig);
  assert.equal(count, destinationTypes.length);
  assert.deepEqual(
    first.map(({ name }) => name).sort(),
    [...made.values()].map((type) => `A ${type}`).sort(),
  );
  assert.deepEqual([...new Set(first.map(({ last_error }) => last_error))], [
    "The receiver answers with status 503",
  ]);
  assert.equal((await attention(rig, admin.home)).count, destinationTypes.length);
  assert.equal((await attention(rig, crypto.randomUUID())).count, 0);
  const raised = await alerts(rig);
  assert.deepEqual(raised.map(({ alert }) => alert.type), destinationTypes.map(() => "destination_failing"));
  assert.deepEqual(new Set(raised.map(({ about: [id] }) => id)), new Set(made.keys()));
  const [off = ""] = made.keys();
  await admin.call("destinations.update", { params: { id: off }, body: { enabled: false } });
  assert.equal((await attention(rig)).count, destinationTypes.length - 1, "one that is off does not fail");
  at.held.answer = arrives;
  clock.leap(MOST_RETRY_MS);
  await rig.round();
  assert.deepEqual([(await attention(rig)).count, (await alerts(rig)).length], [0, 0], "well again");
  await ledger.close();
});
