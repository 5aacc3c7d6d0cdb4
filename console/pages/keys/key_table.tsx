/** The list of keys. */

import type { KeyRecord } from "../../../shared/keys.ts";
import type { ListedKey } from "../../../shared/management/keys.ts";
import { keySorts } from "../../../shared/management/lists/key_sorts.ts";
import { app } from "../../app.ts";
import { Meter } from "../../components/meter.tsx";
import { Empty } from "../../components/page.tsx";
import { RequestsLink } from "../../components/requests_link.tsx";
import { RelativeTime } from "../../components/relative_time.tsx";
import { ColumnChoice } from "../../components/forms/column_choice.tsx";
import { Status } from "../../components/status.tsx";
import { type Column, Paging, Table } from "../../components/table.tsx";
import { formatLimit, formatSpan, formatTime, formatUsd } from "../../format.ts";
import { resetOf, spentOf } from "../../models/keys/key_edit.ts";
import { keyState, nextReset } from "../../models/keys/key_state.ts";
import type { KeysModel } from "../../models/keys/keys.ts";
import { ShownColumns } from "../../models/shown_columns.ts";
import { periodStarts } from "../../models/workspace_spend.ts";
import { keysText, resetNames } from "../../text/keys.ts";
import { chosenWorkspace, workspaceName } from "../../workspaces.ts";

/** When the period began in which the key's spend counts. */
export function spentSince(record: KeyRecord): number {
  const { day, week, month } = periodStarts(app.minute.value);
  const starts = { daily: day, weekly: week, monthly: month, none: Date.parse(record.created_at) };
  return starts[resetOf(record)];
}

function Spent({ record }: { readonly record: KeyRecord }) {
  const spent = spentOf(record);
  return (
    <>
      <div class="meter-text">
        <RequestsLink of={{ key: record.hash, since: spentSince(record) }}>{formatUsd(spent)}</RequestsLink>
        <span class="faint">{record.limit === null ? keysText.noLimit : formatLimit(record.limit)}</span>
      </div>
      <Meter
        name={record.name}
        spent={spent}
        limit={record.limit}
        tone={record.disabled ? "off" : undefined}
      />
    </>
  );
}

function Resets({ record }: { readonly record: KeyRecord }) {
  const at = nextReset(record.limit_reset, app.minute.value);
  const name = resetNames[resetOf(record)];
  return <>{at === undefined ? name : keysText.resetsIn(name, formatSpan(at - app.minute.value))}</>;
}

function nameColumns(model: KeysModel): readonly Column<ListedKey>[] {
  const { columns } = keysText;
  return [
    {
      id: "key",
      head: columns.key,
      main: true,
      sort: "name",
      cell: ({ hash, name, label, workspace_id }) => (
        <>
          <button type="button" class="row-link" onClick={() => model.openKey(hash)}>{name}</button>
          <span class="sub">
            <span class="small-off">{label}</span>
            <span class="at-narrow">{workspaceName(workspace_id)}</span>
          </span>
        </>
      ),
    },
    {
      id: "workspace",
      head: columns.workspace,
      shown: "mid-only",
      className: "soft",
      cell: ({ workspace_id }) => workspaceName(workspace_id),
    },
  ];
}

function figureColumns(): readonly Column<ListedKey>[] {
  const { columns } = keysText;
  return [
    {
      id: "spent",
      head: columns.spent,
      className: "meter-cell",
      sort: "usage_monthly",
      cell: (record) => <Spent record={record} />,
    },
    {
      id: "left",
      head: columns.left,
      numeric: true,
      shown: "small-off",
      cell: ({ limit_remaining }) => limit_remaining === null ? "–" : formatUsd(limit_remaining),
    },
    {
      id: "resets",
      head: columns.resets,
      shown: "mid-only",
      className: "soft",
      cell: (record) => <Resets record={record} />,
    },
    {
      id: "used",
      head: columns.used,
      numeric: true,
      shown: "wide-only",
      className: "soft",
      sort: "last_used",
      cell: ({ last_used_at: at }) =>
        at === undefined ? "–" : at === null ? keysText.unused : <RelativeTime at={at} />,
    },
    {
      id: "created",
      head: columns.created,
      numeric: true,
      shown: "wide-only",
      className: "soft",
      sort: "created",
      cell: ({ created_at }) => <RelativeTime at={created_at} />,
    },
    {
      id: "state",
      head: columns.state,
      className: "state",
      cell: (record) => <Status {...keyState(record, app.minute.value)} />,
    },
  ];
}

