import { signal } from "@preact/signals";
import assert from "node:assert/strict";
import type { ConsoleApi } from "../../api.ts";
import { GuardrailsModel } from "./guardrails.ts";

/** Rules of a default that asks for something. */
const rules = {
  ...{ words: ["secret"], external: null, allowed_data_regions: null, limit_usd: null, reset_interval: null },
  ...{ allowed_models: null, ignored_models: null, allowed_providers: null, ignored_providers: null },
};

const guardrails = [
  { id: "d", name: "Default", description: null, workspace_id: "w1", ...rules },
  { id: "s", name: "Support desk", description: "Answers to customers", workspace_id: "w1" },
  { id: "r", name: "Research", description: null, workspace_id: "w2" },
  { id: "a", name: "All", description: null, workspace_id: null },
];

/** As much of the API as the model calls. */
function asApi(fake: unknown): Pick<ConsoleApi, "call"> {
  return fake as Pick<ConsoleApi, "call">;
}

function toWorkspaces(list: unknown): ConstructorParameters<typeof GuardrailsModel>[0]["workspaces"] {
  return signal(list) as ConstructorParameters<typeof GuardrailsModel>[0]["workspaces"];
}

/** Assignments of keys, of which there may be more than can be read. */
async function opened(keys: { readonly of: readonly string[]; readonly total: number }) {
  const query = signal<ReadonlyMap<string, string>>(new Map());
  const setQuery = (changes: Readonly<Record<string, string | undefined>>) => {
    const next = new Map(query.value);
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined || value === "") next.delete(name);
      else next.set(name, value);
    }
    query.value = next;
  };
  const assigned = keys.of.map((guardrail_id) => ({ guardrail_id }));
  const call = (
    { path }: { readonly path: string },
    input: { readonly query: { readonly offset: number } },
  ) => {
    if (path === "/guardrails") return Promise.resolve({ data: guardrails, total_count: 4 });
    if (path.endsWith("members")) return Promise.resolve({ data: [], total_count: 0 });
    return Promise.resolve({ data: assigned.slice(input.query.offset), total_count: keys.total });
  };
  const workspaceId = signal<string | undefined>(undefined);
  const model = new GuardrailsModel({
    api: asApi({ call }),
    router: { query, setQuery },
    workspaces: toWorkspaces([{ id: "w1", default_guardrail_id: "d" }]),
    workspaceId,
  });
  await model.load();
  return { model, query, workspaceId };
}

const ids = ({ rows }: GuardrailsModel) => (rows.value ?? []).map(({ id }) => id).join("");

Deno.test("the list is narrowed by workspace and search", async () => {
  const { model, workspaceId } = await opened({ of: [], total: 0 });
  assert.equal(ids(model), "dsra");
  workspaceId.value = "w1";
  assert.equal(ids(model), "dsa");
  model.search("cust");
  assert.equal(ids(model), "s");
  assert.deepEqual(guardrails.filter((one) => model.isDefault(one)).map(({ id }) => id), ["d"]);
});

Deno.test("assignments are counted, and said to be more where not all were read", async () => {
  const { model } = await opened({ of: ["s", "r", "s"], total: 3 });
  assert.deepEqual([...(model.keyCounts.data.value?.of ?? [])], [["s", 2], ["r", 1]]);
  assert.equal(model.keyCounts.data.value?.isComplete, true);
  const many = await opened({ of: ["s"], total: 9 });
  assert.equal(many.model.keyCounts.data.value?.isComplete, false);
});

Deno.test("the next guardrail opens at the same view, a new one at its rules", async () => {
  const { model, query } = await opened({ of: [], total: 0 });
  model.openPanel("s");
  model.show("filters");
  assert.equal(model.neighbor(1), "r");
  model.openPanel("r");
  assert.deepEqual(Object.fromEntries(query.value), { open: "r", view: "filters" });
  assert.equal(model.view.value, "filters");
  model.openPanel("new");
  assert.deepEqual(Object.fromEntries(query.value), { open: "new" });
});

Deno.test("a saved guardrail stands in its place, with what the gateway said to it", async () => {
  const { model } = await opened({ of: [], total: 0 });
  const [first] = model.list.data.value ?? [];
  assert(first !== undefined);
  model.keep({ ...first, name: "Ours" }, [{ path: "content_filters.0", message: "is long" }]);
  assert.equal(model.list.data.value?.[0]?.name, "Ours");
  assert.equal(model.warnings.value?.id, "d");
  model.keep({ ...first, id: "n", name: "New" }, []);
  assert.equal(ids(model), "dsran");
  assert.equal(model.warnings.value, undefined);
  model.remove("d");
  assert.equal(ids(model), "sran");
});
