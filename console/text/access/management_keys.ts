/** Texts of management keys. */

import { countOf } from "../../format.ts";

export const keyKindNames = { api: "API keys", management: "Management keys" } as const;

export const managementKeysText = {
  newKey: "New management key",
  caption: "Management keys, the youngest first",
  search: "Search management keys",
  searchHint: "Name or label",
  unreadable: "The management keys could not be read",
  columns: { name: "Name", may: "May", expires: "Expires", created: "Created", state: "State" },
  all: "do everything",
  looks: "look only",
  own: "this session",
  never: "never",
  notFound: "No management key found",
  notFoundText: (q: string) => `No management key has words that begin with “${q}”.`,
  showAll: "Show all management keys",
  count: (shown: number, all: number) =>
    shown === all
      ? countOf(all, ["management key", "management keys"])
      : `${shown} of ${countOf(all, ["management key", "management keys"])}`,
  on: "On",
  disabled: "Disabled",
  expired: "Expired",
} as const;

export const managementKeyPanelText = {
  previous: "Previous management key",
  next: "Next management key",
  unreadable: "The management key could not be read",
  notSaved: "The management key was not saved",
  gone: "Somebody has deleted this management key",
  saved: "The management key was saved.",
  settings: "Name and access",
  name: "Name",
  nameMissing: "A key needs a name.",
  readOnly: "Read-only",
  readOnlyHint: "It sees everything and changes nothing.",
  disabled: "Disabled",
  disabledHint: "It is refused, and sessions that it has opened end.",
  last: "This is the last management key that can do everything.",
  lastText: "It cannot be disabled, made read-only, deleted or made to end sooner. Create another one first.",
  ownTitle: "You are signed in with this key.",
  ownText: "This session ends when it is disabled or deleted, or when its expiry changes.",
  facts: "About this key",
  label: "Label",
  created: "Created",
  changed: "Changed",
  expires: "Expires",
  never: "Never",
  audit: "Show what it changed",
  more: "More",
  delete: "Delete management key",
  yes: "yes",
  no: "no",
} as const;

export const newManagementKeyText = {
  title: "New management key",
  name: "Name",
  nameHint: "Who or what uses it. Up to 255 characters.",
  create: "Create management key",
  failed: "The management key was not created",
  ready: (name: string) => `Management key ${name} is ready`,
} as const;

export const deleteManagementKeyText = {
  title: (name: string) => `Delete management key ${name}`,
  text: "It is refused from now on, and sessions that it has opened end. It cannot be brought back.",
  own: "You are signed in with it, so you will be signed out.",
  delete: (name: string) => `Delete management key ${name}`,
  deleted: (name: string) => `Management key ${name} was deleted.`,
  failed: "The management key was not deleted",
} as const;
