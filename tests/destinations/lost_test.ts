/** Receipts that a destination is never sent: each of them is counted, in its record and in the metric. */

import assert from "node:assert/strict";
import type { Ledger } from "../../server/billing/ledger/core/ledger.ts";
import {
  GIVE_UP_MS,
  MOST_RETRY_MS,
  MOST_SERVED,
} from "../../server/management/destinations/destination_sender.ts";
import { destinationTypes, MOST_OF_TYPE } from "../../shared/observability/records.ts";
import { destinationCollection } from "../../server/management/destinations/destination_rows.ts";
import type { Json } from "../support/event_stream.ts";
import { add, show, told } from "./destination_calls.ts";
import { type Answer, type DestinationRig, destinationRig, type Message } from "./destination_rig.ts";

interface Place {
  readonly rig: DestinationRig;
  readonly ledger: Ledger;
  /** Id of the destination. */
  readonly id: string;
  /** Takes a message. */
  readonly takes: Answer;
  /** Writes receipts, a batch of the journal each. */
  readonly write: (...ids: readonly string[]) => Promise<void>;
}

interface Way {
  /** Settings of the destination. */
  readonly more?: Json;
  readonly run: (place: Place) => Promise<void>;
  /** Generations that arrive. */
  readonly sent: readonly string[];
  readonly lost: number;
}

/** The receiver refuses until all of this has happened; then it is back, and its time has come. */
async function whileRefused({ rig, takes }: Place, happens: () => Promise<void>): Promise<void> {
  rig.at.held.answer = () => new Response(null, { status: 503 });
  await happens();
  rig.at.held.answer = takes;
  rig.clock.leap(MOST_RETRY_MS);
  await rig.round();
}

const ofModel = (value: string): Json => ({
  filter_rules: { groups: [{ rules: [{ field: "model", operator: "equals", value }] }] },
});

const ways: Readonly<Record<string, Way>> = {
  "removed before anybody looked": {
    run: async ({ rig, write }) => {
      await write("gen-1", "gen-2", "gen-3");
      await rig.expire();
      await rig.round();
    },
    sent: ["gen-3"],
    lost: 2,
  },
  "removed while the receiver fails": {
    run: (place) =>
      whileRefused(place, async () => {
        const { rig, write } = place;
        await write("gen-1", "gen-2");
        await rig.round();
        await write("gen-3");
        await rig.expire();
      }),
    sent: ["gen-3"],
    lost: 2,
  },
  "removed in part while the receiver fails": {
    run: (place) =>
      whileRefused(place, async () => {
        const { rig, write } = place;
        await write("gen-1", "gen-2", "gen-3");
        await rig.round();
        await rig.expire();
      }),
    sent: ["gen-3"],
    lost: 2,
  },
  "removed behind what was sent": {
    run: async ({ rig, write }) => {
      await write("gen-1");
      await rig.round();
      await write("gen-2", "gen-3");
      await rig.expire();
      await rig.round();
    },
    sent: ["gen-1", "gen-3"],
    lost: 1,
  },
  "removed, of those that its filter passes": {
    more: ofModel("m1"),
    run: async ({ rig, ledger, write }) => {
      await rig.receipt(ledger, { id: "gen-1", model: "m1" });
      await rig.receipt(ledger, { id: "gen-2", model: "m2" });
      await rig.receipt(ledger, {
        id: "gen-3",
        model: "m1",
        workspace_id: "00000000-0000-4000-8000-00000000000f",
      });
      await write("gen-4");
      await rig.expire();
      await rig.round();
    },
    sent: [],
    lost: 1,
  },
  "removed while it was off, which is no loss": {
    run: async ({ rig, id, write }) => {
      await rig.admin.call("destinations.update", { params: { id }, body: { enabled: false } });
      await write("gen-1", "gen-2");
      await rig.expire();
      await rig.round();
    },
    sent: [],
    lost: 0,
  },
  "written so that nobody can read it": {
    run: async ({ rig, ledger, write }) => {
      await rig.receipt(ledger, { id: "gen-1", total_ms: NaN });
      await write("gen-2");
      await rig.round();
    },
    sent: ["gen-2"],
    lost: 1,
  },
  "written so that nobody can read it, and removed": {
    run: async ({ rig, ledger, write }) => {
      await rig.receipt(ledger, { id: "gen-1", total_ms: NaN });
      await write("gen-2", "gen-3");
      await rig.expire();
      await rig.round();
    },
    sent: ["gen-3"],
    lost: 2,
  },
  "given up after a day in which its configuration could not be read": {
    run: async ({ rig, id, write }) => {
      await destinationCollection(rig.admin.store).update([id], (row) => ({
        ...row,
        sealed: { ...row.sealed, kid: "another" },
      }));
      await write("gen-1");
      await rig.round();
      const { failing_since, last_error } = (await show(rig, id)).delivery;
      assert.ok(failing_since !== null);
      assert.match(last_error ?? "", /another master key/);
      for (let passed = 0; passed <= GIVE_UP_MS + MOST_RETRY_MS; passed += MOST_RETRY_MS) {
        rig.clock.leap(MOST_RETRY_MS);
        await rig.round();
      }
    },
    sent: [],
    lost: 1,
  },
  "left by a gateway that ended long before anybody looked, which arrives": {
    run: async ({ rig }) => {
      const brief = await rig.openLedger();
      await rig.receipt(brief, { id: "gen-1" });
      await brief.close();
      rig.clock.leap(30 * 86_400_000);
      await rig.round();
    },
    sent: ["gen-1"],
    lost: 0,
  },
};

