/** Faults in the middle of nested runs, over tools, APIs and forms: money, rules, keys, time, clients that leave, depth. */

import assert from "node:assert/strict";
import { newestReceipt, receiptOf } from "../money/rig.ts";
import { fakeClock } from "../support/clock.ts";
import { nothingHeld } from "../support/held.ts";
import { createKey, managed } from "../support/manage.ts";
import { until } from "../support/until.ts";
import { answerOf } from "./answered_turn.ts";
import {
  callsOnce,
  guardedKey,
  INNER,
  type NestedCase,
  nestedCases,
  nestedKind,
  nestedKinds,
  planByWire,
  requestOf,
  WENT_ON,
} from "./nested_kinds.ts";
import { resultSeenBy } from "./nested_rig.ts";
import { calls, type ModelFields, paths, says, send, type Sent, type ToolRig, withTools } from "./rig.ts";

/** Inner models of a price that nobody with a limit can pay. */
const dear: ModelFields = (wire) => wire === "messages" ? { pricing: { prompt: "1", completion: "1" } } : {};

/** Seconds that are no matter here. */
const patient = {
  first_byte_seconds: 9_000,
  silence_seconds: 9_000,
  stream_seconds: 9_000,
  answer_seconds: 9_000,
  loop_seconds: 9_000,
};

/** The outer model was told of a fault, and answered the client all the same. */
function wentOn(rig: ToolRig, sent: Sent, at: NestedCase): string {
  assert(JSON.stringify(answerOf(sent, at)).includes(WENT_ON), sent.text);
  const told = resultSeenBy(rig.taken("chat").at(-1));
  assert.equal(told.status, "error", JSON.stringify(told));
  return JSON.stringify(told);
}

