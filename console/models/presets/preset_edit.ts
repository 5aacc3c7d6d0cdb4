/** The panel of one preset: its name, description and state, and what is changed of them before they are saved. */

import { computed } from "@preact/signals";
import { type PresetRecord, presetStatuses } from "../../../shared/presets/records.ts";
import { truncate } from "../../../shared/util/text.ts";
import { type ConsoleApi, operation, type OperationBody } from "../../api.ts";
import type { Change } from "../../components/diff.tsx";
import { commonText } from "../../text/common.ts";
import { presetFields, presetsText } from "../../text/presets.ts";
import { EditModel } from "../edit_model.ts";

const getPreset = operation<"presets.get">("GET", "/presets/:slug");
const updatePreset = operation<"presets.update">("PATCH", "/presets/:slug");

type PresetChanges = OperationBody<"presets.update">;
type Status = PresetRecord["status"];

interface PresetDraft {
  readonly name: string;
  readonly description: string;
  readonly status: Status;
}

export const toStatus = (text: string): Status => presetStatuses.find((one) => one === text) ?? "active";

/** Characters of a text that are shown as before and after. */
const SHOWN = 100;
/** Characters that the operation takes at most. */
const MOST = { name: 200, description: 1_000 } as const;

function draftOf({ name, description, status }: PresetRecord): PresetDraft {
  return { name, description: description ?? "", status };
}

/** Fields as the operation takes them. */
const fieldsOf = ({ name, description, status }: PresetDraft) => ({
  name: name.trim(),
  description: description.trim() === "" ? null : description.trim(),
  status,
});

function changesOf(draft: PresetDraft, record: PresetRecord | undefined): PresetChanges {
  if (record === undefined) return {};
  const before: ReadonlyMap<string, unknown> = new Map(Object.entries(fieldsOf(draftOf(record))));
  return Object.fromEntries(
    Object.entries(fieldsOf(draft)).filter(([name, value]) => value !== before.get(name)),
  );
}

const draftNames = ["name", "description", "status"] as const satisfies readonly (keyof PresetDraft)[];

const shownValue = (name: keyof PresetDraft, draft: PresetDraft): string =>
  name === "status" ? presetsText.statuses[draft.status] : truncate(draft[name].trim(), SHOWN) || "–";

const tooLong = (text: string, most: number): string | undefined =>
  text.trim().length > most ? commonText.tooLong(text.trim().length, most) : undefined;

interface PresetEditDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly known: PresetRecord;
  readonly onChange: (record: PresetRecord) => void;
}

export class PresetEditModel extends EditModel<PresetRecord, PresetDraft, PresetChanges> {
  readonly #deps: PresetEditDeps;
  readonly #input;

  constructor(deps: PresetEditDeps) {
    const { api, known } = deps;
    const input = { params: { slug: known.slug }, query: { workspace_id: known.workspace_id } };
    super({
      known,
      draftOf: (record) => record && draftOf(record),
      changesOf,
      read: async (signal) => {
        const { data: { designated_version: _, ...record } } = await api.call(getPreset, {
          ...input,
          signal,
        });
        deps.onChange(record);
        return { body: record, etag: undefined };
      },
    });
    this.#deps = deps;
    this.#input = input;
  }

  readonly problems = computed(() => {
    const { name = "", description = "" } = this.draft.value ?? {};
    return {
      name: name.trim() === "" ? presetFields.nameMissing : tooLong(name, MOST.name),
      description: tooLong(description, MOST.description),
    };
  });

  /** Before → after. */
  readonly changes = computed((): readonly Change[] => {
    const [before, draft] = [this.before.value, this.draft.value];
    if (before === undefined || draft === undefined || !this.isChanged.value) return [];
    return draftNames.filter((name) => shownValue(name, before) !== shownValue(name, draft)).map((name) => ({
      label: presetFields[name],
      before: shownValue(name, before),
      after: shownValue(name, draft),
    }));
  });
  readonly canSave = computed(() => {
    const { name, description } = this.problems.value;
    return this.isChanged.value && name === undefined && description === undefined && !this.saving.value;
  });

  async save(): Promise<boolean> {
    if (!this.canSave.value) return false;
    const [body, sent] = [this.body.value, this.typed.value];
    return await this.attempt(async () => {
      const { data: { designated_version: _, ...record } } = await this.#deps.api.call(updatePreset, {
        ...this.#input,
        body,
      });
      this.forget(sent);
      this.take(record);
    });
  }

  /** Shows the preset as a save has left it. */
  take(record: PresetRecord): void {
    this.accept({ body: record, etag: undefined });
    this.#deps.onChange(record);
  }
}
