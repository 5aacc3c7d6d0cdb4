/** `auto.classifier`: a model tells the task of routed requests, within two seconds, and the gateway where it cannot. */

import assert from "node:assert/strict";
import { isTaskType } from "../../shared/task_types.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { fakeClock } from "../support/clock.ts";
import { explainedFor, heldWhile, nano } from "../support/held.ts";
import { createKey } from "../support/manage.ts";
import { says, type Script } from "../support/scripted.ts";
import { apis, send } from "../server_tools/rig.ts";
import { receiptOf } from "../money/rig.ts";
import { ask, bodyOn, explain, type Turn, withModels } from "./rig.ts";

const JUDGE = "acme-m4";
const auto = { classifier: "acme/m4" };
const turns: readonly Turn[] = [{ role: "user", content: "Hello there, how are you?" }];

/** The judge answers so, everybody else "Done.". */
const judged = (answer: Script): Script => (requested, number) =>
  (requested.body.model === JUDGE ? answer : says("chat", "Done."))(requested, number);

const ways = apis.flatMap((api) => [false, true].map((stream) => ({ api, stream })));

Deno.test("a classifier model tells the task, is paid, and stands on the receipt", async () => {
  await withModels(
    { auto, script: judged(says("chat", "It is code:debugging.")) },
    async (gateway, upstream) => {
      for (const way of ways) {
        const from = upstream.requested.length;
        const body = { model: "openrouter/auto", ...bodyOn(way.api, turns) };
        const { model, stage, metadata, sent } = await ask(gateway, { ...way, body });
        assert.deepEqual([model, stage.task_type, stage.classified_by], [
          "acme/m0",
          "code:debugging",
          "acme/m4",
        ]);
        const [question, answered] = upstream.requested.slice(from).map((one) => one.body);
        assert.deepEqual([question?.model, answered?.model], [JUDGE, "acme-m0"]);
        assert(JSON.stringify(question?.messages).includes("how are you?"));
        assert.doesNotMatch(JSON.stringify(metadata), /dropped/);
        const receipt = await receiptOf(gateway, new Response(null, { headers: sent.headers }));
        assert.deepEqual([receipt.model, receipt.router, receipt.task], [
          "acme/m0",
          "openrouter/auto",
          "code:debugging",
        ]);
        assert.deepEqual(receipt.calls?.map(({ purpose, model: called }) => [purpose, called]).toSorted(), [
          ["model", "acme/m0"],
          ["plugin:auto-router", "acme/m4"],
        ]);
        assert(receipt.server_tool_cost > 0);
      }
    },
  );
});

Deno.test("the gateway tells the task where the model says something else or fails, and says so", async () => {
  const answers: readonly (readonly [Script, RegExp])[] = [
    [says("chat", "I would rather not."), /auto\.classifier acme\/m4: the answer names no task/],
    [() => new Response("{}", { status: 500 }), /auto\.classifier acme\/m4: /],
  ];
  for (const [answer, words] of answers) {
    await withModels({ auto, script: judged(answer) }, async (gateway) => {
      for (const way of ways) {
        const body = { model: "openrouter/auto", ...bodyOn(way.api, turns) };
        const { model, stage, metadata } = await ask(gateway, { ...way, body });
        assert.deepEqual([model, stage.classified_by], ["acme/m0", "local"]);
        assert(isTaskType(String(stage.task_type)), JSON.stringify(stage));
        assert.match(JSON.stringify(asObject(metadata.params).dropped), words);
      }
    });
  }
});

Deno.test("a classifier model that takes longer than two seconds is not waited for", async () => {
  const clock = fakeClock();
  const never: Script = (_requested, _number) => new Response(new ReadableStream<Uint8Array>());
  await withModels({ auto, clock, script: judged(never) }, async (gateway, { requested }) => {
    const answer = send(gateway, {
      body: { model: "openrouter/auto", ...bodyOn("responses", turns) },
      headers: { "x-service-metadata": "enabled" },
    });
    await clock.advanceOnce(() => requested.length === 1, 2_000);
    const { status, text } = await answer;
    assert.equal(status, 200, text);
    assert.match(text, /auto\.classifier acme\/m4: The classifier took longer than 2 s\./);
  });
});

Deno.test("no model is asked for the task of a request that names its model, nor by explain", async () => {
  await withModels({ auto, script: judged(says("chat", "math")) }, async (gateway, { requested }) => {
    await ask(gateway, { api: "chat", body: { model: "acme/m1", ...bodyOn("chat", turns) } });
    assert.deepEqual(requested.map(({ body }) => body.model), ["acme-m1"]);
    const told = await explain(gateway, { model: "openrouter/auto", input: "Hello there, how are you?" });
    assert.equal(asObject(asList(told.routers)[0]).classified_by, "local");
    assert.equal(requested.length, 1);
  });
});

Deno.test("what explain shows has the call of the classifier, as the request reserves it", async () => {
  const never: Script = (_requested, _number) => new Response(new ReadableStream<Uint8Array>());
  const body = { model: "openrouter/auto", input: turns, max_output_tokens: 50 };
  const reservedWith = async (more: Parameters<typeof withModels>[0]): Promise<readonly number[]> => {
    const seen: number[] = [];
    await withModels(more, async (gateway, { requested }) => {
      const { key } = await createKey(gateway, { limit: 100 });
      const keyed = { gateway, key };
      seen.push(nano(asObject((await explainedFor(keyed, body)).reservation).reserved_usd));
      if (more.auto?.classifier !== auto.classifier) return;
      const isAsked = () => requested.length === 1;
      seen.push(await heldWhile({ ...keyed, model: "acme/m1", body, isAsked }));
      assert.equal(requested[0]?.body.model, JUDGE);
      // Nobody asks for the task of a request that names its model.
      const named = { ...body, model: "acme/m0" };
      seen.push(nano(asObject((await explainedFor(keyed, named)).reservation).reserved_usd));
    });
    return seen;
  };
  const [local] = await reservedWith({});
  const [whole = 0, held = 0, named] = await reservedWith({
    auto,
    clock: fakeClock(),
    script: judged(never),
  });
  assert(held > 0);
  assert.deepEqual([whole - held, named], [local, local]);
});

Deno.test("the classifier is asked by the request's own provider preferences", async () => {
  await withModels({ auto, script: judged(says("chat", "math")) }, async (gateway, { requested }) => {
    const body = { model: "openrouter/auto", input: turns, provider: { zdr: true } };
    const sent = await send(gateway, { body });
    assert.equal(sent.status, 404, sent.text);
    assert.equal(requested.length, 0, "nobody without zero data retention reads the message");
  });
});
