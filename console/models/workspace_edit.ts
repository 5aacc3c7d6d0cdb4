/** The panel of one workspace: its settings and budgets, and what is changed of them before they are saved. */

import type { SaveWarning } from "../../shared/management/operation.ts";
import { computed, signal } from "@preact/signals";
import { type BudgetInterval, budgetIntervals } from "../../shared/budget_intervals.ts";
import { usdLimitSchema } from "../../shared/usd_limit.ts";
import { type BudgetRecord, type WorkspaceRecord, workspaceRecordSchema } from "../../shared/workspaces.ts";
import { type Answer, type ConsoleApi, operation, type OperationBody } from "../api.ts";
import type { Clock } from "../clock.ts";
import type { Change } from "../components/diff.tsx";
import { formatLimit } from "../format.ts";
import { defaultPluginsText } from "../text/default_plugins.ts";
import { newWorkspaceText, workspacePanelText } from "../text/workspaces.ts";
import {
  decodeRows,
  describePlugins,
  encodePlugins,
  pluginProblems,
  type PluginRow,
  pluginsOf,
  withRow,
} from "./default_plugins.ts";
import { EditModel, typedSince } from "./edit_model.ts";
import { fieldProblem } from "./field_problem.ts";
import { slugProblem } from "./slug.ts";
import { parseUsd, usdText } from "./money_input.ts";

const getWorkspace = operation<"workspaces.get">("GET", "/workspaces/:id");
const updateWorkspace = operation<"workspaces.update">("PATCH", "/workspaces/:id");
const listBudgets = operation<"budgets.list">("GET", "/workspaces/:id/budgets");
const setBudget = operation<"budgets.set">("PUT", "/workspaces/:id/budgets/:interval");
const deleteBudget = operation<"budgets.delete">("DELETE", "/workspaces/:id/budgets/:interval");

type WorkspaceChanges = OperationBody<"workspaces.update">;
type Budgets = { readonly [I in BudgetInterval]: number | null };

interface WorkspaceEditDeps {
  readonly api: Pick<ConsoleApi, "call" | "callWithTag">;
  readonly clock: Clock;
  readonly onChange: () => void;
}

type Loaded = { readonly workspace: WorkspaceRecord; readonly budgets: Budgets };

/** Fields that can be typed. */
interface Draft {
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  readonly textModel: string;
  readonly imageModel: string;
  readonly sort: string;
  readonly tools: string;
  /** Rows of its form as one text. */
  readonly plugins: string;
  readonly byok: boolean;
}

function draftOf(workspace: WorkspaceRecord): Draft {
  return {
    name: workspace.name,
    slug: workspace.slug,
    description: workspace.description ?? "",
    textModel: workspace.default_text_model ?? "",
    imageModel: workspace.default_image_model ?? "",
    sort: workspace.default_provider_sort ?? "none",
    tools: (workspace.disabled_server_tools ?? []).join(", "),
    plugins: encodePlugins(workspace.default_plugins),
    byok: workspace.include_byok_in_budgets,
  };
}

const orNull = (text: string): string | null => text.trim() === "" ? null : text.trim();

function splitTools(text: string): string[] | null {
  const names = text.split(",").map((name) => name.trim()).filter(Boolean);
  return names.length === 0 ? null : names;
}

type ProviderSort = Exclude<WorkspaceChanges["default_provider_sort"], undefined>;

const isSort = (text: string): text is Exclude<ProviderSort, null> =>
  ["price", "throughput", "latency", "exacto"].includes(text);

/** The settings that differ from the record. */
function changesOf(workspace: WorkspaceRecord, draft: Draft): WorkspaceChanges {
  const before = draftOf(workspace);
  const isChanged = (name: keyof Draft) => draft[name] !== before[name];
  return {
    ...(isChanged("name") ? { name: draft.name.trim() } : {}),
    ...(isChanged("slug") ? { slug: draft.slug.trim() } : {}),
    ...(isChanged("description") ? { description: orNull(draft.description) } : {}),
    ...(isChanged("textModel") ? { default_text_model: orNull(draft.textModel) } : {}),
    ...(isChanged("imageModel") ? { default_image_model: orNull(draft.imageModel) } : {}),
    ...(isChanged("sort") ? { default_provider_sort: isSort(draft.sort) ? draft.sort : null } : {}),
    ...(isChanged("tools") ? { disabled_server_tools: splitTools(draft.tools) } : {}),
    ...(isChanged("plugins") ? { default_plugins: pluginsOf(decodeRows(draft.plugins)) } : {}),
    ...(isChanged("byok") ? { include_byok_in_budgets: draft.byok } : {}),
  };
}

