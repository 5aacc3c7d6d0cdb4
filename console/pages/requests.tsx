/** Requests: what was asked of models, what it cost and who answered; one receipt in a panel. */

import { computed } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../app.ts";
import { ExportMenu } from "../components/export_menu.tsx";
import { Icon } from "../components/icon.tsx";
import { FailureBox, Page } from "../components/page.tsx";
import { KeyNames } from "../models/keys/key_names.ts";
import { createHistogram } from "../models/requests/histogram.ts";
import { RequestsModel } from "../models/requests/requests.ts";
import { requestsText, sessionsText, viewNames } from "../text/requests.ts";
import { chosenWorkspace } from "../workspaces.ts";
import { Filters } from "./requests/filters.tsx";
import { Histogram } from "./requests/histogram.tsx";
import { ReceiptPanel } from "./requests/receipt_panel.tsx";
import { RequestTable } from "./requests/request_table.tsx";
import { Sessions } from "./requests/sessions.tsx";
import { useTail } from "./requests/use_tail.ts";

function useModel() {
  const parts = useMemo(() => {
    const names = new KeyNames(app.api);
    const { api, clock, router } = app;
    const workspaceId = computed(() => chosenWorkspace.value?.id);
    const model = new RequestsModel({ api, clock, router, workspaceId, keyNames: names });
    return { names, model, histogram: createHistogram({ api, list: model }) };
  }, []);
  const { model, histogram } = parts;
  const filter = model.filter.value;
  const isLive = model.isLive.value;
  // A list that is live is read by its tail.
  useEffect(() => isLive ? undefined : whenConnected(() => void model.list.open(filter)), [filter, isLive]);
  const minute = isLive ? app.minute.value : undefined;
  useEffect(() => whenConnected(() => void histogram.load()), [filter, minute]);
  useEffect(() => () => {
    model.list.stop();
    histogram.stop();
  }, []);
  return parts;
}

/** Number of all requests of the filters; undefined where not all are counted. */
function countOf({ data }: ReturnType<typeof createHistogram>): number | undefined {
  if (data.value === undefined || data.value.countedFrom !== null) return undefined;
  const { answered, failed, refused } = data.value.sums;
  return answered + failed + refused;
}

/** Links, so that both views have an address, with the same filters. */
function Views({ current }: { readonly current: keyof typeof viewNames }) {
  const kept = new Map(app.router.query.value);
  for (const name of ["cursor", "page", "receipt", "view"]) kept.delete(name);
  return (
    <nav class="tabs" aria-label={sessionsText.views}>
      {(["requests", "sessions"] as const).map((view) => (
        <a
          key={view}
          href={app.router.link("/requests", {
            ...Object.fromEntries(kept),
            view: view === "requests" ? undefined : view,
          })}
          aria-current={view === current ? "page" : undefined}
        >
          {viewNames[view]}
        </a>
      ))}
    </nav>
  );
}

function Actions({ model }: { readonly model: RequestsModel }) {
  if (model.filters.value.id !== undefined) return null;
  const isLive = model.isLive.value;
  return (
    <>
      {model.view.value === "requests" && (
        <button
          type="button"
          class="button"
          aria-pressed={isLive}
          disabled={!model.canBeLive.value}
          title={model.canBeLive.value ? requestsText.liveTitle : requestsText.notLiveSpan}
          onClick={() => model.setLive(!isLive)}
        >
          <Icon name={isLive ? "pause" : "live"} />
          {requestsText.live}
        </button>
      )}
      <ExportMenu path="/receipts/export" query={model.receiptQuery} />
    </>
  );
}

type Parts = ReturnType<typeof useModel>;

function Content({ model, names, histogram }: Parts) {
  const tail = useTail(model);
  const failure = model.list.failure.value;
  if (model.view.value === "sessions") return <Sessions list={model} names={names} />;
  if (failure !== undefined) {
    return (
      <FailureBox
        title={requestsText.unreadable}
        failure={failure}
        onRetry={() => void model.list.load()}
      />
    );
  }
  return <RequestTable model={model} names={names} tail={tail} all={countOf(histogram)} />;
}

export function page() {
  const parts = useModel();
  const { model, names, histogram } = parts;
  const open = model.open.value;
  return (
    <>
      <Page title={requestsText.title} actions={<Actions model={model} />}>
        <Views current={model.view.value} />
        <Filters model={model} names={names} />
        <Histogram model={model} histogram={histogram} />
        <Content {...parts} />
      </Page>
      {open !== undefined && <ReceiptPanel key={open} id={open} list={model} names={names} />}
    </>
  );
}
