/** Texts of the page of workspaces' provider keys. */

import { countOf } from "../../format.ts";

export const providerKeysText = {
  title: "Provider keys",
  newKey: "New provider key",
  caption: "Provider keys that workspaces bring",
  search: "Search provider keys",
  searchHint: "Name, provider or label",
  provider: "Provider",
  anyProvider: "any",
  unreadable: "The provider keys could not be read",
  columns: {
    name: "Name",
    provider: "Provider",
    workspace: "Workspace",
    use: "Used",
    created: "Created",
    state: "State",
  },
  allWorkspaces: "all workspaces",
  none: "No provider key yet",
  noneText:
    "Calls with a provider key of its own cost a workspace nothing here, and go to the account that the key belongs to.",
  notFound: "No provider key found",
  notFoundText: "No provider key has this search and these filters.",
  showAll: "Remove all filters",
  count: (shown: number, all: number) =>
    shown === all
      ? countOf(all, ["provider key", "provider keys"])
      : `${shown} of ${countOf(all, ["provider key", "provider keys"])}`,
  on: "On",
  disabled: "Disabled",
  use: {
    before: "before the gateway's key",
    fallback: "after the gateway's key",
    required: "instead, for its models",
    only: "as the only key",
  },
} as const;

export const providerKeyFields = {
  provider: "Provider",
  providerHint: "Its slug here, such as openai.",
  key: "Key",
  keyHint:
    "As the provider gave it out: a text, or the JSON of a service account. It is encrypted, and not shown again.",
  keyMissing: "Paste the key.",
  workspace: "Workspace",
  allWorkspaces: "All workspaces",
  name: "Name",
  nameHint: "Shown in lists. Empty means none.",
  disabled: "Disabled",
  disabledHint: "Calls go on with other keys, as if there were none of these.",
  fallback: "Use it after the gateway's own key",
  fallbackHint: "Otherwise it is tried first.",
  required: "Use it instead of the gateway's own key",
  requiredHint: "For the models that it may call. Other models may still use the gateway's key.",
  only: "Use no other key at this provider",
  onlyHint: "The gateway's own key is not used there at all.",
  onlyAndFallback: "A key that comes after the gateway's cannot be the only one.",
  models: "Models",
  modelsHint: "One on each line, or patterns such as openai/*. Empty means all.",
  users: "Users",
  usersHint: "Ids of users, one on each line. Empty means all.",
  keys: "Keys that may use it",
  allKeys: "Every key of the workspace may use it.",
  addKey: "Find a key to add",
  addKeyHint: "Once one is listed, the others may not use it.",
  noKeyFound: "No key found.",
  found: "Keys found",
  add: (name: string) => `Add key ${name}`,
  remove: (name: string) => `Remove key ${name}`,
  deletedKey: "a key that is deleted",
  zdr: "Zero data retention",
  zdrHint: "What the account behind the key has agreed with the provider.",
  zdrChoices: { inherit: "As the provider states", yes: "Yes", no: "No" },
} as const;

export const providerKeyPanelText = {
  previous: "Previous provider key",
  next: "Next provider key",
  unreadable: "The provider key could not be read",
  notSaved: "The provider key was not saved",
  gone: "Somebody has deleted this provider key",
  saved: "The provider key was saved.",
  warnings: "Saved, but to know",
  use: "Use",
  who: "Who may use it",
  facts: "About this provider key",
  label: "Label",
  created: "Created",
  order: "Order",
  orderOf: (place: number) => `${place}. of its workspace at this provider`,
  requests: "Show the requests of this provider",
  replace: "Replace key",
  delete: "Delete provider key",
  more: "More",
  yes: "yes",
  no: "no",
  all: "all",
} as const;

export const newProviderKeyText = {
  title: "New provider key",
  create: "Store provider key",
  creating: "Storing …",
  created: (label: string) => `Provider key ${label} was stored.`,
  failed: "The provider key was not stored",
} as const;

export const replaceKeyText = {
  title: (name: string) => `Replace key of ${name}`,
  text: "The new key is used from the next call on. Settings stay.",
  submit: "Replace key",
  replaced: "The key was replaced.",
  failed: "The key was not replaced",
} as const;

export const deleteProviderKeyText = {
  title: (name: string) => `Delete provider key ${name}`,
  text:
    "Calls of its workspace go on with other keys, or fail where there are none. It is gone for good; the provider still knows it.",
  delete: (name: string) => `Delete provider key ${name}`,
  deleted: (name: string) => `Provider key ${name} was deleted.`,
  failed: "The provider key was not deleted",
} as const;
