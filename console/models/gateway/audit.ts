/** The audit log: a page of changes by filters that stand in the address, and the change that is open. */

import { computed } from "@preact/signals";
import type { AuditRow } from "../../../shared/management/audit.ts";
import { type ConsoleApi, operation } from "../../api.ts";
import type { Clock } from "../../clock.ts";
import { readAll } from "../../read_all.ts";
import { createResource } from "../../resource.ts";
import type { Router } from "../../router.ts";
import { KeyNames } from "../keys/key_names.ts";
import { momentOf } from "../requests/request_filters.ts";
import { ranges } from "../series.ts";

const listChanges = operation<"audit.list">("GET", "/audit");
const listManagementKeys = operation<"management_keys.list">("GET", "/management-keys");

const CHANGES_A_PAGE = 25;

/** Filters of the address, besides time and page. */
const auditFilters = ["operation", "type", "target", "actor"] as const;
type AuditFilter = (typeof auditFilters)[number];

interface AuditDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly clock: Pick<Clock, "now">;
  readonly router: Pick<Router, "query" | "setQuery">;
}

export class AuditModel {
  readonly #deps: AuditDeps;
  readonly list = createResource((abort) => this.#read(abort));
  /** Names of management keys, by hash; actors of other kinds are looked for one by one. */
  readonly #managers = createResource(async (signal) => {
    const keys = await readAll((query) => this.#deps.api.call(listManagementKeys, { query, signal }));
    return new Map(keys.map(({ hash, name }) => [hash, name]));
  });
  readonly names: KeyNames;

  constructor(deps: AuditDeps) {
    this.#deps = deps;
    this.names = new KeyNames(deps.api);
  }

  readonly managers = computed(() => this.#managers.data.value ?? new Map<string, string>());
  readonly rows = computed(() => this.list.data.value?.data);
  /** Number of the page, from 1. */
  readonly page = computed(() => {
    const page = Number(this.#query("page") ?? "1");
    return Number.isInteger(page) && page > 0 ? page : 1;
  });
  readonly first = computed(() => (this.page.value - 1) * CHANGES_A_PAGE + 1);
  readonly open = computed(() => this.#query("open"));
  readonly opened = computed(() => this.rows.value?.find(({ id }) => id === this.open.value));
  /** Choices that decide which changes are listed. */
  readonly filter = computed(() =>
    JSON.stringify([...auditFilters, "since", "until", "range", "page"].map((name) => this.#query(name)))
  );
  readonly isFiltered = computed(() =>
    [...auditFilters, "since", "until", "range"].some((name) => this.#query(name) !== undefined)
  );
  readonly range = computed(() => ranges.find(({ id }) => id === this.#query("range")));
  /** The span that the address names; ms since the epoch. */
  readonly span = computed(() => ({
    since: momentOf(this.#query("since")),
    until: momentOf(this.#query("until")),
  }));

  #query(name: string): string | undefined {
    return this.#deps.router.query.value.get(name);
  }

  filterOf(name: AuditFilter): string | undefined {
    return this.#query(name);
  }

  /** The filters as the operations take them, at this moment. */
  get auditQuery() {
    const { since, until } = this.span.value;
    const range = this.range.value;
    const from = range === undefined ? since : this.#deps.clock.now() - range.span * range.count;
    const moment = (at: number | undefined) => at === undefined ? undefined : new Date(at).toISOString();
    return {
      operation: this.#query("operation"),
      subject_type: this.#query("type"),
      subject_id: this.#query("target"),
      actor: this.#query("actor"),
      since: moment(from),
      until: range === undefined ? moment(until) : undefined,
    };
  }

  setFilters(changes: { readonly [F in AuditFilter]?: string | undefined }): void {
    this.#deps.router.setQuery({ ...changes, page: undefined, open: undefined });
  }

  setRange(range: string | undefined): void {
    this.#deps.router.setQuery({ range, since: undefined, until: undefined, page: undefined });
  }

  setSpan(span: { readonly since: string | undefined; readonly until: string | undefined }): void {
    this.#deps.router.setQuery({ ...span, range: undefined, page: undefined });
  }

  removeFilters(): void {
    const names = [...auditFilters, "since", "until", "range", "page"];
    this.#deps.router.setQuery(Object.fromEntries(names.map((name) => [name, undefined])));
  }

  goTo(page: number): void {
    this.#deps.router.setQuery({ page: page === 1 ? undefined : String(page), open: undefined }, {
      push: true,
    });
  }

  openChange(id: string | undefined): void {
    this.#deps.router.setQuery({ open: id }, { push: true });
  }

  /** Opens the change before or behind the open one on this page; undefined where there is none. */
  neighbor(step: 1 | -1): (() => void) | undefined {
    const ids = (this.rows.value ?? []).map(({ id }) => id);
    const at = ids.indexOf(this.open.value ?? "");
    const id = at < 0 ? undefined : ids[at + step];
    return id === undefined ? undefined : () => this.openChange(id);
  }

  async load(): Promise<void> {
    await Promise.all([this.list.load(), this.#managers.load()]);
  }

  stop(): void {
    this.list.stop();
    this.#managers.stop();
  }

  /** Name of a key; undefined for one that is deleted, or was not read. */
  nameOf(hash: string): string | undefined {
    return this.managers.value.get(hash) ?? this.names.of(hash) ?? undefined;
  }

  async #read(signal: AbortSignal) {
    const query = { ...this.auditQuery, offset: this.first.value - 1, limit: CHANGES_A_PAGE };
    const page = await this.#deps.api.call(listChanges, { query, signal });
    const hashes = page.data.flatMap(({ actor }) => actor?.kind === "api" ? [actor.key_hash] : []);
    await this.names.read(hashes, signal);
    return page;
  }
}

/** Name of what was changed, where its record has one. */
export function targetName({ before, after }: AuditRow): string | undefined {
  for (const record of [after, before]) {
    const name = fieldsOf(record).get("name") ?? fieldsOf(record).get("filename");
    if (typeof name === "string" && name !== "") return name;
  }
  return undefined;
}

function fieldsOf(record: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof record === "object" && record !== null ? Object.entries(record) : []);
}

/** The settings of a record stand in an object of their own; each of them is a field. */
const SETTINGS = "config";

function settingsOf([name, value]: readonly [string, unknown]): readonly (readonly [string, unknown])[] {
  if (name !== SETTINGS || typeof value !== "object" || value === null) return [[name, value]];
  return Object.entries(value).map(([setting, inner]) => [`${SETTINGS}.${setting}`, inner]);
}

const flatFieldsOf = (record: unknown): ReadonlyMap<string, unknown> =>
  new Map([...fieldsOf(record)].flatMap(settingsOf));

interface FieldChange {
  readonly name: string;
  /** Undefined: the record had no such field. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Fields that differ between the records of a change; of one that is made or gone, every field that says something. */
export function changedFields({ before, after }: Pick<AuditRow, "before" | "after">): readonly FieldChange[] {
  const [was, is] = [flatFieldsOf(before), flatFieldsOf(after)];
  const names = [...new Set([...was.keys(), ...is.keys()])].filter((name) => name !== "updated_at");
  return names.map((name) => ({ name, before: was.get(name), after: is.get(name) }))
    .filter(({ before: from, after: to }) => JSON.stringify(from ?? null) !== JSON.stringify(to ?? null));
}