type TextName = "name" | "slug" | "description" | "textModel" | "imageModel" | "tools";

/** Problems of settings as they are typed, by field. */
function draftProblems(draft: Draft | undefined): ReadonlyMap<TextName, string> {
  if (draft === undefined) return new Map();
  const { shape } = workspaceRecordSchema;
  const checked = [
    ["name", fieldProblem(shape.name, draft.name.trim(), { missing: newWorkspaceText.nameMissing })],
    ["slug", slugProblem(draft.slug)],
    ["description", fieldProblem(shape.description, orNull(draft.description))],
    ["textModel", fieldProblem(shape.default_text_model, orNull(draft.textModel))],
    ["imageModel", fieldProblem(shape.default_image_model, orNull(draft.imageModel))],
    ["tools", fieldProblem(shape.disabled_server_tools, splitTools(draft.tools))],
  ] as const;
  return new Map(checked.flatMap(([name, problem]) => problem === undefined ? [] : [[name, problem]]));
}

const noBudgets: Budgets = { daily: null, weekly: null, monthly: null, lifetime: null };

function budgetsOf(records: readonly BudgetRecord[]): Budgets {
  const own = records.map(({ reset_interval, limit_usd }) =>
    [reset_interval ?? "lifetime", limit_usd] as const
  );
  return { ...noBudgets, ...Object.fromEntries(own) };
}

/** Problems of budgets as they are typed, by interval: each has to be above the narrower ones. */
export function budgetProblems(
  budgets: { readonly [I in BudgetInterval]: string },
): ReadonlyMap<BudgetInterval, string> {
  const problems = new Map<BudgetInterval, string>();
  let below: { readonly interval: BudgetInterval; readonly usd: number } | undefined;
  for (const interval of budgetIntervals) {
    const usd = parseUsd(budgets[interval]);
    if (usd === null) continue;
    const problem = usd === undefined || usd === 0
      ? workspacePanelText.isBad
      : fieldProblem(usdLimitSchema, usd);
    if (problem !== undefined || usd === undefined) problems.set(interval, problem ?? "");
    else if (below !== undefined && usd <= below.usd) {
      const name = workspacePanelText.below[below.interval];
      problems.set(interval, workspacePanelText.mustRise(name, formatLimit(below.usd)));
    } else below = { interval, usd };
  }
  return problems;
}

/** The order in which budgets are changed, so that they rise strictly at every moment. */
export function budgetSteps(
  before: Budgets,
  after: Budgets,
): readonly (readonly [BudgetInterval, number | null])[] {
  const step = (interval: BudgetInterval) => [interval, after[interval]] as const;
  const isChanged = (interval: BudgetInterval) => before[interval] !== after[interval];
  const changed = budgetIntervals.filter(isChanged);
  const removed = changed.filter((interval) => after[interval] === null);
  const lowered = changed.filter((interval) => {
    const [from, to] = [before[interval], after[interval]];
    return from !== null && to !== null && to < from;
  });
  // New ones stand among raised ones: broadest first, when the narrower ones are lowered already.
  const raised = changed.filter((interval) => !removed.includes(interval) && !lowered.includes(interval))
    .toReversed();
  return [...removed, ...lowered, ...raised].map(step);
}

async function readWorkspace(
  api: WorkspaceEditDeps["api"],
  input: { readonly params: { readonly id: string }; readonly signal: AbortSignal },
): Promise<Answer<Loaded>> {
  const [{ body, etag }, budgets] = await Promise.all([
    api.callWithTag(getWorkspace, input),
    api.call(listBudgets, input),
  ]);
  return { body: { workspace: body.data, budgets: budgetsOf(budgets.data) }, etag };
}

export class WorkspaceEditModel extends EditModel<Loaded, Draft, WorkspaceChanges> {
  readonly id: string;
  readonly #deps: WorkspaceEditDeps;
  /** Warnings of the gateway on the last save. */
  readonly warnings = signal<readonly SaveWarning[]>([]);
  readonly #typedBudgets = signal<Partial<Record<BudgetInterval, string>>>({});

  constructor(id: string, deps: WorkspaceEditDeps) {
    super({
      draftOf: (loaded) => loaded && draftOf(loaded.workspace),
      changesOf: (draft, loaded) => loaded === undefined ? {} : changesOf(loaded.workspace, draft),
      read: (signal) => readWorkspace(deps.api, { params: { id }, signal }),
    });
    this.id = id;
    this.#deps = deps;
  }

