/** The forms that save a preset, or a new version of one, from the body of a request. */

import { useComputed, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { presetApis } from "../../../shared/presets/places.ts";
import type { PresetRecord, PresetVersion } from "../../../shared/presets/records.ts";
import { app } from "../../app.ts";
import { ActionDialog, useAction } from "../../components/action_dialog.tsx";
import { SelectField, TextAreaField, TextField } from "../../components/forms/field.tsx";
import {
  draftProblems,
  encodeBody,
  type PresetDraft,
  readBody,
  refusedAt,
  type SavedPreset,
  savePreset,
  toPresetApi,
} from "../../models/presets/preset_body.ts";
import type { PresetsModel } from "../../models/presets/presets.ts";
import { presetFields, savePresetText } from "../../text/presets.ts";
import { chosenWorkspace, workspaces } from "../../workspaces.ts";

interface FormOptions {
  readonly first: PresetDraft;
  /** Presets whose slug a new one cannot have. */
  readonly known: readonly PresetRecord[];
  readonly onSaved: (saved: SavedPreset) => Promise<void> | void;
}

function useForm({ first, known, onSaved }: FormOptions) {
  const draft = useSignal(first);
  const tried = useSignal(false);
  /** The draft that was refused: what is wrong with it is said until something else is typed. */
  const refused = useSignal<PresetDraft | undefined>(undefined);
  const own = draftProblems(draft.value, known);
  const action = useAction(async () => {
    tried.value = true;
    const [sent, read] = [draft.value, readBody(draft.value.body)];
    if (own.slug !== undefined || "problem" in read) return;
    try {
      await onSaved(await savePreset(app.api, { ...sent, slug: sent.slug.trim(), body: read.body }));
    } catch (error) {
      refused.value = sent;
      throw error;
    }
  });
  const error = useComputed(() => refused.value === draft.value ? action.refusal.value : undefined);
  const place = refusedAt(error.value);
  const problemOf = (field: "slug" | "body") =>
    place === field ? error.value?.message : tried.value ? own[field] : undefined;
  const type = (changes: Partial<PresetDraft>) => {
    draft.value = { ...draft.value, ...changes };
  };
  // What is said at a field is not said again above.
  const refusal = useComputed(() => refusedAt(error.value) === undefined ? error.value : undefined);
  return { draft: draft.value, problemOf, action, refusal, type };
}

type Form = ReturnType<typeof useForm>;

function BodyFields({ form: { draft, problemOf, type } }: { readonly form: Form }) {
  return (
    <>
      <SelectField
        label={presetFields.api}
        choices={presetApis.map((value) => ({ value, text: presetFields.apis[value] }))}
        value={draft.api}
        onChange={(api) => type({ api: toPresetApi(api) })}
      />
      <TextAreaField
        label={presetFields.body}
        hint={presetFields.bodyHint}
        problem={problemOf("body")}
        rows={12}
        mono
        value={draft.body}
        onInput={(body) => type({ body })}
      />
    </>
  );
}

export function NewPreset({ list }: { readonly list: PresetsModel }) {
  const first = useMemo((): PresetDraft => {
    const workspaceId = (chosenWorkspace.peek() ?? workspaces.data.peek()?.[0])?.id ?? "";
    return { slug: "", workspaceId, api: "chat", body: "" };
  }, []);
  const form = useForm({
    first,
    known: list.list.data.value ?? [],
    onSaved: async ({ id, slug }) => {
      app.toasts.show(savePresetText.created(slug), { tone: "good" });
      app.router.setQuery({ open: id });
      await list.list.load();
    },
  });
  const { draft, problemOf, action, type } = form;
  return (
    <ActionDialog
      title={savePresetText.newTitle}
      wide
      action={{ ...action, refusal: form.refusal }}
      submit={action.busy.value ? savePresetText.saving : savePresetText.create}
      failed={savePresetText.failed}
      onClose={() => list.openPanel(undefined)}
    >
      <div class="grid-2">
        <TextField
          label={presetFields.slug}
          hint={presetFields.slugHint}
          problem={problemOf("slug")}
          value={draft.slug}
          autofocus
          mono
          onInput={(slug) => type({ slug })}
        />
        <SelectField
          label={presetFields.workspace}
          value={draft.workspaceId}
          choices={(workspaces.data.value ?? []).map(({ id, name }) => ({ value: id, text: name }))}
          onChange={(workspaceId) => type({ workspaceId })}
        />
      </div>
      <BodyFields form={form} />
    </ActionDialog>
  );
}

export function NewVersion({ preset, newest, onSaved, onClose }: {
  readonly preset: PresetRecord;
  /** Its settings are there to begin with. */
  readonly newest: PresetVersion;
  readonly onSaved: (saved: SavedPreset) => void;
  readonly onClose: () => void;
}) {
  const { slug, name, workspace_id: workspaceId } = preset;
  const first = useMemo(
    (): PresetDraft => ({ slug, workspaceId, api: "chat", body: encodeBody(newest) }),
    [],
  );
  const form = useForm({
    first,
    known: [],
    onSaved: (saved) => {
      const { same, versionSaved } = savePresetText;
      const isSame = saved.version === newest.version;
      app.toasts.show((isSame ? same : versionSaved)(saved.version), { tone: "good" });
      onSaved(saved);
      onClose();
    },
  });
  const { action, refusal } = form;
  return (
    <ActionDialog
      title={savePresetText.versionTitle(name)}
      wide
      action={{ ...action, refusal }}
      submit={action.busy.value ? savePresetText.saving : savePresetText.saveVersion}
      failed={savePresetText.failed}
      onClose={onClose}
    >
      <BodyFields form={form} />
    </ActionDialog>
  );
}
