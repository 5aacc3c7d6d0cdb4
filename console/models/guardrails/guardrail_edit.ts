/** The panel of one guardrail, or of a new one: what is changed of it before it is saved. */

import { computed, signal } from "@preact/signals";
import type { GuardrailRecord } from "../../../shared/guardrails.ts";
import { ApiFailure, type ConsoleApi, operation, type OperationResult } from "../../api.ts";
import type { Change } from "../../components/diff.tsx";
import { createResource, toError } from "../../resource.ts";
import type { ExternalDraft } from "./external_draft.ts";
import { changesOf } from "./guardrail_changes.ts";
import {
  bodyOf,
  type BuiltinDraft,
  changedFields,
  draftOf,
  emptyDraft,
  type Flag,
  type FlagName,
  type GuardrailDraft,
  type ListName,
  type PatternDraft,
} from "./guardrail_draft.ts";
import {
  dottedPath,
  draftIssues,
  type FieldIssue,
  type FieldView,
  problemAt,
  viewOf,
} from "./guardrail_problems.ts";

const getGuardrail = operation<"guardrails.get">("GET", "/guardrails/:id");
const createGuardrail = operation<"guardrails.create">("POST", "/guardrails");
const updateGuardrail = operation<"guardrails.update">("PATCH", "/guardrails/:id");

export type SaveWarnings = NonNullable<OperationResult<"guardrails.update">["warnings"]>;

export interface GuardrailEditDeps {
  readonly api: Pick<ConsoleApi, "call" | "callWithTag">;
  /** Undefined for a new one. */
  readonly id: string | undefined;
  /** The guardrail as it is in the list, which shows while the newest is being read. */
  readonly known?: GuardrailRecord | undefined;
  /** It was saved, and what the gateway says to that. */
  readonly onSaved: (record: GuardrailRecord, warnings: SaveWarnings) => void;
}

