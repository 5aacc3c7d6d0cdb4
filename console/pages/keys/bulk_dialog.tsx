/** One change for the selected keys, with what becomes of each before it is sent. */

import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../../app.ts";
import { ActionDialog } from "../../components/action_dialog.tsx";
import { Callout, Refusal } from "../../components/callout.tsx";
import { ExpiryDateFields, ExpirySelect } from "../../components/forms/expiry_fields.tsx";
import { MoneyField, SelectField } from "../../components/forms/field.tsx";
import { RadioSegments } from "../../components/forms/segments.tsx";
import { KeyBulkModel } from "../../models/keys/key_bulk.ts";
import type { KeysModel } from "../../models/keys/keys.ts";
import { type BulkKind, bulkKinds, bulkText } from "../../text/key_bulk.ts";
import { keyPanelText, newKeyText, resetNames } from "../../text/keys.ts";
import { CacheFields } from "./cache_fields.tsx";

const resetChoices = (["none", "daily", "weekly", "monthly"] as const).map((value) => ({
  value,
  text: resetNames[value],
}));

function Fields({ model }: { readonly model: KeyBulkModel }) {
  const draft = model.draft.value;
  switch (model.kind.value) {
    case "limit":
      return (
        <>
          <MoneyField
            label={keyPanelText.limit}
            unit={keyPanelText.limitUnit[draft.reset]}
            problem={model.problems.value.limit}
            value={draft.limit}
            autofocus
            onInput={(limit) => model.type({ limit })}
          />
          <RadioSegments
            label={keyPanelText.resets}
            choices={resetChoices}
            value={draft.reset}
            onChange={(reset) => model.type({ reset })}
          />
        </>
      );
    case "expiry":
      return (
        <>
          <ExpirySelect draft={draft} onType={(changes) => model.type(changes)} />
          <ExpiryDateFields
            draft={draft}
            problem={model.problems.value.expiry}
            onType={(changes) => model.type(changes)}
          />
        </>
      );
    case "guardrail":
      return (
        <SelectField
          label={newKeyText.guardrail}
          value={draft.guardrailId}
          choices={[
            { value: "", text: keyPanelText.noGuardrail },
            ...model.choices.value.map(({ id, name }) => ({ value: id, text: name })),
          ]}
          onChange={(guardrailId) => model.type({ guardrailId })}
        />
      );
    case "cache":
      return <CacheFields draft={draft} onType={(changes) => model.type(changes)} />;
    default:
      return null;
  }
}

function Preview({ model }: { readonly model: KeyBulkModel }) {
  return (
    <div class="bulk-preview" role="region" aria-label={bulkText.preview} tabIndex={0}>
      <table class="mini">
        <thead>
          <tr>
            <th scope="col">{bulkText.key}</th>
            <th scope="col">{bulkText.before}</th>
            <th scope="col">{bulkText.after}</th>
          </tr>
        </thead>
        <tbody>
          {model.preview.value.map(({ key, before, after }) => (
            <tr key={key.hash}>
              <td class="cut" title={key.name}>
                <bdi>{key.name}</bdi>
              </td>
              <td class="wrap-text soft">{before}</td>
              <td class="wrap-text">
                {before === after ? <span class="faint">{bulkText.same}</span> : <b>{after}</b>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Failed({ model }: { readonly model: KeyBulkModel }) {
  const failed = model.failed.value;
  if (failed.length === 0) return null;
  return (
    <Callout tone="bad" live="alert">
      <b>{bulkText.failed}</b>
      <ul class="stack-small">
        {failed.map(({ key, message }) => <li key={key.hash}>{bulkText.unchanged(key.name, message)}</li>)}
      </ul>
    </Callout>
  );
}

function useModel({ list, kind, onClose }: BulkDialogProps) {
  const model = useMemo(() => {
    const keys = (list.keys.peek() ?? []).filter(({ hash }) => list.selected.peek().has(hash));
    const onChange: ConstructorParameters<typeof KeyBulkModel>[0]["onChange"] = (hash, key) =>
      key === undefined ? list.remove(hash) : list.replace(key);
    return new KeyBulkModel({ api: app.api, clock: app.clock, keys, kind, onChange });
  }, []);
  useEffect(() => whenConnected(() => void model.guardrails.load()), [model]);
  const start = async () => {
    const chosen = model.kind.peek();
    const done = await model.send();
    const failed = model.failed.peek();
    if (done > 0) app.toasts.show(bulkText.done[chosen](done), { tone: "good" });
    if (model.refusal.peek() !== undefined) return;
    list.selected.value = new Set(failed.map(({ key }) => key.hash));
    if (failed.length > 0) return;
    onClose();
  };
  return { model, start: () => void start() };
}

interface BulkDialogProps {
  readonly list: KeysModel;
  /** Chosen at first. */
  readonly kind: BulkKind;
  readonly onClose: () => void;
}

export function BulkDialog(props: BulkDialogProps) {
  const { model, start } = useModel(props);
  const { kind: { value: kind }, busy, refusal } = model;
  const count = model.changing.value.length;
  return (
    <ActionDialog
      title={bulkText.title(model.keys.value.length)}
      wide
      action={{ busy, refusal, start }}
      submit={busy.value ? bulkText.busy(model.sent.value, count) : bulkText.submit[kind](count)}
      danger={kind === "disable" || kind === "delete"}
      disabled={!model.canSend.value}
      failed={bulkText.failed}
      onClose={props.onClose}
    >
      <Failed model={model} />
      <RadioSegments
        label={bulkText.kind}
        choices={bulkKinds.map((value) => ({ value, text: bulkText.kinds[value] }))}
        value={kind}
        disabled={busy.value}
        onChange={(chosen) => model.choose(chosen)}
      />
      <Fields model={model} />
      {kind === "guardrail" && <Refusal title={bulkText.unreadable} error={model.guardrails.failure.value} />}
      {bulkText.notes[kind] !== undefined && <p class="small soft">{bulkText.notes[kind]}</p>}
      <Preview model={model} />
      {count === 0 && <p class="small soft" role="status">{bulkText.nothing}</p>}
    </ActionDialog>
  );
}
