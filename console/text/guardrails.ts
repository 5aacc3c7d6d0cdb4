/** Texts of the Guardrails page. */

import type { GuardedSide } from "../../shared/external_guardrail.ts";
import type { DataRegion, FilterOutcome } from "../../shared/guardrails.ts";
import { builtinShortNames } from "./builtin_filters.ts";

/** `1 key`, `2 keys`. */
const plural = (count: number, [one, many]: readonly [string, string]) =>
  `${count} ${count === 1 ? one : many}`;

export const regionNames: { readonly [R in DataRegion]: string } = {
  global: "The whole world",
  europe: "Europe",
  us: "United States",
};

export const authorNames = {
  anthropic: "Anthropic",
  openai: "OpenAI",
  google: "Google",
  xai: "xAI",
  other: "others",
} as const;

export const actionNames = { redact: "Redact", mask: "Mask", block: "Block", flag: "Flag" } as const;

export const outcomeNames: { readonly [O in FilterOutcome]: string } = {
  blocked: "Blocked",
  redacted: "Redacted",
  masked: "Masked",
  flagged: "Flagged",
};

export const sideNames: { readonly [S in GuardedSide]: string } = {
  input: "input",
  output: "output",
  tools: "tools and plugins",
};

export const guardrailsText = {
  title: "Guardrails",
  newGuardrail: "New guardrail",
  caption: "Guardrails",
  search: "Search guardrails",
  searchHint: "Name or description",
  columns: { name: "Guardrail", workspace: "Workspace", keys: "Keys", members: "Members" },
  allWorkspaces: "All workspaces",
  isDefault: "default",
  allKeys: "all",
  allKeysTitle: "The default guardrail holds for all keys of its workspace.",
  orMore: (count: number) => `${count} or more`,
  unreadable: "The guardrails could not be read",
  count: (shown: number, all: number) =>
    shown === all
      ? plural(all, ["guardrail", "guardrails"])
      : `${shown} of ${plural(all, ["guardrail", "guardrails"])}`,
  none: "No guardrail",
  noneText: "A guardrail limits what keys may spend, call and send. It holds for the keys that have it.",
  notFound: "No guardrail found",
  notFoundText: (q: string) => `No guardrail has a word that begins with “${q}”.`,
  showAll: "Show all guardrails",
  idle: (count: number) =>
    count === 1 ? "1 default that asks for nothing" : `${count} defaults that ask for nothing`,
  delete: (name: string) => `Delete guardrail ${name}`,
} as const;

/** Words of a guardrail's summary. */
export const summaryText = {
  nothing: "asks for nothing",
  patterns: (count: number) => plural(count, ["pattern", "patterns"]),
  builtins: (count: number) => plural(count, ["built-in filter", "built-in filters"]),
  slugs: builtinShortNames,
  limit: (usd: string, interval: string) => `${usd} ${interval}`,
  zdr: "ZDR",
  zdrOf: (authors: string) => `ZDR of ${authors}`,
  zdrBut: (authors: string) => `ZDR but of ${authors}`,
  modelsAllowed: (count: number) => `${plural(count, ["model", "models"])} allowed`,
  modelsIgnored: (count: number) => `${plural(count, ["model", "models"])} ignored`,
  providersAllowed: (count: number) => `${plural(count, ["provider", "providers"])} allowed`,
  providersIgnored: (count: number) => `${plural(count, ["provider", "providers"])} ignored`,
  noTraining: "no training",
  noPublication: "no publication",
  external: "external service",
  onlyReadable: "nothing unreadable",
  words: (count: number) => plural(count, ["word", "words"]),
  exceptions: (count: number) => plural(count, ["exception", "exceptions"]),
  regions: (names: string) => `only ${names}`,
} as const;

