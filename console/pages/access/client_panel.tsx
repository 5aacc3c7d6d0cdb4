/** One Connect client beside the list. */

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { ConnectClient } from "../../../shared/management/clients.ts";
import { app } from "../../app.ts";
import { useAction } from "../../components/action_dialog.tsx";
import { Refusal } from "../../components/callout.tsx";
import { CodeBlock, Id } from "../../components/copy.tsx";
import { Panel } from "../../components/panel.tsx";
import { Status } from "../../components/status.tsx";
import { formatMoment, formatUsd } from "../../format.ts";
import { type ClientsModel, RevokedClientModel } from "../../models/access/clients.ts";
import { clientPanelText, clientsText } from "../../text/access/clients.ts";
import { workspaceName } from "../../workspaces.ts";
import { DeleteClient, RevokeClient, RotateClient } from "./client_dialogs.tsx";

interface ClientPanelProps {
  readonly client: ConnectClient;
  readonly list: ClientsModel;
}

export const clientState = ({ revoked_at: at }: Pick<ConnectClient, "revoked_at">) =>
  at === null
    ? { tone: "good", text: clientsText.on } as const
    : { tone: "off", text: clientsText.revoked } as const;

function Facts({ client }: Pick<ClientPanelProps, "client">) {
  const moment = (at: string | null) => at === null ? clientPanelText.never : formatMoment(at);
  return (
    <section aria-label={clientPanelText.facts}>
      <h3>{clientPanelText.facts}</h3>
      <dl class="facts">
        <dt>{clientPanelText.workspace}</dt>
        <dd>
          <bdi>{workspaceName(client.workspace_id)}</bdi>
        </dd>
        <dt>{clientPanelText.label}</dt>
        <dd class={client.label === null ? undefined : "mono"}>{client.label ?? clientPanelText.noSecret}</dd>
        <dt>{clientPanelText.created}</dt>
        <dd>{formatMoment(client.created_at)}</dd>
        <dt>{clientPanelText.changed}</dt>
        <dd>{moment(client.updated_at)}</dd>
        <dt>{clientPanelText.revokedAt}</dt>
        <dd>{moment(client.revoked_at)}</dd>
      </dl>
    </section>
  );
}

/** The call by which an application makes a key. */
const curlOf = (origin: string) =>
  [
    `curl ${origin}/v1/keys \\`,
    '  -H "Authorization: Bearer $CLIENT_SECRET" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '{"name": "Ada", "external_user": "ada", "limit": 5}'`,
  ].join("\n");

function Keys({ model }: { readonly model: RevokedClientModel }) {
  const action = useAction(() => model.read());
  const left = model.left.value;
  const all = left?.total ?? 0;
  return (
    <section aria-label={clientPanelText.keys}>
      <h3>{clientPanelText.keys}</h3>
      <Refusal title={clientsText.unreadable} error={action.refusal.value} />
      {left !== undefined && (
        <p class="small soft">
          {all === 0 ? clientPanelText.noKeys : clientPanelText.keysOf(left.keys.length, all)}
        </p>
      )}
      <ul class="holders even" aria-label={clientPanelText.keys}>
        {(left?.keys ?? []).map(({ hash, name, external_user: user, usage_monthly: spent }) => (
          <li key={hash}>
            <a class="cut" href={app.router.link("/keys", { key: hash, workspace: undefined })}>
              <bdi>{name}</bdi>
            </a>
            <span class="sub">
              <bdi>{user ?? ""}</bdi>
            </span>
            <span class="sub">{formatUsd(spent)}</span>
          </li>
        ))}
      </ul>
      {(left === undefined || left.keys.length < all) && (
        <div>
          <button type="button" class="button" disabled={action.busy.value} onClick={action.start}>
            {left === undefined ? clientPanelText.showKeys : clientPanelText.moreKeys}
          </button>
        </div>
      )}
    </section>
  );
}

type DialogName = "rotate" | "revoke" | "delete";

function Actions({ client, list, model }: ClientPanelProps & { readonly model: RevokedClientModel }) {
  const dialog = useSignal<DialogName | undefined>(undefined);
  const open = (which: DialogName | undefined) => () => {
    dialog.value = which;
  };
  const props = { client, list, onClose: open(undefined) };
  return (
    <section aria-label={clientPanelText.more}>
      <div class="row row-wrap">
        {client.revoked_at === null && (
          <>
            <button type="button" class="button" onClick={open("rotate")}>{clientPanelText.rotate}</button>
            <button type="button" class="button button-warn-text" onClick={open("revoke")}>
              {clientPanelText.revoke}
            </button>
          </>
        )}
        <button type="button" class="button button-warn-text" onClick={open("delete")}>
          {clientPanelText.delete}
        </button>
      </div>
      <p class="small soft">{clientPanelText.deleteHint}</p>
      {dialog.value === "rotate" && <RotateClient {...props} />}
      {dialog.value === "revoke" && <RevokeClient {...props} model={model} />}
      {dialog.value === "delete" && <DeleteClient {...props} />}
    </section>
  );
}

export function ClientPanel({ client, list }: ClientPanelProps) {
  const model = useMemo(() => new RevokedClientModel(client.id, app.api), [client.id]);
  const canChange = app.session.canChange.value;
  return (
    <Panel
      title={client.name}
      names={clientPanelText}
      about={
        <>
          <Status {...clientState(client)} />
          <Id id={client.id} />
        </>
      }
      onPrevious={list.neighbor(-1)}
      onNext={list.neighbor(1)}
      onClose={() => list.closePanel()}
    >
      <Facts client={client} />
      {client.revoked_at === null
        ? (
          <section aria-label={clientPanelText.use}>
            <h3>{clientPanelText.use}</h3>
            <p class="small soft">{clientPanelText.useText}</p>
            <CodeBlock title={clientPanelText.terminal} code={curlOf(location.origin)} />
          </section>
        )
        : canChange && <Keys model={model} />}
      {canChange && <Actions client={client} list={list} model={model} />}
    </Panel>
  );
}
