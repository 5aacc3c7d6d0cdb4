/** Connect clients: applications that make keys for their own users. */

import type { ConnectClient } from "../../shared/management/clients.ts";
import { app } from "../app.ts";
import { Page } from "../components/page.tsx";
import { RelativeTime } from "../components/relative_time.tsx";
import { Status } from "../components/status.tsx";
import type { Column } from "../components/table.tsx";
import { ClientsModel } from "../models/access/clients.ts";
import { clientsText } from "../text/access/clients.ts";
import { chosenWorkspace, workspaceName } from "../workspaces.ts";
import { NewClient } from "./access/client_dialogs.tsx";
import { ClientPanel, clientState } from "./access/client_panel.tsx";
import { NewRow, ShortListView, useShortList } from "./access/short_list_view.tsx";

function useModel(): ClientsModel {
  const { api, router } = app;
  const isShown = ({ workspace_id: own }: ConnectClient) =>
    chosenWorkspace.value === undefined || chosenWorkspace.value.id === own;
  return useShortList(() => new ClientsModel({ api, router, isShown }));
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

export function page() {
  const model = useModel();
  const opened = model.opened.value;
  const { title, newClient, none, noneText, notFoundText } = clientsText;
  return (
    <>
      <Page title={title} actions={<NewRow model={model} text={newClient} />}>
        <ShortListView
          model={model}
          columns={columnsOf(model)}
          text={clientsText}
          none={{ icon: "link", title: none, text: noneText }}
          notFoundText={notFoundText(model.q.value)}
          onShowAll={() => app.router.setQuery({ q: undefined, workspace: undefined })}
        />
      </Page>
      {opened !== undefined && <ClientPanel key={opened.id} client={opened} list={model} />}
      {model.open.value === "new" && app.session.canChange.value && <NewClient list={model} />}
    </>
  );
}
