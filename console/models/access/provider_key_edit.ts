/** The panel of one provider key: its settings, and what is changed of them before they are saved. */

import { computed, signal } from "@preact/signals";
import { type ByokRecord, byokSettings } from "../../../shared/byok.ts";
import type { SaveWarning } from "../../../shared/management/operation.ts";
import { type ConsoleApi, operation, type OperationBody } from "../../api.ts";
import type { Change } from "../../components/diff.tsx";
import { providerKeyFields, providerKeyPanelText } from "../../text/access/provider_keys.ts";
import { EditModel } from "../edit_model.ts";
import { fieldProblem } from "../field_problem.ts";

const getKey = operation<"byok.get">("GET", "/byok/:id");
const updateKey = operation<"byok.update">("PATCH", "/byok/:id");

type KeyChanges = OperationBody<"byok.update">;

const zdrChoices = ["inherit", "yes", "no"] as const;
type ZdrChoice = (typeof zdrChoices)[number];

export const isZdrChoice = (value: string): value is ZdrChoice => zdrChoices.some((one) => one === value);

/** Settings as fields have them: lists as lines. */
export interface ProviderKeyDraft {
  readonly name: string;
  readonly disabled: boolean;
  readonly fallback: boolean;
  readonly required: boolean;
  readonly only: boolean;
  readonly models: string;
  readonly users: string;
  /** Hashes, one a line. */
  readonly keys: string;
  readonly zdr: ZdrChoice;
}

export const emptyProviderKeyDraft: ProviderKeyDraft = {
  name: "",
  disabled: false,
  fallback: false,
  required: false,
  only: false,
  models: "",
  users: "",
  keys: "",
  zdr: "inherit",
};

const textOf = (names: readonly string[] | null) => (names ?? []).join("\n");

function draftOf(record: ByokRecord): ProviderKeyDraft {
  const { declared_zdr: zdr } = record;
  return {
    name: record.name ?? "",
    disabled: record.disabled,
    fallback: record.is_fallback,
    required: record.is_required,
    only: record.is_byok_only,
    models: textOf(record.allowed_models),
    users: textOf(record.allowed_user_ids),
    keys: textOf(record.allowed_api_key_hashes),
    zdr: zdr === null ? "inherit" : zdr ? "yes" : "no",
  };
}

/** Lines that say something; null where there is none. */
export function namesOf(text: string): string[] | null {
  const names = text.split("\n").map((line) => line.trim()).filter(Boolean);
  return names.length === 0 ? null : names;
}

/** The settings of a draft as the operations take them. */
export function settingsOf(draft: ProviderKeyDraft) {
  return {
    name: draft.name.trim() === "" ? null : draft.name.trim(),
    disabled: draft.disabled,
    is_fallback: draft.fallback,
    is_required: draft.required,
    is_byok_only: draft.only,
    allowed_models: namesOf(draft.models),
    allowed_user_ids: namesOf(draft.users),
    allowed_api_key_hashes: namesOf(draft.keys),
    declared_zdr: draft.zdr === "inherit" ? null : draft.zdr === "yes",
  };
}

