/** Texts of alerts. */

import type { Alert, AlertRecord } from "../../../shared/management/alerts.ts";
import { formatCount } from "../../format.ts";

export const alertsText = {
  sentTo: "Where they are sent",
  nowhere:
    "Alerts are sent nowhere, and none are raised: the configuration file has no alerts.webhook. It is set there, not here.",
  set: "set",
  from: (file: string) => `From ${file}. It is changed there, not here.`,
  caption: "Alerts of the last seven days",
  latest: "Latest alerts",
  all: "All alerts",
  unreadable: "The alerts could not be read",
  columns: { alert: "Alert", time: "When", status: "Sent" },
  none: "No alert in the last seven days.",
  count: (from: number, { to, all }: { readonly to: number; readonly all: number }) =>
    to === 0 ? "No alerts" : `Alerts ${formatCount(from)} to ${formatCount(to)} of ${formatCount(all)}`,
  endedAt: (moment: string) => `at ${moment}`,
} as const;

export const alertKindNames: { readonly [K in Alert["type"]]: string } = {
  key_limit: "Limit of a key",
  workspace_budget: "Budget of a workspace",
  credits: "Credits",
  key_expiring: "Key expires",
  destination_failing: "Destination fails",
  endpoint_down: "Endpoint down",
  overrun: "Beyond limits",
  store_slow: "Store slow",
  prices_old: "Prices old",
  model_retiring: "Model ends",
};

export const alertStatusNames: { readonly [S in AlertRecord["status"]]: string } = {
  waiting: "Waiting",
  sent: "Arrived",
  lost: "Lost",
};
