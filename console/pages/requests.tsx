/** Requests: what was asked of models, what it cost and who answered; one receipt in a panel. */

import { computed } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../app.ts";
import { ExportMenu } from "../components/export_menu.tsx";
import { FailureBox, Page } from "../components/page.tsx";
import { KeyNames } from "../models/keys/key_names.ts";
import { createHistogram } from "../models/requests/histogram.ts";
import { RequestsModel } from "../models/requests/requests.ts";
import { requestsText } from "../text/requests.ts";
import { chosenWorkspace } from "../workspaces.ts";
import { Filters } from "./requests/filters.tsx";
import { Histogram } from "./requests/histogram.tsx";
import { ReceiptPanel } from "./requests/receipt_panel.tsx";
import { RequestTable } from "./requests/request_table.tsx";

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
  useEffect(() =>
    whenConnected(() => {
      void model.list.open(filter);
      void histogram.load();
    }), [filter]);
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

export function page() {
  const { model, names, histogram } = useModel();
  const failure = model.list.failure.value;
  const open = model.open.value;
  return (
    <>
      <Page
        title={requestsText.title}
        actions={model.filters.value.id === undefined && (
          <ExportMenu path="/receipts/export" query={model.receiptQuery} />
        )}
      >
        <Filters model={model} names={names} />
        <Histogram model={model} histogram={histogram} />
        {failure === undefined
          ? <RequestTable model={model} names={names} all={countOf(histogram)} />
          : (
            <FailureBox
              title={requestsText.unreadable}
              failure={failure}
              onRetry={() => void model.list.load()}
            />
          )}
      </Page>
      {open !== undefined && <ReceiptPanel key={open} id={open} list={model} names={names} />}
    </>
  );
}