export class GuardrailEditModel {
  readonly #deps: GuardrailEditDeps;
  readonly record = createResource((abort) => this.#read(abort));
  readonly #typed = signal<Partial<GuardrailDraft>>({});
  /** Version of the guardrail as it was read last. */
  #version: string | undefined;
  /** Version that the typed changes build on: of when typing began, or of the last `reload`. */
  #typedOn: string | undefined;
  /** Workspace that a new one is made in; null for all of them. */
  readonly workspaceId = signal<string | null>(null);
  /** The user has tried to save: what is missing is said from then on. */
  readonly tried = signal(false);
  readonly saving = signal(false);
  readonly refusal = signal<Error | undefined>(undefined);

  constructor(deps: GuardrailEditDeps) {
    this.#deps = deps;
  }

  get isNew(): boolean {
    return this.#deps.id === undefined;
  }

  readonly saved = computed(() => this.record.data.value ?? this.#deps.known);
  readonly #before = computed(() => {
    const saved = this.saved.value;
    return saved === undefined ? emptyDraft : draftOf(saved);
  });
  /** Undefined until the guardrail was read. */
  readonly draft = computed((): GuardrailDraft | undefined =>
    this.isNew || this.saved.value !== undefined ? { ...this.#before.value, ...this.#typed.value } : undefined
  );

  readonly #body = computed(() => {
    const draft = this.draft.value;
    return draft === undefined ? {} : changedFields(bodyOf(this.#before.value), bodyOf(draft));
  });
  /** Before → after. */
  readonly changes = computed((): readonly Change[] => {
    const draft = this.draft.value;
    return draft === undefined
      ? []
      : changesOf({ before: this.#before.value, after: draft, fields: Object.keys(this.#body.value) });
  });
  readonly isChanged = computed(() => Object.keys(this.#body.value).length > 0);

  /** All that is wrong, whether the user has tried to save or not. */
  readonly #own = computed(() => this.draft.value === undefined ? [] : draftIssues(this.draft.value));
  /** Issues that the gateway found with a field. */
  readonly #refused = computed((): readonly FieldIssue[] => {
    const path = pathOf(this.refusal.value);
    const message = this.refusal.value?.message ?? "";
    return path === undefined ? [] : [{ path, message, isMissing: false }];
  });
  readonly issues = computed(() => {
    const own = this.#own.value.filter(({ isMissing }) => this.tried.value || !isMissing);
    return [...own, ...this.#refused.value];
  });
  /** The view of the first field with something wrong. */
  readonly problemView = computed((): FieldView | undefined => {
    const [first] = this.issues.value;
    return first && viewOf(first.path);
  });
  /** The refusal was that another client has changed it. */
  readonly isConflict = computed(() =>
    this.refusal.value instanceof ApiFailure && this.refusal.value.isConflict
  );
  /** It has been deleted: it cannot be read or saved any more. */
  readonly isGone = computed(() =>
    [this.refusal.value, this.record.failure.value].some((failure) =>
      failure instanceof ApiFailure && failure.status === 404
    )
  );
  readonly canSave = computed(() => (this.isNew || this.isChanged.value) && !this.saving.value);

  problem(path: string): string | undefined {
    return problemAt(this.issues.value, path);
  }

  /** The most characters of a match: null for no bound, undefined for a pattern that is not saved. */
  longestMatch(pattern: string): number | null | undefined {
    return this.saved.value?.content_filters?.find((one) => one.pattern === pattern)?.max_match;
  }

  /** Why a pattern that is saved would be refused now. */
  patternFault(pattern: string): string | undefined {
    return this.saved.value?.content_filters?.find((one) => one.pattern === pattern)?.fault;
  }

  /** Why a field of the service would be refused now, where its text is the one that is saved. */
  serviceFault(field: "url" | "header_env", text: string): string | undefined {
    const saved = this.saved.value?.external;
    return saved?.fault_at === field && saved[field] === text.trim() ? saved.fault : undefined;
  }

  type(changes: Partial<GuardrailDraft>): void {
    if (!this.isChanged.peek()) this.#typedOn = this.#version;
    this.#typed.value = { ...this.#typed.value, ...changes };
    this.refusal.value = undefined;
  }

  typeList(name: ListName, text: string): void {
    const draft = this.draft.peek();
    if (draft !== undefined) this.type({ lists: { ...draft.lists, [name]: text } });
  }

  setFlag(name: FlagName, flag: Flag): void {
    const draft = this.draft.peek();
    if (draft !== undefined) this.type({ flags: { ...draft.flags, [name]: flag } });
  }

  typeBuiltin(at: number, changes: Partial<BuiltinDraft>): void {
    const builtins = this.draft.peek()?.builtins ?? [];
    this.type({ builtins: builtins.map((one, place) => place === at ? { ...one, ...changes } : one) });
  }

  typePattern(row: number, changes: Partial<PatternDraft>): void {
    const patterns = this.draft.peek()?.patterns ?? [];
    this.type({ patterns: patterns.map((one) => one.row === row ? { ...one, ...changes } : one) });
  }

  addPattern(): void {
    const patterns = this.draft.peek()?.patterns ?? [];
    const row = Math.max(-1, ...patterns.map((one) => one.row)) + 1;
    this.type({ patterns: [...patterns, { row, pattern: "", action: "redact", label: "" }] });
  }

  removePattern(row: number): void {
    this.type({ patterns: (this.draft.peek()?.patterns ?? []).filter((one) => one.row !== row) });
  }

  typeExternal(changes: Partial<ExternalDraft>): void {
    const external = this.draft.peek()?.external;
    if (external) this.type({ external: { ...external, ...changes } });
  }

  discard(): void {
    this.#typed.value = {};
    this.#typedOn = undefined;
    this.tried.value = false;
    this.refusal.value = undefined;
  }

  /** Reads what another client has made of it, and keeps what was typed. */
  async reload(): Promise<void> {
    this.refusal.value = undefined;
    await this.record.load();
    this.#typedOn = this.#version;
  }

  /** False where something is wrong, by our own judgement or the gateway's. */
  async save(): Promise<boolean> {
    this.tried.value = true;
    this.refusal.value = undefined;
    if (!this.canSave.value || this.#own.value.length > 0) return false;
    this.saving.value = true;
    try {
      const { data, warnings = [] } = await this.#send();
      this.record.set(data);
      this.discard();
      this.#deps.onSaved(data, warnings);
      return true;
    } catch (error) {
      this.refusal.value = toError(error);
      return false;
    } finally {
      this.saving.value = false;
    }
  }

  async #send() {
    const { api, id } = this.#deps;
    const body = this.#body.value;
    if (id !== undefined) {
      const ifMatch = this.#typedOn;
      const saved = await api.callWithTag(updateGuardrail, {
        params: { id },
        body,
        ...(ifMatch !== undefined && { ifMatch }),
      });
      this.#version = saved.etag;
      return saved.body;
    }
    const name = this.draft.value?.name.trim() ?? "";
    return await api.call(createGuardrail, {
      body: { ...body, name, workspace_id: this.workspaceId.value },
    });
  }

  async #read(signal: AbortSignal): Promise<GuardrailRecord> {
    const { api, id = "" } = this.#deps;
    const { body, etag } = await api.callWithTag(getGuardrail, { params: { id }, signal });
    this.#version = etag;
    if (this.isChanged.peek()) this.#typedOn ??= etag;
    return body.data;
  }
}

/** The field that a refusal is about, where the panel has it. */
function pathOf(refusal: Error | undefined): string | undefined {
  const path = refusal instanceof ApiFailure ? refusal.metadata.path : undefined;
  if (typeof path !== "string") return undefined;
  const dotted = dottedPath(path);
  return viewOf(dotted) === undefined ? undefined : dotted;
}
