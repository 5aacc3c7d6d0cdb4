/** The Guardrails page: all guardrails with what they have, and what stands in the address. */

import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { GuardrailRecord } from "../../../shared/guardrails.ts";
import type { WorkspaceRecord } from "../../../shared/workspaces.ts";
import { type ConsoleApi, operation } from "../../api.ts";
import { readAll } from "../../read_all.ts";
import { createResource } from "../../resource.ts";
import type { Router } from "../../router.ts";
import type { SaveWarnings } from "./guardrail_edit.ts";
import { matchesWords } from "../palette.ts";
import { summaryText } from "../../text/guardrails.ts";
import { summaryOf } from "./guardrail_summary.ts";

const listGuardrails = operation<"guardrails.list">("GET", "/guardrails");
const listKeys = operation<"guardrails.assignments.keys.all">("GET", "/guardrails/assignments/keys");
const listMembers = operation<"guardrails.assignments.members.all">("GET", "/guardrails/assignments/members");

export const guardrailViews = ["rules", "filters", "holders", "trial", "receipts"] as const;
export type GuardrailView = typeof guardrailViews[number];

interface GuardrailsDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly router: Pick<Router, "query" | "setQuery">;
  readonly workspaces: ReadonlySignal<readonly WorkspaceRecord[] | undefined>;
  /** The workspace that the switcher chose; undefined for all. */
  readonly workspaceId: ReadonlySignal<string | undefined>;
}

/** How many have a guardrail; fewer than there are where not all could be read. */
export interface HolderCounts {
  readonly of: ReadonlyMap<string, number>;
  readonly isComplete: boolean;
}

interface Assigned {
  readonly guardrail_id: string;
}

interface AssignedPage {
  readonly data: readonly Assigned[];
  readonly total_count: number;
}

/** Counts assignments by guardrail, reading up to 1,000 of them. */
async function countHolders(
  read: (page: { readonly offset: number; readonly limit: number }) => Promise<AssignedPage>,
): Promise<HolderCounts> {
  let total = 0;
  const all = await readAll(async (page) => {
    const answer = await read(page);
    total = answer.total_count;
    return answer;
  });
  const of = new Map<string, number>();
  for (const { guardrail_id: id } of all) of.set(id, (of.get(id) ?? 0) + 1);
  return { of, isComplete: all.length >= total };
}

export class GuardrailsModel {
  readonly #deps: GuardrailsDeps;
  readonly list = createResource((signal) =>
    readAll((query) => this.#deps.api.call(listGuardrails, { query, signal }))
  );
  readonly keyCounts = createResource((signal) =>
    countHolders((query) => this.#deps.api.call(listKeys, { query, signal }))
  );
  readonly memberCounts = createResource((signal) =>
    countHolders((query) => this.#deps.api.call(listMembers, { query, signal }))
  );
  /** Warnings of the gateway on the last save of a guardrail. */
  readonly warnings = signal<{ readonly id: string; readonly list: SaveWarnings } | undefined>(undefined);

  constructor(deps: GuardrailsDeps) {
    this.#deps = deps;
  }

  readonly q = computed(() => this.#query("q") ?? "");
  readonly #defaults = computed(() =>
    new Set((this.#deps.workspaces.value ?? []).map(({ default_guardrail_id: id }) => id))
  );
  /** Guardrails that keys of the chosen workspace can have, and that the search finds. */
  readonly #found = computed(() => {
    const [of, q] = [this.#deps.workspaceId.value, this.q.value];
    return this.list.data.value?.filter(({ name, description, workspace_id: own }) =>
      (of === undefined || own === null || own === of) && matchesWords(`${name} ${description ?? ""}`, q)
    );
  });
  /** Whether default guardrails that ask for nothing are among them. */
  readonly withIdle = computed(() => this.#query("idle") === "shown" || this.q.value !== "");
  readonly rows = computed(() => {
    const found = this.#found.value;
    return this.withIdle.value ? found : found?.filter((one) => !this.#isIdle(one));
  });
  /** Number of defaults that ask for nothing. */
  readonly idleCount = computed(() => this.#found.value?.filter((one) => this.#isIdle(one)).length ?? 0);
  /** `new`, or the id of the guardrail whose panel is open. */
  readonly open = computed(() => this.#query("open"));
  /** One with something typed in its panel, which stays when somebody else deletes it. */
  readonly kept = signal<GuardrailRecord | undefined>(undefined);
  readonly opened = computed(() => {
    const [open, kept] = [this.open.value, this.kept.value];
    return this.#find(open) ?? (kept?.id === open ? kept : undefined);
  });
  readonly deleted = computed(() => this.#find(this.#query("delete")));
  readonly view = computed((): GuardrailView =>
    guardrailViews.find((view) => view === this.#query("view")) ?? "rules"
  );

  #isIdle(guardrail: GuardrailRecord): boolean {
    return this.isDefault(guardrail) && summaryOf(guardrail) === summaryText.nothing;
  }

  showIdle(shown: boolean): void {
    this.#deps.router.setQuery({ idle: shown ? "shown" : undefined });
  }

  isDefault({ id }: Pick<GuardrailRecord, "id">): boolean {
    return this.#defaults.value.has(id);
  }

  async load(): Promise<void> {
    await Promise.all([this.list.load(), this.loadCounts()]);
  }

  async loadCounts(): Promise<void> {
    await Promise.all([this.keyCounts.load(), this.memberCounts.load()]);
  }

  stop(): void {
    for (const resource of [this.list, this.keyCounts, this.memberCounts]) resource.stop();
  }

  search(q: string): void {
    this.#deps.router.setQuery({ q });
  }

  /** Opens a panel at the view of the one before it; closes it without an id. */
  openPanel(id: string | undefined): void {
    const view = id === undefined || id === "new" ? undefined : this.#query("view");
    this.#deps.router.setQuery({ open: id, view }, { push: true });
  }

  show(view: GuardrailView): void {
    this.#deps.router.setQuery({ view: view === "rules" ? undefined : view });
  }

  openDelete(id: string | undefined): void {
    this.#deps.router.setQuery({ delete: id }, { push: id !== undefined });
  }

  /** The guardrail before or behind the open one; undefined where there is none. */
  neighbor(step: 1 | -1): string | undefined {
    const ids = (this.rows.value ?? []).map(({ id }) => id);
    const at = ids.indexOf(this.open.value ?? "");
    return at < 0 ? undefined : ids[at + step];
  }

  /** Shows a guardrail as it was saved: in its place, or behind the others. */
  keep(record: GuardrailRecord, warnings: SaveWarnings): void {
    const all = this.list.data.peek() ?? [];
    const isKnown = all.some(({ id }) => id === record.id);
    this.list.set(isKnown ? all.map((one) => one.id === record.id ? record : one) : [...all, record]);
    this.warnings.value = warnings.length === 0 ? undefined : { id: record.id, list: warnings };
  }

  remove(id: string): void {
    this.list.set((this.list.data.peek() ?? []).filter((one) => one.id !== id));
  }

  #query(name: string): string | undefined {
    return this.#deps.router.query.value.get(name);
  }

  #find(id: string | undefined): GuardrailRecord | undefined {
    return (this.list.data.value ?? []).find((one) => one.id === id);
  }
}
