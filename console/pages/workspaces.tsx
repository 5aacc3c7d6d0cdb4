/** Workspaces: settings, budgets and members in a panel; a deletion says what stands in its way. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { WorkspaceStanding } from "../../shared/management/attention.ts";
import type { WorkspaceRecord } from "../../shared/workspaces.ts";
import { app, whenConnected } from "../app.ts";
import { Icon } from "../components/icon.tsx";
import { Empty, FailureBox, Page } from "../components/page.tsx";
import { SearchField } from "../components/forms/search_field.tsx";
import { RelativeTime } from "../components/relative_time.tsx";
import { RequestsLink } from "../components/requests_link.tsx";
import { ofMonth } from "./workspaces/workspace_requests.ts";
import { type Column, Table } from "../components/table.tsx";
import { Meter } from "../components/meter.tsx";
import { formatCount, formatLimit, formatUsd } from "../format.ts";
import { matchesWords } from "../models/palette.ts";
import { spendOf, workspaceSpend } from "../models/workspace_spend.ts";
import { tightestBudget, workspaceStandings } from "../models/workspace_standings.ts";
import { commonText } from "../text/common.ts";
import { workspacesText } from "../text/workspaces.ts";
import { workspaces } from "../workspaces.ts";
import { DeleteWorkspace } from "./workspaces/delete_workspace.tsx";
import { NewWorkspace } from "./workspaces/new_workspace.tsx";
import { WorkspacePanel } from "./workspaces/workspace_panel.tsx";

type Spend = ReturnType<typeof workspaceSpend>;
type Standings = ReturnType<typeof workspaceStandings>;

interface Figures {
  readonly spend: Spend;
  readonly standings: Standings;
}

const openPanel = (slug: string | undefined) => app.router.setQuery({ open: slug }, { push: true });
const openDelete = (slug: string | undefined) => app.router.setQuery({ delete: slug }, { push: true });

/** Orders by which the list may be sorted; by age is the server's. */
const sorts = ["name", "spent", "requests", "created"] as const;
type Sort = (typeof sorts)[number];

const sortOf = (): Sort => sorts.find((sort) => sort === app.router.query.value.get("sort")) ?? "created";

function sorted(rows: readonly WorkspaceRecord[], spend: Spend): readonly WorkspaceRecord[] {
  const sums = spend.data.value;
  switch (sortOf()) {
    case "name":
      return rows.toSorted((a, b) => a.name.localeCompare(b.name));
    case "spent":
      return rows.toSorted((a, b) => spendOf(sums, b.id).monthly - spendOf(sums, a.id).monthly);
    case "requests":
      return rows.toSorted((a, b) => spendOf(sums, b.id).requests - spendOf(sums, a.id).requests);
    case "created":
      return rows.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
  }
}

function Budget({ name, standing }: {
  readonly name: string;
  readonly standing: WorkspaceStanding | undefined;
}) {
  const budget = tightestBudget(standing?.budgets ?? []);
  if (budget === undefined) {
    return <span class="faint">{standing === undefined ? "–" : workspacesText.noBudget}</span>;
  }
  const { interval, limit, spent } = budget;
  return (
    <>
      <div class="meter-text">
        <span>{formatUsd(spent)}</span>
        <span class="faint">{workspacesText.ofBudget(formatLimit(limit), interval)}</span>
      </div>
      <Meter name={name} spent={spent} limit={limit} />
    </>
  );
}

function standingColumns(standings: Standings): readonly Column<WorkspaceRecord>[] {
  const { columns } = workspacesText;
  const known = standings.data.value;
  return [
    {
      id: "budget",
      head: columns.budget,
      className: "meter-cell",
      shown: "mid-only",
      cell: ({ id, name }) => <Budget name={name} standing={known?.get(id)} />,
    },
    {
      id: "keys",
      head: columns.keys,
      numeric: true,
      shown: "mid-only",
      cell: ({ id, slug }) => {
        const count = known?.get(id)?.active_keys;
        if (count === undefined) return "–";
        const href = app.router.link("/keys", { workspace: slug, state: "active" });
        return <a class="figure" href={href} title={workspacesText.showKeys}>{formatCount(count)}</a>;
      },
    },
  ];
}

function columnsOf({ spend, standings }: Figures): readonly Column<WorkspaceRecord>[] {
  const { columns } = workspacesText;
  const sums = spend.data.value;
  return [
    {
      id: "name",
      head: columns.name,
      main: true,
      sort: "name",
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
      sort: "spent",
      cell: ({ id, slug }) => (
        <RequestsLink of={ofMonth(slug)}>{formatUsd(spendOf(sums, id).monthly)}</RequestsLink>
      ),
    },
    ...standingColumns(standings),
    {
      id: "requests",
      head: columns.requests,
      numeric: true,
      sort: "requests",
      shown: "small-off",
      cell: ({ id, slug }) => (
        <RequestsLink of={ofMonth(slug)}>{formatCount(spendOf(sums, id).requests)}</RequestsLink>
      ),
    },
    {
      id: "created",
      head: columns.created,
      numeric: true,
      sort: "created",
      shown: "wide-only",
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

function WorkspaceTable({ canChange, ...figures }: Figures & { readonly canChange: boolean }) {
  const [all, q, sort] = [workspaces.data.value, app.router.query.value.get("q") ?? "", sortOf()];
  const found = all?.filter(({ name, slug }) => matchesWords(`${name} ${slug}`, q));
  const rows = found && sorted(found, figures.spend);
  return (
    <Table
      caption={workspacesText.caption}
      columns={canChange ? [...columnsOf(figures), deleteColumn()] : columnsOf(figures)}
      rows={rows}
      keyOf={({ slug }) => slug}
      current={app.router.query.value.get("open")}
      sort={{
        by: sort,
        direction: sort === "name" ? "ascending" : "descending",
        onSort: (by) => app.router.setQuery({ sort: by === "created" ? undefined : by }),
      }}
      empty={q === ""
        ? <Empty icon="workspace" title={workspacesText.none} text={workspacesText.noneText} />
        : <Empty icon="search" title={workspacesText.notFound} text={workspacesText.notFoundText(q)} />}
      foot={<span>{workspacesText.count(rows?.length ?? 0, all?.length ?? 0)}</span>}
    />
  );
}

function useFigures(): Figures {
  const spend = useMemo(() => workspaceSpend(app), []);
  const standings = useMemo(() => workspaceStandings(app), []);
  useEffect(() => whenConnected(() => void Promise.all([spend.load(), standings.load()])), [spend]);
  return { spend, standings };
}

/** Addresses name a workspace by its slug, or by its id. */
const findBySlug = (rows: readonly WorkspaceRecord[], slug: string | undefined) =>
  rows.find((one) => one.slug === slug || one.id === slug);

export function page() {
  const figures = useFigures();
  const canChange = app.session.canChange.value;
  const query = app.router.query.value;
  const kept = useSignal<WorkspaceRecord | undefined>(undefined);
  const [all, own] = [workspaces.data.value ?? [], kept.value === undefined ? [] : [kept.value]];
  const open = findBySlug([...all, ...own], query.get("open"));
  const deleted = findBySlug(all, query.get("delete"));
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
        <div class="filters">
          <SearchField
            label={workspacesText.search}
            placeholder={workspacesText.searchHint}
            value={query.get("q") ?? ""}
            onInput={(q) => app.router.setQuery({ q })}
          />
        </div>
        {failure === undefined ? <WorkspaceTable {...figures} canChange={canChange} /> : (
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
          kept={kept}
          spend={spendOf(figures.spend.data.value, open.id)}
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
