/** Key operations on a store that fails at the n-th call, for every n: retried until they succeed, done once. */

import assert from "node:assert/strict";
import { keyRecordSchema } from "../../shared/keys.ts";
import { managementKeySchema } from "../../shared/management/management_keys.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { chaosStore, failNth, type Fault } from "../support/chaos_store.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, managed, type ManagedAnswer } from "../support/manage.ts";
import { tickingClock } from "../support/ticking_clock.ts";

const faults: readonly Fault[] = [{ type: "before" }, { type: "after" }, { type: "after", kind: "timeout" }, {
  type: "twice",
}];

interface Trial {
  readonly gateway: Gateway;
  /** Sends a request until it is answered with something else than 5xx. */
  readonly insist: (call: Parameters<typeof managed>[1]) => Promise<ManagedAnswer>;
}

/** Runs `work` with every call of the store failing once, until no call is left to fail. */
async function everywhere(work: (trial: Trial, arm: () => void) => Promise<void>): Promise<void> {
  for (const fault of faults) {
    for (let n = 1;; n++) {
      assert(n < 200, "the work ends");
      const clock = tickingClock();
      const store = chaosStore(memoryStore(), { clock });
      await using gateway = await startGateway({ store, clock });
      const insist = async (call: Parameters<typeof managed>[1]) => {
        for (let tries = 0; tries < 5; tries++) {
          const answer = await managed(gateway, call);
          if (answer.status < 500) return answer;
        }
        throw new Error("it never succeeds");
      };
      await work({ gateway, insist }, () => store.follow(failNth(n, fault)));
      store.follow(() => undefined);
      if (store.met === 0) break;
    }
  }
}

const audited = async ({ insist }: Trial, operation: string) =>
  asList((await insist({ call: `GET /audit?operation=${operation}` })).body.data).map(asObject);

Deno.test("POST /keys with an Idempotency-Key makes one key, whatever call of the store fails", async () => {
  await everywhere(async (trial, arm) => {
    arm();
    const call = { call: "POST /keys", body: { name: "Once" }, headers: { "idempotency-key": "k" } };
    const { status, body } = await trial.insist(call);
    assert.equal(status, 201);
    assert.equal((await audited(trial, "keys.create")).length, 1);
    const listed = keyRecordSchema.array().parse((await trial.insist({ call: "GET /keys" })).body.data);
    assert.deepEqual(listed.filter(({ name }) => name === "Once").map(({ hash }) => hash), [
      asObject(body.data).hash,
    ]);
    const used = await trial.insist({ call: "GET /key", token: String(body.key) });
    assert.equal(used.status, 200);
  });
});

Deno.test("PATCH and DELETE /keys are done once, whatever call of the store fails", async () => {
  await everywhere(async (trial, arm) => {
    const { record: { hash }, key } = await createKey(trial.gateway);
    assert.equal((await trial.insist({ call: "GET /key", token: key })).status, 200);
    arm();
    const changed = await trial.insist({ call: `PATCH /keys/${hash}`, body: { limit: 7, disabled: true } });
    assert.equal(changed.status, 200);
    assert.deepEqual([asObject(changed.body.data).limit, asObject(changed.body.data).disabled], [7, true]);
    assert.equal((await trial.insist({ call: "GET /key", token: key })).status, 401, "disabled");
    assert.equal((await audited(trial, "keys.update")).length, 1);
    const gone = await trial.insist({ call: `DELETE /keys/${hash}` });
    assert([200, 404].includes(gone.status), "404 where the first reply was lost");
    assert.equal((await audited(trial, "keys.delete")).length, 1);
    assert.equal((await trial.insist({ call: "GET /key", token: key })).status, 401);
  });
});

Deno.test("DELETE /management-keys leaves one, whatever call of the store fails", async () => {
  await everywhere(async (trial, arm) => {
    const { insist } = trial;
    const { body } = await insist({ call: "POST /management-keys", body: { name: "Other" } });
    const other = managementKeySchema.parse(body.data).hash;
    arm();
    const gone = await insist({ call: `DELETE /management-keys/${other}` });
    assert([200, 404].includes(gone.status));
    const { body: { data } } = await insist({ call: "GET /management-keys" });
    const [last, ...rest] = managementKeySchema.array().parse(data);
    assert(last && rest.length === 0);
    assert.equal((await insist({ call: `DELETE /management-keys/${last.hash}` })).status, 400);
  });
});
