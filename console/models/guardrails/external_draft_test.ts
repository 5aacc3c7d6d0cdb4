import assert from "node:assert/strict";
import type { ExternalGuardrail } from "../../../shared/external_guardrail.ts";
import type { GuardrailRecord } from "../../../shared/guardrails.ts";
import { ApiFailure, type ConsoleApi } from "../../api.ts";
import { externalBody, type ExternalDraft, externalDraftOf, newExternal } from "./external_draft.ts";
import { bodyOf, emptyDraft } from "./guardrail_draft.ts";
import { GuardrailEditModel } from "./guardrail_edit.ts";
import { draftIssues, fieldName, viewOf } from "./guardrail_problems.ts";

const stored: ExternalGuardrail = {
  type: "http",
  url: "https://guard.example/judge",
  header_env: "OLD_TOKEN",
  timeout_ms: 5_000,
  fail: "open",
  on: ["input", "tools"],
};

const record = (external: ExternalGuardrail | null): GuardrailRecord => ({
  ...bodyOf({ ...emptyDraft, name: "Judged" }),
  external,
  id: "5f0c3d0e-7a52-4c1b-9b1e-1d2c3b4a5f60",
  workspace_id: null,
  created_at: "2026-11-02T09:08:07.006Z",
  updated_at: null,
});

/** As much of the API as the model calls. */
function asApi(fake: unknown): Pick<ConsoleApi, "call" | "callWithTag"> {
  return fake as Pick<ConsoleApi, "call" | "callWithTag">;
}

interface Call {
  readonly body?: { readonly external?: ExternalGuardrail | null };
}

/** A model of a guardrail with that service; `refused` is what the gateway says to a save. */
function opened(external: ExternalGuardrail | null, refused?: Error) {
  const sent: Call["body"][] = [];
  const call = (_: unknown, { body }: Call) => {
    sent.push(body);
    if (refused !== undefined) return Promise.reject(refused);
    return Promise.resolve({ data: record(body?.external ?? null) });
  };
  const known = record(external);
  const callWithTag = async (row: { readonly method: string }, input: Call) => {
    const body = row.method === "GET" ? { data: known } : await call(row, input);
    return { body, etag: undefined };
  };
  const model = new GuardrailEditModel({
    api: asApi({ call, callWithTag }),
    id: known.id,
    known,
    onSaved: () => {},
  });
  return { model, sent };
}

Deno.test("a service comes back as it was stored, without what is worked out", () => {
  assert.deepEqual(externalBody(externalDraftOf({ ...stored, fault: "is refused" })), stored);
  const plain = { ...stored, header_env: null };
  assert.deepEqual(externalBody(externalDraftOf(plain)), plain);
  assert.equal(externalBody(externalDraftOf(null)), null);
});

Deno.test("what is typed of a service becomes what the operation takes", () => {
  const typed: ExternalDraft = {
    url: " https://guard.example/ ",
    header: " GUARD_TOKEN ",
    timeout: " 12,000 ",
    fail: "closed",
    on: ["tools", "input"],
  };
  assert.deepEqual(externalBody(typed), {
    type: "http",
    url: "https://guard.example/",
    header_env: "GUARD_TOKEN",
    timeout_ms: 12_000,
    fail: "closed",
    on: ["input", "tools"],
  });
});

Deno.test("what is wrong with a service is said at its field", () => {
  const rows: readonly (readonly [Partial<ExternalDraft>, string, RegExp, boolean])[] = [
    [{ url: "" }, "external.url", /^An address is needed/, true],
    [{ url: "guard.example" }, "external.url", /^An address is needed/, false],
    [{ url: "ftp://guard.example/" }, "external.url", /^An address is needed/, false],
    [{ url: `https://guard.example/${"x".repeat(2_100)}` }, "external.url", /at most 2048/, false],
    [{ header: "X".repeat(201) }, "external.header_env", /at most 200/, false],
    ...["", "99", "30001", "1.5", "-5", "fast", "1e3"].map((timeout) =>
      [{ timeout }, "external.timeout_ms", /^A whole number from 100 to 30,000/, false] as const
    ),
    [{ on: [] }, "external.on", /^One at least/, false],
  ];
  for (const [changes, path, words, isMissing] of rows) {
    const external = { ...newExternal, url: "https://guard.example/", ...changes };
    const issues = draftIssues({ ...emptyDraft, name: "Judged", external });
    assert.deepEqual(issues.map((issue) => [issue.path, issue.isMissing]), [[path, isMissing]]);
    assert.match(issues[0]?.message ?? "", words);
    assert.equal(viewOf(path), "filters");
  }
});

Deno.test("a service is added, changed and removed, and each save sends it alone", async () => {
  const { model, sent } = opened(null);
  model.typeExternal({ url: "https://nowhere.example/" });
  assert.equal(model.isChanged.value, false);
  model.type({ external: newExternal });
  assert.equal(model.problem("external.url"), undefined);
  assert.equal(await model.save(), false);
  assert.match(model.problem("external.url") ?? "", /^An address is needed/);
  model.typeExternal({ url: "https://guard.example/" });
  assert.deepEqual(model.changes.value, [
    { label: "External service", before: "nothing", after: "https://guard.example/" },
  ]);
  assert.equal(await model.save(), true);
  model.typeExternal({ fail: "open" });
  assert.deepEqual(model.changes.value.map(({ after }) => after), ["changed"]);
  assert.equal(await model.save(), true);
  model.type({ external: null });
  assert.equal(await model.save(), true);
  const first = {
    type: "http",
    url: "https://guard.example/",
    header_env: null,
    timeout_ms: 5_000,
    fail: "closed",
    on: ["input", "output"],
  };
  assert.deepEqual(sent, [
    { external: first },
    { external: { ...first, fail: "open" } },
    { external: null },
  ]);
});

Deno.test("a refusal of the variable stands at its field until something is typed", async () => {
  const message = "Cannot update guardrail: external.header_env is OTHER, which the setting does not name";
  const error = { message, metadata: { path: "external.header_env" } };
  const { model } = opened(stored, new ApiFailure(new Response(null, { status: 400 }), { error }));
  model.typeExternal({ header: "OTHER" });
  assert.equal(await model.save(), false);
  assert.equal(model.problem("external.header_env"), message);
  assert.equal(model.problemView.value, "filters");
  model.typeExternal({ header: "OLD_TOKEN" });
  assert.equal(model.problem("external.header_env"), undefined);
});

Deno.test("the fault of a stored field is told there as long as its text is the one in the field", () => {
  const { model } = opened({ ...stored, fault: "is refused", fault_at: "header_env" });
  assert.equal(model.serviceFault("header_env", "OLD_TOKEN"), "is refused");
  assert.equal(model.serviceFault("header_env", "OTHER"), undefined);
  assert.equal(model.serviceFault("url", stored.url), undefined);
  const { model: moved } = opened({ ...stored, fault: "may not be called", fault_at: "url" });
  assert.equal(moved.serviceFault("url", stored.url), "may not be called");
  assert.equal(moved.serviceFault("url", "https://other.example/"), undefined);
  assert.equal(moved.serviceFault("header_env", "OLD_TOKEN"), undefined);
  assert.equal(opened(stored).model.serviceFault("header_env", "OLD_TOKEN"), undefined);
  assert.equal(fieldName("external.header_env", record(stored)), "Variable for authorization");
});
