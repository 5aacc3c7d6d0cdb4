/** One management key beside the list, and what cannot be done with the last one. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { ManagementKey } from "../../../shared/management/management_keys.ts";
import { app } from "../../app.ts";
import { Callout } from "../../components/callout.tsx";
import { Id } from "../../components/copy.tsx";
import { ExpiryDateFields, ExpirySelect } from "../../components/forms/expiry_fields.tsx";
import { SwitchRow, TextField } from "../../components/forms/field.tsx";
import { RecordProblem } from "../../components/forms/record_problem.tsx";
import { SaveBar } from "../../components/forms/save_bar.tsx";
import { Panel } from "../../components/panel.tsx";
import { Status } from "../../components/status.tsx";
import { formatMoment } from "../../format.ts";
import {
  ManagementKeyEditModel,
  type ManagementKeysModel,
  managementKeyState,
} from "../../models/access/management_keys.ts";
import { managementKeyPanelText } from "../../text/access/management_keys.ts";
import { useEditedRow } from "../../unsaved.ts";
import { DeleteManagementKey } from "./management_key_dialogs.tsx";

interface PanelProps {
  readonly record: ManagementKey;
  readonly list: ManagementKeysModel;
}

/** Says before any click what this key is to the gateway and to the session. */
function Notes({ record, isLast }: { readonly record: ManagementKey; readonly isLast: boolean }) {
  const isOwn = record.hash === app.session.current.value?.key_hash;
  return (
    <>
      {isLast && (
        <Callout tone="warn">
          <b id="last-key">{managementKeyPanelText.last}</b>
          <p class="soft">{managementKeyPanelText.lastText}</p>
        </Callout>
      )}
      {isOwn && (
        <Callout tone="plain" icon="user">
          <b>{managementKeyPanelText.ownTitle}</b>
          <p class="soft">{managementKeyPanelText.ownText}</p>
        </Callout>
      )}
    </>
  );
}

function Fields({ model, isLast }: { readonly model: ManagementKeyEditModel; readonly isLast: boolean }) {
  const draft = model.draft.value;
  const disabled = !app.session.canChange.value;
  const { name, expiry } = model.problems.value;
  if (draft === undefined) return null;
  return (
    <section aria-label={managementKeyPanelText.settings}>
      <h3>{managementKeyPanelText.settings}</h3>
      <TextField
        label={managementKeyPanelText.name}
        problem={name}
        value={draft.name}
        disabled={disabled}
        onInput={(text) => model.type({ name: text })}
      />
      <SwitchRow
        label={managementKeyPanelText.readOnly}
        hint={managementKeyPanelText.readOnlyHint}
        checked={draft.readOnly}
        disabled={disabled || isLast}
        onChange={(readOnly) => model.type({ readOnly })}
      />
      <SwitchRow
        label={managementKeyPanelText.disabled}
        hint={managementKeyPanelText.disabledHint}
        checked={draft.disabled}
        disabled={disabled || isLast}
        onChange={(on) => model.type({ disabled: on })}
      />
      <ExpirySelect draft={draft} disabled={disabled || isLast} onType={(changes) => model.type(changes)} />
      <ExpiryDateFields
        draft={draft}
        problem={expiry}
        disabled={disabled || isLast}
        onType={(changes) => model.type(changes)}
      />
    </section>
  );
}

function Facts({ record }: { readonly record: ManagementKey }) {
  const moment = (at: string | null) => at === null ? managementKeyPanelText.never : formatMoment(at);
  return (
    <section aria-label={managementKeyPanelText.facts}>
      <h3>{managementKeyPanelText.facts}</h3>
      <dl class="facts">
        <dt>{managementKeyPanelText.label}</dt>
        <dd class="mono">{record.label}</dd>
        <dt>{managementKeyPanelText.created}</dt>
        <dd>{formatMoment(record.created_at)}</dd>
        <dt>{managementKeyPanelText.changed}</dt>
        <dd>{moment(record.updated_at)}</dd>
        <dt>{managementKeyPanelText.expires}</dt>
        <dd>{moment(record.expires_at)}</dd>
      </dl>
    </section>
  );
}

function Deletion({ record, list, isLast }: PanelProps & { readonly isLast: boolean }) {
  const isOpen = useSignal(false);
  return (
    <section aria-label={managementKeyPanelText.more}>
      <div>
        <button
          type="button"
          class="button button-warn-text"
          disabled={isLast}
          aria-describedby={isLast ? "last-key" : undefined}
          onClick={() => {
            isOpen.value = true;
          }}
        >
          {managementKeyPanelText.delete}
        </button>
      </div>
      {isOpen.value && (
        <DeleteManagementKey
          record={record}
          list={list}
          onClose={() => {
            isOpen.value = false;
          }}
        />
      )}
    </section>
  );
}

export function ManagementKeyPanel({ record, list }: PanelProps) {
  const model = useMemo(
    () =>
      new ManagementKeyEditModel({
        api: app.api,
        clock: app.clock,
        known: record,
        onChange: (key) => list.replace(key),
      }),
    [record.hash],
  );
  useEffect(() => void model.record.load(), [model]);
  useEditedRow({ row: record, list, editors: [model] });
  const isLast = list.isLast(record.hash);
  return (
    <Panel
      title={record.name}
      names={managementKeyPanelText}
      about={
        <>
          <Status {...managementKeyState(record, app.minute.value)} />
          <Id id={record.hash} />
        </>
      }
      onPrevious={list.neighbor(-1)}
      onNext={list.neighbor(1)}
      onClose={() => list.closePanel()}
      foot={model.isChanged.value || model.saving.value
        ? <SaveBar model={model} saved={managementKeyPanelText.saved} />
        : undefined}
    >
      <RecordProblem model={model} names={managementKeyPanelText} />
      <Notes record={record} isLast={isLast} />
      <Fields model={model} isLast={isLast} />
      <Facts record={record} />
      {app.session.canChange.value && <Deletion record={record} list={list} isLast={isLast} />}
    </Panel>
  );
}
