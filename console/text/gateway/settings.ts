/** Texts of the settings. */

import { countOf } from "../../format.ts";

export const settingTabNames = {
  settings: "In force",
  sessions: "Sessions",
  credits: "Credits",
  alerts: "Alerts",
  backup: "Backup",
  doctor: "Doctor",
} as const;

export const settingsText = {
  title: "Settings",
  caption: "Settings in force, and where each value came from",
  unreadable: "The settings could not be read",
  search: "Search settings",
  searchHint: "Name or description",
  from: "From",
  fromChoices: {
    set: "the operator",
    any: "anywhere",
    environment: "the environment",
    file: "the configuration file",
    default: "defaults",
  },
  columns: { name: "Setting", value: "Value", source: "From" },
  set: "set",
  notSet: "not set",
  none: "none",
  isDefault: "default",
  fileOf: (name: string) => `file that ${name}_FILE names`,
  notFound: "No setting found",
  notFoundText: "No setting has this search and these filters.",
  showAll: "Remove all filters",
  count: (shown: number, all: number) =>
    shown === all
      ? countOf(all, ["setting", "settings"])
      : `${shown} of ${countOf(all, ["setting", "settings"])}`,
  store: "Store",
  stores: {
    embedded: "embedded, in the data folder",
    postgres: "PostgreSQL",
    assigned: "assigned by the platform",
  },
  address: "Address",
  schema: "Schema version",
  folder: "Data folder",
  size: "Its size",
  free: "Free on its disk",
  unknown: "cannot be told",
  noSchema: "none",
} as const;

export const sessionsText = {
  caption: "Open sessions of the console, the youngest first",
  unreadable: "The sessions could not be read",
  columns: { key: "Key", address: "From", since: "Signed in", seen: "Last used", ends: "Ends unless used" },
  kinds: { management: "management key", api: "API key" },
  own: "this session",
  readOnly: "read-only",
  unknownAddress: "unknown",
  end: "End",
  endOf: (name: string) => `End session of ${name}`,
  ended: (name: string) => `The session of ${name} was ended.`,
  notEnded: (why: string) => `The session was not ended. ${why}`,
  endOthers: "End all others",
  count: (count: number) => countOf(count, ["session", "sessions"]),
  mayNot: "A read-only key can end sessions of its own only.",
} as const;

export const endOthersText = {
  title: "End all other sessions?",
  text: (count: number) =>
    `${countOf(count, ["other session", "other sessions"])} ${
      count === 1 ? "ends" : "end"
    } at once, those of other keys too. This one stays. Keys are not touched: their holders may sign in again.`,
  ofKey: "Only those of your own key are meant.",
  submit: "End all others",
  ended: (count: number) => `${countOf(count, ["session was", "sessions were"])} ended.`,
  failed: "The sessions were not ended",
} as const;

export const linkText = {
  title: "Sign-in link",
  text:
    "A link that signs in once with the key of this session, within ten minutes, in a browser on the gateway's own machine. A link of before ends.",
  make: "Make a sign-in link",
  ready: "The link is ready",
  until: (time: string) => `It works once, until ${time} UTC, on the gateway's own machine.`,
  failed: "The link was not made",
} as const;

export const creditsText = {
  title: "Credits",
  unreadable: "The credits could not be read",
  left: "Left",
  total: "Added in all",
  used: "Spent",
  unlimited:
    "No limit: credits were never added, or were cleared. Spend is limited by keys, budgets and guardrails only.",
  add: "Change credits",
  amount: "Amount",
  amountUnit: "USD",
  amountHint: "A negative amount takes credits away.",
  amountBad: "Write an amount in USD that is not 0, such as 250 or -40.50.",
  firstHint: "The first entry makes credits a limit: requests are refused once they are spent.",
  reason: "Reason",
  reasonHint: "Kept in the history. Up to 500 characters.",
  reasonMissing: "Say why.",
  submit: "Change credits",
  becomes: "Left after it",
  changed: "The credits were changed.",
  failed: "The credits were not changed",
  clear: "Clear credits",
  history: "History",
  columns: { time: "Time", amount: "Amount", total: "In all", reason: "Reason" },
  cleared: "cleared",
  noHistory: "Credits were never changed.",
  more: ({ from, to, all }: { readonly from: number; readonly to: number; readonly all: number }) =>
    to === 0 ? "No change" : `Changes ${from} to ${to} of ${all}, newest first`,
} as const;

export const clearCreditsText = {
  title: "Clear credits",
  text: "All credits are taken away, and the limit with them: spend is unlimited again. The history stays.",
  submit: "Clear credits",
  cleared: "The credits were cleared.",
  failed: "The credits were not cleared",
} as const;

export const backupText = {
  title: "Backup",
  text:
    "A copy of the store as it is at this moment: keys, workspaces, guardrails, receipts and what they have spent. Files and the master key are not in it.",
  secret:
    "The file holds every record of the store: keep it as safe as the store. Provider keys in it stay encrypted.",
  confirm: (name: string) => `Type ${name} to confirm`,
  confirmHint: "The name of the key that you are signed in with.",
  submit: "Download backup",
  mayNot: "A read-only key cannot download a backup.",
  elsewhere: {
    postgres:
      "The store is PostgreSQL: back it up by deno task backup on a machine that reaches it, or by pg_dump.",
    assigned: "The platform keeps the assigned KV database: use its own backups.",
  },
} as const;

export const doctorText = {
  title: "Doctor",
  text:
    "Settings, store, prices, the keys at providers, services and guardrails, as this gateway sees them. On the gateway's machine, deno task doctor also reads the journal, and tries whether many requests at once get past a limit.",
  caption: "What the gateway found, failures first",
  columns: { check: "Check", verdict: "Result" },
  verdicts: { ok: "Well", warning: "To know", failed: "Failed" },
  run: "Run the checks",
  running: "Checking, for at most a minute …",
  none: "Not checked yet",
  noneText: "The checks ask every provider for its list of models, which costs nothing.",
  mayNot: "A manager whose key is not read-only can run the checks.",
  ran: (moment: string, took: string) => `Checked ${moment}, in ${took}`,
  failed: "The checks did not run",
  unreadable: "The checks could not be read",
} as const;
