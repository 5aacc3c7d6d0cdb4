/** Workspaces: settings, budgets and members in a panel; a deletion says what stands in its way. */

import { useEffect, useMemo } from "preact/hooks";
import type { WorkspaceRecord } from "../../shared/workspaces.ts";
import { app, whenConnected } from "../app.ts";
import { Icon } from "../components/icon.tsx";
import { Empty, FailureBox, Page } from "../components/page.tsx";
import { RelativeTime } from "../components/relative_time.tsx";
import { type Column, Table } from "../components/table.tsx";
import { formatCount, formatUsd } from "../format.ts";
import { spendOf, workspaceSpend } from "../models/workspace_spend.ts";
import { commonText } from "../text/common.ts";
import { workspacesText } from "../text/workspaces.ts";
import { workspaces } from "../workspaces.ts";
import { DeleteWorkspace } from "./workspaces/delete_workspace.tsx";
import { NewWorkspace } from "./workspaces/new_workspace.tsx";
import { WorkspacePanel } from "./workspaces/workspace_panel.tsx";

type Spend = ReturnType<typeof workspaceSpend>;

const openPanel = (slug: string | undefined) => app.router.setQuery({ open: slug }, { push: true });
const openDelete = (slug: string | undefined) => app.router.setQuery({ delete: slug }, { push: true });

function columnsOf(spend: Spend): readonly Column<WorkspaceRecord>[] {
  const { columns } = workspacesText;
  const sums = spend.data.value;
  return [
    {
      id: "name",
      head: columns.name,
      main: true,
      cell: ({ name, slug }) => (
        <>
          <button type="button" class="row-link" onClick={() => openPanel(slug)}>{name}</button>
          <span class="sub">{slug}</span>
        </>
      ),
    },
    {
      id: "spent",
      head: columns.spent,
      numeric: true,
      cell: ({ id }) => formatUsd(spendOf(sums, id).monthly),
    },
    {
      id: "requests",
      head: columns.requests,
      numeric: true,
      shown: "small-off",
      cell: ({ id }) => formatCount(spendOf(sums, id).requests),
    },
    {
      id: "created",
      head: columns.created,
      numeric: true,
      shown: "mid-only",
      className: "soft",
      cell: ({ created_at }) => <RelativeTime at={created_at} />,
    },
  ];
}

function deleteColumn(): Column<WorkspaceRecord> {
  return {
    id: "delete",
    head: commonText.actions,
    headUnseen: true,
    numeric: true,
    cell: ({ name, slug }) => (
      <button
        type="button"
        class="button button-icon button-plain"
        aria-label={workspacesText.delete(name)}
        title={workspacesText.delete(name)}
        onClick={() => openDelete(slug)}
      >
        <Icon name="trash" />
      </button>
    ),
  };
}

function WorkspaceTable({ spend, canChange }: { readonly spend: Spend; readonly canChange: boolean }) {
  const rows = workspaces.data.value;
  return (
    <Table
      caption={workspacesText.caption}
      columns={canChange ? [...columnsOf(spend), deleteColumn()] : columnsOf(spend)}
      rows={rows}
      keyOf={({ slug }) => slug}
      current={app.router.query.value.get("open")}
      empty={<Empty icon="workspace" title={workspacesText.none} text={workspacesText.noneText} />}
      foot={<span>{workspacesText.count(rows?.length ?? 0)}</span>}
    />
  );
}

export function page() {
  const spend = useMemo(() => workspaceSpend(app), []);
  useEffect(() => whenConnected(() => void spend.load()), [spend]);
  const canChange = app.session.canChange.value;
  const query = app.router.query.value;
  const find = (slug: string | undefined) =>
    (workspaces.data.value ?? []).find((one) => one.slug === slug || one.id === slug);
  const [open, deleted] = [find(query.get("open")), find(query.get("delete"))];
  const failure = workspaces.failure.value;
  return (
    <>
      <Page
        title={workspacesText.title}
        actions={canChange && (
          <button
            type="button"
            class="button button-primary"
            onClick={() => openPanel("new")}
          >
            <Icon name="plus" />
            {workspacesText.newWorkspace}
          </button>
        )}
      >
        {failure === undefined ? <WorkspaceTable spend={spend} canChange={canChange} /> : (
          <FailureBox
            title={workspacesText.unreadable}
            failure={failure}
            onRetry={() => void workspaces.load()}
          />
        )}
      </Page>
      {open !== undefined && (
        <WorkspacePanel
          key={open.id}
          workspace={open}
          spend={spendOf(spend.data.value, open.id)}
          onOpen={openPanel}
          onDelete={() => openDelete(open.slug)}
        />
      )}
      {query.get("open") === "new" && open === undefined && canChange && <NewWorkspace onClose={openPanel} />}
      {deleted !== undefined && canChange && (
        <DeleteWorkspace
          workspace={deleted}
          onClose={() => app.router.setQuery({ delete: undefined })}
        />
      )}
    </>
  );
}
