/** The list of requests. */

import type { ReceiptRecord } from "../../../shared/management/receipts.ts";
import { ColumnChoice } from "../../components/forms/column_choice.tsx";
import { Empty } from "../../components/page.tsx";
import { Status } from "../../components/status.tsx";
import { type Column, Paging, Table } from "../../components/table.tsx";
import {
  formatCount,
  formatDay,
  formatExactTime,
  formatMoment,
  formatMs,
  formatShortDay,
  formatUsd,
  shortModel,
} from "../../format.ts";
import { app } from "../../app.ts";
import type { KeyNames } from "../../models/keys/key_names.ts";
import { requestState, shownMoment, triesBefore } from "../../models/requests/receipt_state.ts";
import type { RequestTail } from "../../models/requests/request_tail.ts";
import type { RequestsModel } from "../../models/requests/requests.ts";
import { ShownColumns } from "../../models/shown_columns.ts";
import { status } from "../../status.ts";
import { requestsText } from "../../text/requests.ts";
import { chosenWorkspace } from "../../workspaces.ts";

const { columns: heads } = requestsText;

/** `asked → served` where they differ. */
function Models({ requested_model: asked, model }: Pick<ReceiptRecord, "requested_model" | "model">) {
  const names = [asked, model].filter((name) => name !== null);
  const [first = requestsText.noModel, second = first] = names;
  if (second === first) {
    return (
      <span title={first}>
        <bdi>{shortModel(first)}</bdi>
      </span>
    );
  }
  return (
    <span title={requestsText.served(first, second)}>
      <bdi>{shortModel(first)}</bdi> <span class="faint">→</span> <bdi>{shortModel(second)}</bdi>
    </span>
  );
}

/** The name of a key, or that it is deleted. */
export function KeyName({ hash, names }: { readonly hash: string; readonly names: KeyNames }) {
  const name = names.of(hash);
  if (name === undefined) return <span class="unknown">…</span>;
  return name === null
    ? <span class="unknown">{requestsText.deletedKey(hash.slice(0, 6))}</span>
    : <bdi title={name}>{name}</bdi>;
}

function Time({ record, onOpen }: { readonly record: ReceiptRecord; readonly onOpen: () => void }) {
  const at = shownMoment(record);
  const isToday = formatDay(at) === formatDay(app.minute.value);
  return (
    <>
      <button type="button" class="row-link mono" title={formatMoment(at)} onClick={onOpen}>
        {formatExactTime(at)}
        <span class="faint mid-only">{at.slice(19, 23)}</span>
      </button>
      {!isToday && <span class="sub">{formatShortDay(at)}</span>}
    </>
  );
}

function Served({ record }: { readonly record: ReceiptRecord }) {
  const tries = triesBefore(record);
  const { provider, response_cache_source_id: source } = record;
  return (
    <>
      <Models {...record} />
      <span class="sub">
        <span class="no-column">
          {provider === null ? requestsText.notAsked : <bdi>{provider}</bdi>}
          {(tries > 0 || source !== undefined) && ", "}
        </span>
        {tries > 0 && <span>{requestsText.tries(tries)}</span>}
        {source !== undefined && <span>{requestsText.fromCache}</span>}
      </span>
    </>
  );
}

const countOrNone = (count: number | undefined) => count === undefined ? "–" : formatCount(count);

function nameColumns(model: RequestsModel, names: KeyNames): readonly Column<ReceiptRecord>[] {
  return [
    {
      id: "time",
      head: heads.time,
      unit: requestsText.utc,
      className: "time",
      cell: (record) => <Time record={record} onOpen={() => model.openReceipt(record.id)} />,
    },
    {
      id: "state",
      head: heads.state,
      className: "state",
      cell: (record) => <Status {...requestState(record)} />,
    },
    { id: "model", head: heads.model, main: true, cell: (record) => <Served record={record} /> },
    {
      id: "provider",
      head: heads.provider,
      shown: "mid-only",
      className: "soft",
      cell: ({ provider }) => provider === null ? "–" : <bdi>{provider}</bdi>,
    },
    {
      id: "key",
      head: heads.key,
      shown: "mid-only",
      className: "soft",
      cell: ({ key_hash }) => <KeyName hash={key_hash} names={names} />,
    },
  ];
}

function figureColumns(): readonly Column<ReceiptRecord>[] {
  const figure = { numeric: true, shown: "wide-only" } as const;
  return [
    {
      ...figure,
      id: "input",
      head: heads.input,
      className: "soft",
      cell: ({ usage }) => countOrNone(usage.input_tokens),
    },
    {
      ...figure,
      id: "cached",
      head: heads.cached,
      className: "soft",
      cell: ({ usage }) => countOrNone(usage.cached_tokens),
    },
    {
      ...figure,
      id: "output",
      head: heads.output,
      className: "soft",
      cell: ({ usage }) => countOrNone(usage.output_tokens),
    },
    {
      ...figure,
      id: "first",
      head: heads.first,
      shown: "mid-only",
      cell: ({ latency_ms }) => latency_ms === null ? "–" : formatMs(latency_ms),
    },
    { ...figure, id: "total", head: heads.total, cell: ({ total_ms }) => formatMs(total_ms) },
    { id: "cost", head: heads.cost, numeric: true, cell: ({ cost }) => formatUsd(cost, 4) },
  ];
}