function NoKeys({ model, onNew }: KeyTableProps) {
  const q = model.q.value;
  if (model.list.hasNext.value) {
    return (
      <Empty icon="search" title={keysText.notFoundSoFar} text={keysText.notFoundSoFarText}>
        <button type="button" class="button button-primary" onClick={() => void model.list.next()}>
          {keysText.goOn}
        </button>
      </Empty>
    );
  }
  if (!model.isWhole.value) {
    const text = q === "" ? keysText.noneOfFilter : keysText.notFoundText(q);
    return (
      <Empty icon="search" title={keysText.notFound} text={text}>
        <button type="button" class="button" onClick={() => model.showAll()}>{keysText.showAll}</button>
      </Empty>
    );
  }
  return (
    <Empty icon="key" title={keysText.none} text={keysText.noneText}>
      {onNew !== undefined && (
        <button type="button" class="button button-primary" onClick={onNew}>{keysText.newKey}</button>
      )}
    </Empty>
  );
}

function Foot({ model }: { readonly model: KeysModel }) {
  const page = model.list.data.value;
  const first = model.list.firstNumber.value;
  const to = page === undefined || page.data.length === 0 ? 0 : first + page.data.length - 1;
  const count = keysText.count(first, { to, all: page?.total });
  const note = page?.complete === false
    ? keysText.incomplete
    : page?.as_of
    ? keysText.asOf(formatTime(page.as_of))
    : undefined;
  return (
    <Paging
      text={note === undefined ? count : `${count} · ${note}`}
      onPrevious={model.list.hasPrevious.value ? () => void model.list.previous() : undefined}
      onNext={model.list.hasNext.value ? () => void model.list.next() : undefined}
    />
  );
}

/** Columns that may be hidden: name, money and state stay. */
const optional: ReadonlySet<string> = new Set(["workspace", "left", "resets", "used", "created"]);
const shownColumns = new ShownColumns("keys");

export function KeyColumns({ model }: { readonly model: KeysModel }) {
  const columns = columnsOf(model).filter(({ id }) => optional.has(id));
  return <ColumnChoice columns={columns} shown={shownColumns} />;
}

const columnsOf = (model: KeysModel) => [...nameColumns(model), ...figureColumns()];

interface KeyTableProps {
  readonly model: KeysModel;
  /** Undefined where the session may only look. */
  readonly onNew: (() => void) | undefined;
}

export function KeyTable(props: KeyTableProps) {
  const { model } = props;
  const sort = model.sort.value;
  return (
    <Table
      caption={keysText.caption(chosenWorkspace.value?.name ?? keysText.allWorkspaces)}
      columns={columnsOf(model).filter(({ id }) => shownColumns.isShown(id))}
      rows={model.keys.value}
      keyOf={({ hash }) => hash}
      current={model.open.value}
      sort={{
        by: sort,
        direction: sort === "name" || sort === "expires" ? "ascending" : "descending",
        onSort: (by) => model.sortBy(keySorts.find((one) => one === by) ?? "created"),
      }}
      selection={props.onNew === undefined ? undefined : {
        selected: model.selected.value,
        nameOf: ({ name }) => name,
        onChange: (selected) => {
          model.selected.value = selected;
        },
      }}
      empty={<NoKeys {...props} />}
      foot={<Foot model={model} />}
    />
  );
}
