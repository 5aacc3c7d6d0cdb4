/** Connect clients: applications that make keys for their own users. */

import { useEffect, useMemo } from "preact/hooks";
import type { ConnectClient } from "../../shared/management/clients.ts";
import { app, whenConnected } from "../app.ts";
import { Icon } from "../components/icon.tsx";
import { Empty, FailureBox, Page } from "../components/page.tsx";
import { RelativeTime } from "../components/relative_time.tsx";
import { SearchField } from "../components/forms/search_field.tsx";
import { Status } from "../components/status.tsx";
import { type Column, Table } from "../components/table.tsx";
import { ClientsModel } from "../models/access/clients.ts";
import { clientsText } from "../text/access/clients.ts";
import { chosenWorkspace, workspaceName } from "../workspaces.ts";
import { NewClient } from "./access/client_dialogs.tsx";
import { ClientPanel, clientState } from "./access/client_panel.tsx";

function useModel(): ClientsModel {
  const { api, router } = app;
  const model = useMemo(() => {
    const isShown = ({ workspace_id: own }: ConnectClient) =>
      chosenWorkspace.value === undefined || chosenWorkspace.value.id === own;
    return new ClientsModel({ api, router, isShown });
  }, []);
  useEffect(() => whenConnected(() => void model.list.load()), [model]);
  useEffect(() => () => model.list.stop(), [model]);
  return model;
}

function columnsOf(model: ClientsModel): readonly Column<ConnectClient>[] {
  const { columns } = clientsText;
  return [
    {
      id: "name",
      head: columns.name,
      main: true,
      cell: ({ id, name, label, workspace_id }) => (
        <>
          <button type="button" class="row-link" onClick={() => model.openPanel(id)}>
            <bdi>{name}</bdi>
          </button>
          <span class="sub">
            <span class="no-column">{`${workspaceName(workspace_id)} · `}</span>
            {label ?? clientsText.revoked}
          </span>
        </>
      ),
    },
    {
      id: "workspace",
      head: columns.workspace,
      shown: "mid-only",
      className: "soft",
      cell: ({ workspace_id }) => <bdi>{workspaceName(workspace_id)}</bdi>,
    },
    {
      id: "created",
      head: columns.created,
      numeric: true,
      shown: "small-off",
      className: "soft",
      cell: ({ created_at }) => <RelativeTime at={created_at} />,
    },
    {
      id: "state",
      head: columns.state,
      className: "state",
      cell: (client) => <Status {...clientState(client)} />,
    },
  ];
}

function NoClients({ model }: { readonly model: ClientsModel }) {
  const q = model.q.value;
  if (model.list.data.value?.length === 0) {
    return <Empty icon="link" title={clientsText.none} text={clientsText.noneText} />;
  }
  return (
    <Empty icon="search" title={clientsText.notFound} text={clientsText.notFoundText(q)}>
      <button
        type="button"
        class="button"
        onClick={() => app.router.setQuery({ q: undefined, workspace: undefined })}
      >
        {clientsText.showAll}
      </button>
    </Empty>
  );
}

export function page() {
  const model = useModel();
  const canChange = app.session.canChange.value;
  const [rows, all, failure] = [model.rows.value, model.list.data.value, model.list.failure.value];
  const opened = model.opened.value;
  return (
    <>
      <Page
        title={clientsText.title}
        actions={canChange && (
          <button
            type="button"
            class="button button-primary"
            onClick={() => model.openPanel("new")}
          >
            <Icon name="plus" />
            {clientsText.newClient}
          </button>
        )}
      >
        <div class="filters">
          <SearchField
            label={clientsText.search}
            placeholder={clientsText.searchHint}
            value={model.q.value}
            onInput={(q) => model.search(q)}
          />
        </div>
        {failure === undefined
          ? (
            <Table
              caption={clientsText.caption}
              columns={columnsOf(model)}
              rows={rows}
              keyOf={({ id }) => id}
              current={model.open.value}
              empty={<NoClients model={model} />}
              foot={<span>{clientsText.count(rows?.length ?? 0, all?.length ?? 0)}</span>}
            />
          )
          : (
            <FailureBox
              title={clientsText.unreadable}
              failure={failure}
              onRetry={() => void model.list.load()}
            />
          )}
      </Page>
      {opened !== undefined && <ClientPanel key={opened.id} client={opened} list={model} />}
      {model.open.value === "new" && canChange && <NewClient list={model} />}
    </>
  );
}
