import assert from "node:assert/strict";
import { guardrailApi } from "../../../shared/management/guardrails.ts";
import { ApiError } from "../../../shared/errors.ts";
import { adminRig } from "../../../tests/support/admin.ts";
import { failingStore } from "../../../tests/support/failing_store.ts";
import { orphansIn } from "../../../tests/support/leftover_records.ts";
import { memoryStore } from "../../storage/stores/memory_store.ts";
import { announceFilters } from "./announce_filters.ts";
import { findGuardrail, guardrailCollection, type GuardrailRow } from "./guardrail_rows.ts";
import { recordTag } from "../core/record_tag.ts";
import { startDeletionJob } from "../core/deletion_job.ts";
import { defaultGuardrailId } from "../workspaces/workspace_rows.ts";

const refused = (words: RegExp) => (error: unknown) => error instanceof ApiError && words.test(error.message);

Deno.test("guardrails are made with defaults, changed and deleted", async () => {
  const { call, clock, home, store } = await adminRig();
  const { data: made } = await call("guardrails.create", { body: { name: "Careful" } });
  assert.equal(made.workspace_id, home);
  assert.equal(made.allowed_models, null);
  const params = { id: made.id };
  assert.deepEqual((await call("guardrails.get", { params })).data, made);
  assert.deepEqual((await call("guardrails.update", { params, body: {} })).data, made);
  clock.leap(1_000);
  const body = {
    limit_usd: 5,
    reset_interval: "daily",
    allowed_models: ["vendor/*"],
    content_filters: [],
    content_filter_builtins: null,
  };
  const { data: changed } = await call("guardrails.update", { params, body });
  assert.deepEqual(changed, { ...made, ...body, updated_at: changed.updated_at });
  assert.notEqual(changed.updated_at, null);
  for (const wrong of [{ reset_interval: null }, { limit_usd: null }]) {
    await assert.rejects(call("guardrails.update", { params, body: wrong }), refused(/needs/));
  }
  assert.equal((await call("guardrails.list")).total_count, 2);
  assert.deepEqual(await call("guardrails.delete", { params }), { deleted: true });
  await assert.rejects(call("guardrails.delete", { params }), refused(/no guardrail/));
  assert.deepEqual(await orphansIn(store), []);
});

Deno.test("content filters are saved, and told with what is worked out about them", async () => {
  const { call, store } = await adminRig();
  const body = {
    name: "Filtering",
    content_filters: [
      { pattern: "secret-\\d{4}", action: "redact", label: "ID" },
      { pattern: "x.*y", action: "block" },
      { pattern: "[ab]{2000}", action: "flag" },
    ],
    content_filter_builtins: [{ slug: "email", action: "block", scan_scope: "user_only" }],
  };
  const { data, warnings } = await call("guardrails.create", { body });
  assert.deepEqual(data.content_filters?.map(({ max_match }) => max_match), [11, null, 2_000]);
  assert.deepEqual(warnings?.map(({ path }) => path), ["content_filters[1].pattern"]);
  const { record } = await findGuardrail(store, data.id);
  assert.deepEqual(record.content_filters, body.content_filters);
  assert.deepEqual(record.content_filter_builtins, body.content_filter_builtins);
  const { content_filters, content_filter_builtins } = data;
  const again = { content_filters, content_filter_builtins };
  const { data: same } = await call("guardrails.update", { params: { id: data.id }, body: again });
  assert.deepEqual(same, data);
});

Deno.test("patterns that cannot run are refused where they stand", async () => {
  const { call } = await adminRig();
  const bad: readonly (readonly [string, RegExp])[] = [
    ["(?:a{100}){101}", /multiply out to 10100 states, .*at most 2000/],
    ["(".repeat(101) + "a" + ")".repeat(101), /at most 100 levels/],
    ["(?=x)", /looks around/],
    ["(?i)x", /as in \(\?i:x\)/],
  ];
  for (const [pattern, words] of bad) {
    const content_filters = [{ pattern: "ok", action: "flag" }, { pattern, action: "block" }];
    await assert.rejects(call("guardrails.create", { body: { name: "x", content_filters } }), (error) => {
      assert.ok(error instanceof ApiError);
      assert.match(error.message, words);
      assert.deepEqual(error.details.metadata, { path: "content_filters[1].pattern" });
      return true;
    });
  }
});

