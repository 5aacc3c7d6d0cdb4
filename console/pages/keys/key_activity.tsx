/** Shows the activity of a key. */

import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../../app.ts";
import { BarChart } from "../../charts/charts.tsx";
import { requestsAddress } from "../../components/requests_link.tsx";
import { Icon } from "../../components/icon.tsx";
import {
  formatAxisUsd,
  formatExactTime,
  formatMoment,
  formatShortDay,
  formatUsd,
  shortModel,
} from "../../format.ts";
import { keySpend, lastRequests } from "../../models/keys/key_activity.ts";
import { keyPanelText } from "../../text/keys.ts";

function SpendByDay({ hash }: { readonly hash: string }) {
  const spend = useMemo(() => keySpend(hash, app), [hash]);
  useEffect(() => whenConnected(() => void spend.load()), [spend]);
  const data = spend.data.value;
  const total = (data?.values ?? []).reduce<number>((sum, value) => sum + (value ?? 0), 0);
  return (
    <section aria-label={keyPanelText.spendByDay}>
      <div class="section-head">
        <h3>{keyPanelText.spendByDay}</h3>
        <span class="small faint">{keyPanelText.days}</span>
      </div>
      {data === undefined
        ? (
          <div class="bone-plot">
            <span class="bone bone-fill" />
          </div>
        )
        : (
          <BarChart
            label={keyPanelText.spendLabel(formatUsd(total))}
            series={[{ name: keyPanelText.cost, values: data.values, hue: "f1" }]}
            buckets={data.buckets}
            parts={2}
            size="low"
            running={data.buckets.length - 1}
            formatTick={formatAxisUsd}
            formatValue={(usd) => formatUsd(usd, 4)}
            formatBucket={({ from }) => formatShortDay(from)}
            marks={[0, 10, 20, 29].map((at) => formatShortDay(data.buckets[at]?.from ?? 0))}
          />
        )}
    </section>
  );
}

function LastRequests({ hash }: { readonly hash: string }) {
  const requests = useMemo(() => lastRequests(hash, app), [hash]);
  useEffect(() => whenConnected(() => void requests.load()), [requests]);
  const rows = requests.data.value;
  return (
    <section aria-label={keyPanelText.lastRequests}>
      <div class="section-head">
        <h3>{keyPanelText.lastRequests}</h3>
        <a class="push small" href={requestsAddress({ key: hash })}>{keyPanelText.allRequests}</a>
      </div>
      {rows?.length === 0 && <p class="soft small">{keyPanelText.noRequests}</p>}
      {rows !== undefined && rows.length > 0 && (
        <table class="mini">
          <thead>
            <tr>
              <th scope="col">{keyPanelText.time}</th>
              <th scope="col">{keyPanelText.model}</th>
              <th scope="col" class="num">{keyPanelText.cost}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, created_at, status, model, cost }) => (
              <tr key={id}>
                <td>
                  <span class="row" title={formatMoment(created_at)}>
                    <Icon
                      name={status === "completed" ? "good" : "stop"}
                      tone={status === "completed" ? "good" : "bad"}
                    />
                    <span class="unseen">
                      {status === "completed" ? keyPanelText.completed : keyPanelText.failed}
                    </span>
                    <a href={app.router.link("/requests", { key: hash, receipt: id })}>
                      {formatExactTime(created_at)}
                    </a>
                  </span>
                </td>
                <td class="soft cut" title={model ?? ""}>{model === null ? "–" : shortModel(model)}</td>
                <td class="num">{formatUsd(cost, 4)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

export function KeyActivity({ hash }: { readonly hash: string }) {
  return (
    <>
      <SpendByDay hash={hash} />
      <LastRequests hash={hash} />
    </>
  );
}
