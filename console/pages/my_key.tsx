/** The holder's own key: spend, limit, forecast, models and rates. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../app.ts";
import { CodeBlock } from "../components/copy.tsx";
import { Meter } from "../components/meter.tsx";
import { FailureBox, Page, Section } from "../components/page.tsx";
import { formatCount, formatDay, formatLimit, formatMoment, formatShortDay, formatUsd } from "../format.ts";
import { type MyKey, myKey, spendByModel } from "../models/keys/my_key.ts";
import { sumOf } from "../models/series.ts";
import { myKeyText } from "../text/my_key.ts";
import { SpendChart } from "../charts/spend_chart.tsx";
import { OwnModels } from "./my_key/models.tsx";
import { OwnRequests } from "./my_key/requests.tsx";
import { firstModel, responsesCurl } from "../models/keys/client_setups.ts";

/** Spend that counts towards the limit, in its period. */
function spentOf({ usage }: MyKey): number {
  const period = { none: "total", daily: "today", weekly: "week", monthly: "month" } as const;
  const spend = usage.spend[period[usage.limit_reset ?? "none"]];
  return spend.usage + (usage.include_byok_in_limit ? spend.byok_usage : 0);
}

function Spend({ data, name }: { readonly data: MyKey; readonly name: string }) {
  const { limit, limit_remaining: left, limit_reset, limit_resets_at: resets, forecast } = data.usage;
  const spent = spentOf(data);
  const period = myKeyText.periods[limit_reset ?? "none"];
  return (
    <section class="box box-pad stack" aria-label={myKeyText.spentKey("")}>
      <div class="row row-wrap">
        <p class="stat-value">{formatUsd(spent)}</p>
        <p class="soft">{myKeyText.spent(period, limit === null ? undefined : formatLimit(limit))}</p>
        {left !== null && (
          <p class="push soft">
            <b>{myKeyText.left(formatUsd(left))}</b>,{" "}
            {resets === null ? myKeyText.neverResets : myKeyText.resets(formatMoment(resets))}
          </p>
        )}
      </div>
      <Meter name={name} spent={spent} limit={limit} big />
      <p class="soft">{forecast.explanation}</p>
    </section>
  );
}

function ByDay({ data }: { readonly data: MyKey }) {
  const { buckets, series } = useMemo(() => spendByModel(data.usage, app.clock.now()), [data]);
  const total = series.reduce((sum, one) => sum + sumOf(one), 0);
  const asTable = useSignal(false);
  return (
    <SpendChart
      title={myKeyText.byDay}
      note={myKeyText.byDayNote}
      label={myKeyText.byDayLabel(formatUsd(total))}
      buckets={buckets}
      running={buckets.length - 1}
      series={series}
      asTable={asTable.value}
      onSwitch={(on) => {
        asTable.value = on;
      }}
      empty={myKeyText.nothing}
      formatBucket={({ from }) => formatDay(from)}
      marks={[0, 10, 20, 29].map((at) => formatShortDay(buckets[at]?.from ?? 0))}
    />
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function limitFact({ usage: { limit, limit_reset } }: MyKey): string {
  return limit === null
    ? myKeyText.noLimit
    : `${formatLimit(limit)} ${myKeyText.limits[limit_reset ?? "none"]}`;
}

function cacheFact({ details: { cache_enabled, cache_ttl_seconds: seconds } }: MyKey): string {
  if (!cache_enabled) return myKeyText.cacheOff;
  return myKeyText.cacheOn(seconds === null ? undefined : formatCount(seconds));
}

function Facts({ data }: { readonly data: MyKey }) {
  const { usage, details, models } = data;
  const { today, week, month } = usage.spend;
  return (
    <Section title={myKeyText.facts}>
      <div class="box box-pad">
        <dl class="facts">
          <Fact name={myKeyText.limit}>{limitFact(data)}</Fact>
          <Fact name={myKeyText.own}>
            {usage.include_byok_in_limit ? myKeyText.ownCount : myKeyText.ownFree}
          </Fact>
          <Fact name={myKeyText.cache}>{cacheFact(data)}</Fact>
          <Fact name={myKeyText.today}>{formatUsd(today.usage)}</Fact>
          <Fact name={myKeyText.week}>{formatUsd(week.usage)}</Fact>
          <Fact name={myKeyText.month}>{formatUsd(month.usage)}</Fact>
          <Fact name={myKeyText.models}>{myKeyText.modelCount(formatCount(models.length))}</Fact>
          <Fact name={myKeyText.expires}>
            {details.expires_at === null ? myKeyText.never : formatMoment(details.expires_at)}
          </Fact>
        </dl>
      </div>
    </Section>
  );
}

export function page() {
  const resource = useMemo(() => myKey(app), []);
  useEffect(() => whenConnected(() => void resource.load()), [resource]);
  const { value: data } = resource.data;
  const { value: failure } = resource.failure;
  const session = app.session.current.value;
  const name = session?.name ?? "";
  return (
    <Page title={name} detail={session?.label}>
      {failure !== undefined && (
        <FailureBox
          title={myKeyText.unreadable}
          failure={failure}
          onRetry={() => void resource.load()}
        />
      )}
      {data === undefined
        ? failure === undefined && (
          <div class="box box-pad">
            <span class="bone bone-fill" />
          </div>
        )
        : (
          <>
            <Spend data={data} name={name} />
            <ByDay data={data} />
            <div class="grid-2">
              <Facts data={data} />
              <Section title={myKeyText.use}>
                <CodeBlock
                  title={myKeyText.terminal}
                  code={responsesCurl({ origin: location.origin, model: firstModel(data.models) })}
                />
              </Section>
            </div>
            <OwnRequests />
            <OwnModels models={data.models} />
          </>
        )}
    </Page>
  );
}
