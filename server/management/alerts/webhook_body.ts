/** Bodies of webhooks: an alert as data, and as a sentence for people in a channel. */

import type { Alert, AlertFormat } from "../../../shared/management/alerts.ts";
import { truncate } from "../../../shared/util/text.ts";

type Crossing = Extract<Alert, { readonly type: "credits" }>["data"];

/** Longest name of a key or workspace in a sentence. */
const NAME_CHARS = 80;

/** A name on one line. */
const spoken = (name: string): string =>
  JSON.stringify(truncate(name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " "), NAME_CHARS));

const ofKey = ({ key_name, key_hash }: { readonly key_name: string; readonly key_hash: string }): string =>
  `Key ${spoken(key_name)} (${key_hash.slice(0, 8)})`;

function spentText(whose: string, { threshold, interval, period, limit, spent }: Crossing): string {
  const when = interval === "lifetime" ? "" : ` of ${period}`;
  const which = interval === "lifetime" ? "limit" : `${interval} limit`;
  return `${whose}: ${threshold} % of the ${which}${when} is spent, ${spent} of ${limit} USD.`;
}

/** The alert as one sentence. */
function alertText(alert: Alert): string {
  switch (alert.type) {
    case "key_limit":
      return spentText(ofKey(alert.data), alert.data);
    case "workspace_budget":
      return spentText(`Workspace ${spoken(alert.data.workspace_name)}`, alert.data);
    case "credits":
      return spentText("Credits of the account", alert.data);
    case "key_expiring":
      return `${ofKey(alert.data)} expires at ${alert.data.expires_at}.`;
    default:
      return alert satisfies never;
  }
}

const entities: ReadonlyMap<string, string> = new Map([["&", "&amp;"], ["<", "&lt;"], [">", "&gt;"]]);

/** Slack reads markup, mentions and links in angle brackets, and is told to read nothing else. */
const slackBody = (alert: Alert) => ({
  text: alertText(alert).replaceAll(/[&<>]/g, (mark) => entities.get(mark) ?? mark),
  mrkdwn: false,
  parse: "none",
  link_names: false,
  unfurl_links: false,
});

const bodies: { readonly [F in AlertFormat]: (id: string, alert: Alert) => unknown } = {
  json: (id, alert) => ({ id, ...alert }),
  slack: (_id, alert) => slackBody(alert),
};

/** The same text at every attempt. */
export function webhookBody(
  format: AlertFormat,
  { id, alert }: { readonly id: string; readonly alert: Alert },
) {
  return JSON.stringify(bodies[format](id, alert));
}