export const guardrailPanelText = {
  previous: "Previous guardrail",
  next: "Next guardrail",
  newTitle: "New guardrail",
  views: {
    rules: "Rules",
    filters: "Filters",
    holders: "Assigned",
    trial: "Try a text",
    receipts: "Lately",
  },
  viewsLabel: "Parts of the guardrail",
  unreadable: "The guardrail could not be read",
  notSaved: "The guardrail was not saved",
  notCreated: "The guardrail was not created",
  gone: "Somebody has deleted this guardrail",
  saved: "The guardrail was saved.",
  created: (name: string) => `Guardrail ${name} was created.`,
  create: "Create guardrail",
  creating: "Creating …",
  warnings: "Saved, but to know",
  defaultHint: "It holds for all keys of its workspace, beside a guardrail of their own.",
  about: "Name and description",
  name: "Name",
  nameMissing: "A guardrail needs a name.",
  description: "Description",
  workspace: "Workspace",
  workspaceHint: "Which keys can have it. It cannot be changed later.",
  money: "Limit for each key",
  limit: "Limit",
  limitHint: "Each key with this guardrail may spend so much. Empty means no limit.",
  limitUnit: { daily: "USD a day", weekly: "USD a week", monthly: "USD a month" },
  limitBad: "is not an amount in USD. Write a number such as 75.00, with a point.",
  resets: "Resets",
  intervals: { daily: "Daily", weekly: "Weekly", monthly: "Monthly" },
  byok: "Count provider keys of the workspace",
  byokHint: "Calls over its own provider keys count towards this limit.",
  routing: "Models and providers",
  allowedModels: "Allowed models",
  ignoredModels: "Ignored models",
  allowedProviders: "Allowed providers",
  ignoredProviders: "Ignored providers",
  allowedHint: "One a line; empty allows all.",
  modelHint: "One a line, such as openai/gpt-5.5 or openai/*; empty allows all.",
  ignoredHint: "One a line; these are never used.",
  line: (number: number, problem: string) => `Name ${number}: ${problem}`,
  data: "Data",
  zdr: "Zero data retention (ZDR)",
  zdrHint: "On: only endpoints that keep no data. What is set for one author goes before it.",
  authors: {
    anthropic: "ZDR, models of Anthropic",
    openai: "ZDR, models of OpenAI",
    google: "ZDR, models of Google",
    xai: "ZDR, models of xAI",
    other: "ZDR, models of others",
  },
  paidTraining: "Paid endpoints may train on data",
  freeTraining: "Free endpoints may train on data",
  publication: "Free endpoints may publish data",
  trainingHint: "Off: endpoints that do are not used.",
  flags: { unset: "Unset", on: "On", off: "Off" },
  regions: "Allowed data regions",
  regionsHint: "None chosen: everywhere.",
  delete: "Delete",
  deleteHint: "Keys and members that have it are left without.",
  deleteButton: "Delete guardrail …",
  nothing: "nothing",
  changed: "changed",
  yes: "yes",
  no: "no",
} as const;

export const filtersText = {
  unreadable: "What cannot be read",
  unreadableHint: "Images, sounds, videos and files without a text, sent or received.",
  unreadableChoices: { allow: "Allow", block: "Block" },
  builtins: "Built-in filters",
  builtinsHint:
    "Redact replaces what is found, Mask does so for the provider alone, Block refuses the request, Flag lets it pass and writes it on the receipt.",
  off: "Off",
  experimental: "experimental",
  experimentalTitle: "It finds less than seven of ten in texts from outside. Do not rely on it alone.",
  scope: "Reads",
  scopes: {
    unset: "Default",
    user_only: "Messages of users",
    all_messages: "Everything, the answer too",
  },
  label: "Label",
  patterns: "Patterns",
  words: "Words and exceptions",
  wordList: "Words",
  wordsHint: "One a line: whole words or texts, in any case.",
  wordsAction: "What words do",
  except: "Exceptions",
  exceptHint:
    "One a line: what this guardrail's filters find within one of these does not count. /…/ is a pattern.",
  fault: (fault: string) => `Acts as before, and would be refused now: it ${fault}.`,
  patternsHint:
    "Regular expressions, without look-around and back references. A label names one, on receipts too.",
  noPatterns: "No pattern.",
  addPattern: "Add pattern",
  pattern: (number: number) => `Pattern ${number}`,
  patternMissing: "A pattern has to be filled in.",
  action: (number: number) => `What pattern ${number} does`,
  labelOf: (name: string) => `Label of ${name}`,
  scopeOf: (name: string) => `What ${name} reads`,
  actionLabel: "On a match",
  removePattern: (number: number) => `Remove pattern ${number}`,
  longest: (count: string, isOne: boolean) =>
    `A match has at most ${count} ${isOne ? "character" : "characters"}.`,
  unbounded: "A match has no bound.",
} as const;

