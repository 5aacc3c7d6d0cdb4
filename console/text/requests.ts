/** Texts of the Requests page. */

import type { ReceiptStatus } from "../../shared/receipts.ts";
import type { FilterName } from "../models/requests/request_filters.ts";
import { countOf, formatCount } from "../format.ts";

/** Names of statuses, as states of a request. */
export const statusNames = {
  completed: "Completed",
  incomplete: "Cut short",
  failed: "Failed",
  cancelled: "Cancelled",
  refused: "Refused",
  interrupted: "Interrupted",
} as const satisfies { readonly [S in ReceiptStatus]: string };

const requestCount = (count: number) => countOf(count, ["request", "requests"]);

/** Names of bars by their seconds. */
const barNames: ReadonlyMap<number, string> = new Map([
  [60, "a minute"],
  [3_600, "an hour"],
  [86_400, "a day"],
  [604_800, "a week"],
]);

export const requestsText = {
  title: "Requests",
  unreadable: "The requests could not be read",
  search: "Search requests",
  searchHint: "Error, model, user, session, id",
  time: "Time",
  between: "Between …",
  /** `25 Nov, 14:00 to 14:10`. */
  span: (from: string, to: string) => `${from} to ${to}`,
  since: (from: string) => `since ${from}`,
  until: (to: string) => `until ${to}`,
  state: "State",
  any: "any",
  addFilter: "Filter",
  remove: (filter: string) => `Remove filter ${filter}`,
  removeAll: "Remove all filters",
  caption: (workspace: string) => `Requests of ${workspace}, newest first`,
  allWorkspaces: "all workspaces",
  columns: {
    time: "Time",
    state: "State",
    model: "Model",
    provider: "Provider",
    key: "Key",
    input: "In",
    cached: "Cached",
    output: "Out",
    cost: "Cost",
    first: "First token",
    total: "Total",
  },
  utc: "(UTC)",
  /** `gpt-5.5 → gpt-5-mini`: asked, then served. */
  served: (asked: string, model: string) => `${asked} → ${model}`,
  tries: (count: number) => `+${count} ${count === 1 ? "try" : "tries"}`,
  notAsked: "Nobody asked",
  fromCache: "from the cache",
  noModel: "no model",
  times: (words: string, count: number) => `${words} × ${formatCount(count)}`,
  deletedKey: (hash: string) => `deleted key ${hash}`,
  count: (first: number, last: number) =>
    last === 0 ? "No requests" : `Requests ${formatCount(first)} to ${formatCount(last)}`,
  of: (count: string, all: number) => `${count} of ${formatCount(all)}`,
  found: (count: number) => `${requestCount(count)} found`,
  missing: (count: number) => `${requestCount(count)} damaged in the store and left out`,
  looking: "Looking …",
  lookedUntil: (moment: string) => `looked through until ${moment}`,
  goOn: "Go on",
  none: "No request yet",
  noneText: "What keys of this gateway ask for is listed here, with what it cost and who answered.",
  notFound: "No request found",
  notFoundText: "No request of this time passes all of these filters.",
  notFoundSoFar: "No request found so far",
  notFoundSoFarText: (moment: string) => `Everything that ended after ${moment} was looked through.`,
  histogram: (seconds: number, span: string) => `Requests ${barNames.get(seconds) ?? `per ${span}`}`,
  histogramNote: (all: number, bad: string) => `${requestCount(all)}${bad}`,
  badCounts: (failed: number, refused: number) =>
    [
      failed > 0 ? `, ${formatCount(failed)} failed` : "",
      refused > 0 ? `, ${formatCount(refused)} refused` : "",
    ]
      .join(""),
  countedFrom: (moment: string) => `counted from ${moment} on`,
  histogramLabel: (note: string) => `Requests over time: ${note}`,
  narrow:
    "Drag over bars to narrow the time. By keyboard: arrows go from bar to bar, Shift with arrows marks, Enter narrows.",
  answered: "Answered",
  failed: "Failed",
  refused: "Refused",
  live: "Live",
  liveTitle: "Shows requests as they end",
  notLiveSpan: "A time that is over has nothing new",
  notLive: (why: string) => `Requests cannot be followed. ${why}`,
  isLive: "Live. Pauses under the pointer",
  isPaused: (waiting: number) => `Paused, ${requestCount(waiting)} new`,
  leftOut: (count: number) => `${formatCount(count)} left out`,
  asId: "Look for it as an id, at any time",
  notFoundId: "No request has this id, neither as ours nor as the request's or the provider's.",
} as const;

export const viewNames = { requests: "Requests", sessions: "Sessions" } as const;

export const sessionsText = {
  views: "Requests or sessions",
  caption: "Sessions, those with the newest requests first",
  columns: {
    session: "Session",
    models: "Models",
    key: "Key",
    turns: "Turns",
    time: "Time",
    last: "Last",
    cost: "Cost",
  },
  more: (count: number) => ` and ${count} more`,
  bad: (count: number) => `${formatCount(count)} failed`,
  span: (span: string) => `Time of its requests together; from first to last ${span}`,
  count: (count: number) => countOf(count, ["session", "sessions"]),
  none: "No session found",
  noneText: "No request of this time names a session and passes these filters.",
  noneSoFar: "No session found so far",
} as const;

export const filterNames = {
  status: "State",
  model: "Model served",
  asked: "Model asked",
  provider: "Provider",
  key: "Key",
  user: "User",
  session: "Session",
  preset: "Preset",
  min_cost: "Cost from",
  min_ms: "Took from",
  error: "Error",
  fell_back: "Fell back",
  guardrail: "Guardrail",
  done: "Filter has",
  tag: "Tag",
  q: "Text",
  id: "Id",
} as const satisfies { readonly [F in FilterName]: string };

export const filtersText = {
  title: "Filters",
  hint: "All of them have to hold.",
  apply: "Show requests",
  failed: "The filters were not set",
  from: "From",
  fromTime: "at",
  until: "Until",
  untilTime: "before",
  utc: "All times are UTC. Empty: the period of the chip.",
  modelHint: "Whole id, as authors and models are listed: openai/gpt-5.5",
  keyHint: "Its name or the beginning of its hash",
  keyUnknown: (name: string) => `No key is called ${name}.`,
  keyMany: (count: number) => `${formatCount(count)} keys begin so. Write the whole name.`,
  sessionHint: "The beginning of its id",
  moneyUnit: "USD",
  moneyBad: "An amount is needed, such as 0.25.",
  seconds: "Took at least, in seconds",
  secondsBad: "A number of seconds is needed, such as 2.5.",
  momentBad: "Day and time are needed, and the end behind the beginning.",
  idHint: "Ours, the request's or the provider's, whatever the time",
  errors: "Error",
  fellBack: { any: "any", true: "yes", false: "no" },
} as const;
