import assert from "node:assert/strict";
import type { ShownDestination } from "../../../shared/observability/records.ts";
import {
  changedBody,
  type DestinationDraft,
  draftOf,
  emptyDestination,
  newBody,
  percentOf,
  rateOf,
} from "./destination_draft.ts";
import { draftProblems } from "./destination_problems.ts";
import {
  addGroup,
  changeGroup,
  filterDraftOf,
  filterRulesOf,
  noFilter,
  removeRule,
  type RuleDraft,
} from "./filter_rules.ts";

const stored: ShownDestination = {
  id: "5f0c3d0e-7a52-4c1b-9b1e-1d2c3b4a5f60",
  type: "webhook",
  workspace_id: "5f0c3d0e-7a52-4c1b-9b1e-1d2c3b4a5f61",
  name: "Warehouse",
  enabled: true,
  api_key_hashes: null,
  filter_rules: null,
  privacy_mode: false,
  sampling_rate: 0.07,
  regions: ["us", "global"],
  broadcast_generation_cost: false,
  broadcast_generation_identity: false,
  broadcast_generation_request_context: false,
  config: {
    url: "https://receipts.example/hook?***",
    method: "POST",
    headers: { Authorization: "***", "X-Team": "***" },
    signing_secret: "***",
  },
  created_at: "2026-11-02T09:08:07.006Z",
  updated_at: "2026-11-02T09:08:07.006Z",
  delivery: { sent: 0, lost: 0, last_sent_at: null, failing_since: null, last_error: null },
};
const before = draftOf(stored);
const secrets = { signing_secret: "", accessKeyId: "", secretAccessKey: "", sessionToken: "" };

const changes: readonly (readonly [Partial<DestinationDraft>, unknown])[] = [
  [{}, {}],
  [{ name: " Warehouse " }, {}],
  [{ regions: ["global", "us"] }, {}],
  [{ name: "Renamed", sampling: "12.5" }, { name: "Renamed", sampling_rate: 0.125 }],
  [{ method: "PUT" }, { config: { method: "PUT" } }],
  [{ signing_secret: "whsec_other" }, { config: { signing_secret: "whsec_other" } }],
  [{ signing_secret: null }, { config: { signing_secret: null } }],
  [{ headers: before.headers.slice(1) }, { config: { headers: { Authorization: null, "X-Team": "***" } } }],
  [{ headers: [] }, { config: { headers: { Authorization: null, "X-Team": null } } }],
  [
    { headers: [{ row: 0, name: "Authorization", value: "Bearer other", stored: "Authorization" }] },
    { config: { headers: { Authorization: "Bearer other", "X-Team": null } } },
  ],
  [{ headers: [...before.headers, { row: 2, name: "", value: "", stored: undefined }] }, {}],
  [{ keys: "a\nb" }, { api_key_hashes: ["a", "b"] }],
];

Deno.test("changedBody sends what differs, and secrets only where they were typed or taken away", () => {
  for (const [typed, body] of changes) {
    assert.deepEqual(changedBody(before, { ...before, ...typed }), body, JSON.stringify(typed));
  }
});

Deno.test("newBody has the fields of its type only, and leaves out what is empty", () => {
  const typed = { ...emptyDestination, ...secrets, name: "Archive", url: "https://left.example" };
  const bucket = {
    ...typed,
    type: "s3",
    bucketName: "receipts",
    accessKeyId: "id",
    secretAccessKey: "key",
  } as const;
  assert.deepEqual(newBody(bucket).config, {
    bucketName: "receipts",
    accessKeyId: "id",
    secretAccessKey: "key",
    headers: {},
  });
});

Deno.test("percent and rate are each other's, for every rate with four decimals", () => {
  for (let step = 1; step <= 10_000; step++) {
    const rate = step / 10_000;
    assert.equal(rateOf(percentOf(rate)), rate);
    assert.ok(percentOf(rate).length <= 5, percentOf(rate));
  }
  for (const text of ["", " ", "2,5", "all"]) assert.ok(Number.isNaN(rateOf(text)), text);
});

const filterOf = (rule: Omit<RuleDraft, "row">) => ({
  on: true,
  groups: [{ row: 0, logic: "and" as const, rules: [{ row: 0, ...rule }] }],
});

const faults: readonly (readonly [Partial<DestinationDraft>, keyof DestinationDraft])[] = [
  [{ name: "  " }, "name"],
  [{ name: "W".repeat(201) }, "name"],
  [{ sampling: "0" }, "sampling"],
  [{ sampling: "101" }, "sampling"],
  [{ sampling: "2,5" }, "sampling"],
  [{ regions: [] }, "regions"],
  [{ url: "" }, "url"],
  [{ url: "https://receipts.example/other?***" }, "url"],
  [{ headers: [{ row: 0, name: "", value: "a", stored: undefined }] }, "headers"],
  [{ headers: [{ row: 0, name: "X", value: "", stored: undefined }] }, "headers"],
  [{ headers: [{ row: 0, name: "Renamed", value: "", stored: "Authorization" }] }, "headers"],
  [{ headers: [0, 1].map((row) => ({ row, name: "X", value: "a", stored: undefined })) }, "headers"],
  [{ filter: addGroup(noFilter) }, "filter"],
  [{ filter: filterOf({ field: "total_cost", operator: "equals", value: "abc" }) }, "filter"],
  [{ filter: filterOf({ field: "total_cost", operator: "gt", value: "abc" }) }, "filter"],
  [{ filter: filterOf({ field: "model", operator: "gt", value: "5" }) }, "filter"],
];

Deno.test("draftProblems finds each fault at its field, and none in what is stored", () => {
  const found = (draft: DestinationDraft) =>
    Object.entries(draftProblems(draft, stored)).filter(([, problem]) => problem !== undefined)
      .map(([name]) => name);
  assert.deepEqual(found(before), []);
  for (const [typed, field] of faults) {
    assert.deepEqual(found({ ...before, ...typed }), [field], JSON.stringify(typed));
  }
});

Deno.test("secrets that are needed may be empty where they are stored, and only there", () => {
  const bucket = { ...emptyDestination, type: "s3", name: "A", bucketName: "receipts" } as const;
  const needed = draftProblems(bucket, undefined);
  assert.ok(needed.accessKeyId !== undefined && needed.secretAccessKey !== undefined);
  const config = { bucketName: "receipts", accessKeyId: "***", secretAccessKey: "***" };
  const problems = draftProblems(bucket, { ...stored, type: "s3", config });
  assert.deepEqual([problems.accessKeyId, problems.secretAccessKey], [undefined, undefined]);
});

Deno.test("filter rules are read and written alike, and a group goes with its last rule", () => {
  const rules = {
    enabled: false,
    groups: [
      { logic: "or", rules: [{ field: "model", operator: "contains", value: "mock" }] },
      {
        logic: "and",
        rules: [{ field: "total_cost", operator: "gt", value: 0.5 }, {
          field: "user_id",
          operator: "exists",
        }],
      },
    ],
  } as const satisfies Parameters<typeof filterDraftOf>[0];
  const draft = filterDraftOf(rules);
  assert.deepEqual(filterRulesOf(draft), rules);
  const [first] = draft.groups;
  assert.ok(first);
  const less = changeGroup(draft, removeRule(first, 0));
  assert.deepEqual(filterRulesOf(less)?.groups.length, 1);
  assert.equal(filterRulesOf(noFilter), null);
});
