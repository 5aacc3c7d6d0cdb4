/** Destinations: what is sent, once over instances and restarts, whatever the receiver does, and their records of it. */

import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { destinationTypes } from "../../shared/observability/records.ts";
import {
  CLAIM_MS,
  FIRST_RETRY_MS,
  GIVE_UP_MS,
  MOST_RETRY_MS,
} from "../../server/management/destinations/destination_sender.ts";
import { ANSWER_MS } from "../../server/management/delivery/post_message.ts";
import type { Json } from "../support/event_stream.ts";
import {
  add,
  attributesOf,
  configs,
  SECRET,
  secrets,
  show,
  spansOf,
  TOKEN,
  told,
} from "./destination_calls.ts";
import { type Answer, destinationRig, never } from "./destination_rig.ts";

type Fault = readonly [string, Answer];
const faults: readonly Fault[] = [
  ["400", () => new Response(null, { status: 400 })],
  ["404", () => new Response(null, { status: 404 })],
  ["429", () => new Response(null, { status: 429 })],
  ["500", () => new Response("x".repeat(100_000), { status: 500 })],
  ["redirect inwards", () => Response.redirect("http://169.254.169.254/latest", 307)],
];

Deno.test("receipts reach every type of destination once, however the receiver fails before it is back", async () => {
  await using rig = await destinationRig();
  const { at, clock } = rig;
  const ledger = await rig.openLedger();
  const arrives = at.held.answer;
  for (const type of destinationTypes) {
    const { id } = await add(rig, type);
    for (const [name, answer] of faults) {
      const from = at.messages.length;
      const ids = [1, 2, 3].map((number) => `gen-${type}-${name}-${number}`);
      for (const one of ids) await rig.receipt(ledger, { id: one });
      at.held.answer = answer;
      await rig.round();
      await rig.round();
      assert.equal(at.messages.length, from + 1, `${type}, ${name}: not before its time`);
      const failing = (await show(rig, id)).delivery;
      assert.ok(failing.failing_since !== null && failing.last_error !== null, name);
      clock.leap(FIRST_RETRY_MS);
      await rig.round();
      at.held.answer = arrives;
      clock.leap(2 * FIRST_RETRY_MS);
      await rig.round();
      await rig.round();
      const messages = at.messages.slice(from);
      assert.equal(messages.length, 3, `${type}, ${name}`);
      assert.deepEqual(messages.map(({ body }) => body), Array(3).fill(messages[0]?.body));
      assert.deepEqual(told(messages.slice(2)), ids);
      assert.equal(new Set(messages.map(({ headers }) => headers["webhook-id"])).size, 1);
      assert.equal((await show(rig, id)).delivery.failing_since, null);
    }
    const { sent, lost } = (await show(rig, id)).delivery;
    assert.deepEqual([sent, lost], [3 * faults.length, 0]);
    await rig.admin.call("destinations.delete", { params: { id } });
  }
  assert.deepEqual(secrets.filter((secret) => rig.lines.some((line) => line.includes(secret))), []);
  await ledger.close();
});

Deno.test("a receiver that never answers holds nothing up, and receipts of a day of failures are counted as lost", async () => {
  await using rig = await destinationRig();
  const { at, clock } = rig;
  const ledger = await rig.openLedger();
  const { id } = await add(rig, "webhook");
  const other = await add(rig, "otel-collector");
  const { promise: silence, resolve: end } = Promise.withResolvers<Response>();
  at.held.answer = ({ path }) => path.startsWith("/hook") ? silence : new Response(null);
  await rig.receipt(ledger, { id: "gen-old" });
  const one = rig.sender();
  await one.round(never);
  // The other one's answer is read by then: time that passes before would end both attempts.
  const hasArrived = () => at.messages.length === 2 && rig.counts.get("otel-collector sent") === 1;
  await clock.advanceOnce(hasArrived, ANSWER_MS);
  await one.settled();
  assert.deepEqual([(await show(rig, id)).delivery.sent, (await show(rig, other.id)).delivery.sent], [0, 1]);
  end(new Response(null));
  at.held.answer = () => new Response(null, { status: 503 });
  for (let passed = 0; passed < GIVE_UP_MS - MOST_RETRY_MS; passed += MOST_RETRY_MS) {
    clock.leap(MOST_RETRY_MS);
    await rig.round();
  }
  assert.equal((await show(rig, id)).delivery.lost, 0);
  await rig.admin.call("destinations.update", { params: { id: other.id }, body: { enabled: false } });
  const young = new Date(clock.now()).toISOString();
  await rig.receipt(ledger, { id: "gen-young", created_at: young, ended_at: young });
  clock.leap(2 * MOST_RETRY_MS);
  await rig.round();
  await rig.round();
  at.held.answer = () => new Response(null);
  clock.leap(MOST_RETRY_MS);
  await rig.round();
  const { sent, lost } = (await show(rig, id)).delivery;
  assert.deepEqual([sent, lost, told(at.messages.slice(-1))], [1, 1, ["gen-young"]]);
  assert.ok(rig.lines.some((line) => line.includes("Receipts are lost")));
  const counted = ["webhook sent", "webhook lost", "otel-collector sent"].map((name) => rig.counts.get(name));
  assert.deepEqual(counted, [1, 1, 1]);
  assert.ok((rig.counts.get("webhook failed") ?? 0) > 100, "at every attempt of a day");
  await ledger.close();
});

