/** One preset beside the list: how requests name it, its name and state, and its versions. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { type PresetRecord, presetStatuses } from "../../../shared/presets/records.ts";
import { PRESET_MARK } from "../../../shared/presets/reference.ts";
import { app, whenConnected } from "../../app.ts";
import { CopyButton, Id } from "../../components/copy.tsx";
import { SelectField, TextAreaField, TextField } from "../../components/forms/field.tsx";
import { RecordProblem } from "../../components/forms/record_problem.tsx";
import { SaveBar } from "../../components/forms/save_bar.tsx";
import { Icon } from "../../components/icon.tsx";
import { Panel } from "../../components/panel.tsx";
import { Status } from "../../components/status.tsx";
import { PresetEditModel, toStatus } from "../../models/presets/preset_edit.ts";
import { PresetVersions } from "../../models/presets/preset_versions.ts";
import type { PresetsModel } from "../../models/presets/presets.ts";
import { presetFields, presetPanelText, presetsText } from "../../text/presets.ts";
import { useEditedRow } from "../../unsaved.ts";
import { workspaceName } from "../../workspaces.ts";
import { DeletePreset } from "./delete_preset.tsx";
import { Versions } from "./versions.tsx";

const tones = { active: "good", disabled: "off", archived: "off" } as const;

export const presetState = ({ status }: Pick<PresetRecord, "status">) => ({
  tone: tones[status],
  text: presetsText.statuses[status],
});

interface PresetPanelProps {
  readonly record: PresetRecord;
  readonly list: PresetsModel;
}

function Use({ record: { slug, workspace_id: workspace } }: Pick<PresetPanelProps, "record">) {
  const model = `${PRESET_MARK}${slug}`;
  return (
    <section aria-label={presetPanelText.use}>
      <div class="row row-wrap">
        <CopyButton text={model} label={presetPanelText.copy(model)} />
        <a href={app.router.link("/playground", { model, workspace })}>{presetPanelText.tryIt}</a>
      </div>
    </section>
  );
}

function Naming({ model }: { readonly model: PresetEditModel }) {
  const [draft, problems] = [model.draft.value, model.problems.value];
  const disabled = !app.session.canChange.value;
  if (draft === undefined) return null;
  return (
    <section aria-label={presetPanelText.about}>
      <h3>{presetPanelText.about}</h3>
      <TextField
        label={presetFields.name}
        problem={problems.name}
        value={draft.name}
        disabled={disabled}
        onInput={(name) => model.type({ name })}
      />
      <TextAreaField
        label={presetFields.description}
        problem={problems.description}
        rows={2}
        value={draft.description}
        disabled={disabled}
        onInput={(description) => model.type({ description })}
      />
      <SelectField
        label={presetFields.status}
        hint={presetFields.statusHint}
        choices={presetStatuses.map((value) => ({ value, text: presetsText.statuses[value] }))}
        value={draft.status}
        disabled={disabled}
        onChange={(status) => model.type({ status: toStatus(status) })}
      />
    </section>
  );
}

function Deletion({ record, list }: PresetPanelProps) {
  const isOpen = useSignal(false);
  const show = (open: boolean) => () => {
    isOpen.value = open;
  };
  return (
    <section aria-label={presetPanelText.delete}>
      <div>
        <button type="button" class="button button-warn-text" onClick={show(true)}>
          <Icon name="trash" />
          {presetPanelText.delete}
        </button>
      </div>
      {isOpen.value && <DeletePreset record={record} list={list} onClose={show(false)} />}
    </section>
  );
}

function useModels({ record: known, list }: PresetPanelProps) {
  const { api } = app;
  const model = useMemo(
    () => new PresetEditModel({ api, known, onChange: (record) => list.replace(record) }),
    [known.id],
  );
  const versions = useMemo(() => new PresetVersions({ api, preset: known }), [known.id]);
  useEffect(
    () => whenConnected(() => void Promise.all([model.record.load(), versions.list.load()])),
    [model],
  );
  useEffect(() => () => versions.list.stop(), [versions]);
  useEditedRow({ row: known, list, editors: [model] });
  return { model, versions };
}

export function PresetPanel({ record: known, list }: PresetPanelProps) {
  const { model, versions } = useModels({ record: known, list });
  const record = model.saved.value ?? known;
  return (
    <Panel
      title={record.name}
      names={presetPanelText}
      wide
      about={
        <>
          <Status {...presetState(record)} />
          <span class="faint">
            <bdi>{workspaceName(record.workspace_id)}</bdi>
          </span>
          <Id id={record.id} />
        </>
      }
      onPrevious={list.neighbor(-1)}
      onNext={list.neighbor(1)}
      onClose={() => list.closePanel()}
      foot={model.isChanged.value || model.saving.value
        ? <SaveBar model={model} saved={presetPanelText.saved} />
        : undefined}
    >
      <RecordProblem model={model} names={presetPanelText} />
      <Use record={record} />
      <Versions
        preset={record}
        model={versions}
        onSaved={(saved) => {
          model.take(saved);
          void versions.list.load();
        }}
      />
      <Naming model={model} />
      {app.session.canChange.value && <Deletion record={record} list={list} />}
    </Panel>
  );
}
