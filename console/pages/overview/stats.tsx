/** Shows the spend of today, this week and this month, and what went over limits. */

import { app } from "../../app.ts";
import { Icon } from "../../components/icon.tsx";
import { RequestsLink } from "../../components/requests_link.tsx";
import { Meter } from "../../components/meter.tsx";
import { formatDay, formatLimit, formatMonth, formatPercent, formatSpan, formatUsd } from "../../format.ts";
import { nextReset } from "../../models/keys/key_state.ts";
import type { OverviewModel } from "../../models/overview.ts";
import { periodStarts } from "../../models/workspace_spend.ts";
import { status } from "../../status.ts";
import { overviewText } from "../../text/overview.ts";
import { chosenWorkspace } from "../../workspaces.ts";

const starts = { daily: "day", weekly: "week", monthly: "month" } as const;

function Stat({ name, spent, forecast, limit, interval }: {
  readonly name: string;
  readonly spent: number | undefined;
  /** USD at the end of the period, where there is a forecast. */
  readonly forecast?: number | undefined;
  readonly limit: number | null;
  readonly interval: "daily" | "weekly" | "monthly";
}) {
  const now = app.minute.value;
  const span = formatSpan((nextReset(interval, now) ?? now) - now);
  const none = chosenWorkspace.value === undefined ? overviewText.chooseWorkspace : overviewText.noBudget;
  const share = limit === null || spent === undefined
    ? none
    : overviewText.ofBudget(formatPercent(spent / limit), formatLimit(limit));
  return (
    <section class="stat">
      <h2>{name}</h2>
      <p class="stat-value">
        {spent === undefined
          ? <span class="bone bone-m" />
          : (
            <RequestsLink of={{ since: periodStarts(now)[starts[interval]] }}>
              {formatUsd(spent)}
            </RequestsLink>
          )}
      </p>
      <Meter name={name} spent={spent ?? 0} limit={limit} />
      <p class="stat-note">
        <span>{share}</span>
        <span>{overviewText.resetsIn(span)}</span>
      </p>
      {forecast !== undefined && <Forecast usd={forecast} limit={limit} />}
    </section>
  );
}

function Forecast({ usd, limit }: { readonly usd: number; readonly limit: number | null }) {
  const isOver = limit !== null && usd > limit;
  return (
    <p class={`stat-note${isOver ? " is-bad" : ""}`} title={overviewText.forecastTitle}>
      <span>
        {isOver ? overviewText.forecastOver(formatUsd(usd)) : overviewText.forecast(formatUsd(usd))}
      </span>
    </p>
  );
}

function Overrun() {
  const overrun = status.data.value?.overrun;
  return (
    <section class="stat">
      <h2>{overviewText.overLimits}</h2>
      <p class="stat-value row">
        <span>{overrun === undefined ? <span class="bone bone-m" /> : formatUsd(overrun.usd)}</span>
        {overrun?.usd === 0 && (
          <span class="seal">
            <Icon name="good" />
          </span>
        )}
      </p>
      {overrun !== undefined && (
        <p class="stat-note">
          {overrun.since !== null && <span>{overviewText.since(formatDay(overrun.since))}</span>}
          <RequestsLink of={{ since: Date.parse(overrun.since ?? "") || 0 }}>
            {overviewText.receipts(overrun.receipts)}
          </RequestsLink>
        </p>
      )}
    </section>
  );
}

/** Credits as a limit; not there where spend has none. */
function Credits({ model }: { readonly model: OverviewModel }) {
  const credits = model.credits.data.value;
  if (credits === undefined || credits.unlimited) return null;
  const { total_credits: total, total_usage: usage } = credits;
  const left = Math.max(0, total - usage);
  return (
    <section class="stat">
      <h2>{overviewText.credits}</h2>
      <p class="stat-value">{formatUsd(left)}</p>
      <Meter name={overviewText.credits} spent={usage} limit={total} />
      <p class="stat-note">
        <span>{overviewText.ofCredits(formatLimit(total))}</span>
        {left === 0 && <span>{overviewText.creditsSpent}</span>}
      </p>
    </section>
  );
}

export function Stats({ model }: { readonly model: OverviewModel }) {
  const periods = model.periods.data.value;
  const budgets = periods?.budgets;
  return (
    <div class="box stats">
      <Stat
        name={overviewText.today}
        spent={periods?.daily}
        limit={budgets?.daily ?? null}
        interval="daily"
      />
      <Stat
        name={overviewText.week}
        spent={periods?.weekly}
        limit={budgets?.weekly ?? null}
        interval="weekly"
      />
      <Stat
        name={formatMonth(app.minute.value)}
        spent={periods?.monthly}
        forecast={periods?.monthForecast}
        limit={budgets?.monthly ?? null}
        interval="monthly"
      />
      <Credits model={model} />
      <Overrun />
    </div>
  );
}