Deno.test("each receipt is sent once over three instances, their restarts and their ends in the middle", async () => {
  await using rig = await destinationRig();
  const { at, clock } = rig;
  const { id } = await add(rig, "webhook");
  const ids = Array.from({ length: 12 }, (_, number) => `gen-${number}`);
  for (let from = 0; from < ids.length; from += 3) {
    const ledgers = await Promise.all([rig.openLedger(), rig.openLedger(), rig.openLedger()]);
    await Promise.all(
      ids.slice(from, from + 3).map((one, number) => {
        const ledger = ledgers[number];
        assert.ok(ledger);
        return rig.receipt(ledger, { id: one });
      }),
    );
    // The last gateways end before anybody has looked.
    if (from < 6) await Promise.all([rig.round(), rig.round(), rig.round()]);
    for (const ledger of ledgers) await ledger.close();
  }
  // One that begins an attempt and ends: another takes over, under the same id.
  const { promise: silence, resolve: end } = Promise.withResolvers<Response>();
  const arrives = at.held.answer;
  at.held.answer = () => silence;
  const from = at.messages.length;
  const stop = new AbortController();
  const dying = rig.sender();
  await dying.round(stop.signal);
  await clock.advanceOnce(() => at.messages.length > from, 0);
  stop.abort(new Error("stopped"));
  await dying.settled();
  end(new Response(null));
  at.held.answer = arrives;
  await rig.round();
  assert.equal(at.messages.length, from + 1, "the claim stands");
  clock.leap(CLAIM_MS);
  await rig.round();
  const [cut, again] = at.messages.slice(from);
  assert.equal(cut?.headers["webhook-id"], again?.headers["webhook-id"]);
  const arrived = at.messages.filter((message) => message !== cut);
  assert.deepEqual([...told(arrived)].sort(), [...ids].sort());
  assert.deepEqual([(await show(rig, id)).delivery.sent, clock.open], [ids.length, 0]);
});

Deno.test("receipts of gateways that have come and gone between two looks are sent, and of one that owns its store", async () => {
  await using rig = await destinationRig();
  const { id } = await add(rig, "webhook");
  const sender = rig.sender();
  await rig.round(sender);
  const brief = await rig.openLedger();
  await rig.receipt(brief, { id: "gen-brief" });
  await brief.close();
  rig.clock.leap(60_000);
  await rig.round(sender);
  assert.deepEqual(told(rig.at.messages), ["gen-brief"]);
  const own = await rig.openLedger({ isShared: false });
  await rig.receipt(own, { id: "gen-own" });
  await rig.round(sender);
  await own.close();
  const again = await rig.openLedger({ isShared: false });
  await rig.receipt(again, { id: "gen-again" });
  await rig.round();
  await again.close();
  // Journals that were done long ago are forgotten, and not begun anew.
  rig.clock.leap(30 * 86_400_000);
  await rig.round();
  assert.deepEqual(told(rig.at.messages), ["gen-brief", "gen-own", "gen-again"]);
  assert.equal((await show(rig, id)).delivery.sent, 3);
});

Deno.test("a message is signed, has the headers of its destination, and the standard's library verifies it", async () => {
  await using rig = await destinationRig();
  const ledger = await rig.openLedger();
  await add(rig, "webhook", { config: { ...configs.webhook(rig.at.url), method: "PUT" } });
  await add(rig, "otel-collector", { config: { endpoint: `${rig.at.url}/base/v1/traces` } });
  await rig.receipt(ledger, { id: "gen-signed" });
  await rig.round();
  const [hook, collector] = rig.at.messages.toSorted((one, other) => one.path < other.path ? 1 : -1);
  assert.deepEqual([hook?.method, hook?.path, hook?.headers.authorization], [
    "PUT",
    "/hook?token=in-the-query",
    TOKEN,
  ]);
  assert.deepEqual([collector?.method, collector?.path, collector?.headers["content-type"]], [
    "POST",
    "/base/v1/traces",
    "application/json",
  ]);
  new Webhook(SECRET).verify(hook?.body ?? "", hook?.headers ?? {});
  await ledger.close();
});

