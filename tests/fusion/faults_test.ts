/** Faults of a run: members, the analyst, the client; the outer model answers all the same. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { nothingHeld } from "../support/held.ts";
import { createKey, managed } from "../support/manage.ts";
import { until } from "../support/until.ts";
import { newestReceipt, receiptOf } from "../money/rig.ts";
import { calls, itemsOf, says, send, wholeOf } from "../server_tools/rig.ts";
import { ANALYSIS, callsFusion, type FusionRig, fusionTool, withFusion } from "./rig.ts";

const bodyOf = (models: readonly string[], more: Json = {}): Json => ({
  model: "outer/mock",
  input: "Greet me.",
  tools: [fusionTool(models)],
  ...more,
});

const eight = [
  "alpha/mock",
  "beta/mock-slow-200",
  "gamma/mock-500",
  "delta/mock",
  "epsilon/mock",
  "zeta/mock-429",
  "eta/mock-empty",
  "theta/mock",
] as const;

/** A call of delta costs more than anybody may spend. */
const dear = { "delta/mock": { pricing: { prompt: "1", completion: "1" } } };

/** A key with a limit of one dollar, under a guardrail that blocks a word. */
async function limitedKey({ gateway }: FusionRig): Promise<string> {
  const { key, record } = await createKey(gateway, { limit: 1 });
  const { body } = await managed(gateway, {
    call: "POST /guardrails",
    body: { name: "Words", content_filters: [{ pattern: "xyzzy", action: "block", label: "WORD" }] },
  });
  const { id } = asObject(body.data);
  const assigned = await managed(gateway, {
    call: `POST /guardrails/${id}/assignments/keys`,
    body: { key_hashes: [record.hash] },
  });
  assert.equal(assigned.status, 200, JSON.stringify(assigned.body));
  return key;
}

for (const stream of [false, true]) {
  Deno.test(`of eight members the well ones answer, and each other one says why not (stream: ${stream})`, async () => {
    await withFusion({ models: eight, facts: dear, limits: { attempts: 1 } }, async (rig) => {
      const { gateway, plan } = rig;
      const key = await limitedKey(rig);
      plan({ member: (model) => [says(model.startsWith("epsilon") ? "I say xyzzy." : `I am ${model}.`)] });
      const sent = await send(gateway, { key, body: bodyOf(eight, { stream }) });
      await nothingHeld({ gateway, key, model: "outer/mock" });
      const receipt = await receiptOf(gateway, sent);
      assert.equal(receipt.status, "completed");
      assert(receipt.cost <= receipt.reserved);
      const item = stream
        ? asObject(
          sent.text.split("\n").filter((line) => line.startsWith("data: {"))
            .map((line) => asObject(JSON.parse(line.slice(6))))
            .find(({ type, item }) =>
              type === "response.output_item.done" && asObject(item).type === "openrouter:fusion"
            )
            ?.item,
        )
        : itemsOf(wholeOf(sent))[0] ?? {};
      assert.equal(item.status, "completed");
      assert.deepEqual(item.analysis, ANALYSIS);
      assert.deepEqual(
        asList(item.responses).map((one) => asObject(one).model),
        ["alpha/mock", "beta/mock-slow-200", "theta/mock"],
      );
      const failed = asList(item.failed_models).map(asObject);
      assert.deepEqual(failed.map(({ model, status_code }) => [model, status_code]), [
        ["gamma/mock-500", 502],
        ["delta/mock", 402],
        ["epsilon/mock", 403],
        ["zeta/mock-429", 429],
        ["eta/mock-empty", 502],
      ]);
      assert(failed.every(({ error }) => typeof error === "string" && error !== ""));
      assert(!JSON.stringify(item).includes("xyzzy"));
      const purposes = Map.groupBy(receipt.calls ?? [], ({ purpose }) => purpose);
      assert.deepEqual(purposes.get("fusion:panel")?.map(({ status }) => status).toSorted(), [
        ...Array<string>(3).fill("completed"),
        ...Array<string>(5).fill("failed"),
      ]);
      assert.equal(purposes.get("fusion:analysis")?.length, 1);
    });
  });
}

const failures = [
  ["money", ["delta/mock", "gamma/mock-500", "zeta/mock-429"], "insufficient_credits"],
  ["rate", ["gamma/mock-500", "zeta/mock-429"], "rate_limited"],
  ["otherwise", ["gamma/mock-500"], "all_panels_failed"],
] as const;

