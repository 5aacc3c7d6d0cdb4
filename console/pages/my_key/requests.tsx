/** The holder's own requests, newest first, page by page. */

import { useEffect, useMemo } from "preact/hooks";
import type { OwnReceipt } from "../../../shared/management/receipts.ts";
import { app, whenConnected } from "../../app.ts";
import { ChipSelect } from "../../components/chip.tsx";
import { Empty, FailureBox, Section } from "../../components/page.tsx";
import { Status } from "../../components/status.tsx";
import { type Column, Paging, Table } from "../../components/table.tsx";
import {
  formatCount,
  formatExactTime,
  formatMoment,
  formatMs,
  formatShortDay,
  formatTime,
  formatUsd,
} from "../../format.ts";
import { OwnRequestsModel, ownStatuses } from "../../models/keys/own_requests.ts";
import { requestState } from "../../models/requests/receipt_state.ts";
import { myRequestsText } from "../../text/my_key.ts";
import { requestsText, statusNames } from "../../text/requests.ts";

const { columns } = myRequestsText;

const tokensOf = ({ usage }: OwnReceipt, name: string) => {
  const count = new Map(Object.entries(usage)).get(name);
  return count === undefined ? "–" : formatCount(count);
};

/** The time of day; of another day than today the day, and no seconds. */
function timeText(at: string): string {
  const today = new Date(app.minute.value).toISOString().slice(0, 10);
  return at.startsWith(today) ? formatExactTime(at) : `${formatShortDay(at)}, ${formatTime(at)}`;
}

const requestColumns: readonly Column<OwnReceipt>[] = [
  {
    id: "time",
    head: columns.time,
    className: "soft when",
    cell: ({ created_at }) => (
      <time dateTime={created_at} title={formatMoment(created_at)}>
        {timeText(created_at)}
      </time>
    ),
  },
  {
    id: "model",
    head: columns.model,
    main: true,
    cell: ({ model, requested_model: asked, error, id, response_cache_source_id: source }) => (
      <>
        <bdi title={id}>{model ?? asked ?? "–"}</bdi>
        {source !== undefined && <span class="sub">{requestsText.fromCache}</span>}
        {error !== null && (
          <span class="sub" title={error.message}>
            <bdi>{error.message}</bdi>
          </span>
        )}
      </>
    ),
  },
  {
    id: "input",
    head: columns.input,
    numeric: true,
    shown: "mid-only",
    cell: (row) => tokensOf(row, "input_tokens"),
  },
  {
    id: "output",
    head: columns.output,
    numeric: true,
    shown: "mid-only",
    cell: (row) => tokensOf(row, "output_tokens"),
  },
  { id: "cost", head: columns.cost, numeric: true, cell: ({ cost }) => formatUsd(cost, 4) },
  {
    id: "total",
    head: columns.total,
    numeric: true,
    shown: "small-off",
    cell: ({ total_ms }) => formatMs(total_ms),
  },
  {
    id: "state",
    head: columns.state,
    className: "state",
    cell: (row) => <Status {...requestState(row)} />,
  },
];

function Foot({ model }: { readonly model: OwnRequestsModel }) {
  const { list } = model;
  const shown = list.data.value?.data.length ?? 0;
  const first = list.firstNumber.value;
  return (
    <Paging
      text={myRequestsText.count(first, shown === 0 ? 0 : first + shown - 1)}
      onPrevious={list.hasPrevious.value ? () => void list.previous() : undefined}
      onNext={list.hasNext.value ? () => void list.next() : undefined}
    />
  );
}

export function OwnRequests() {
  const model = useMemo(() => new OwnRequestsModel(app), []);
  const filter = model.filter.value;
  useEffect(() => whenConnected(() => void model.list.open(filter)), [filter]);
  useEffect(() => () => model.list.stop(), [model]);
  const failure = model.list.failure.value;
  const status = model.status.value ?? "any";
  return (
    <Section
      title={myRequestsText.title}
      action={
        <ChipSelect
          label={myRequestsText.state}
          value={status}
          none="any"
          choices={[
            { value: "any", text: myRequestsText.any },
            ...ownStatuses.map((value) => ({ value, text: statusNames[value] })),
          ]}
          onChange={(chosen) => model.showStatus(chosen === "any" ? undefined : chosen)}
        />
      }
    >
      {failure === undefined
        ? (
          <Table
            caption={myRequestsText.caption}
            columns={requestColumns}
            rows={model.list.data.value?.data}
            keyOf={({ id }) => id}
            skeletonRows={5}
            empty={<Empty icon="requests" title={myRequestsText.none} text={myRequestsText.noneText} />}
            foot={<Foot model={model} />}
          />
        )
        : (
          <FailureBox
            title={myRequestsText.unreadable}
            failure={failure}
            onRetry={() => void model.list.load()}
          />
        )}
    </Section>
  );
}