Deno.test("patterns that are too long together are refused before any of them is looked at", async () => {
  const { call } = await adminRig();
  const content_filters = Array.from({ length: 50 }, (_, n) => ({
    pattern: `${n}${"x".repeat(99_000)}`,
    action: "block",
  }));
  await assert.rejects(
    call("guardrails.create", { body: { name: "x", content_filters } }),
    refused(/body makes a guardrail of 4\d{6} bytes; at most 200000/),
  );
});

Deno.test("a pattern that was stored by other rules acts, is marked, and may stay when others change", async () => {
  const { call, store } = await adminRig();
  const { data: { id } } = await call("guardrails.create", { body: { name: "Old" } });
  const old: GuardrailRow["content_filters"] = [
    { pattern: "([a-z]{1,50}){1,50}\\d", action: "redact", label: "a]b" },
    { pattern: "\\p{Han}", action: "redact" },
  ];
  await guardrailCollection(store).update([id], (row) => ({ ...row, content_filters: old }));
  const params = { id };
  const { data } = await call("guardrails.get", { params });
  assert.match(data.content_filters?.[0]?.fault ?? "", /2501 states/);
  assert.match(data.content_filters?.[1]?.fault ?? "", /Script=Han/);
  const tried = await call("guardrails.test", { params, body: { text: "+ abc1 p{Han}" } });
  assert.equal(tried.data.places[0]?.text, "+ [a]b] [REDACTED]");
  const content_filters = [...old.map(({ pattern, action }) => ({ pattern, action })), {
    pattern: "x",
    action: "flag",
  }];
  const saved = await call("guardrails.update", { params, body: { content_filters } });
  assert.deepEqual(saved.warnings?.map(({ path }) => path), [
    "content_filters[0].pattern",
    "content_filters[0].pattern",
    "content_filters[1].pattern",
  ]);
  const another = [...content_filters, { pattern: "\\p{Thai}", action: "flag" }];
  await assert.rejects(
    call("guardrails.update", { params, body: { content_filters: another } }),
    refused(/content_filters\[3\]\.pattern has the property/),
  );
});

Deno.test("words and exceptions are saved, tried, and judged", async () => {
  const { call } = await adminRig();
  const body = {
    name: "Names",
    words: ["Falcon"],
    except: ["falcon club", { pattern: "falcon-\\d{1,3}" }],
  };
  const { data } = await call("guardrails.create", { body });
  assert.deepEqual([data.words, data.words_action, data.except], [body.words, "block", body.except]);
  const params = { id: data.id };
  const wrong: readonly (readonly [string, RegExp])[] = [
    ["a+", /except\[1\]\.pattern has matches without a bound; an exception has at most 256/],
    ["a{300}", /matches of up to 300 characters/],
    ["(?i)a", /as in \(\?i:x\)/],
  ];
  for (const [pattern, words] of wrong) {
    const except = ["fine", { pattern }];
    await assert.rejects(call("guardrails.update", { params, body: { except } }), refused(words));
  }
  for (const [field, list] of [["words", ["fine", "&nbsp;"]], ["except", ["fine", "\u200b"]]] as const) {
    const blank = refused(new RegExp(`${field}\\[1\\] stands for white space or for nothing`));
    await assert.rejects(call("guardrails.update", { params, body: { [field]: list } }), blank);
    await assert.rejects(call("guardrails.create", { body: { ...body, [field]: list } }), blank);
  }
  const many = Array.from({ length: 100 }, (_, n) => ({ pattern: `[a-z]{250}${n}` }));
  await assert.rejects(
    call("guardrails.update", { params, body: { except: many } }),
    refused(/except\[79\]\.pattern and those before it have \d+ states; at most 20000/),
  );
  await call("guardrails.update", { params, body: { words_action: "redact", except: body.except } });
  const text = "Falcon FALCON CLUB falcon-12 falcons";
  const tried = await call("guardrails.test", { params, body: { text } });
  assert.equal(tried.data.places[0]?.text, "[REDACTED] FALCON CLUB falcon-12 falcons");
  assert.deepEqual(tried.data.places[0]?.matches, [{ start: 0, end: 6, action: "redacted", label: "words" }]);
});

