/** Texts of the Overview page. */

import { countOf } from "../format.ts";

/** Parts of a sentence, by name. */
type Words<Name extends string> = { readonly [N in Name]: string };

const groups = {
  model: ["model", "models"],
  provider: ["provider", "providers"],
  api_key_id: ["key", "keys"],
  workspace: ["workspace", "workspaces"],
  user: ["user", "users"],
  session_id: ["session", "sessions"],
  app_title: ["application", "applications"],
  preset: ["preset", "presets"],
} as const;

export const overviewText = {
  title: "Overview",
  period: "Period",
  unreadable: "The figures could not be read",
  attention: "Needs attention",
  today: "Today",
  week: "This week",
  overLimits: "Over every limit",
  credits: "Credits left",
  ofCredits: (total: string) => `of ${total}, for all keys`,
  creditsSpent: "every request that costs something is refused",
  since: (day: string) => `since the first receipt on ${day}`,
  receipts: (count: number) => countOf(count, ["receipt", "receipts"]),
  ofBudget: (share: string, limit: string) => `${share} of ${limit}`,
  noBudget: "no budget",
  chooseWorkspace: "choose a workspace for its budgets",
  resetsIn: (span: string) => `resets in ${span}`,
  spend: "Spend",
  spendNote: ({ usd, period, by }: Words<"usd" | "period" | "by">) => `${usd}, ${period}, by ${by} (UTC)`,
  spendLabel: ({ usd, period, by }: Words<"usd" | "period" | "by">) =>
    `Spend by ${by}, ${period}, ${usd} together`,
  last: (period: string) => `last ${period}`,
  periodBefore: (text: string) => `the ${text} before`,
  sameLength: "same time",
  noneBefore: (before: string) => `nothing in ${before}`,
  same: (before: string) => `as much as in ${before}`,
  change: (share: string, before: string) => `${share} against ${before}`,
  leftOut: (unit: string) => `, without the running ${unit}`,
  cumulative: "Added up",
  forecast: (usd: string) => `about ${usd} at its end`,
  forecastOver: (usd: string) => `about ${usd} at its end: over the budget`,
  forecastTitle: "As in the last seven days",
  exportSums: "Sums",
  exportDated: { minute: "By minute", hour: "By hour", day: "By day" },
  custom: "Between …",
  by: "By",
  dimensions: {
    model: "model",
    provider: "provider",
    api_key_id: "key",
    workspace: "workspace",
    user: "user",
    session_id: "session",
    app_title: "application",
    preset: "preset",
  },
  scannedUntil: (moment: string) => `since ${moment} only`,
  /** `4 other models`. */
  others: (count: number, by: keyof typeof groups) => `${count} other ${groups[by][count === 1 ? 0 : 1]}`,
  nothingSpent: "Nothing was spent in this period.",
  units: { minute: "minute", hour: "hour", day: "day" },
  requests: "Requests",
  failedOf: ({ failed, all, share, refused }: Words<"failed" | "all" | "share" | "refused">) =>
    `${failed} of ${all} failed (${share})${refused === "0" ? "" : `, ${refused} refused`}`,
  requestsLabel: ({ all, failed, refused, period }: Words<"all" | "failed" | "refused" | "period">) =>
    `Requests, ${period}: ${all}, of which ${failed} failed and ${refused} were refused`,
  answered: "Answered",
  failed: "Failed",
  refused: "Refused",
  latency: "Latency to first token",
  latencyLabel: (period: string) => `Latency to the first token, ${period}: p50, p95 and p99`,
  tokens: "Tokens",
  tokensNote: (count: string, period: string) => `${count}, ${period}`,
  tokensLabel: ({ input, output, period }: Words<"input" | "output" | "period">) =>
    `Tokens, ${period}: ${input} in, ${output} out`,
  input: "In",
  output: "Out",
  top: (by: string) => `Top ${by}s`,
  share: "Share",
  name: "Name",
  cost: "Spend",
  topKeys: "Top keys",
  thisMonth: "this month",
  allKeys: "All keys",
  key: "Key",
  workspace: "Workspace",
  noKeys: "No key has spent anything this month.",
  endpoints: "Endpoints",
  now: "now",
  endpoint: "Endpoint",
  standing: "Standing",
  p50: "p50",
  failed5m: "Failed, 5 min",
  deletedKey: (id: string) => `deleted key ${id}`,
  more: (count: number) => `${count} more`,
  noEndpoints: "No endpoint was called since the start.",
  well: "Well",
  singleUse: "Well, each connection used once",
  singleUseReason: "The provider sent bytes that belong to no request",
  cooling: (span: string) => `Cooling down, ${span} left`,
  probe: "To be tried with the next request",
  keyRefused: "Key refused",
  ownKeyRefused: "Workspace's key refused",
} as const;

