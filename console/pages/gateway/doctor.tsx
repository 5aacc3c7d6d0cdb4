/** The doctor's table: what the gateway finds when it checks itself. */

import { useEffect, useMemo } from "preact/hooks";
import type { DoctorCheck } from "../../../shared/management/gateway/doctor.ts";
import { app, whenConnected } from "../../app.ts";
import { Refusal } from "../../components/callout.tsx";
import { Icon } from "../../components/icon.tsx";
import { Empty, FailureBox, Section } from "../../components/page.tsx";
import { Status } from "../../components/status.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatMoment, formatMs } from "../../format.ts";
import { byVerdict, DoctorModel } from "../../models/gateway/doctor.ts";
import { doctorText } from "../../text/gateway/settings.ts";

const tones = { ok: "good", warning: "warn", failed: "bad" } as const;

const { columns } = doctorText;

const checkColumns: readonly Column<DoctorCheck>[] = [
  {
    id: "check",
    head: columns.check,
    main: true,
    cell: ({ check, found }) => (
      <>
        <bdi>{check}</bdi>
        <span class="wrap soft">
          <bdi>{found}</bdi>
        </span>
      </>
    ),
  },
  {
    id: "verdict",
    head: columns.verdict,
    className: "state",
    cell: ({ verdict }) => <Status tone={tones[verdict]} text={doctorText.verdicts[verdict]} />,
  },
];

function RunButton({ model }: { readonly model: DoctorModel }) {
  return (
    <button
      type="button"
      class="button button-primary"
      disabled={model.busy.value}
      onClick={() => void model.run()}
    >
      <Icon name="reload" />
      {model.busy.value ? doctorText.running : doctorText.run}
    </button>
  );
}

export function Doctor() {
  const model = useMemo(() => new DoctorModel(app.api), []);
  useEffect(() => whenConnected(() => void model.report.load()), [model]);
  useEffect(() => () => model.report.stop(), [model]);
  const failure = model.report.failure.value;
  if (failure !== undefined) {
    return (
      <FailureBox
        title={doctorText.unreadable}
        failure={failure}
        onRetry={() => void model.report.load()}
      />
    );
  }
  const read = model.report.data.value;
  const checks = read === undefined ? undefined : byVerdict(read.data?.checks ?? []);
  const canChange = app.session.canChange.value;
  return (
    <Section title={doctorText.title} action={canChange && <RunButton model={model} />}>
      <p class="small soft">{doctorText.text}</p>
      <Refusal title={doctorText.failed} error={model.refusal.value} />
      <Table
        caption={doctorText.caption}
        columns={checkColumns}
        rows={model.busy.value && checks?.length === 0 ? undefined : checks}
        keyOf={({ check, found }) => `${check} ${found}`}
        empty={
          <Empty
            icon="shield"
            title={doctorText.none}
            text={canChange ? doctorText.noneText : doctorText.mayNot}
          />
        }
        foot={
          <span role="status">
            {read?.data != null &&
              doctorText.ran(formatMoment(read.data.ran_at), formatMs(read.data.took_ms))}
          </span>
        }
      />
    </Section>
  );
}
