/** Texts of the Keys page. */

import { formatCount } from "../format.ts";
import type { KeySort, KeyState } from "../../shared/management/lists/key_sorts.ts";

export const resetNames = { none: "Never", daily: "Daily", weekly: "Weekly", monthly: "Monthly" } as const;
export type ResetChoice = keyof typeof resetNames;

export const stateNames: { readonly [S in KeyState]: string } = {
  active: "active",
  disabled: "disabled",
  expired: "expired",
  expiring: "expiring soon",
  nearly: "nearly at the limit",
  reached: "limit reached",
  unused: "unused for 30 days",
};

export const sortNames: { readonly [S in KeySort]: string } = {
  created: "youngest first",
  name: "by name",
  usage_monthly: "most spent this month first",
  last_used: "used last first",
  expires: "soonest end first",
};

export const keysText = {
  title: "Keys",
  newKey: "New key",
  caption: (workspace: string) => `API keys of ${workspace}`,
  allWorkspaces: "all workspaces",
  search: "Search keys",
  searchHint: "Name, label or hash",
  sort: "Sorted",
  state: "State",
  all: "any",
  unreadable: "The keys could not be read",
  columns: {
    key: "Key",
    workspace: "Workspace",
    spent: "Spent of limit",
    left: "Left",
    resets: "Resets",
    created: "Created",
    used: "Last used",
    state: "State",
  },
  none: "No key yet",
  noneText: "A key lets an application call models. It belongs to a workspace and can have a limit.",
  notFound: "No key found",
  notFoundText: (q: string) => `No key has a word, label or hash that begins with “${q}”.`,
  notFoundSoFar: "No key found so far",
  notFoundSoFarText: "There are more keys than are looked through at a time.",
  goOn: "Go on",
  noneOfFilter: "No key is in this state, in this workspace.",
  showAll: "Show all keys",
  count: (from: number, { to, all }: { readonly to: number; readonly all: number | null | undefined }) =>
    to === 0
      ? "No keys"
      : `Keys ${formatCount(from)} to ${formatCount(to)}${
        all === null || all === undefined ? "" : ` of ${formatCount(all)}`
      }`,
  unused: "never",
  incomplete: "Some keys may be missing: narrow the search, or wait until all keys are indexed.",
  asOf: (time: string) => `Spend as of ${time} UTC.`,
  noLimit: "no limit",
  on: "On",
  disabled: "Disabled",
  expired: "Expired",
  nearly: "Nearly reached",
  reached: "Limit reached",
  resetsIn: (reset: string, span: string) => `${reset}, in ${span}`,
  never: "Never",
} as const;

export const keyPanelText = {
  previous: "Previous key",
  next: "Next key",
  more: "More",
  rotate: "Rotate key",
  like: "New key like this one",
  delete: "Delete key",
  unreadable: "The key could not be read",
  ofLimit: (limit: string, period: string) => `of ${limit} ${period}`,
  noLimit: "no limit",
  periods: { none: "in all", daily: "today (UTC)", weekly: "this week (UTC)", monthly: "this month (UTC)" },
  spent: (usd: string) => `Spent ${usd}`,
  left: (usd: string) => `Left ${usd}`,
  limitAndState: "Limit and state",
  limit: "Limit",
  limitHint: (spent: string, left: string | undefined) =>
    left === undefined
      ? `${spent} is spent. Empty means no limit.`
      : `${spent} is spent; ${left} will be left.`,
  limitUnit: { none: "USD in all", daily: "USD a day", weekly: "USD a week", monthly: "USD a month" },
  resets: "Resets",
  byok: "Count provider keys of the workspace",
  byokHint: (usd: string) => `BYOK in limit: ${usd} went over them in this period.`,
  cache: "Cache responses",
  cacheHint:
    "The same request is answered again from memory, where neither it nor its preset says otherwise.",
  cacheSeconds: "Kept for, in seconds",
  cacheSecondsHint: "Empty means the usual 300.",
  cacheSecondsBad: "Write a whole number from 1 to 86,400, or leave it empty.",
  usual: "as usual",
  name: "Name",
  disabled: "Disabled",
  disabledHint: "New requests get 401; open ones may finish.",
  yes: "yes",
  no: "no",
  spendByDay: "Spend by day",
  spendLabel: (total: string) => `Spend by day, last 30 days, ${total} together`,
  days: "30 days, UTC",
  lastRequests: "Last requests",
  allRequests: "All requests",
  noRequests: "No request with this key yet.",
  time: "Time",
  model: "Model",
  cost: "Cost",
  completed: "Completed",
  failed: "Failed",
  guardrail: "Guardrail",
  guardrailOfKey: "Of this key",
  guardrailHint: "The default guardrail of the workspace holds besides.",
  guardrailSaved: "The guardrail was changed.",
  noGuardrail: "None",
  rateLimits: "Rate limits",
  requestsPerMinute: "Requests a minute",
  tokensPerMinute: "Tokens a minute",
  streams: "Open streams",
  unlimited: "no limit",
  facts: "About this key",
  created: "Created",
  expires: "Expires",
  neverExpires: "Never",
  hash: "Hash",
  label: "Label",
  workspace: "Workspace",
  saved: "The key was saved.",
  notSaved: "The key was not saved",
  gone: "Somebody has deleted this key",
  isBad: "is not an amount in USD. Write a number such as 75.00, with a point.",
  nameMissing: "A key needs a name.",
  countBad: "Write a whole number above 0, or leave it empty.",
} as const;

