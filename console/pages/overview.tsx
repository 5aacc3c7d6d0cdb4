/** Overview: what needs attention, what was spent against which budgets, requests, latency, tokens, and by whom. */

import { computed } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../app.ts";
import { ExportMenu } from "../components/export_menu.tsx";
import { FailureBox, Page } from "../components/page.tsx";
import { Segments } from "../components/forms/segments.tsx";
import { OverviewModel } from "../models/overview.ts";
import { ranges } from "../models/series.ts";
import { status } from "../status.ts";
import { overviewText } from "../text/overview.ts";
import { chosenWorkspace } from "../workspaces.ts";
import { Attention } from "./overview/attention.tsx";
import { FirstRequest } from "./overview/first_request.tsx";
import { LatestAlerts } from "./overview/latest_alerts.tsx";
import { SpanDialog } from "./overview/span_dialog.tsx";
import { SpendByDimension } from "./overview/spend_by_dimension.tsx";
import { Stats } from "./overview/stats.tsx";
import { Lists } from "./overview/lists.tsx";
import { TotalCharts } from "./overview/total_charts.tsx";

const rangeChoices = [
  ...ranges.map(({ id, text }) => ({ value: id, text })),
  { value: "custom" as const, text: overviewText.custom },
];

const openSpan = (isOpen: boolean) => app.router.setQuery({ open: isOpen ? "span" : undefined });

function useModel(): OverviewModel {
  const model = useMemo(() =>
    new OverviewModel({
      api: app.api,
      clock: app.clock,
      router: app.router,
      workspaceId: computed(() => chosenWorkspace.value?.id),
    }), []);
  const filter = model.filter.value;
  const isUnused = status.data.value?.overrun.receipts === 0;
  // The figures of the running minute are read again every half minute, and when the first request was served.
  const minute = app.minute.value;
  useEffect(() =>
    whenConnected(() => {
      if (!isUnused) void model.load();
    }), [filter, isUnused, minute]);
  return model;
}

export function page() {
  const model = useModel();
  if (status.data.value?.overrun.receipts === 0) return <FirstRequest />;
  const failure = model.failure.value;
  return (
    <Page
      title={overviewText.title}
      actions={
        <>
          <Segments
            label={overviewText.period}
            choices={rangeChoices}
            value={model.period.id}
            onChange={(range) => range === "custom" ? openSpan(true) : model.setRange(range)}
          />
          <ExportMenu
            path="/analytics/export"
            parts={[
              { text: overviewText.exportSums, body: () => model.exportQuery({ dated: false }) },
              {
                text: overviewText.exportDated[model.period.granularity],
                body: () => model.exportQuery({ dated: true }),
              },
            ]}
          />
        </>
      }
    >
      {failure !== undefined && (
        <FailureBox
          title={overviewText.unreadable}
          failure={failure}
          onRetry={() => void model.load()}
        />
      )}
      <Attention model={model} />
      <Stats model={model} />
      <SpendByDimension model={model} />
      <TotalCharts model={model} />
      <LatestAlerts />
      <Lists model={model} />
      {app.router.query.value.get("open") === "span" && (
        <SpanDialog
          model={model}
          onClose={() => openSpan(false)}
        />
      )}
    </Page>
  );
}
