/** The audit log: who changed what, and when. */

import { useEffect, useMemo } from "preact/hooks";
import type { AuditRow } from "../../shared/management/audit.ts";
import { app, whenConnected } from "../app.ts";
import { ExportMenu } from "../components/export_menu.tsx";
import { Empty, FailureBox, Page } from "../components/page.tsx";
import { type Column, Paging, Table } from "../components/table.tsx";
import { formatExactTime, formatMoment, formatShortDay, shortId } from "../format.ts";
import { AuditModel, targetName } from "../models/gateway/audit.ts";
import { auditText } from "../text/gateway/audit.ts";
import { AuditFilters } from "./gateway/audit_filters.tsx";
import { actorName, AuditPanel, changeName, subjectName } from "./gateway/audit_panel.tsx";

function useModel(): AuditModel {
  const model = useMemo(() => new AuditModel(app), []);
  const filter = model.filter.value;
  useEffect(() => whenConnected(() => void model.load()), [filter]);
  useEffect(() => () => model.stop(), [model]);
  return model;
}

function columnsOf(model: AuditModel): readonly Column<AuditRow>[] {
  const { columns } = auditText;
  return [
    {
      id: "time",
      head: columns.time,
      className: "soft roomy",
      shown: "small-off",
      cell: ({ at }) => (
        <time dateTime={at} title={formatMoment(at)}>{`${formatShortDay(at)}, ${formatExactTime(at)}`}</time>
      ),
    },
    {
      id: "change",
      head: columns.change,
      main: true,
      cell: (row) => (
        <>
          <button type="button" class="row-link" onClick={() => model.openChange(row.id)}>
            {changeName(row)}
          </button>
          <span class="sub">
            <bdi>{targetName(row) ?? shortId(row.subject.id)}</bdi>
          </span>
        </>
      ),
    },
    {
      id: "target",
      head: columns.target,
      shown: "wide-only",
      className: "soft",
      cell: subjectName,
    },
    {
      id: "actor",
      head: columns.actor,
      className: "soft roomy",
      cell: (row) => <bdi>{actorName(row, model)}</bdi>,
    },
  ];
}

function Foot({ model }: { readonly model: AuditModel }) {
  const page = model.list.data.value;
  const [shown, all, first] = [page?.data.length ?? 0, page?.total_count ?? 0, model.first.value];
  const last = shown === 0 ? 0 : first + shown - 1;
  const until = page?.scanned_until ?? undefined;
  const count = auditText.count(first, { to: last, all });
  const at = model.page.value;
  return (
    <Paging
      text={until === undefined ? count : `${count} · ${auditText.scannedUntil(formatMoment(until))}`}
      onPrevious={at > 1 ? () => model.goTo(at - 1) : undefined}
      onNext={last < all ? () => model.goTo(at + 1) : undefined}
    />
  );
}

export function page() {
  const model = useModel();
  const [failure, opened] = [model.list.failure.value, model.opened.value];
  return (
    <>
      <Page title={auditText.title} actions={<ExportMenu path="/audit/export" query={model.auditQuery} />}>
        <AuditFilters model={model} />
        {failure === undefined
          ? (
            <Table
              caption={auditText.caption}
              columns={columnsOf(model)}
              rows={model.rows.value}
              keyOf={({ id }) => id}
              current={model.open.value}
              empty={
                <Empty icon="search" title={auditText.none} text={auditText.noneText}>
                  {model.isFiltered.value && (
                    <button
                      type="button"
                      class="button"
                      onClick={() => model.removeFilters()}
                    >
                      {auditText.showAll}
                    </button>
                  )}
                </Empty>
              }
              foot={<Foot model={model} />}
            />
          )
          : (
            <FailureBox
              title={auditText.unreadable}
              failure={failure}
              onRetry={() => void model.load()}
            />
          )}
      </Page>
      {opened !== undefined && <AuditPanel key={opened.id} row={opened} model={model} />}
    </>
  );
}