Deno.test("guardrails whose filters were stored before they were enforced are named once", async () => {
  const { call, store } = await adminRig();
  const { data: { id } } = await call("guardrails.create", { body: { name: "Old" } });
  const content_filters: GuardrailRow["content_filters"] = [{ pattern: "secret", action: "redact" }];
  await guardrailCollection(store).update(
    [id],
    (row) => ({ ...row, content_filters, filters_enforced: false }),
  );
  const lines: unknown[] = [];
  const quiet = () => {};
  const log = { debug: quiet, info: quiet, error: quiet, warn: (...line: unknown[]) => lines.push(line) };
  await announceFilters({ store, runtime: { log } });
  const words = "Content filters of a guardrail are enforced from now on";
  assert.deepEqual(lines.splice(0), [[words, { guardrail: id, name: "Old" }]]);
  await announceFilters({ store, runtime: { log } });
  assert.deepEqual(lines, []);
});

Deno.test("a guardrail can be tried on a text and on requests, which nobody is sent", async () => {
  const { call } = await adminRig();
  const { data: { id } } = await call("guardrails.create", {
    body: {
      name: "Filtering",
      content_filters: [
        { pattern: "secret-\\d", action: "redact", label: "ID" },
        { pattern: "forbidden", action: "block" },
        { pattern: "odd", action: "flag" },
      ],
    },
  });
  const params = { id };
  const { data } = await call("guardrails.test", { params, body: { text: "an odd secret-1" } });
  assert.deepEqual(data, {
    action: "redacted",
    places: [{
      place: "text",
      text: "an odd [ID]",
      matches: [
        { start: 3, end: 6, action: "flagged", label: "odd" },
        { start: 7, end: 15, action: "redacted", label: "ID" },
      ],
      match_count: 2,
    }],
    scanned_bytes: 15,
    unscanned_parts: 0,
    external: null,
  });
  const bodies: readonly object[] = [
    { input: "secret-1", instructions: "forbidden" },
    { messages: [{ role: "system", content: "forbidden" }, { role: "user", content: "secret-1" }] },
    { system: "forbidden", max_tokens: 5, messages: [{ role: "user", content: "secret-1" }] },
  ];
  for (const request of bodies) {
    const { data } = await call("guardrails.test", { params, body: { request: { model: "m", ...request } } });
    assert.equal(data.action, "blocked");
    const texts = data.places.map(({ text }) => text).sort();
    assert.deepEqual(texts, ["[ID]", null].sort(), JSON.stringify(data.places));
  }
  await assert.rejects(call("guardrails.test", { params, body: { request: { input: 5 } } }), ApiError);
});