for (const kind of nestedKinds) {
  const { purposes: [purpose], ms } = nestedKind(kind);

  Deno.test(`money that is missing inside is a result of ${kind}, and nothing is spent beyond the limit`, async () => {
    await withTools({ model: dear }, async (rig) => {
      for (const { api, stream } of nestedCases) {
        const { key } = await createKey(rig.gateway, { limit: 1 });
        planByWire(rig, { outer: callsOnce(kind) });
        const sent = await send(rig.gateway, { api, key, body: requestOf({ kind, api, stream }) });
        assert.match(wentOn(rig, sent, { api, stream }), /limit|credits|afford|cost/i);
        assert.equal(rig.taken("messages").length, 0);
        await nothingHeld({ gateway: rig.gateway, key, model: "mock/chat" });
        const receipt = await receiptOf(rig.gateway, sent);
        assert(receipt.cost <= receipt.reserved && receipt.cost < 1e9);
        assert.deepEqual(receipt.calls?.map(({ purpose }) => purpose), [
          "model",
          `tool:${kind}`,
          purpose,
          "model",
        ]);
        assert.equal(receipt.calls?.[2]?.status, "failed");
      }
    });
  });

  Deno.test(`a client that leaves during ${kind} ends its call, and nothing stays reserved`, async () => {
    await withTools({}, async (rig) => {
      const { gateway, mock } = rig;
      for (const { api, stream } of nestedCases) {
        const { key } = await createKey(gateway, { limit: 10 });
        planByWire(rig, { outer: callsOnce(kind) });
        const leaving = new AbortController();
        const body = requestOf({ kind, api, stream, model: `${INNER}-stall` });
        const left = assert.rejects(
          fetch(gateway.url + paths[api], {
            method: "POST",
            headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
            body: JSON.stringify(body),
            signal: leaving.signal,
          }).then((response) => response.text()),
        );
        await until(() => rig.taken("messages").length === 1 && mock("messages").open() === 1, {
          what: "that the inner model is called",
        });
        leaving.abort();
        await left;
        await until(() => mock("messages").open() === 0, { what: "that its call has ended" });
        await nothingHeld({ gateway, key, model: "mock/chat" });
        const receipt = await newestReceipt(gateway);
        assert.equal(receipt.status, "cancelled");
        assert.equal(receipt.calls?.filter((call) => call.purpose === purpose).length, 1);
        assert(receipt.cost <= receipt.reserved);
      }
    });
  });

  Deno.test(`a model that the key or the request may not use is no run of ${kind}`, async () => {
    await withTools({}, async (rig) => {
      const key = await guardedKey(rig.gateway, { allowed_models: ["mock/chat"] });
      const rules = [{ key, more: {} }, { key: undefined, more: { provider: { only: ["mock-chat"] } } }];
      for (const { api, stream } of nestedCases) {
        for (const { key, more } of rules) {
          planByWire(rig, { outer: callsOnce(kind) });
          const body = requestOf({ kind, api, stream, more });
          const sent = await send(rig.gateway, { api, key, body });
          // A panel is known before anybody is asked.
          if (kind === "fusion") assert.match(`${sent.status} ${sent.text}`, /^404 .*No model of the fusion/);
          else wentOn(rig, sent, { api, stream });
          assert.equal(rig.taken("messages").length, 0);
        }
      }
    });
  });

  for (const isDisabled of [false, true]) {
    Deno.test(`${kind} ends when its time is over (key disabled meanwhile: ${isDisabled})`, async () => {
      const clock = fakeClock();
      await withTools({ clock, limits: patient }, async (rig) => {
        for (const { api, stream } of nestedCases) {
          const { key, record } = await createKey(rig.gateway, { limit: 10 });
          planByWire(rig, { outer: callsOnce(kind) });
          const body = requestOf({ kind, api, stream, model: `${INNER}-stall` });
          const sending = send(rig.gateway, { api, key, body });
          const isCalled = () => rig.taken("messages").length === 1 && rig.mock("messages").open() === 1;
          await until(isCalled, { what: "that the inner model is called" });
          if (isDisabled) {
            await managed(rig.gateway, { call: `PATCH /keys/${record.hash}`, body: { disabled: true } });
          }
          await clock.advanceOnce(isCalled, ms);
          const sent = await sending;
          await until(() => rig.mock("messages").open() === 0, { what: "that the call has ended" });
          if (!isDisabled) {
            assert.match(wentOn(rig, sent, { api, stream }), new RegExp(`longer than ${ms / 1_000} s`));
          } else assert.match(sent.text, /The key was disabled while the request was running/);
          if (isDisabled) {
            await managed(rig.gateway, { call: `PATCH /keys/${record.hash}`, body: { disabled: false } });
          }
          await nothingHeld({ gateway: rig.gateway, key, model: "mock/chat" });
          assert.equal(rig.taken("chat").length, isDisabled ? 1 : 2);
        }
      });
    });
  }

  Deno.test(`a request of another gateway's run starts no ${kind}`, async () => {
    await withTools({}, async (rig) => {
      for (const { api, stream } of nestedCases) {
        planByWire(rig, { outer: kind === "fusion" ? () => [says(WENT_ON)] : callsOnce(kind) });
        const headers = { "x-openrouter-fusion-depth": "1" };
        const sent = await send(rig.gateway, { api, headers, body: requestOf({ kind, api, stream }) });
        if (kind === "fusion") assert.deepEqual(rig.taken("chat").map(({ tools }) => tools), [undefined]);
        else assert.match(wentOn(rig, sent, { api, stream }), /within a run/);
        assert.equal(rig.taken("messages").length, 0);
      }
    });
  });

  Deno.test(`an inner model of ${kind} starts no run, whatever it is given and calls`, async () => {
    await withTools({}, async (rig) => {
      for (const inner of nestedKinds) {
        // Nobody gives a subagent another one.
        const isGiven = kind === "subagent" && inner !== "subagent";
        const given = isGiven ? { tools: [nestedKind(inner).tool(INNER)] } : {};
        const tools = [nestedKind(kind).tool(INNER, given)];
        for (const { api, stream } of nestedCases) {
          const call = calls(inner, { args: nestedKind(inner).args("Deep?") });
          planByWire(rig, {
            outer: callsOnce(kind),
            inner: (turn) => turn === 0 ? [says("Hm. "), call] : [says("I could not ask.")],
          });
          const body = requestOf({ kind, api, stream, more: { tools } });
          const sent = await send(rig.gateway, { api, body });
          assert(JSON.stringify(answerOf(sent, { api, stream })).includes(WENT_ON), sent.text);
          const { calls: ran } = await receiptOf(rig.gateway, sent);
          const runs = new Set(ran?.map(({ purpose }) => purpose).filter((one) => one.includes(":")));
          const expected = [
            `tool:${kind}`,
            ...nestedKind(kind).purposes,
            ...isGiven ? [`tool:${inner}`] : [],
          ];
          assert.deepEqual([...runs].toSorted(), expected.toSorted());
          if (isGiven) assert.match(JSON.stringify(rig.taken("messages").at(-1)), /within a run/);
          else assert.deepEqual(rig.taken("messages").map(({ tools }) => tools ?? []).flat(), []);
        }
      }
    });
  });
}
