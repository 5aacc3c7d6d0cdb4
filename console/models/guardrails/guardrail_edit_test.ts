import assert from "node:assert/strict";
import type { GuardrailRecord } from "../../../shared/guardrails.ts";
import { ApiFailure, type ConsoleApi } from "../../api.ts";
import { bodyOf, draftOf, emptyDraft, type PatternDraft } from "./guardrail_draft.ts";
import { GuardrailEditModel, type SaveWarnings } from "./guardrail_edit.ts";
import { draftIssues, fieldName, problemAt, viewOf } from "./guardrail_problems.ts";
import { summaryOf } from "./guardrail_summary.ts";

const nothing: GuardrailRecord = {
  ...bodyOf({ ...emptyDraft, name: "Support desk" }),
  id: "5f0c3d0e-7a52-4c1b-9b1e-1d2c3b4a5f60",
  workspace_id: null,
  created_at: "2026-11-02T09:08:07.006Z",
  updated_at: null,
};

const full: GuardrailRecord = {
  ...nothing,
  description: "For answers to customers",
  limit_usd: 5,
  reset_interval: "daily",
  include_byok_in_budgets: true,
  allowed_models: ["openai/*", "mock/model"],
  ignored_providers: ["azure"],
  enforce_zdr: true,
  enforce_zdr_xai: false,
  enable_free_model_training: false,
  allowed_data_regions: ["europe"],
  content_filters: [
    { pattern: "INV-\\d{8}", action: "redact", label: "[invoice]", max_match: 12 },
    { pattern: "secret.*", action: "block", label: null, max_match: null },
  ],
  content_filter_builtins: [
    { slug: "person-name", action: "flag", scan_scope: "user_only", experimental: true },
    { slug: "email", action: "redact", label: "[email]" },
  ],
  words: ["falcon", "blue bird"],
  words_action: "redact",
  except: ["help@acme.example", { pattern: "id-\\d{3}" }],
  external: {
    type: "http",
    url: "https://guard.example/judge",
    header_env: null,
    timeout_ms: 5_000,
    fail: "closed",
    on: ["input"],
  },
  unreadable: "block",
};

interface Call {
  readonly params?: unknown;
  readonly body?: unknown;
  readonly ifMatch?: string;
}

/** As much of the API as the model calls. */
function asApi(fake: unknown): Pick<ConsoleApi, "call" | "callWithTag"> {
  return fake as Pick<ConsoleApi, "call" | "callWithTag">;
}

/** A model of `record`, or of a new guardrail; `save` answers for the gateway. */
async function opened(record: GuardrailRecord | undefined, save: (call: Call) => unknown) {
  const calls: Call[] = [];
  const said: SaveWarnings[] = [];
  const call = (row: { readonly method: string }, input: Call) => {
    if (row.method === "GET") return Promise.resolve({ data: record });
    calls.push(input);
    return Promise.resolve().then(() => save(input));
  };
  let version = 1;
  const callWithTag = async (row: { readonly method: string }, input: Call) => {
    const body = await call(row, input);
    return { body, etag: `"${row.method === "GET" ? version++ : version}"` };
  };
  const model = new GuardrailEditModel({
    api: asApi({ call, callWithTag }),
    id: record?.id,
    onSaved: (_, warnings) => said.push(warnings),
  });
  if (record !== undefined) await model.record.load();
  return { model, calls, said };
}

const refusal = (path: string, message: string) =>
  new ApiFailure(new Response(null, { status: 400 }), { error: { message, metadata: { path } } });

Deno.test("bodyOf makes of a draft what the record has, without what the gateway works out", () => {
  const { id: _, workspace_id: _w, created_at: _c, updated_at: _u, ...settings } = full;
  assert.deepEqual(bodyOf(draftOf(settings)), {
    ...settings,
    content_filters: [
      { pattern: "INV-\\d{8}", action: "redact", label: "[invoice]" },
      { pattern: "secret.*", action: "block", label: null },
    ],
    content_filter_builtins: [
      { slug: "email", action: "redact", label: "[email]" },
      { slug: "person-name", action: "flag", scan_scope: "user_only" },
    ],
  });
});