const people = {
  user: "ada",
  external_user: "crm-7",
  session_id: "session-7",
  http_referer: "https://app.example/",
  app_title: "Application",
  user_agent: "agent/1",
} as const;

Deno.test("who asked, from where and at what cost is told where a destination asks for it, and content never", async () => {
  await using rig = await destinationRig();
  const ledger = await rig.openLedger();
  const all = {
    broadcast_generation_cost: true,
    broadcast_generation_identity: true,
    broadcast_generation_request_context: true,
  };
  for (
    const [path, more] of [["plain", {}], ["all", all], ["private", { ...all, privacy_mode: true }]] as const
  ) {
    await add(rig, "webhook", { ...more, config: { url: `${rig.at.url}/${path}` } });
  }
  const error = { kind: "invalid_request", status: 400, message: "Cannot read: a prompt" };
  const trace = {
    trace_id: "0af7651916cd43dd8448eb211c80319c",
    parent_span_id: "b7ad6b7169203331",
    note: "a prompt",
  };
  const preset = { id: "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11", slug: "support", version: 3 };
  await rig.receipt(ledger, { id: "gen-told", ...people, preset, error, trace, input_cost: 1_500_000_000 });
  await rig.round();
  const spans = new Map(rig.at.messages.map((message) => [message.path, spansOf(message)[0] ?? {}]));
  const of = (path: string) => attributesOf(spans.get(path) ?? {});
  const names = (path: string) =>
    Object.values(people).filter((text) => [...of(path).values()].includes(text));
  assert.deepEqual(names("/plain"), ["session-7"]);
  assert.deepEqual(names("/all"), Object.values(people));
  assert.deepEqual(names("/private"), []);
  for (const path of ["/plain", "/all", "/private"]) {
    const [slug, version] = [of(path).get("tollgate.preset"), of(path).get("tollgate.preset_version")];
    assert.deepEqual([slug, Number(version)], ["support", 3], path);
  }
  assert.deepEqual(["/plain", "/all", "/private"].map((path) => of(path).get("tollgate.input_cost_usd")), [
    undefined,
    1.5,
    1.5,
  ]);
  assert.deepEqual([spans.get("/all")?.traceId, spans.get("/all")?.parentSpanId], [
    trace.trace_id,
    trace.parent_span_id,
  ]);
  assert.notEqual(spans.get("/private")?.traceId, trace.trace_id);
  for (const { body } of rig.at.messages) assert.ok(!body.includes("a prompt"), "no content");
  await ledger.close();
});

type Rule = readonly [string, Json, readonly string[]];
/** Receipts that pass, of a (model m1, user ada, 10 tokens) and b (model m2, nobody, 100 tokens). */
const rules: readonly Rule[] = [
  ["switched off", {
    enabled: false,
    groups: [{ rules: [{ field: "model", operator: "equals", value: "x" }] }],
  }, [
    "a",
    "b",
  ]],
  ["equals", { groups: [{ rules: [{ field: "model", operator: "equals", value: "m1" }] }] }, ["a"]],
  ["not_equals", { groups: [{ rules: [{ field: "model", operator: "not_equals", value: "m1" }] }] }, ["b"]],
  ["starts_with", { groups: [{ rules: [{ field: "model", operator: "starts_with", value: "m" }] }] }, [
    "a",
    "b",
  ]],
  ["regex", { groups: [{ rules: [{ field: "model", operator: "regex", value: "^m[2-9]$" }] }] }, ["b"]],
  ["exists", { groups: [{ rules: [{ field: "user_id", operator: "exists" }] }] }, ["a"]],
  ["not_exists", { groups: [{ rules: [{ field: "user_id", operator: "not_exists" }] }] }, ["b"]],
  ["gt", { groups: [{ rules: [{ field: "total_tokens", operator: "gt", value: 10 }] }] }, ["b"]],
  ["lte", { groups: [{ rules: [{ field: "prompt_tokens", operator: "lte", value: "10" }] }] }, ["a"]],
  ["key name", { groups: [{ rules: [{ field: "api_key_name", operator: "contains", value: "Team" }] }] }, [
    "a",
  ]],
  [
    "or",
    {
      groups: [{
        logic: "or",
        rules: [{ field: "model", operator: "equals", value: "m1" }, {
          field: "total_tokens",
          operator: "gte",
          value: 100,
        }],
      }],
    },
    ["a", "b"],
  ],
  [
    "every group",
    {
      groups: [
        { rules: [{ field: "model", operator: "ends_with", value: "1" }] },
        { rules: [{ field: "user_id", operator: "not_contains", value: "ada" }] },
      ],
    },
    [],
  ],
];