export const externalText = {
  title: "External service",
  none: "No service is asked.",
  hint: "A service of yours judges what the filters let through: it allows, blocks or replaces texts.",
  add: "Add service",
  remove: "Remove service",
  url: "Address of the service",
  urlHint: "Called by POST: a public https: address, or a host that fetch.allowed_hosts names.",
  urlBad: "An address is needed, such as https://guard.example/judge.",
  header: "Variable for authorization",
  headerHint:
    "Its value is sent as authorization. Only names in fetch.header_env of the configuration file. Empty: none.",
  fault: (fault: string) => `The service is not asked and counts as failed: this ${fault}.`,
  timeout: "Milliseconds for each call",
  timeoutHint: "From 100 to 30,000.",
  timeoutBad: "A whole number from 100 to 30,000 is needed.",
  fail: "Where it fails",
  failHint: "Closed blocks what could not be judged, Open lets it pass.",
  failChoices: { closed: "Closed", open: "Open" },
  on: "Asked about",
  onHint: "What is sent to models, what they answer, and results of server tools.",
  onMissing: "One at least has to be chosen.",
  sides: { input: "Input", output: "Output", tools: "Tools" },
} as const;

export const holdersText = {
  keys: "Keys",
  members: "Members",
  noKeys: "No key has it.",
  noMembers: "No member has it.",
  more: (shown: number, all: number) => `The first ${shown} of ${all} are shown.`,
  findKey: "Key to add",
  findHint: "Name, label or hash. The guardrail takes the place of the one that the key has.",
  found: "Keys found",
  noneFound: "No other key is called so.",
  addKey: (name: string) => `Add key ${name}`,
  removeKey: (name: string) => `Remove key ${name}`,
  member: "User to add",
  memberHint: "Holds for all keys that the user has made.",
  addMember: "Add",
  removeMember: (user: string) => `Remove ${user}`,
  notChanged: "This was not changed",
  unreadable: "Who has it could not be read",
} as const;

export const trialText = {
  text: "Text",
  hint: "It is neither sent to a model nor kept.",
  direction: "It stands in the",
  directions: { input: "Input", output: "Output" },
  submit: "Try",
  trying: "Trying …",
  failed: "The text could not be tried",
  unsaved: "Changes that are not saved yet are not tried.",
  result: "Result",
  nothing: "Nothing found",
  notAsked: "The external service was not asked.",
  matches: "Matches",
  matched: (count: number) => plural(count, ["match", "matches"]),
  first: (shown: number, all: number) => `The first ${shown} of ${all} matches are marked.`,
  onward: "As it goes on",
  named: (filter: string, outcome: FilterOutcome) => `${filter} · ${outcome}`,
  onwardText: "Text as it goes on",
  marked: "Text with its matches",
  stopped: "It does not go on.",
} as const;

export const latelyText = {
  all: "All requests in which it matched",
  caption: "Latest requests in which a filter matched",
  none: "No filter of this guardrail has matched yet.",
  unreadable: "The receipts could not be read",
  time: "When",
  done: "What was done",
  request: "Request",
  noModel: "no model",
  what: (outcome: string, found: string) => `${outcome} ${found}`,
  pattern: "pattern",
} as const;

export const deleteGuardrailText = {
  title: (name: string) => `Delete guardrail ${name}?`,
  text: "What it asks for holds no more, from the next request on. It cannot be undone.",
  holders: (keys: string, members: string) => `${keys} and ${members} lose it.`,
  keys: (count: number) => plural(count, ["key", "keys"]),
  members: (count: number) => plural(count, ["member", "members"]),
  keep: "Keep it",
  delete: (name: string) => `Delete guardrail ${name}`,
  deleted: (name: string) => `Guardrail ${name} was deleted.`,
  failed: "The guardrail was not deleted",
} as const;