Deno.test("where all members fail the result says why, and the outer model answers", async () => {
  await withFusion({ models: eight, facts: dear, limits: { attempts: 1 } }, async (rig) => {
    const { gateway, plan, sentTo, sentToAnalyst } = rig;
    const key = await limitedKey(rig);
    for (const [name, models, reason] of failures) {
      plan({});
      const [item, message] = itemsOf(wholeOf(await send(gateway, { key, body: bodyOf(models) })));
      assert.deepEqual([item?.status, item?.failure_reason, item?.responses], [
        "completed",
        reason,
        undefined,
      ]);
      assert.equal(typeof item?.error, "string", name);
      assert.equal(asList(item?.failed_models).length, models.length);
      assert.equal(message?.type, "message");
      const told = asList(sentTo("outer/mock").at(-1)?.messages).map(asObject).at(-1);
      const result = asObject(JSON.parse(String(told?.content)));
      assert.deepEqual([result.status, result.failure_reason], ["error", reason]);
      assert.equal(sentToAnalyst().length, 0);
      await nothingHeld({ gateway, key, model: "outer/mock" });
    }
  });
});

const analyses: readonly (readonly [name: string, text: string, Json | string])[] = [
  ["fenced, with a comma too many", 'Here:\n```json\n{"consensus": ["All greet."],}\n```', {
    consensus: ["All greet."],
    contradictions: [],
    partial_coverage: [],
    unique_insights: [],
    blind_spots: [],
  }],
  ["no JSON", "They all agree.", "judge_not_valid_json"],
  ["another object", '{"verdict": "good"}', "judge_schema_mismatch"],
  ["a key of another kind", '{"consensus": "All greet."}', "judge_schema_mismatch"],
  ["empty", "", "judge_empty_completion"],
];

Deno.test("an analysis is healed once, else the run goes on without it", async () => {
  await withFusion({}, async ({ gateway, plan, sentTo }) => {
    for (const [name, text, expected] of analyses) {
      plan({ analyst: () => [says(text)] });
      const models = ["alpha/mock", "beta/mock"];
      const [item, message] = itemsOf(wholeOf(await send(gateway, { body: bodyOf(models) })));
      assert.deepEqual([item?.status, asList(item?.responses).length, message?.type], [
        "completed",
        2,
        "message",
      ]);
      const told = asList(sentTo("outer/mock").at(-1)?.messages).map(asObject).at(-1);
      const result = asObject(JSON.parse(String(told?.content)));
      assert.equal(result.status, "ok", name);
      const isReason = typeof expected === "string";
      assert.equal(item?.failure_reason, isReason ? expected : undefined, name);
      assert.deepEqual(
        [item?.analysis, result.analysis],
        isReason ? [undefined, undefined] : [expected, expected],
      );
    }
  });
});

Deno.test("an analyst that fails leaves the answers", async () => {
  await withFusion({ models: ["alpha/mock", "judge/mock-500"] }, async ({ gateway }) => {
    const tools = [fusionTool(["alpha/mock"], { model: "judge/mock-500" })];
    const [item] = itemsOf(wholeOf(await send(gateway, { body: bodyOf([], { tools }) })));
    assert.deepEqual([item?.failure_reason, item?.analysis], ["judge_upstream_error", undefined]);
    assert.deepEqual(item?.responses, [{ model: "alpha/mock", content: "I am alpha-mock." }]);
  });
});

Deno.test("a second call of a request is capped, side by side or in a later turn", async () => {
  await withFusion({}, async ({ gateway, plan }) => {
    const again = calls("fusion", { id: "call_again" });
    for (const turns of [[[callsFusion, again]], [[callsFusion], [again]]]) {
      plan({ outer: (turn) => turns[turn] ?? [says("The answer.")] });
      const items = itemsOf(wholeOf(await send(gateway, { body: bodyOf(["alpha/mock"]) })));
      assert.deepEqual(items.map(({ type, failure_reason }) => [type, failure_reason]), [
        ["openrouter:fusion", undefined],
        ["openrouter:fusion", "fusion_invocation_capped"],
        ["message", undefined],
      ]);
    }
  });
});

for (const stream of [false, true]) {
  Deno.test(`a client that leaves in the middle of a run ends all of its calls (stream: ${stream})`, async () => {
    const models = ["alpha/mock", "beta/mock-stall", "gamma/mock-stall", "delta/mock-stall"];
    await withFusion({ models }, async ({ gateway, mock, sentTo }) => {
      const { key } = await createKey(gateway, { limit: 10 });
      const leaving = new AbortController();
      const asked = fetch(`${gateway.url}/v1/responses`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(bodyOf(models, { stream })),
        signal: leaving.signal,
      }).then((response) => response.text());
      const left = assert.rejects(asked);
      await until(() => models.every((model) => sentTo(model).length === 1) && mock.open() === 3, {
        what: "that every member is asked, and three do not end",
      });
      leaving.abort();
      await left;
      await until(() => mock.open() === 0, { what: "that no call is open" });
      await nothingHeld({ gateway, key, model: "outer/mock" });
      const receipt = await newestReceipt(gateway);
      assert.equal(receipt.status, "cancelled");
      assert.equal(receipt.calls?.filter(({ purpose }) => purpose === "fusion:panel").length, 4);
      assert.equal(receipt.calls?.some(({ purpose }) => purpose === "fusion:analysis"), false);
      assert(receipt.cost <= receipt.reserved);
    });
  });
}