  readonly budgets = computed(() => {
    const stored = this.record.data.value?.budgets ?? noBudgets;
    const { daily, weekly, monthly, lifetime } = this.#typedBudgets.value;
    return {
      daily: daily ?? usdText(stored.daily),
      weekly: weekly ?? usdText(stored.weekly),
      monthly: monthly ?? usdText(stored.monthly),
      lifetime: lifetime ?? usdText(stored.lifetime),
    };
  });
  readonly plugins = computed(() => decodeRows(this.draft.value?.plugins ?? encodePlugins(null)));
  readonly pluginProblems = computed(() => pluginProblems(this.plugins.value));
  readonly budgetProblems = computed(() => budgetProblems(this.budgets.value));
  readonly problems = computed(() => draftProblems(this.draft.value));
  readonly #steps = computed(() => {
    const { daily, weekly, monthly, lifetime } = this.budgets.value;
    const after = {
      daily: parseUsd(daily) ?? null,
      weekly: parseUsd(weekly) ?? null,
      monthly: parseUsd(monthly) ?? null,
      lifetime: parseUsd(lifetime) ?? null,
    };
    return budgetSteps(this.record.data.value?.budgets ?? noBudgets, after);
  });

  /** Before → after. */
  readonly changes = computed((): readonly Change[] => {
    const [loaded, before, draft] = [this.record.data.value, this.before.value, this.draft.value];
    if (loaded === undefined || before === undefined || draft === undefined) return [];
    const texts = fieldNames.flatMap(([name, label]): Change[] =>
      draft[name] === before[name]
        ? []
        : [{ label, before: shown(name, before[name]), after: shown(name, draft[name]) }]
    );
    const money = (usd: number | null) => usd === null ? workspacePanelText.noBudget : formatLimit(usd);
    const budgets = this.#steps.value.map(([interval, usd]): Change => ({
      label: workspacePanelText.intervals[interval],
      before: money(loaded.budgets[interval]),
      after: money(usd),
    }));
    return [...texts, ...budgets];
  });
  readonly canSave = computed(() =>
    this.changes.value.length > 0 && this.budgetProblems.value.size === 0 && this.problems.value.size === 0 &&
    this.pluginProblems.value.size === 0 && !this.saving.value
  );

  typeBudget(interval: BudgetInterval, text: string): void {
    this.#typedBudgets.value = { ...this.#typedBudgets.value, [interval]: text };
  }

  typePlugin(changed: PluginRow): void {
    this.type({ plugins: withRow(this.draft.value?.plugins ?? encodePlugins(null), changed) });
  }

  override discard(): void {
    super.discard();
    this.#typedBudgets.value = {};
  }

  /** Saves the changes; what was saved before a refusal stays saved, the rest stays typed. */
  async save(): Promise<boolean> {
    if (this.record.data.value === undefined || !this.canSave.value) return false;
    const isSaved = await this.attempt(async (ifMatch) => {
      if (this.isChanged.value) await this.#saveSettings(ifMatch);
      const [sent, steps] = [this.#typedBudgets.value, this.#steps.value];
      for (const [interval, usd] of steps) await this.#saveBudget(interval, usd);
      this.#typedBudgets.value = typedSince(this.#typedBudgets.value, sent);
    });
    this.#deps.onChange();
    await this.readAgain();
    return isSaved;
  }

  async #saveSettings(ifMatch: string | undefined): Promise<void> {
    const [params, body, sent] = [{ id: this.id }, this.body.value, this.typed.value];
    const { body: saved } = await this.#deps.api.callWithTag(updateWorkspace, { params, body, ifMatch });
    this.warnings.value = saved.warnings ?? [];
    this.forget(sent);
  }

  async #saveBudget(interval: BudgetInterval, usd: number | null): Promise<void> {
    const params = { id: this.id, interval };
    if (usd === null) await this.#deps.api.call(deleteBudget, { params });
    else await this.#deps.api.call(setBudget, { params, body: { limit_usd: usd } });
  }
}

const fieldNames = [
  ["name", workspacePanelText.name],
  ["slug", workspacePanelText.slug],
  ["description", workspacePanelText.description],
  ["textModel", workspacePanelText.textModel],
  ["imageModel", workspacePanelText.imageModel],
  ["sort", workspacePanelText.sort],
  ["tools", workspacePanelText.tools],
  ["plugins", defaultPluginsText.title],
  ["byok", workspacePanelText.byok],
] as const satisfies readonly (readonly [keyof Draft, string])[];

function shown(name: keyof Draft, value: string | boolean): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (name === "plugins") return describePlugins(value) || "–";
  return value.trim() === "" ? "–" : value;
}
