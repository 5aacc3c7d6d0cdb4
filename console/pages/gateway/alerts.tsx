/** Alerts: where they are sent, and those of the last days, each with a way to what it tells of. */

import { Fragment } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { AlertRecord } from "../../../shared/management/alerts.ts";
import { alertText } from "../../../shared/management/gateway/alert_text.ts";
import { app, whenConnected } from "../../app.ts";
import { FailureBox, Section } from "../../components/page.tsx";
import { RelativeTime } from "../../components/relative_time.tsx";
import { Status } from "../../components/status.tsx";
import { type Column, Paging, Table } from "../../components/table.tsx";
import { formatMoment } from "../../format.ts";
import { AlertsModel, alertTarget } from "../../models/gateway/alerts.ts";
import { alertKindNames, alertStatusNames, alertsText } from "../../text/gateway/alerts.ts";

const signs = {
  waiting: { tone: "warn", icon: "clock" },
  sent: { tone: "good", icon: "good" },
  lost: { tone: "bad", icon: "stop" },
} as const;

const { columns } = alertsText;

const alertColumns: readonly Column<AlertRecord>[] = [
  {
    id: "alert",
    head: columns.alert,
    main: true,
    cell: ({ alert }) => (
      <>
        <a class="row-link" href={app.router.link(...alertTarget(alert))}>{alertKindNames[alert.type]}</a>
        <span class="wrap soft">
          <bdi>{alertText(alert)}</bdi>
        </span>
      </>
    ),
  },
  {
    id: "time",
    head: columns.time,
    numeric: true,
    className: "soft",
    cell: ({ alert }) => <RelativeTime at={alert.timestamp} />,
  },
  {
    id: "status",
    head: columns.status,
    className: "state",
    cell: ({ status, ended_at: end }) => (
      <span title={end === null ? undefined : alertsText.endedAt(formatMoment(end))}>
        <Status {...signs[status]} text={alertStatusNames[status]} />
      </span>
    ),
  },
];

function Receiver({ model }: { readonly model: AlertsModel }) {
  const settings = model.settings.data.value;
  if (settings === undefined) return null;
  const file = settings.find(({ source }) => source.type === "file")?.source.name;
  return (
    <Section title={alertsText.sentTo}>
      {settings.length === 0
        ? <p class="small soft">{alertsText.nowhere}</p>
        : (
          <div class="box box-pad stack-small">
            <dl class="facts">
              {settings.map(({ name, secret, value }) => (
                <Fragment key={name}>
                  <dt class="mono">{name}</dt>
                  <dd>
                    {secret ? <span class="badge badge-good">{alertsText.set}</span> : <bdi>{value}</bdi>}
                  </dd>
                </Fragment>
              ))}
            </dl>
            {file != null && <p class="small soft wrap-text">{alertsText.from(file)}</p>}
          </div>
        )}
    </Section>
  );
}

export function Alerts() {
  const model = useMemo(() => new AlertsModel(app.api), []);
  useEffect(() => whenConnected(() => void model.load()), [model]);
  useEffect(() => () => model.stop(), [model]);
  const { list } = model;
  const failure = list.failure.value ?? model.settings.failure.value;
  if (failure !== undefined) {
    return <FailureBox title={alertsText.unreadable} failure={failure} onRetry={() => void model.load()} />;
  }
  const page = list.data.value;
  const [before, shown] = [page?.offset ?? 0, page?.data.length ?? 0];
  return (
    <>
      <Receiver model={model} />
      <Section title={alertsText.caption}>
        <Table
          caption={alertsText.caption}
          columns={alertColumns}
          rows={page?.data}
          keyOf={({ id }) => id}
          skeletonRows={3}
          empty={<p class="soft box-pad">{alertsText.none}</p>}
          foot={
            <Paging
              text={alertsText.count(before + 1, { to: before + shown, all: page?.total_count ?? 0 })}
              onPrevious={list.hasPrevious.value ? () => void list.previous() : undefined}
              onNext={list.hasNext.value ? () => void list.next() : undefined}
            />
          }
        />
      </Section>
    </>
  );
}