Deno.test("guardrails.create refuses what no guardrail is", () => {
  const { body } = guardrailApi["guardrails.create"];
  const wrong: readonly object[] = [
    { name: "" },
    { name: "x".repeat(201) },
    { description: "x".repeat(1_001) },
    { allowed_models: [] },
    { ignored_providers: [""] },
    { limit_usd: -1, reset_interval: "daily" },
    { reset_interval: "lifetime" },
    { content_filters: [{ pattern: "x".repeat(100_001), action: "block" }] },
    { content_filters: [{ pattern: "x", action: "drop" }] },
    { content_filters: [{ pattern: "x", action: "block", label: "x".repeat(101) }] },
    ...["a]b", "[a]b]", "a\nb", "a\rb", "a\u2028b", "a\0b"].flatMap((label) => [
      { content_filters: [{ pattern: "x", action: "block", label }] },
      { content_filter_builtins: [{ slug: "email", action: "block", label }] },
    ]),
    { content_filters: [{ pattern: "x", action: "block" }, { pattern: "x", action: "flag" }] },
    { content_filter_builtins: [{ slug: "email", action: "block" }, { slug: "email", action: "flag" }] },
    { content_filter_builtins: [{ slug: "passport", action: "block" }] },
    { words: [] },
    { words: [""] },
    { words: [" a"] },
    { words: ["a\nb"] },
    { words: ["x".repeat(101)] },
    { words: Array.from({ length: 1_001 }, (_, n) => `w${n}`) },
    { words: ["a"], words_action: "drop" },
    { except: [{ pattern: "a", more: 1 }] },
    { except: [5] },
    { allowed_data_regions: ["mars"] },
    { enforce_zdr: "yes" },
    { is_default: true },
  ];
  for (const change of wrong) {
    assert.equal(
      body.safeParse({ name: "x", ...change }).success,
      false,
      JSON.stringify(change).slice(0, 80),
    );
  }
  const long = { content_filters: [{ pattern: "x".repeat(100_000), action: "block" }] };
  assert.equal(body.safeParse({ name: "x".repeat(200), ...long }).success, true);
});

Deno.test("a workspace's default guardrail is there, can be changed, and goes with it only", async () => {
  const { call, store } = await adminRig();
  const { data: { id, default_guardrail_id } } = await call("workspaces.create", {
    body: { name: "Lab", slug: "lab" },
  });
  assert.equal(default_guardrail_id, defaultGuardrailId(id));
  const params = { id: default_guardrail_id };
  const { data } = await call("guardrails.update", { params, body: { ignored_models: ["a/*"] } });
  assert.equal(data.workspace_id, id);
  await assert.rejects(call("guardrails.delete", { params }), refused(/default one/));
  const { data: own } = await call("guardrails.create", { body: { name: "x", workspace_id: id } });
  await call("guardrails.assignments.members.add", {
    params: { id: own.id },
    body: { member_user_ids: ["ann"] },
  });
  await call("workspaces.delete", { params: { id } });
  await assert.rejects(call("guardrails.get", { params }), refused(/no guardrail/));
  await assert.rejects(
    call("guardrails.create", { body: { name: "x", workspace_id: id } }),
    refused(/workspace_id/),
  );
  assert.deepEqual(await orphansIn(store), []);
});

Deno.test("assignments give one guardrail a key and a member, the latest", async () => {
  const { call, addKey, store } = await adminRig();
  const [one, two] = [await addKey({ name: "One" }), await addKey({ name: "Two" })];
  const [a, b] = await Promise.all(
    ["a", "b"].map((name) => call("guardrails.create", { body: { name } }).then(({ data }) => data.id)),
  );
  assert(a !== undefined && b !== undefined);
  const keys = { key_hashes: [one.hash, two.hash, one.hash] };
  const give = (id: string) => call("guardrails.assignments.keys.add", { params: { id }, body: keys });
  assert.deepEqual(await give(a), { assigned_count: 2 });
  assert.deepEqual(await give(a), { assigned_count: 0 });
  assert.deepEqual(
    await call("guardrails.assignments.keys.add", {
      params: { id: b },
      body: { key_hashes: [one.hash] },
    }),
    { assigned_count: 1 },
  );
  const { data } = await call("guardrails.assignments.keys.list", { params: { id: a } });
  assert.deepEqual(data.map(({ key_name, guardrail_id }) => [key_name, guardrail_id]), [["Two", a]]);
  assert.equal((await call("guardrails.assignments.keys.all")).total_count, 2);
  await assert.rejects(
    call("guardrails.assignments.keys.add", { params: { id: a }, body: { key_hashes: ["0".repeat(64)] } }),
    refused(/no API key/),
  );
  const took = await call("guardrails.assignments.keys.remove", { params: { id: a }, body: keys });
  assert.deepEqual(took, { unassigned_count: 1 });
  const members = (id: string) =>
    call("guardrails.assignments.members.add", { params: { id }, body: { member_user_ids: ["ann"] } });
  assert.deepEqual([await members(a), await members(b)], [{ assigned_count: 1 }, { assigned_count: 1 }]);
  const all = await call("guardrails.assignments.members.all");
  assert.deepEqual(all.data.map(({ user_id, guardrail_id }) => [user_id, guardrail_id]), [["ann", b]]);
  assert.deepEqual(await orphansIn(store), []);
  await call("keys.delete", { params: { hash: one.hash } });
  await call("guardrails.delete", { params: { id: b } });
  assert.deepEqual(await orphansIn(store), []);
});

