/** The dialogs of Connect clients: a new one, a new secret, revocation and deletion. */

import { useSignal } from "@preact/signals";
import type { ConnectClient } from "../../../shared/management/clients.ts";
import { operation } from "../../api.ts";
import { app } from "../../app.ts";
import { ActionDialog, DeleteDialog, useAction } from "../../components/action_dialog.tsx";
import { Id } from "../../components/copy.tsx";
import { SelectField, TextField } from "../../components/forms/field.tsx";
import { OverlapField, USUAL_OVERLAP } from "../../components/forms/overlap_field.tsx";
import { SecretDialog } from "../../components/secret_dialog.tsx";
import type { ClientsModel, RevokedClientModel } from "../../models/access/clients.ts";
import { keyNameProblem } from "../../models/field_problem.ts";
import {
  clientPanelText,
  deleteClientText,
  newClientText,
  revokeClientText,
  rotateClientText,
} from "../../text/access/clients.ts";
import { chosenWorkspace, workspaceName, workspaces } from "../../workspaces.ts";

const createClient = operation<"clients.create">("POST", "/connect/clients");
const rotateClient = operation<"clients.rotate">("POST", "/connect/clients/:id/rotate");
const deleteClient = operation<"clients.delete">("DELETE", "/connect/clients/:id");

function SecretOf({ title, secret, client, onClose }: {
  readonly title: string;
  readonly secret: string;
  readonly client: ConnectClient;
  readonly onClose: () => void;
}) {
  return (
    <SecretDialog title={title} secret={secret} onClose={onClose}>
      <dl class="facts">
        <dt>{clientPanelText.workspace}</dt>
        <dd>
          <bdi>{workspaceName(client.workspace_id)}</bdi>
        </dd>
        <dt>Id</dt>
        <dd>
          <Id id={client.id} />
        </dd>
      </dl>
    </SecretDialog>
  );
}

export function NewClient({ list }: { readonly list: ClientsModel }) {
  const name = useSignal("");
  const workspaceId = useSignal((chosenWorkspace.peek() ?? workspaces.data.peek()?.[0])?.id ?? "");
  const tried = useSignal(false);
  const problem = keyNameProblem(name.value, newClientText.nameMissing);
  const action = useAction(async () => {
    tried.value = true;
    if (problem !== undefined) return undefined;
    const home = workspaceId.value === "" ? {} : { workspace_id: workspaceId.value };
    return await app.api.call(createClient, { body: { name: name.value.trim(), ...home } });
  });
  const made = action.result.value;
  if (made !== undefined) {
    const done = () => {
      void list.list.load();
      app.router.setQuery({ open: made.data.id });
    };
    return (
      <SecretOf
        title={newClientText.ready(made.data.name)}
        secret={made.secret}
        client={made.data}
        onClose={done}
      />
    );
  }
  return (
    <ActionDialog
      title={newClientText.title}
      action={action}
      submit={newClientText.create}
      failed={newClientText.failed}
      onClose={() => list.openPanel(undefined)}
    >
      <TextField
        label={newClientText.name}
        hint={newClientText.nameHint}
        problem={tried.value ? problem : undefined}
        value={name.value}
        autofocus
        onInput={(text) => {
          name.value = text;
        }}
      />
      <SelectField
        label={newClientText.workspace}
        hint={newClientText.workspaceHint}
        value={workspaceId.value}
        choices={(workspaces.data.value ?? []).map((one) => ({ value: one.id, text: one.name }))}
        onChange={(id) => {
          workspaceId.value = id;
        }}
      />
    </ActionDialog>
  );
}

interface ClientDialogProps {
  readonly client: ConnectClient;
  readonly list: ClientsModel;
  readonly onClose: () => void;
}

export function RotateClient({ client, list, onClose }: ClientDialogProps) {
  const overlap = useSignal(USUAL_OVERLAP);
  const action = useAction(async () => {
    const body = { overlap_seconds: Number(overlap.value) };
    const rotated = await app.api.call(rotateClient, { params: { id: client.id }, body });
    list.replace(rotated.data);
    return rotated;
  });
  const rotated = action.result.value;
  if (rotated !== undefined) {
    return (
      <SecretOf
        title={rotateClientText.ready(client.name)}
        secret={rotated.secret}
        client={client}
        onClose={onClose}
      />
    );
  }
  return (
    <ActionDialog
      title={rotateClientText.title(client.name)}
      action={action}
      submit={rotateClientText.rotate}
      failed={rotateClientText.failed}
      onClose={onClose}
    >
      <p class="soft">{rotateClientText.text}</p>
      <OverlapField
        value={overlap.value}
        onChange={(value) => {
          overlap.value = value;
        }}
      />
    </ActionDialog>
  );
}

export function RevokeClient(
  { client, list, onClose, model }: ClientDialogProps & { readonly model: RevokedClientModel },
) {
  const action = useAction(async () => {
    list.replace(await model.read());
    app.toasts.show(revokeClientText.revoked(client.name), { tone: "good" });
    onClose();
  });
  return (
    <ActionDialog
      title={revokeClientText.title(client.name)}
      action={action}
      submit={revokeClientText.revoke(client.name)}
      danger
      failed={revokeClientText.failed}
      onClose={onClose}
    >
      <p class="soft">{revokeClientText.text}</p>
    </ActionDialog>
  );
}

export function DeleteClient({ client: { id, name }, list, onClose }: ClientDialogProps) {
  return (
    <DeleteDialog
      name={name}
      text={deleteClientText}
      work={() => app.api.call(deleteClient, { params: { id } })}
      onDeleted={() => {
        onClose();
        list.remove(id);
      }}
      onClose={onClose}
    >
      <p class="soft">{deleteClientText.text}</p>
    </DeleteDialog>
  );
}
