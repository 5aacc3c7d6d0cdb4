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

const sentence = (alert: Alert): string =>
  alertText(alert).replaceAll(beginnings, (mark) => mark + ZERO_WIDTH)
    .replaceAll(/[&<>]/g, (mark) => entities.get(mark) ?? mark);

function slackText(alerts: readonly Alert[]): string {
  const lines = alerts.map(sentence);
  return lines.length === 1 ? lines.join("") : [`${lines.length} alerts:`, ...lines].join("\n• ");
}

/** Slack reads markup, mentions and links in angle brackets, and is told to read nothing else. */
const slackBody = (alerts: readonly Alert[]) => ({
  text: slackText(alerts),
  mrkdwn: false,
  parse: "none",
  link_names: false,
  unfurl_links: false,
});

interface AlertMessage {
  readonly id: string;
  /** One, but in a form for people. */
  readonly alerts: readonly Alert[];
}

const bodies: { readonly [F in AlertFormat]: (message: AlertMessage) => unknown } = {
  json: ({ id, alerts: [alert] }) => ({ id, ...alert }),
  slack: ({ alerts }) => slackBody(alerts),
};

/** Whether a message of a form may have several alerts: data has an event a message, as Standard Webhooks has it. */
export const isBundled = (format: AlertFormat): boolean => format === "slack";

/** The same text at every attempt. */
export const webhookBody = (format: AlertFormat, message: AlertMessage): string =>
  JSON.stringify(bodies[format](message));