/** Settings that differ from the record. */
function changesOf(draft: ProviderKeyDraft, record: ByokRecord | undefined): KeyChanges {
  if (record === undefined) return {};
  const before: ReadonlyMap<string, unknown> = new Map(Object.entries(settingsOf(draftOf(record))));
  const isChanged = ([name, value]: readonly [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(before.get(name));
  return Object.fromEntries(Object.entries(settingsOf(draft)).filter(isChanged));
}

/** Problems of settings as they are typed, by field; undefined where there is none. */
export function draftProblems(draft: ProviderKeyDraft) {
  const settings = settingsOf(draft);
  return {
    name: fieldProblem(byokSettings.name, settings.name),
    only: draft.only && draft.fallback ? providerKeyFields.onlyAndFallback : undefined,
    models: fieldProblem(byokSettings.allowed_models, settings.allowed_models),
    users: fieldProblem(byokSettings.allowed_user_ids, settings.allowed_user_ids),
    keys: fieldProblem(byokSettings.allowed_api_key_hashes, settings.allowed_api_key_hashes),
  };
}

export const isSound = (draft: ProviderKeyDraft) =>
  Object.values(draftProblems(draft)).every((problem) => problem === undefined);

const labels: { readonly [N in keyof ProviderKeyDraft]: string } = {
  name: providerKeyFields.name,
  disabled: providerKeyFields.disabled,
  fallback: providerKeyFields.fallback,
  required: providerKeyFields.required,
  only: providerKeyFields.only,
  models: providerKeyFields.models,
  users: providerKeyFields.users,
  keys: providerKeyFields.keys,
  zdr: providerKeyFields.zdr,
};

const draftNames = [
  "name",
  "disabled",
  "fallback",
  "required",
  "only",
  "models",
  "users",
  "keys",
  "zdr",
] as const satisfies readonly (keyof ProviderKeyDraft)[];

function shownValue(name: keyof ProviderKeyDraft, draft: ProviderKeyDraft): string {
  const value = draft[name];
  if (typeof value === "boolean") return value ? providerKeyPanelText.yes : providerKeyPanelText.no;
  if (name === "zdr") return providerKeyFields.zdrChoices[draft.zdr];
  const names = namesOf(value);
  if (name === "keys") return names === null ? providerKeyPanelText.all : String(names.length);
  if (name === "name") return names === null ? "–" : value;
  return names === null ? providerKeyPanelText.all : names.join(", ");
}

interface ProviderKeyEditDeps {
  readonly api: Pick<ConsoleApi, "call" | "callWithTag">;
  readonly known: ByokRecord;
  readonly onChange: (record: ByokRecord) => void;
}

export class ProviderKeyEditModel extends EditModel<ByokRecord, ProviderKeyDraft, KeyChanges> {
  readonly #deps: ProviderKeyEditDeps;
  /** Warnings of the gateway on the last save. */
  readonly warnings = signal<readonly SaveWarning[]>([]);

  constructor(deps: ProviderKeyEditDeps) {
    const params = { id: deps.known.id };
    super({
      known: deps.known,
      draftOf: (record) => record && draftOf(record),
      changesOf,
      read: async (abort) => {
        const { body, etag } = await deps.api.callWithTag(getKey, { params, signal: abort });
        deps.onChange(body.data);
        return { body: body.data, etag };
      },
    });
    this.#deps = deps;
  }

  readonly problems = computed(() => draftProblems(this.draft.value ?? emptyProviderKeyDraft));

  /** Before → after. */
  readonly changes = computed((): readonly Change[] => {
    const [before, draft] = [this.before.value, this.draft.value];
    if (before === undefined || draft === undefined || !this.isChanged.value) return [];
    return draftNames.filter((name) => shownValue(name, before) !== shownValue(name, draft)).map((name) => ({
      label: labels[name],
      before: shownValue(name, before),
      after: shownValue(name, draft),
    }));
  });
  readonly canSave = computed(() =>
    this.isChanged.value && isSound(this.draft.value ?? emptyProviderKeyDraft) && !this.saving.value
  );

  async save(): Promise<boolean> {
    if (!this.canSave.value) return false;
    const [params, body, sent] = [{ id: this.#deps.known.id }, this.body.value, this.typed.value];
    return await this.attempt(async () =>
      this.#keep(await this.#deps.api.call(updateKey, { params, body }), sent)
    );
  }

  /** Puts another key in the place of the stored one. Throws what the gateway refuses. */
  async replaceKey(key: string): Promise<void> {
    const params = { id: this.#deps.known.id };
    this.#keep(await this.#deps.api.call(updateKey, { params, body: { key } }), {});
  }

  #keep(
    { data, warnings = [] }: { readonly data: ByokRecord; readonly warnings?: readonly SaveWarning[] },
    sent: Partial<ProviderKeyDraft>,
  ): void {
    this.warnings.value = warnings;
    this.forget(sent);
    this.accept({ body: data, etag: undefined });
    this.#deps.onChange(data);
  }
}