Deno.test("a draft has a row for every built-in filter, and keeps several of one", () => {
  const twice = [
    { slug: "email", action: "flag", scan_scope: "user_only" },
    { slug: "email", action: "redact", scan_scope: "all_messages" },
  ] as const;
  const draft = draftOf({ ...nothing, content_filter_builtins: [...twice] });
  assert.deepEqual(draft.builtins.slice(0, 3).map(({ slug, action }) => [slug, action]), [
    ["email", "flag"],
    ["email", "redact"],
    ["phone", "off"],
  ]);
  assert.deepEqual(bodyOf(draft).content_filter_builtins, twice);
});

Deno.test("a limit is sent with its interval, and without a limit there is none", () => {
  const typed = (limit: string) => {
    const { limit_usd, reset_interval } = bodyOf({ ...emptyDraft, limit, reset: "weekly" });
    return [limit_usd, reset_interval];
  };
  assert.deepEqual(typed("1,200.50"), [1_200.5, "weekly"]);
  assert.deepEqual(typed(" "), [null, null]);
});

Deno.test("draftIssues judges by the gateway's schemas, with the gateway's paths", () => {
  const pattern = (text: string, row: number): PatternDraft => ({
    row,
    pattern: text,
    action: "redact",
    label: "",
  });
  const draft = {
    ...emptyDraft,
    limit: "5,00",
    lists: { ...emptyDraft.lists, allowed_models: `mock/model\n${"x".repeat(1_025)}` },
    patterns: [{ ...pattern("a", 0), label: "a]b" }, pattern("", 1), pattern("a+", 2)],
    builtins: [{ ...emptyDraft.builtins[0], action: "redact", label: "x".repeat(101) }],
  } as typeof emptyDraft;
  const issues = draftIssues(draft);
  assert.deepEqual(
    issues.map(({ path, isMissing }) => [path, isMissing]),
    [
      ["name", true],
      ["allowed_models.1", false],
      ["content_filters.0.label", false],
      ["content_filters.1.pattern", true],
      ["content_filter_builtins.0.label", false],
      ["limit_usd", false],
    ],
  );
  assert.match(problemAt(issues, "allowed_models") ?? "", /^Name 2: It has 1025 characters/);
  assert.match(problemAt(issues, "content_filters.0") ?? "", /^It has a \], a line end/);
  assert.equal(problemAt(issues, "content_filters.2"), undefined);
  assert.match(problemAt(issues, "limit_usd") ?? "", /^5,00 is not an amount/);
});

Deno.test("words and exceptions stand one a line, patterns between slashes", () => {
  const draft = draftOf(full);
  assert.equal(draft.words, "falcon\nblue bird");
  assert.equal(draft.except, "help@acme.example\n/id-\\d{3}/");
  const { words, words_action, except } = bodyOf({ ...draft, words: " a \n\nb\n", except: "/\n/x/\n//" });
  assert.deepEqual([words, words_action, except], [["a", "b"], "redact", ["/", { pattern: "x" }, "//"]]);
  assert.deepEqual([bodyOf(emptyDraft).words, bodyOf(emptyDraft).except], [null, null]);
});

Deno.test("viewOf and fieldName tell where a path of the API stands", () => {
  assert.equal(viewOf("content_filter_builtins.3.slug"), "filters");
  assert.equal(viewOf("allowed_models.1"), "rules");
  assert.equal(viewOf("body"), undefined);
  assert.equal(fieldName("content_filters[1].pattern", full), "Pattern 2");
  assert.equal(fieldName("content_filter_builtins[0]", full), "Names of people");
  assert.equal(fieldName("limit_usd", full), "limit_usd");
});

Deno.test("a save sends what has changed only, and hands on what the gateway says to it", async () => {
  const warnings = [{ path: "content_filters[1].pattern", message: "has no bound" }];
  const { model, calls, said } = await opened(full, () => ({ data: { ...full, limit_usd: 8 }, warnings }));
  model.type({ limit: "8" });
  model.typeList("ignored_providers", "azure\n\n");
  assert.deepEqual(model.changes.value, [{ label: "Limit", before: "$5.00", after: "$8.00" }]);
  assert.equal(await model.save(), true);
  assert.deepEqual(calls, [{ params: { id: full.id }, body: { limit_usd: 8 }, ifMatch: '"1"' }]);
  assert.deepEqual(said, [warnings]);
  assert.equal(model.isChanged.value, false);
  assert.equal(model.draft.value?.limit, "8.00");
});