export const newKeyText = {
  title: "New key",
  titleLike: (name: string) => `New key like ${name}`,
  likeUnreadable: "The settings of the other key could not be read",
  name: "Name",
  nameHint: "What uses it. Up to 255 characters.",
  workspace: "Workspace",
  limit: "Limit",
  limitHint: "Empty means no limit.",
  expires: "Expires",
  expiresHint: "At that moment, to the second.",
  expiryChoices: {
    never: "Never",
    "7": "In 7 days",
    "30": "In 30 days",
    "90": "In 90 days",
    "365": "In a year",
    date: "On a date …",
  },
  expiryDate: "Date",
  expiryTime: "Time (UTC)",
  expiryTimeHint: "A day begins at 00:00 UTC.",
  expiresAt: (moment: string) => `Expires ${moment}.`,
  expiryMissing: "Choose a date and a time.",
  expiryPast: (moment: string) => `${moment} is past. Choose a moment in the future.`,
  byokHint: "BYOK in limit: calls over your own provider keys count as well.",
  guardrail: "Guardrail",
  create: "Create key",
  creating: "Creating …",
  failed: "The key was not created",
} as const;

export const createdKeyText = {
  title: (name: string) => `Key ${name} is ready`,
  workspace: "Workspace",
  limit: "Limit",
  hash: "Hash",
  setUp: "Set up a client",
  modelsUnknown: "The models are examples: the ones that the key may call could not be read.",
  noModels: "The models are examples: the key may call none yet, by its guardrails and the providers here.",
  expires: "Expires",
  missing: {
    guardrail: "The key has no guardrail yet",
    rateLimits: "The key has no rate limits yet",
  },
  again: "Try again",
} as const;

export const rotateText = {
  title: (name: string) => `Rotate key ${name}`,
  text: "A new text takes the place of the old one. Limit, spend, rate limits and guardrail stay.",
  overlap: "The old text works for",
  overlapHint: "Time to put the new text where the old one is used.",
  choices: {
    "0": "No longer: at once",
    "3600": "1 hour more",
    "86400": "1 day more",
    "604800": "7 days more",
  },
  rotate: "Rotate key",
  failed: "The key was not rotated",
} as const;

export const deleteKeyText = {
  title: (name: string) => `Delete key ${name}`,
  text:
    "New requests with it get 401. Its receipts and sums stay. It cannot be brought back; disable it if you may want that.",
  abort: "Break off its open requests too",
  abortHint: "Otherwise they may finish.",
  delete: (name: string) => `Delete key ${name}`,
  deleted: (name: string) => `Key ${name} was deleted.`,
  failed: "The key was not deleted",
} as const;
