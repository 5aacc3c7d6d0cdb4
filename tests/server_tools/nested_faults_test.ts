/** Faults in the middle of nested runs: money, guardrails, keys, time, clients that leave. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { newestReceipt, receiptOf } from "../money/rig.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { fakeClock } from "../support/clock.ts";
import type { Gateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { until } from "../support/until.ts";
import { bodyFor, nestedTool, outputOf, planBoth } from "./nested_rig.ts";
import { calls, type ModelFields, resultOf, says, send, withTools } from "./rig.ts";

const kinds = {
  advisor: { args: { prompt: "Left or right?" }, purpose: "advisor:answer" },
  subagent: { args: { task_name: "T", task_description: "Left or right?" }, purpose: "subagent:task" },
} as const;
type Kind = keyof typeof kinds;
const both = ["advisor", "subagent"] as const;

const outer = (kind: Kind) => (turn: number) =>
  turn === 0 ? [calls(kind, { args: kinds[kind].args })] : [says("I went on.")];

const bodyOf = (kind: Kind, more: Json = {}): Json =>
  bodyFor("responses", {
    model: "mock/chat",
    tools: [nestedTool(kind, { model: "mock/messages" })],
    max_output_tokens: 50,
    ...more,
  });

/** Inner models of a price that nobody with a limit can pay. */
const dear: ModelFields = (wire) => wire === "messages" ? { pricing: { prompt: "1", completion: "1" } } : {};

/** A guardrail of a key with a limit. */
async function guardedKey(gateway: Gateway, guardrail: Json): Promise<string> {
  const { key, record } = await createKey(gateway, { limit: 1 });
  const { body } = await managed(gateway, { call: "POST /guardrails", body: { name: "G", ...guardrail } });
  const { id } = asObject(body.data);
  const call = `POST /guardrails/${id}/assignments/keys`;
  const assigned = await managed(gateway, { call, body: { key_hashes: [record.hash] } });
  assert.equal(assigned.status, 200, JSON.stringify(assigned.body));
  return key;
}

/** Waits until nothing is reserved for a key that has a limit. */
async function settled(gateway: Gateway, key: string): Promise<void> {
  const body = { model: "mock/chat", input: "Hi", max_output_tokens: 5 };
  await until(async () => {
    await gateway.ledger.flush();
    const { body: explained } = await managed(gateway, { call: "POST /route/explain", token: key, body });
    const limits = asList(asObject(explained.reservation).limits).map(asObject);
    assert(limits.length > 0);
    return limits.every(({ reserved_usd }) => reserved_usd === 0);
  }, { what: "that nothing is reserved" });
}

/** Seconds that are no matter here. */
const patient = {
  first_byte_seconds: 9_000,
  silence_seconds: 9_000,
  stream_seconds: 9_000,
  loop_seconds: 9_000,
};

