/** The panel of one workspace: its settings and budgets, and what is changed of them before they are saved. */

import { computed, signal } from "@preact/signals";
import { type BudgetInterval, budgetIntervals } from "../../shared/budget_intervals.ts";
import { usdLimitSchema } from "../../shared/usd_limit.ts";
import { type BudgetRecord, type WorkspaceRecord, workspaceRecordSchema } from "../../shared/workspaces.ts";
import { ApiFailure, type ConsoleApi, operation, type OperationBody } from "../api.ts";
import type { Clock } from "../clock.ts";
import type { Change } from "../components/diff.tsx";
import { formatLimit } from "../format.ts";
import { createResource, toError } from "../resource.ts";
import { newWorkspaceText, workspacePanelText } from "../text/workspaces.ts";
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

export interface WorkspaceEditDeps {
  readonly api: Pick<ConsoleApi, "call" | "callWithTag">;
  readonly clock: Clock;
  readonly onChange: () => void;
}

interface Loaded {
  readonly workspace: WorkspaceRecord;
  readonly etag: string | undefined;
  readonly budgets: Budgets;
}

/** Fields that can be typed. */
interface Draft {
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  readonly textModel: string;
  readonly imageModel: string;
  readonly sort: string;
  readonly tools: string;
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

export class WorkspaceEditModel {
  readonly id: string;
  readonly #deps: WorkspaceEditDeps;
  readonly record = createResource((abort) => this.#read(abort));
  readonly #typed = signal<Partial<Draft>>({});
  readonly #typedBudgets = signal<Partial<Record<BudgetInterval, string>>>({});
  readonly saving = signal(false);
  readonly refusal = signal<Error | undefined>(undefined);

  constructor(id: string, deps: WorkspaceEditDeps) {
    this.id = id;
    this.#deps = deps;
  }

  readonly workspace = computed(() => this.record.data.value?.workspace);
  readonly draft = computed((): Draft | undefined => {
    const workspace = this.workspace.value;
    return workspace && { ...draftOf(workspace), ...this.#typed.value };
  });
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
  readonly #body = computed((): WorkspaceChanges => {
    const [workspace, draft] = [this.workspace.value, this.draft.value];
    return workspace === undefined || draft === undefined ? {} : changesOf(workspace, draft);
  });

  /** Before → after. */
  readonly changes = computed((): readonly Change[] => {
    const [loaded, draft] = [this.record.data.value, this.draft.value];
    if (loaded === undefined || draft === undefined) return [];
    const before = draftOf(loaded.workspace);
    const texts = fieldNames.flatMap(([name, label]): Change[] =>
      draft[name] === before[name] ? [] : [{ label, before: shown(before[name]), after: shown(draft[name]) }]
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
    !this.saving.value
  );
  readonly isConflict = computed(() =>
    this.refusal.value instanceof ApiFailure && this.refusal.value.isConflict
  );

  type(changes: Partial<Draft>): void {
    this.#typed.value = { ...this.#typed.value, ...changes };
  }

  typeBudget(interval: BudgetInterval, text: string): void {
    this.#typedBudgets.value = { ...this.#typedBudgets.value, [interval]: text };
  }

  discard(): void {
    this.#typed.value = {};
    this.#typedBudgets.value = {};
    this.refusal.value = undefined;
  }

  /** Saves the changes; what was saved before a refusal stays saved, the rest stays typed. */
  async save(): Promise<boolean> {
    const loaded = this.record.data.value;
    if (loaded === undefined || !this.canSave.value) return false;
    this.saving.value = true;
    this.refusal.value = undefined;
    try {
      if (Object.keys(this.#body.value).length > 0) await this.#saveSettings(loaded);
      for (const [interval, usd] of this.#steps.value) await this.#saveBudget(interval, usd);
      this.discard();
      return true;
    } catch (error) {
      this.refusal.value = toError(error);
      return false;
    } finally {
      this.saving.value = false;
      this.#deps.onChange();
      await this.record.load();
    }
  }

  async #saveSettings({ etag }: Loaded): Promise<void> {
    const body = this.#body.value;
    await this.#deps.api.callWithTag(updateWorkspace, { params: { id: this.id }, body, ifMatch: etag });
    this.#typed.value = {};
  }

  async #saveBudget(interval: BudgetInterval, usd: number | null): Promise<void> {
    const params = { id: this.id, interval };
    if (usd === null) await this.#deps.api.call(deleteBudget, { params });
    else await this.#deps.api.call(setBudget, { params, body: { limit_usd: usd } });
  }

  async #read(signal: AbortSignal): Promise<Loaded> {
    const params = { id: this.id };
    const [{ body, etag }, budgets] = await Promise.all([
      this.#deps.api.callWithTag(getWorkspace, { params, signal }),
      this.#deps.api.call(listBudgets, { params, signal }),
    ]);
    return { workspace: body.data, etag, budgets: budgetsOf(budgets.data) };
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
  ["byok", workspacePanelText.byok],
] as const satisfies readonly (readonly [keyof Draft, string])[];

function shown(value: string | boolean): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value.trim() === "" ? "–" : value;
}
