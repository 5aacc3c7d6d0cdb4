/** A new management key, whose text is shown once, and the deletion of one. */

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { ManagementKey } from "../../../shared/management/management_keys.ts";
import { operation } from "../../api.ts";
import { app } from "../../app.ts";
import { ActionDialog, DeleteDialog, useAction } from "../../components/action_dialog.tsx";
import { Callout } from "../../components/callout.tsx";
import { Id } from "../../components/copy.tsx";
import { ExpiryDateFields, ExpirySelect } from "../../components/forms/expiry_fields.tsx";
import { SwitchRow, TextField } from "../../components/forms/field.tsx";
import { SecretDialog } from "../../components/secret_dialog.tsx";
import { formatMoment } from "../../format.ts";
import type { ManagementKeysModel } from "../../models/access/management_keys.ts";
import { keyNameProblem } from "../../models/field_problem.ts";
import { type ExpiryDraft, expiryOf, expiryProblem, noExpiry } from "../../models/keys/expiry.ts";
import {
  deleteManagementKeyText,
  managementKeyPanelText,
  managementKeysText,
  newManagementKeyText,
} from "../../text/access/management_keys.ts";
import { discardAndGo } from "../../unsaved.ts";

const createKey = operation<"management_keys.create">("POST", "/management-keys");
const deleteKey = operation<"management_keys.delete">("DELETE", "/management-keys/:hash");

interface Draft extends ExpiryDraft {
  readonly name: string;
  readonly readOnly: boolean;
}

function useForm() {
  const draft = useSignal<Draft>({ ...noExpiry, name: "", readOnly: false });
  const tried = useSignal(false);
  const now = useMemo(() => app.clock.now(), []);
  const problems = {
    name: keyNameProblem(draft.value.name, managementKeyPanelText.nameMissing),
    expiry: expiryProblem(draft.value, now),
  };
  const action = useAction(async () => {
    tried.value = true;
    if (problems.name !== undefined || problems.expiry !== undefined) return undefined;
    const { name, readOnly } = draft.value;
    const ends = expiryOf(draft.value, now);
    const expires_at = ends === undefined ? null : new Date(ends).toISOString();
    return await app.api.call(createKey, { body: { name: name.trim(), read_only: readOnly, expires_at } });
  });
  const type = (changes: Partial<Draft>) => {
    draft.value = { ...draft.value, ...changes };
  };
  return { draft: draft.value, problems: tried.value ? problems : undefined, action, type };
}

function Made({ record, secret, onClose }: {
  readonly record: ManagementKey;
  readonly secret: string;
  readonly onClose: () => void;
}) {
  return (
    <SecretDialog title={newManagementKeyText.ready(record.name)} secret={secret} onClose={onClose}>
      <dl class="facts">
        <dt>{managementKeysText.columns.may}</dt>
        <dd>{record.read_only ? managementKeysText.looks : managementKeysText.all}</dd>
        <dt>{managementKeyPanelText.expires}</dt>
        <dd>
          {record.expires_at === null ? managementKeyPanelText.never : formatMoment(record.expires_at)}
        </dd>
        <dt>Hash</dt>
        <dd>
          <Id id={record.hash} />
        </dd>
      </dl>
    </SecretDialog>
  );
}

export function NewManagementKey({ list }: { readonly list: ManagementKeysModel }) {
  const { draft, problems, action, type } = useForm();
  const made = action.result.value;
  if (made !== undefined) {
    const done = () => {
      void list.list.load();
      app.router.setQuery({ open: made.data.hash });
    };
    return <Made record={made.data} secret={made.key} onClose={done} />;
  }
  return (
    <ActionDialog
      title={newManagementKeyText.title}
      action={action}
      submit={newManagementKeyText.create}
      failed={newManagementKeyText.failed}
      onClose={() => list.openPanel(undefined)}
    >
      <TextField
        label={newManagementKeyText.name}
        hint={newManagementKeyText.nameHint}
        problem={problems?.name}
        value={draft.name}
        autofocus
        onInput={(name) => type({ name })}
      />
      <SwitchRow
        label={managementKeyPanelText.readOnly}
        hint={managementKeyPanelText.readOnlyHint}
        checked={draft.readOnly}
        onChange={(readOnly) => type({ readOnly })}
      />
      <ExpirySelect draft={draft} onType={type} />
      <ExpiryDateFields draft={draft} problem={problems?.expiry} onType={type} />
    </ActionDialog>
  );
}

export function DeleteManagementKey({ record, list, onClose }: {
  readonly record: ManagementKey;
  readonly list: ManagementKeysModel;
  readonly onClose: () => void;
}) {
  const { hash, name } = record;
  return (
    <DeleteDialog
      name={name}
      text={deleteManagementKeyText}
      work={() => app.api.call(deleteKey, { params: { hash } })}
      onDeleted={() => {
        onClose();
        discardAndGo();
        list.remove(hash);
      }}
      onClose={onClose}
    >
      <p class="soft">{deleteManagementKeyText.text}</p>
      {hash === app.session.current.value?.key_hash && (
        <Callout tone="warn">
          <p>{deleteManagementKeyText.own}</p>
        </Callout>
      )}
    </DeleteDialog>
  );
}