const columnsOf = (model: RequestsModel, names: KeyNames) => [
  ...nameColumns(model, names),
  ...figureColumns(),
];

function NoRequests({ model }: { readonly model: RequestsModel }) {
  const page = model.list.data.value;
  const { id, q } = model.filters.value;
  if (page?.next !== undefined) {
    const until = formatMoment(page.scannedUntil ?? app.minute.value);
    return (
      <Empty
        icon="search"
        title={requestsText.notFoundSoFar}
        text={requestsText.notFoundSoFarText(until)}
      >
        <button type="button" class="button button-primary" onClick={() => void model.list.next()}>
          {requestsText.goOn}
        </button>
      </Empty>
    );
  }
  if (status.data.value?.overrun.receipts === 0) {
    return <Empty icon="requests" title={requestsText.none} text={requestsText.noneText} />;
  }
  const text = id === undefined ? requestsText.notFoundText : requestsText.notFoundId;
  return (
    <Empty icon="search" title={requestsText.notFound} text={text}>
      {q !== undefined && !/\s/.test(q) && (
        <button
          type="button"
          class="button"
          onClick={() => model.setFilters({ id: q, q: undefined })}
        >
          {requestsText.asId}
        </button>
      )}
      <button type="button" class="button" onClick={() => model.removeFilters()}>
        {requestsText.removeAll}
      </button>
    </Empty>
  );
}

interface FootProps {
  readonly model: RequestsModel;
  readonly tail: RequestTail;
  /** Number of all requests of the filters; undefined where that is not known. */
  readonly all: number | undefined;
}

/** Whether the list goes on by itself, and what waits meanwhile. */
function LiveFoot({ tail }: Pick<FootProps, "tail">) {
  const waiting = tail.waiting.value;
  const isPaused = tail.isPaused.value && waiting > 0;
  return (
    <>
      <span role="status" class="row">
        <span class="live" />
        {isPaused ? requestsText.isPaused(waiting) : requestsText.isLive}
      </span>
      {tail.leftOut.value > 0 && <span class="push faint">{requestsText.leftOut(tail.leftOut.value)}</span>}
    </>
  );
}

function Foot({ model, tail, all }: FootProps) {
  if (model.isLive.value) return <LiveFoot tail={tail} />;
  const page = model.list.data.value;
  const rows = page?.rows.length ?? 0;
  const first = model.list.firstNumber.value;
  const counted = requestsText.count(first, rows === 0 ? 0 : first + rows - 1);
  const looked = !model.list.loading.value && page?.next !== undefined && model.isLookedThrough.value &&
    page.scannedUntil !== null;
  const parts = [
    model.isLookedThrough.value
      // Until they are looked through, the rows are those of the filters before.
      ? model.list.loading.value ? requestsText.looking : requestsText.found(rows)
      : all === undefined
      ? counted
      : requestsText.of(counted, all),
    looked ? requestsText.lookedUntil(formatMoment(page.scannedUntil ?? "")) : undefined,
    (page?.missing ?? 0) > 0 ? requestsText.missing(page?.missing ?? 0) : undefined,
  ];
  return (
    <Paging
      text={parts.filter((part) => part !== undefined).join(" · ")}
      next={looked ? requestsText.goOn : undefined}
      onPrevious={model.list.hasPrevious.value ? () => void model.list.previous() : undefined}
      onNext={model.list.hasNext.value ? () => void model.list.next() : undefined}
    />
  );
}

/** Columns that stay: when, what, how it ended, and what it cost. */
const fixed: ReadonlySet<string> = new Set(["time", "state", "model", "cost"]);
const shownColumns = new ShownColumns("requests");

interface RequestTableProps extends FootProps {
  readonly names: KeyNames;
}

export function RequestColumns({ model, names }: Pick<RequestTableProps, "model" | "names">) {
  const columns = columnsOf(model, names).filter(({ id }) => !fixed.has(id));
  return <ColumnChoice columns={columns} shown={shownColumns} />;
}

export function RequestTable({ model, names, tail, all }: RequestTableProps) {
  const busy = (by: "pointer" | "focus", isBusy: boolean) => () => tail.pause(by, isBusy);
  return (
    <div
      onPointerEnter={busy("pointer", true)}
      onPointerLeave={busy("pointer", false)}
      onFocusIn={busy("focus", true)}
      onFocusOut={busy("focus", false)}
    >
      <Table
        caption={requestsText.caption(chosenWorkspace.value?.name ?? requestsText.allWorkspaces)}
        columns={columnsOf(model, names).filter(({ id }) => fixed.has(id) || shownColumns.isShown(id))}
        rows={model.rows.value}
        keyOf={({ id }) => id}
        current={model.open.value}
        empty={<NoRequests model={model} />}
        foot={<Foot model={model} tail={tail} all={all} />}
      />
    </div>
  );
}