Deno.test("a key keeps its guardrail through rotation, so that it cannot get rid of it", async () => {
  const { call, addKey, store } = await adminRig();
  const { hash } = await addKey({});
  const { data: { id } } = await call("guardrails.create", { body: { name: "x" } });
  await call("guardrails.assignments.keys.add", { params: { id }, body: { key_hashes: [hash] } });
  const { data: next } = await call("keys.rotate", { params: { hash }, body: {} });
  const { data } = await call("guardrails.assignments.keys.list", { params: { id } });
  assert.deepEqual(new Set(data.map(({ key_hash }) => key_hash)), new Set([hash, next.hash]));
  await call("guardrails.delete", { params: { id } });
  assert.deepEqual(await orphansIn(store), []);
});

Deno.test("guardrails.delete that is cut off at any call to the store is finished by the next start", async () => {
  for (let at = 1, finished = false; !finished; at++) {
    const store = memoryStore();
    const { call, addKey } = await adminRig({ store });
    const { data: { id } } = await call("guardrails.create", { body: { name: "x" } });
    const { hash } = await addKey({});
    await call("guardrails.assignments.keys.add", { params: { id }, body: { key_hashes: [hash] } });
    await call("guardrails.assignments.members.add", { params: { id }, body: { member_user_ids: ["ann"] } });
    const failing = failingStore(store, { at });
    const broken = await adminRig({ store: failing.store });
    failing.arm();
    const done = await broken.call("guardrails.delete", { params: { id } }).then(() => true, () => false);
    finished = done && !failing.failed;
    const stop = await startDeletionJob((await adminRig({ store })).deps);
    await stop();
    assert.deepEqual(await orphansIn(store), [], `call ${at}`);
    assert(at < 100);
  }
});

Deno.test("guardrails.delete leaves nobody behind who is given it meanwhile", async () => {
  for (let round = 0; round < 10; round++) {
    const { call, addKey, store } = await adminRig();
    const { data: { id } } = await call("guardrails.create", { body: { name: "x" } });
    const { hash } = await addKey({});
    const later = async (work: () => Promise<unknown>) => {
      for (let turn = 0; turn < round * 3; turn++) await Promise.resolve();
      await work();
    };
    await Promise.allSettled([
      call("guardrails.delete", { params: { id } }),
      later(() => call("guardrails.assignments.keys.add", { params: { id }, body: { key_hashes: [hash] } })),
      later(() =>
        call("guardrails.assignments.members.add", { params: { id }, body: { member_user_ids: ["a"] } })
      ),
    ]);
    assert.deepEqual(await orphansIn(store), [], `round ${round}`);
  }
});

Deno.test("guardrails.update refuses what somebody else has changed since the version that is named", async () => {
  const { call } = await adminRig();
  const { data: { id } } = await call("guardrails.create", { body: { name: "Desk" } });
  const params = { id };
  const tagNow = async () => recordTag((await call("guardrails.get", { params })).data);
  const change = (name: string, ifMatch: string) =>
    call("guardrails.update", { params, body: { name }, headers: { "if-match": ifMatch } });
  const first = await tagNow();
  await change("Desk 2", first);
  await assert.rejects(change("Desk 3", first), (error: unknown) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.kind, error.details.metadata], ["conflict", { conflict: true }]);
    return true;
  });
  assert.equal((await call("guardrails.get", { params })).data.name, "Desk 2");
  await change("Desk 3", await tagNow());
  await change("Desk 4", "*");
});
