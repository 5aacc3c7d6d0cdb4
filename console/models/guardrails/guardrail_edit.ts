/** The panel of one guardrail, or of a new one: what is changed of it before it is saved. */

import { computed, signal } from "@preact/signals";
import type { GuardrailRecord } from "../../../shared/guardrails.ts";
import { ApiFailure, type ConsoleApi, operation, type OperationResult } from "../../api.ts";
import type { Change } from "../../components/diff.tsx";
import { EditModel } from "../edit_model.ts";
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

interface GuardrailEditDeps {
  readonly api: Pick<ConsoleApi, "call" | "callWithTag">;
  /** Undefined for a new one. */
  readonly id: string | undefined;
  /** The guardrail as it is in the list, which shows while the newest is being read. */
  readonly known?: GuardrailRecord | undefined;
  /** It was saved, and what the gateway says to that. */
  readonly onSaved: (record: GuardrailRecord, warnings: SaveWarnings) => void;
}

type GuardrailBody = Partial<ReturnType<typeof bodyOf>>;

export class GuardrailEditModel extends EditModel<GuardrailRecord, GuardrailDraft, GuardrailBody> {
  readonly #deps: GuardrailEditDeps;
  /** Workspace that a new one is made in; null for all of them. */
  readonly workspaceId = signal<string | null>(null);
  /** The user has tried to save: what is missing is said from then on. */
  readonly tried = signal(false);

  constructor(deps: GuardrailEditDeps) {
    const { api, id, known } = deps;
    const before = (record: GuardrailRecord | undefined) =>
      record === undefined ? emptyDraft : draftOf(record);
    super({
      known,
      // One that is there has no draft until it was read.
      draftOf: (record) => id === undefined || record !== undefined ? before(record) : undefined,
      changesOf: (draft, record) => changedFields(bodyOf(before(record)), bodyOf(draft)),
      read: async (signal) => {
        const { body, etag } = await api.callWithTag(getGuardrail, { params: { id: id ?? "" }, signal });
        return { body: body.data, etag };
      },
    });
    this.#deps = deps;
  }

  get isNew(): boolean {
    return this.#deps.id === undefined;
  }

  /** Before → after. */
  readonly changes = computed((): readonly Change[] => {
    const [before, after] = [this.before.value, this.draft.value];
    if (before === undefined || after === undefined) return [];
    return changesOf({ before, after, fields: Object.keys(this.body.value) });
  });

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

  override type(changes: Partial<GuardrailDraft>): void {
    super.type(changes);
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

  override discard(): void {
    super.discard();
    this.tried.value = false;
  }

  /** False where something is wrong, by our own judgement or the gateway's. */
  async save(): Promise<boolean> {
    this.tried.value = true;
    this.refusal.value = undefined;
    if (!this.canSave.value || this.#own.value.length > 0) return false;
    return await this.attempt(async (ifMatch) => {
      const sent = this.typed.value;
      const { body: { data, warnings = [] }, etag } = await this.#send(ifMatch);
      this.accept({ body: data, etag });
      this.forget(sent);
      this.tried.value = false;
      this.#deps.onSaved(data, warnings);
    });
  }

  #send(ifMatch: string | undefined) {
    const { api, id } = this.#deps;
    const body = this.body.value;
    if (id !== undefined) return api.callWithTag(updateGuardrail, { params: { id }, body, ifMatch });
    const name = this.draft.value?.name.trim() ?? "";
    const workspace_id = this.workspaceId.value;
    return api.callWithTag(createGuardrail, { body: { ...body, name, workspace_id } });
  }
}

/** The field that a refusal is about, where the panel has it. */
function pathOf(refusal: Error | undefined): string | undefined {
  const path = refusal instanceof ApiFailure ? refusal.metadata.path : undefined;
  if (typeof path !== "string") return undefined;
  const dotted = dottedPath(path);
  return viewOf(dotted) === undefined ? undefined : dotted;
}
