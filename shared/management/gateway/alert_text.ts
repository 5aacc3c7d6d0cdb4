/** Sentences of alerts, for people: in a channel, and in the console. */

import { truncate } from "../../util/text.ts";
import type { Alert } from "../alerts.ts";

type Crossing = Extract<Alert, { readonly type: "credits" }>["data"];

type GatewayKind = "endpoint_down" | "overrun" | "store_slow" | "prices_old" | "model_retiring";

/** Longest name of a record in a sentence. */
const NAME_CHARS = 80;

/** A name on one line. */
const spoken = (name: string): string =>
  JSON.stringify(truncate(name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " "), NAME_CHARS));

const ofKey = ({ key_name, key_hash }: { readonly key_name: string; readonly key_hash: string }): string =>
  `Key ${spoken(key_name)} (${key_hash.slice(0, 8)})`;

/** Without an exponent, to the nano-dollar. */
const amount = (usd: number): string =>
  usd.toLocaleString("en", { maximumFractionDigits: 9, useGrouping: false });

function spentText(whose: string, { threshold, interval, period, limit, spent }: Crossing): string {
  const when = interval === "lifetime" ? "" : ` of ${period}`;
  const which = interval === "lifetime" ? "limit" : `${interval} limit`;
  return `${whose}: ${threshold} % of the ${which}${when} is spent, ${amount(spent)} of ${
    amount(limit)
  } USD.`;
}

/** The alert as one sentence. */
export function alertText(alert: Alert): string {
  switch (alert.type) {
    case "key_limit":
      return spentText(ofKey(alert.data), alert.data);
    case "workspace_budget":
      return spentText(`Workspace ${spoken(alert.data.workspace_name)}`, alert.data);
    case "credits":
      return spentText("Credits of the account", alert.data);
    case "key_expiring":
      return `${ofKey(alert.data)} expires at ${alert.data.expires_at}.`;
    case "destination_failing": {
      const { destination_name: name, since, reason } = alert.data;
      const why = reason === null ? "" : ` (${spoken(reason)})`;
      return `Destination ${spoken(name)} has failed since ${since}${why}; its receipts wait.`;
    }
    default:
      return gatewayText(alert);
  }
}

/** Alerts of what belongs to no key and no workspace. */
function gatewayText(alert: Extract<Alert, { readonly type: GatewayKind }>): string {
  switch (alert.type) {
    case "endpoint_down": {
      const { model, provider, since, reason } = alert.data;
      const why = reason === null ? "" : ` (${spoken(reason)})`;
      return `${spoken(model)} at ${spoken(provider)} has been down since ${since}${why}.`;
    }
    case "overrun":
      return `Requests of ${alert.data.day} cost ${amount(alert.data.overrun)} USD beyond limits.`;
    case "store_slow":
      return `The store has been slow or away since ${alert.data.since}.`;
    case "prices_old":
      return `Prices of ${spoken(alert.data.source)} are ${alert.data.age_days} days old.`;
    case "model_retiring": {
      const { model, provider, date, successor } = alert.data;
      const then = successor === null ? "" : `, ${spoken(successor)} follows`;
      return `${spoken(model)} at ${spoken(provider)} ends on ${date}${then}.`;
    }
    default:
      return alert satisfies never;
  }
}
