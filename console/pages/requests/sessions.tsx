/** Sessions: the second tab of the requests, with turns, cost and time of each. */

import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../../app.ts";
import { Empty, FailureBox } from "../../components/page.tsx";
import { RelativeTime } from "../../components/relative_time.tsx";
import { requestsAddress } from "../../components/requests_link.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatCount, formatMoment, formatMs, formatSpan, formatUsd, shortModel } from "../../format.ts";
import type { KeyNames } from "../../models/keys/key_names.ts";
import type { RequestsModel } from "../../models/requests/requests.ts";
import { type SessionRow, SessionsModel } from "../../models/requests/sessions.ts";
import { requestsText, sessionsText } from "../../text/requests.ts";
import { KeyName } from "./request_table.tsx";

function Models({ models }: Pick<SessionRow, "models">) {
  const [first, ...others] = models;
  if (first === undefined) return <>{requestsText.noModel}</>;
  return (
    <span title={models.join(", ")}>
      <bdi>{shortModel(first)}</bdi>
      {others.length > 0 && <span class="faint">{sessionsText.more(others.length)}</span>}
    </span>
  );
}

function columnsOf(names: KeyNames): readonly Column<SessionRow>[] {
  const heads = sessionsText.columns;
  return [
    {
      id: "session",
      head: heads.session,
      main: true,
      cell: ({ id, models }) => (
        <>
          <a class="row-link" href={requestsAddress({ session: id })} title={id}>
            <bdi>{id}</bdi>
          </a>
          <span class="sub no-column">
            <Models models={models} />
          </span>
        </>
      ),
    },
    {
      id: "models",
      head: heads.models,
      shown: "mid-only",
      className: "soft",
      cell: (row) => <Models {...row} />,
    },
    {
      id: "key",
      head: heads.key,
      shown: "mid-only",
      className: "soft",
      cell: ({ keyHash }) => <KeyName hash={keyHash} names={names} />,
    },
    ...figureColumns(),
  ];
}

function figureColumns(): readonly Column<SessionRow>[] {
  const heads = sessionsText.columns;
  return [
    {
      id: "turns",
      head: heads.turns,
      numeric: true,
      cell: ({ turns, bad }) => (
        <>
          {formatCount(turns)}
          {bad > 0 && <span class="sub">{sessionsText.bad(bad)}</span>}
        </>
      ),
    },
    {
      id: "time",
      head: heads.time,
      numeric: true,
      shown: "small-off",
      cell: ({ ms, begunAt, lastAt }) => (
        <span title={sessionsText.span(formatSpan(Date.parse(lastAt) - Date.parse(begunAt)))}>
          {formatMs(ms)}
        </span>
      ),
    },
    {
      id: "last",
      head: heads.last,
      numeric: true,
      shown: "small-off",
      className: "soft",
      cell: ({ lastAt }) => <RelativeTime at={lastAt} />,
    },
    { id: "cost", head: heads.cost, numeric: true, cell: ({ cost }) => formatUsd(cost, 4) },
  ];
}

function Foot({ model }: { readonly model: SessionsModel }) {
  const read = model.list.data.value;
  const count = sessionsText.count(read?.sessions.length ?? 0);
  if (read?.next === undefined) return <span>{count}</span>;
  return (
    <>
      <span>
        {`${count} · ${requestsText.lookedUntil(formatMoment(read.scannedUntil ?? app.minute.value))}`}
      </span>
      <GoOn model={model} />
    </>
  );
}

function GoOn({ model }: { readonly model: SessionsModel }) {
  return (
    <button
      type="button"
      class="button push"
      disabled={model.list.loading.value}
      onClick={() => void model.goOn()}
    >
      {requestsText.goOn}
    </button>
  );
}

function NoSessions({ model }: { readonly model: SessionsModel }) {
  const read = model.list.data.value;
  if (read?.next === undefined) {
    return <Empty icon="search" title={sessionsText.none} text={sessionsText.noneText} />;
  }
  const text = requestsText.notFoundSoFarText(formatMoment(read.scannedUntil ?? app.minute.value));
  return (
    <Empty icon="search" title={sessionsText.noneSoFar} text={text}>
      <GoOn model={model} />
    </Empty>
  );
}

export function Sessions({ list, names }: { readonly list: RequestsModel; readonly names: KeyNames }) {
  const model = useMemo(() => new SessionsModel({ api: app.api, list, keyNames: names }), []);
  const filter = list.filter.value;
  useEffect(() => whenConnected(() => void model.show()), [filter]);
  useEffect(() => () => model.list.stop(), []);
  const failure = model.list.failure.value;
  if (failure !== undefined) {
    return (
      <FailureBox
        title={requestsText.unreadable}
        failure={failure}
        onRetry={() => void model.list.load()}
      />
    );
  }
  return (
    <Table
      caption={sessionsText.caption}
      columns={columnsOf(names)}
      rows={model.sessions.value}
      keyOf={({ id }) => id}
      empty={<NoSessions model={model} />}
      foot={<Foot model={model} />}
    />
  );
}