Deno.test("rules, keys, regions and workspaces choose the receipts that a destination is sent", async () => {
  await using rig = await destinationRig();
  const ledger = await rig.openLedger();
  const key = await rig.admin.addKey({ name: "Team one" });
  const chosen: readonly (readonly [string, Json, readonly string[]])[] = [
    ...rules.map(([name, filter_rules, passed]) => [name, { filter_rules }, passed] as const),
    ["one key", { api_key_hashes: [key.hash] }, ["a"]],
    ["other region", { regions: ["eu", "us"] }, []],
    ["own region", { regions: ["global", "eu"] }, ["a", "b"]],
  ];
  for (const [name, more, passed] of chosen) {
    const { id } = await add(rig, "webhook", more);
    const from = rig.at.messages.length;
    await rig.receipt(ledger, {
      id: `a ${name}`,
      model: "m1",
      user: "ada",
      key_hash: key.hash,
      usage: { input_tokens: 10 },
    });
    await rig.receipt(ledger, {
      id: `b ${name}`,
      model: "m2",
      usage: { input_tokens: 90, output_tokens: 10 },
    });
    await rig.receipt(ledger, {
      id: `c ${name}`,
      model: "m1",
      workspace_id: "00000000-0000-4000-8000-00000000000f",
    });
    await rig.round();
    assert.deepEqual(told(rig.at.messages.slice(from)).map((one) => one.slice(0, 1)), passed, name);
    await rig.admin.call("destinations.delete", { params: { id } });
  }
  await ledger.close();
});

Deno.test("sampling takes whole sessions, the same ones at every destination, and about as many as it says", async () => {
  await using rig = await destinationRig();
  const ledger = await rig.openLedger();
  const rates = [0.25, 0.25, 0.75];
  for (const [at, sampling_rate] of rates.entries()) {
    await add(rig, "webhook", { sampling_rate, config: { url: `${rig.at.url}/${at}` } });
  }
  for (let number = 0; number < 200; number++) {
    await rig.receipt(ledger, { id: `gen-s-${number}`, session_id: `session ${Math.floor(number / 2)}` });
  }
  await rig.round();
  const sessions = rates.map((_, at) => {
    const counts = new Map<string, number>();
    const spans = rig.at.messages.filter(({ path }) => path === `/${at}`).flatMap(spansOf);
    for (const span of spans) {
      const session = String(attributesOf(span).get("gen_ai.conversation.id"));
      counts.set(session, (counts.get(session) ?? 0) + 1);
    }
    return counts;
  });
  const [quarter, same, most] = sessions;
  assert.ok(quarter && same && most);
  assert.deepEqual([...quarter], [...same]);
  assert.deepEqual(new Set(sessions.flatMap((counts) => [...counts.values()])), new Set([2]));
  assert.ok([...quarter.keys()].every((session) => most.has(session)));
  assert.ok(
    quarter.size > 10 && quarter.size < 40 && most.size > 60 && most.size < 90,
    `${quarter.size}, ${most.size}`,
  );
  await ledger.close();
});

Deno.test("what was made before a destination was on, or while it was off, is not sent", async () => {
  await using rig = await destinationRig();
  const ledger = await rig.openLedger();
  await rig.receipt(ledger, { id: "gen-before" });
  const { id } = await add(rig, "webhook");
  const set = (enabled: boolean) =>
    rig.admin.call("destinations.update", { params: { id }, body: { enabled } });
  await rig.receipt(ledger, { id: "gen-on" });
  await rig.round();
  await set(false);
  await rig.receipt(ledger, { id: "gen-off" });
  await rig.round();
  rig.later();
  await set(true);
  await rig.receipt(ledger, { id: "gen-again" });
  await rig.round();
  assert.deepEqual(told(rig.at.messages), ["gen-on", "gen-again"]);
  assert.equal((await show(rig, id)).delivery.sent, 2);
  await ledger.close();
});