export const attentionText = {
  reached: (limit: string) => ` has reached its limit of ${limit}; its requests are refused.`,
  nearly: (share: string, limit: string) => ` has spent ${share} of its limit of ${limit}.`,
  raise: "Raise the limit",
  raiseBudget: "Raise the budget",
  openKey: "Open the key",
  openDestination: "Open the destination",
  failing: (since: string, reason: string) =>
    ` has not taken a receipt since ${since}: ${reason}. They wait.`,
  showAll: "Show all",
  expires: (span: string, at: string) => ` expires in ${span}, at ${at}.`,
  moreKeys: (count: number) => countOf(count, ["more key", "more keys"]),
  moreBudgets: (count: number) => countOf(count, ["more budget", "more budgets"]),
  moreDestinations: (count: number) => countOf(count, ["more destination", "more destinations"]),
  moreEndpoints: (count: number) =>
    countOf(count, ["more endpoint needs attention", "more endpoints need attention"]),
  groups: {
    reached: (count: number) => ` ${count === 1 ? "has reached its limit" : "have reached their limits"}.`,
    nearly: (count: number) =>
      ` ${count === 1 ? "has spent 90 % of its limit" : "have spent 90 % of their limits"} or more.`,
    expiring: (count: number) => ` ${count === 1 ? "expires" : "expire"} within seven days.`,
    failing: (count: number) => ` ${count === 1 ? "fails" : "fail"} too.`,
  },
  budget: (workspace: string, interval: "daily" | "weekly" | "monthly" | "lifetime") =>
    `The ${interval} budget of ${workspace}`,
  overLimits: "Requests went over their limits",
  overrun: (usd: string, since: string | null) =>
    ` by ${usd}${since === null ? "" : ` since the first receipt on ${since}`}.`,
  cooling: (span: string, reason: string) => ` cools down for ${span} more: ${reason}.`,
  keyRefused: (reason: string) =>
    ` refuses the gateway's key (${reason}). Correct its variable and start the gateway again.`,
  ownKeyRefused: (reason: string) =>
    ` refuses a workspace's own key (${reason}). Replace it among the provider keys of that workspace.`,
  singleUse: (span: string) =>
    ` sent bytes that belong to no request. Each connection to it is used once for ${span} more.`,
  unknownReason: "it failed",
  store: "The store is in trouble",
  ledger: "The ledger refuses requests",
  health: "Open health",
} as const;

export const firstRequestText = {
  title: "The gateway runs. Nothing has been asked yet.",
  text:
    "Send the first request and this page fills itself: spend against limits, requests, latency, and who used what.",
  key: "Have a key",
  keyText:
    "The first start printed one, or named the file that has it. It belongs to the workspace Default and has no limit.",
  another: "Make another",
  ask: "Ask something",
  askText: "local/echo is built in, costs nothing and needs no account anywhere.",
  waiting: "Waiting for the first request. It shows here within a second.",
  provider: "Switch a provider on",
  providerText: "Set its key in the environment, such as OPENAI_API_KEY, and start the gateway again.",
} as const;

export const spanText = {
  title: "Figures between two days",
  from: "First day",
  to: "Last day",
  hint: "Both days count, by UTC. A day or two are shown by the hour.",
  bad: (most: number) => `The first day has to come before the last, at most ${most} days.`,
  apply: "Show",
} as const;
