/** Reloads that meet other reloads, a stop, a start, and requests in the middle of their way. */

import assert from "node:assert/strict";
import { ReloadSignal } from "../../server/app/reload/reload_signal.ts";
import { OneShotSignal } from "../../server/one_shot_signal.ts";
import { asObject, type Json } from "../support/event_stream.ts";
import { providerAt } from "../support/gateway.ts";
import { reachableBytes } from "../support/heap.ts";
import { createKey, managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";
import { until } from "../support/until.ts";
import { fileAt, heldProvider, reloadRig, saidIn } from "./rig.ts";

const aliased = (baseUrl: string, name: string) => fileAt(baseUrl, {}, { aliases: { [name]: "mock/model" } });

Deno.test("reloads that are asked for at once happen one after the other, and each is told its own end", async () => {
  await using provider = scripted(says("chat", "Hello"));
  await using rig = await reloadRig(fileAt(provider.baseUrl));
  rig.write(aliased(provider.baseUrl, "one"));
  const first = rig.reload();
  rig.write("{");
  const others = [rig.reload(), rig.reload()];
  const statuses = (await Promise.all([first, ...others])).map(({ status }) => status);
  assert.ok(statuses.every((status) => status === 200 || status === 400), String(statuses));
  rig.write(aliased(provider.baseUrl, "two"));
  assert.deepEqual((await rig.reload()).body.data, { changed: ["aliases"], restart: [], warnings: [] });
  assert.equal(await saidIn(await rig.ask({ model: "two" })), "Hello");
});

const drained = async (reply: Promise<Response>) => await (await reply).text();

Deno.test("a gateway that stops does not reload", async () => {
  await using provider = scripted(says("chat", "Hello"));
  const stop = new OneShotSignal();
  await using rig = await reloadRig(fileAt(provider.baseUrl), { stop });
  rig.write(aliased(provider.baseUrl, "one"));
  stop.fire();
  const { status, body } = await rig.reload();
  assert.deepEqual([status, asObject(body.error).message], [
    503,
    "Cannot reload settings: the gateway is stopping.",
  ]);
});

Deno.test("ReloadSignal keeps a signal of the start until the gateway can reload", () => {
  let reloads = 0;
  const reload = () => {
    reloads++;
    return Promise.resolve();
  };
  const [early, quiet] = [new ReloadSignal(), new ReloadSignal()];
  early.receive();
  early.receive();
  early.open(reload);
  assert.equal(reloads, 1);
  early.receive();
  assert.equal(reloads, 2);
  quiet.open(reload);
  assert.equal(reloads, 2);
});

Deno.test("a request whose model and provider are taken out meanwhile still has its fallback", async () => {
  const failing = Promise.withResolvers<void>();
  let isCalled = false;
  await using first = scripted(async () => {
    isCalled = true;
    await failing.promise;
    return new Response("no", { status: 500 });
  });
  await using second = scripted(says("chat", "by the second"));
  await using third = scripted(says("chat", "by the third"));
  const two = {
    providers: [
      providerAt(first.baseUrl, { wire: "chat", name: "First" }),
      providerAt(second.baseUrl, { id: "second", name: "Second", wire: "chat" }),
    ],
  };
  await using rig = await reloadRig(two);
  const asked = rig.ask({ provider: { order: ["first", "second"] } });
  await until(() => isCalled, { what: "that the first is called" });
  const other = { id: "other", name: "Other", wire: "chat", models: [{ id: "other/model" }] };
  rig.write({ providers: [providerAt(third.baseUrl, other)] });
  assert.equal((await rig.reload()).status, 200);
  failing.resolve();
  assert.equal(await saidIn(await asked), "by the second");
  const gone = await rig.ask();
  assert.equal(gone.status, 404, await gone.text());
});

Deno.test("a price that rises behind the reservation overspends no limit", async () => {
  await using held = heldProvider("one two three");
  const priced = (completion: string) =>
    fileAt(held.baseUrl, { models: [{ id: "mock/model", pricing: { prompt: "0", completion } }] });
  await using rig = await reloadRig(priced("0.001"));
  const { key, record } = await createKey(rig.gateway, { limit: 0.02 });
  const ask = () =>
    fetch(`${rig.gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "mock/model",
        stream: true,
        max_tokens: 10,
        messages: [{ role: "user", content: "Hi" }],
      }),
    });
  const streams = [ask(), ask()];
  await until(() => held.open() === 2, { what: "that both are open" });
  rig.write(priced("1000"));
  assert.equal((await rig.reload()).status, 200);
  held.release();
  for (const stream of streams) await (await stream).text();
  const usage = await managed(rig.gateway, { call: `GET /keys/${record.hash}` });
  assert.equal(asObject(usage.body.data).usage, 0.006, "the prices of the reservations");
  const refused = await ask();
  assert.equal(refused.status, 402, await refused.text());
});

const RELOADS = 60;

Deno.test("reloads leave nothing behind", async () => {
  await using provider = scripted(says("chat", "Hello"));
  const file = (at: number): Json =>
    fileAt(provider.baseUrl, {}, { aliases: { [`name${at}`]: "mock/model" } });
  await using rig = await reloadRig(file(0));
  const turn = async (from: number) => {
    for (let at = 0; at < RELOADS; at++) {
      rig.write(file(from + at));
      assert.equal((await rig.reload()).status, 200);
      await drained(rig.ask());
    }
    return await reachableBytes();
  };
  await turn(1_000);
  const before = await turn(2_000);
  const after = await turn(3_000);
  assert.ok(after - before < RELOADS * 20_000, `${after - before} bytes more after ${RELOADS} reloads`);
});
