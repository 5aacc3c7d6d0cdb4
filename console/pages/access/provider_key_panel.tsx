/** One provider key beside the list: when it is used, and by whom. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { ByokRecord } from "../../../shared/byok.ts";
import { app, whenConnected } from "../../app.ts";
import { Callout } from "../../components/callout.tsx";
import { Id } from "../../components/copy.tsx";
import { RecordProblem } from "../../components/forms/record_problem.tsx";
import { SaveBar } from "../../components/forms/save_bar.tsx";
import { Panel } from "../../components/panel.tsx";
import { Status } from "../../components/status.tsx";
import { formatMoment } from "../../format.ts";
import { ProviderKeyEditModel } from "../../models/access/provider_key_edit.ts";
import { providerKeyName, type ProviderKeysModel } from "../../models/access/provider_keys.ts";
import {
  providerKeyFields,
  providerKeyPanelText,
  providerKeysText,
} from "../../text/access/provider_keys.ts";
import { useEditedRow } from "../../unsaved.ts";
import { workspaceName } from "../../workspaces.ts";
import { DeleteProviderKey } from "./delete_provider_key.tsx";
import { UseFields, WhoFields } from "./provider_key_fields.tsx";
import { ReplaceKey } from "./replace_key.tsx";

interface ProviderKeyPanelProps {
  readonly record: ByokRecord;
  readonly list: ProviderKeysModel;
}

export const providerKeyState = ({ disabled }: Pick<ByokRecord, "disabled">) =>
  disabled
    ? { tone: "off", text: providerKeysText.disabled } as const
    : { tone: "good", text: providerKeysText.on } as const;

export const providerKeyHome = ({ workspace_id: id }: ByokRecord): string =>
  id === null ? providerKeysText.allWorkspaces : workspaceName(id);

function Warnings({ model }: { readonly model: ProviderKeyEditModel }) {
  const warnings = model.warnings.value;
  if (warnings.length === 0) return null;
  return (
    <Callout tone="warn" live="status">
      <b>{providerKeyPanelText.warnings}</b>
      <ul class="stack-small">
        {warnings.map(({ path, message }) => <li key={path}>{message}</li>)}
      </ul>
    </Callout>
  );
}

function Facts({ record }: { readonly record: ByokRecord }) {
  return (
    <section aria-label={providerKeyPanelText.facts}>
      <h3>{providerKeyPanelText.facts}</h3>
      <dl class="facts">
        <dt>{providerKeyFields.provider}</dt>
        <dd>
          <bdi>{record.provider}</bdi>
        </dd>
        <dt>{providerKeyFields.workspace}</dt>
        <dd>
          <bdi>{providerKeyHome(record)}</bdi>
        </dd>
        <dt>{providerKeyPanelText.label}</dt>
        <dd class="mono">{record.label}</dd>
        <dt>{providerKeyPanelText.order}</dt>
        <dd>{providerKeyPanelText.orderOf(record.sort_order + 1)}</dd>
        <dt>{providerKeyPanelText.created}</dt>
        <dd>{formatMoment(record.created_at)}</dd>
      </dl>
    </section>
  );
}

function Actions({ record, list, model }: ProviderKeyPanelProps & { readonly model: ProviderKeyEditModel }) {
  const dialog = useSignal<"replace" | "delete" | undefined>(undefined);
  const open = (which: "replace" | "delete" | undefined) => () => {
    dialog.value = which;
  };
  const close = open(undefined);
  return (
    <section aria-label={providerKeyPanelText.more}>
      <div class="row row-wrap">
        <button type="button" class="button" onClick={open("replace")}>{providerKeyPanelText.replace}</button>
        <button type="button" class="button button-warn-text" onClick={open("delete")}>
          {providerKeyPanelText.delete}
        </button>
      </div>
      {dialog.value === "replace" && <ReplaceKey record={record} model={model} onClose={close} />}
      {dialog.value === "delete" && <DeleteProviderKey record={record} list={list} onClose={close} />}
    </section>
  );
}

export function ProviderKeyPanel({ record: known, list }: ProviderKeyPanelProps) {
  const model = useMemo(
    () => new ProviderKeyEditModel({ api: app.api, known, onChange: (record) => list.replace(record) }),
    [known.id],
  );
  useEffect(() => whenConnected(() => void model.record.load()), [model]);
  useEditedRow({ row: known, list, editors: [model] });
  const canChange = app.session.canChange.value;
  const [record, draft] = [model.saved.value ?? known, model.draft.value];
  return (
    <Panel
      title={providerKeyName(record)}
      names={providerKeyPanelText}
      about={
        <>
          <Status {...providerKeyState(record)} />
          <Id id={record.id} />
        </>
      }
      onPrevious={list.neighbor(-1)}
      onNext={list.neighbor(1)}
      onClose={() => list.closePanel()}
      foot={model.isChanged.value || model.saving.value
        ? <SaveBar model={model} saved={providerKeyPanelText.saved} />
        : undefined}
    >
      <RecordProblem model={model} names={providerKeyPanelText} />
      <Warnings model={model} />
      {draft !== undefined && (
        <>
          <UseFields
            draft={draft}
            workspaceId={record.workspace_id}
            disabled={!canChange}
            onType={(changes) => model.type(changes)}
          />
          <WhoFields
            draft={draft}
            workspaceId={record.workspace_id}
            disabled={!canChange}
            onType={(changes) => model.type(changes)}
          />
        </>
      )}
      <Facts record={record} />
      {canChange && <Actions record={record} list={list} model={model} />}
    </Panel>
  );
}