for (const kind of both) {
  Deno.test(`money that is missing inside is a result of ${kind}, and nothing is spent beyond the limit`, async () => {
    await withTools({ model: dear }, async (rig) => {
      for (const stream of [false, true]) {
        const { key } = await createKey(rig.gateway, { limit: 1 });
        planBoth(rig, { outer: outer(kind) });
        const sent = await send(rig.gateway, { key, body: bodyOf(kind, { stream }) });
        const [item, message] = outputOf(sent, { stream });
        assert.deepEqual([item?.status, message?.type], ["failed", "message"]);
        assert.match(String(item?.error), /limit|credits|afford|cost/i);
        assert.equal(rig.taken("messages").length, 0);
        await settled(rig.gateway, key);
        const receipt = await receiptOf(rig.gateway, sent);
        assert(receipt.cost <= receipt.reserved && receipt.cost < 1e9);
        assert.deepEqual(
          receipt.calls?.map(({ purpose, status }) => [purpose, status]),
          [["model", "completed"], [`tool:${kind}`, "failed"], [kinds[kind].purpose, "failed"], [
            "model",
            "completed",
          ]],
        );
      }
    });
  });

  Deno.test(`a guardrail holds for the question and the reply of ${kind}`, async () => {
    await withTools({}, async (rig) => {
      const filters = [{ pattern: "xyzzy", action: "block", label: "WORD" }];
      const key = await guardedKey(rig.gateway, { content_filters: filters });
      for (const stream of [false, true]) {
        planBoth(rig, { outer: outer(kind), inner: () => [says("I say xyzzy to it.")] });
        const sent = await send(rig.gateway, { key, body: bodyOf(kind, { stream }) });
        const [item, message] = outputOf(sent, { stream });
        assert.deepEqual([item?.status, message?.type], ["failed", "message"], sent.text);
        assert(!sent.text.includes("xyzzy"), "the reply");
        assert(!JSON.stringify(rig.taken("chat").at(-1)).includes("xyzzy"));
        await settled(rig.gateway, key);
      }
    });
  });

  Deno.test(`an address that is masked goes to ${kind} masked, and comes back`, async () => {
    await withTools({}, async (rig) => {
      const filters = [{ pattern: "mail-[a-z]+-box", action: "mask", label: "BOX" }];
      const key = await guardedKey(rig.gateway, { content_filters: filters });
      for (const stream of [false, true]) {
        const seen: string[] = [];
        const placeholder = (body: Json) => /\[BOX_\d+\]/.exec(JSON.stringify(body))?.[0] ?? "none";
        planBoth(rig, {
          outer: (turn, body) => {
            const text = `Write to ${placeholder(body)}.`;
            const args = kind === "advisor" ? { prompt: text } : { task_name: "T", task_description: text };
            return turn === 0 ? [calls(kind, { args })] : [says(`Done: ${placeholder(body)}.`)];
          },
          inner: (_turn, body) => {
            seen.push(placeholder(body));
            return [says(`Ask ${placeholder(body)} first.`)];
          },
        });
        const body = { ...bodyOf(kind, { stream }), input: "My address is mail-planted-box." };
        const sent = await send(rig.gateway, { key, body });
        const [item, message] = outputOf(sent, { stream });
        assert.equal(item?.advice ?? item?.outcome, "Ask mail-planted-box first.", sent.text);
        assert.equal(item?.prompt ?? item?.task_description, "Write to mail-planted-box.");
        assert(JSON.stringify(message).includes("Done: mail-planted-box."));
        assert(seen.length === 1 && seen[0] !== "none");
        for (const wire of ["chat", "messages"] as const) {
          assert(rig.taken(wire).every((one) => !JSON.stringify(one).includes("planted")), wire);
        }
      }
    });
  });

  for (const stream of [false, true]) {
    Deno.test(`a client that leaves during ${kind} ends its call (stream: ${stream})`, async () => {
      await withTools({}, async (rig) => {
        const { gateway, mock } = rig;
        const { key } = await createKey(gateway, { limit: 10 });
        planBoth(rig, { outer: outer(kind) });
        const leaving = new AbortController();
        const tools = [nestedTool(kind, { model: "mock/messages-stall" })];
        const left = assert.rejects(
          fetch(`${gateway.url}/v1/responses`, {
            method: "POST",
            headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
            body: JSON.stringify(bodyOf(kind, { stream, tools })),
            signal: leaving.signal,
          }).then((response) => response.text()),
        );
        await until(() => rig.taken("messages").length === 1 && mock("messages").open() === 1, {
          what: "that the inner model is called",
        });
        leaving.abort();
        await left;
        await until(() => mock("messages").open() === 0, { what: "that its call has ended" });
        await settled(gateway, key);
        const receipt = await newestReceipt(gateway);
        assert.equal(receipt.status, "cancelled");
        assert(receipt.calls?.some(({ purpose }) => purpose === kinds[kind].purpose));
        assert(receipt.cost <= receipt.reserved);
      });
    });
  }

  Deno.test(`a model that the key may not use is a result of ${kind}`, async () => {
    await withTools({}, async (rig) => {
      const key = await guardedKey(rig.gateway, { allowed_models: ["mock/chat"] });
      planBoth(rig, { outer: outer(kind) });
      const [item, message] = outputOf(await send(rig.gateway, { key, body: bodyOf(kind) }), {
        stream: false,
      });
      assert.deepEqual([item?.status, message?.type], ["failed", "message"]);
      assert.equal(rig.taken("messages").length, 0);
      const zdr = bodyOf(kind, { provider: { only: ["mock-chat"] } });
      planBoth(rig, { outer: outer(kind) });
      const [other] = outputOf(await send(rig.gateway, { body: zdr }), { stream: false });
      assert.equal(other?.status, "failed", "the request's own rules for providers hold");
      assert.equal(rig.taken("messages").length, 0);
    });
  });

  for (const isDisabled of [false, true]) {
    Deno.test(`${kind} ends when its time is over (key disabled meanwhile: ${isDisabled})`, async () => {
      const clock = fakeClock();
      await withTools({ clock, limits: patient }, async (rig) => {
        const { key, record } = await createKey(rig.gateway, { limit: 10 });
        planBoth(rig, { outer: outer(kind) });
        const tools = [nestedTool(kind, { model: "mock/messages-stall" })];
        const sending = send(rig.gateway, { key, body: bodyOf(kind, { tools, stream: true }) });
        const isCalled = () => rig.taken("messages").length === 1 && rig.mock("messages").open() === 1;
        await until(isCalled, { what: "that the inner model is called" });
        if (isDisabled) {
          await managed(rig.gateway, { call: `PATCH /keys/${record.hash}`, body: { disabled: true } });
        }
        await clock.advanceOnce(isCalled, kind === "advisor" ? 120_000 : 600_000);
        const sent = await sending;
        const [item, message] = outputOf(sent, { stream: true });
        assert.equal(item?.status, "failed");
        assert.match(String(item?.error), kind === "advisor" ? /longer than 120 s/ : /longer than 600 s/);
        await until(() => rig.mock("messages").open() === 0, { what: "that the call has ended" });
        assert.deepEqual(
          [rig.taken("chat").length, message?.type],
          isDisabled ? [1, undefined] : [2, "message"],
        );
        assert.equal(resultOf(sent).status, isDisabled ? "failed" : "completed");
      });
    });
  }
}
