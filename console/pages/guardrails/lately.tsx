/** The latest requests in which a filter of a guardrail matched. */

import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../../app.ts";
import { Refusal } from "../../components/callout.tsx";
import { Id } from "../../components/copy.tsx";
import { requestsAddress } from "../../components/requests_link.tsx";
import { Icon } from "../../components/icon.tsx";
import { RelativeTime } from "../../components/relative_time.tsx";
import { shortModel } from "../../format.ts";
import { filterName, guardrailReceipts } from "../../models/guardrails/guardrail_receipts.ts";
import { guardrailPanelText, latelyText, outcomeNames, sideNames } from "../../text/guardrails.ts";

type Rows = NonNullable<ReturnType<typeof guardrailReceipts>["data"]["value"]>;

function Row({ guardrail, receipt, results }: Rows[number] & { readonly guardrail: string }) {
  const { id, created_at, model, status } = receipt;
  const isComplete = status === "completed";
  return (
    <tr>
      <td>
        <span class="row">
          <Icon name={isComplete ? "good" : "stop"} tone={isComplete ? "good" : "bad"} />
          <a href={app.router.link("/requests", { guardrail, receipt: id })}>
            <RelativeTime at={created_at} />
          </a>
        </span>
      </td>
      <td>
        {results.map(({ action, count, slug, label, side }, at) => (
          <span key={at} class="block">
            {latelyText.what(outcomeNames[action], `${count} × ${filterName({ slug, label })}`)}
            <span class="soft">, {sideNames[side]}</span>
          </span>
        ))}
        <span class="sub">
          {model === null ? latelyText.noModel : shortModel(model)} · {status}
        </span>
      </td>
      <td class="num">
        <Id id={id} />
      </td>
    </tr>
  );
}

export function Lately({ id }: { readonly id: string }) {
  const receipts = useMemo(() => guardrailReceipts(id, app), [id]);
  useEffect(() => whenConnected(() => void receipts.load()), [receipts]);
  const rows = receipts.data.value;
  return (
    <section aria-label={guardrailPanelText.views.receipts}>
      <Refusal title={latelyText.unreadable} error={receipts.failure.value} />
      {rows !== undefined && rows.length > 0 && (
        <p class="small">
          <a href={requestsAddress({ guardrail: id })}>{latelyText.all}</a>
        </p>
      )}
      {rows?.length === 0 && <p class="soft small">{latelyText.none}</p>}
      {rows !== undefined && rows.length > 0 && (
        <table class="mini">
          <caption class="unseen">{latelyText.caption}</caption>
          <thead>
            <tr>
              <th scope="col">{latelyText.time}</th>
              <th scope="col">{latelyText.done}</th>
              <th scope="col" class="num">{latelyText.request}</th>
            </tr>
          </thead>
          <tbody>{rows.map((row) => <Row key={row.receipt.id} guardrail={id} {...row} />)}</tbody>
        </table>
      )}
    </section>
  );
}
