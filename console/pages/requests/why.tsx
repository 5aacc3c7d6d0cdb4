/** Why a request went where it went, and where it would go now. */

import type { ReceiptRecord } from "../../../shared/management/receipts.ts";
import { app } from "../../app.ts";
import { useAction } from "../../components/action_dialog.tsx";
import { Refusal } from "../../components/callout.tsx";
import { Icon } from "../../components/icon.tsx";
import { formatPercent } from "../../format.ts";
import { explainAgain, type RouteExplanation } from "../../models/requests/explain.ts";
import { receiptText } from "../../text/receipt.ts";

function Explanation({ explanation }: { readonly explanation: RouteExplanation }) {
  const { candidates, refusal } = explanation;
  const order = candidates.filter(({ position }) => position !== null);
  const leftOut = candidates.filter(({ position }) => position === null);
  return (
    <div class="stack-small" role="status">
      <p class="small soft">{receiptText.explainNote}</p>
      {refusal !== null && (
        <p class="small">
          <b>{receiptText.refused}:</b> <bdi>{`${refusal.status}. ${refusal.message}`}</bdi>
        </p>
      )}
      {order.length > 0 && (
        <>
          <h4>{receiptText.explainOrder}</h4>
          <ol class="route-list">
            {order.map(({ provider, model, probability }, at) => (
              <li key={at}>
                <span class="cut" title={`${provider} ${model}`}>
                  <bdi>{provider}</bdi> <bdi class="faint">{model}</bdi>
                </span>
                {probability > 0 && (
                  <span class="faint">{receiptText.probability(formatPercent(probability))}</span>
                )}
              </li>
            ))}
          </ol>
        </>
      )}
      {leftOut.length > 0 && (
        <>
          <h4>{receiptText.leftOut}</h4>
          <ul class="route-list">
            {leftOut.map(({ provider, excluded_by, detail }, at) => (
              <li key={at}>
                <Icon name="disabled" tone="off" />
                <span>
                  <bdi>{provider}</bdi>: <bdi>{detail ?? excluded_by?.replaceAll("_", " ")}</bdi>
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

export function Why({ receipt }: { readonly receipt: ReceiptRecord }) {
  const action = useAction(() => explainAgain(receipt, app));
  const { provider, attempts, router, task, api, response_cache_source_id: source } = receipt;
  const last = attempts.at(-1);
  const words = [
    source !== undefined
      ? receiptText.cached
      : last?.why === undefined
      ? receiptText.notRouted
      : receiptText.place(last.why),
    router === undefined ? undefined : receiptText.routedBy(router),
    task === undefined ? undefined : receiptText.task(task.replaceAll("_", " ")),
  ];
  const title = provider === null ? receiptText.whyNobody : receiptText.why(provider);
  return (
    <section aria-label={title}>
      <div class="section-head">
        <h3 class="cut" title={title}>
          <bdi>{title}</bdi>
        </h3>
        {api !== "speech" && api !== "embeddings" && (
          <span class="push">
            <button type="button" class="button" disabled={action.busy.value} onClick={action.start}>
              <Icon name="reload" />
              {receiptText.explain}
            </button>
          </span>
        )}
      </div>
      <p class="soft">
        <bdi>{words.filter((word) => word !== undefined).join(" ")}</bdi>
      </p>
      <Refusal title={receiptText.notExplained} error={action.refusal.value} />
      {action.result.value !== undefined && <Explanation explanation={action.result.value} />}
    </section>
  );
}