Deno.test("a receipt arrives or is counted as lost, whatever becomes of it", async () => {
  for (const [name, { more, run, sent, lost }] of Object.entries(ways)) {
    await using rig = await destinationRig();
    const ledger = await rig.openLedger();
    const { id } = await add(rig, "webhook", more);
    const write = async (...ids: readonly string[]) => {
      for (const one of ids) await rig.receipt(ledger, { id: one });
    };
    const arrived: Message[] = [];
    const takes = (message: Message) => {
      arrived.push(message);
      return new Response(null, { status: 204 });
    };
    rig.at.held.answer = takes;
    await run({ rig, ledger, id, takes, write });
    assert.deepEqual(told(arrived), sent, name);
    const { delivery } = await show(rig, id);
    assert.deepEqual([delivery.sent, delivery.lost], [sent.length, lost], name);
    const counted = ["webhook sent", "webhook lost"].map((outcome) => rig.counts.get(outcome) ?? 0);
    assert.deepEqual(counted, [sent.length, lost], name);
    await ledger.close();
  }
});

Deno.test("each destination has its turn, however many there are", async () => {
  await using rig = await destinationRig();
  const ledger = await rig.openLedger();
  const { data: { id: other } } = await rig.admin.call("workspaces.create", {
    body: { name: "B", slug: "b" },
  });
  const ids: string[] = [];
  for (const workspace_id of [rig.admin.home, other]) {
    for (const type of destinationTypes) {
      for (let count = 0; count < MOST_OF_TYPE; count++) {
        ids.push((await add(rig, type, { workspace_id })).id);
      }
    }
  }
  assert.ok(ids.length > MOST_SERVED);
  const sender = rig.sender();
  for (const at of [1, 2]) {
    for (const workspace_id of [rig.admin.home, other]) {
      await rig.receipt(ledger, { id: `gen-${at}-${workspace_id}`, workspace_id });
    }
    for (let served = 0; served < ids.length; served += MOST_SERVED) await rig.round(sender);
    const sent = await Promise.all(ids.map(async (id) => (await show(rig, id)).delivery.sent));
    assert.deepEqual(sent, ids.map(() => at));
  }
  await ledger.close();
});