Deno.test("rows of patterns come and go without mixing up what is typed", async () => {
  const { model } = await opened(full, () => ({ data: full }));
  model.addPattern();
  model.addPattern();
  const rows = () => (model.draft.value?.patterns ?? []).map(({ row, pattern }) => [row, pattern]);
  model.typePattern(3, { pattern: "b+" });
  model.removePattern(0);
  model.removePattern(2);
  assert.deepEqual(rows(), [[1, "secret.*"], [3, "b+"]]);
  assert.equal(model.longestMatch("INV-\\d{8}"), 12);
  assert.equal(model.longestMatch("secret.*"), null);
  assert.equal(model.longestMatch("b+"), undefined);
});

Deno.test("what is missing is said after the first try to save, which sends nothing", async () => {
  const { model, calls } = await opened(undefined, () => ({ data: nothing }));
  model.addPattern();
  assert.deepEqual([model.problem("name"), model.problem("content_filters.0")], [undefined, undefined]);
  assert.equal(await model.save(), false);
  assert.equal(calls.length, 0);
  assert.equal(model.problem("name"), "A guardrail needs a name.");
  assert.equal(model.problem("content_filters.0"), "A pattern has to be filled in.");
  assert.equal(model.problemView.value, "rules");
  model.type({ name: "Support desk" });
  assert.equal(model.problemView.value, "filters");
  model.removePattern(0);
  model.workspaceId.value = "w";
  assert.equal(await model.save(), true);
  assert.deepEqual(calls, [{ body: { name: "Support desk", workspace_id: "w" } }]);
});

Deno.test("a refusal stands at the field that it names until something is typed", async () => {
  const message = "Cannot update guardrail: content_filters[0].pattern can take exponential time";
  const { model } = await opened(full, () => {
    throw refusal("content_filters[0].pattern", message);
  });
  model.type({ name: "Other" });
  assert.equal(await model.save(), false);
  assert.equal(model.problem("content_filters.0.pattern"), message);
  assert.equal(model.problemView.value, "filters");
  assert.equal(model.draft.value?.name, "Other");
  model.typePattern(0, { pattern: "a" });
  assert.equal(model.problem("content_filters.0.pattern"), undefined);
});

Deno.test("a refusal of no field of the panel stands above it", async () => {
  const { model } = await opened(full, () => {
    throw refusal("body", "Cannot update guardrail: body makes a guardrail that is too large");
  });
  model.type({ name: "Other" });
  assert.equal(await model.save(), false);
  assert.equal(model.problemView.value, undefined);
  assert.match(model.refusal.value?.message ?? "", /too large/);
});

Deno.test("summaryOf says what a guardrail does in a few words", () => {
  assert.equal(summaryOf(nothing), "asks for nothing");
  assert.equal(
    summaryOf(full),
    "2 patterns, person name, email, 2 words, external service, nothing unreadable, $5.00 daily, ZDR but of xAI, no training, only Europe, " +
      "2 models allowed, 1 provider ignored",
  );
  assert.equal(summaryOf({ ...nothing, enforce_zdr_openai: true }), "ZDR of OpenAI");
  const slugs = ["email", "phone", "ssn", "secrets"] as const;
  const many = slugs.map((slug) => ({ slug, action: "flag" as const }));
  assert.equal(summaryOf({ ...nothing, content_filter_builtins: many }), "4 built-in filters");
});

Deno.test("a save names the version on which something was typed, whatever was read since", async () => {
  const { model, calls } = await opened(full, ({ body }) => ({ data: { ...full, ...Object(body) } }));
  model.type({ description: "One" });
  await model.record.load();
  assert.equal(await model.save(), true);
  model.type({ description: "Two" });
  await model.reload();
  assert.equal(await model.save(), true);
  assert.deepEqual(calls.map(({ ifMatch }) => ifMatch), ['"1"', '"3"']);
});

Deno.test("a conflict and a guardrail that is gone are told apart, and what was typed stays", async () => {
  const failures = [
    new ApiFailure(new Response(null, { status: 400 }), {
      error: { message: "m", metadata: { conflict: true } },
    }),
    new ApiFailure(new Response(null, { status: 404 }), { error: { message: "m" } }),
  ];
  const { model } = await opened(full, () => {
    throw failures.shift();
  });
  model.type({ description: "Typed" });
  for (const [isConflict, isGone] of [[true, false], [false, true]]) {
    assert.equal(await model.save(), false);
    assert.deepEqual([model.isConflict.value, model.isGone.value], [isConflict, isGone]);
    assert.equal(model.draft.value?.description, "Typed");
  }
});
