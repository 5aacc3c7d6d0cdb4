/** Bodies of webhooks: an alert as data, and as a sentence for people in a channel. */

import type { Alert, AlertFormat } from "../../../shared/management/alerts.ts";
import { alertText } from "../../../shared/management/gateway/alert_text.ts";

const entities: ReadonlyMap<string, string> = new Map([["&", "&amp;"], ["<", "&lt;"], [">", "&gt;"]]);

/**
 * Marks behind which a space of no width ends a mention, a channel or a link: Mattermost and others read them in any text,
 * whatever the fields of Slack say.
 */
const beginnings = /[@#~\]]|:(?=\/)|\b(?:www(?=\.)|mailto:|tel:)/gi;
const ZERO_WIDTH = "\u200b";

/** Slack reads markup, mentions and links in angle brackets, and is told to read nothing else. */
const slackBody = (alert: Alert) => ({
  text: alertText(alert).replaceAll(beginnings, (mark) => mark + ZERO_WIDTH)
    .replaceAll(/[&<>]/g, (mark) => entities.get(mark) ?? mark),
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
