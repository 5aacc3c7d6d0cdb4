/** Requests: what was asked of models, what it cost and who answered; one receipt in a panel. */

import { computed } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../app.ts";
import { FailureBox, Page } from "../components/page.tsx";
import { KeyNames } from "../models/keys/key_names.ts";
import { RequestsModel } from "../models/requests/requests.ts";
import { requestsText } from "../text/requests.ts";
import { chosenWorkspace } from "../workspaces.ts";
import { Filters } from "./requests/filters.tsx";
import { ReceiptPanel } from "./requests/receipt_panel.tsx";
import { RequestTable } from "./requests/request_table.tsx";

function useModel() {
  const parts = useMemo(() => {
    const names = new KeyNames(app.api);
    const { api, clock, router } = app;
    const workspaceId = computed(() => chosenWorkspace.value?.id);
    return { names, model: new RequestsModel({ api, clock, router, workspaceId, keyNames: names }) };
  }, []);
  const { model } = parts;
  const filter = model.filter.value;
  useEffect(() => whenConnected(() => void model.list.open(filter)), [filter]);
  useEffect(() => () => model.list.stop(), []);
  return parts;
}

export function page() {
  const { model, names } = useModel();
  const failure = model.list.failure.value;
  const open = model.open.value;
  return (
    <>
      <Page title={requestsText.title}>
        <Filters model={model} names={names} />
        {failure === undefined ? <RequestTable model={model} names={names} all={undefined} /> : (
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
