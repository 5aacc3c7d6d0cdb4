/** Texts of changes of several keys at once. */

import { countOf } from "../format.ts";

const keysOf = (count: number) => countOf(count, ["key", "keys"]);

/** Changes that several keys can be given together. */
export const bulkKinds = ["limit", "expiry", "guardrail", "cache", "enable", "disable", "delete"] as const;
export type BulkKind = (typeof bulkKinds)[number];

export const bulkText = {
  selected: (count: number) => `${keysOf(count)} selected`,
  clear: "Clear selection",
  change: "Change …",
  enable: "Enable",
  disable: "Disable",
  delete: "Delete",
  kind: "What changes",
  kinds: {
    limit: "Limit",
    expiry: "Expiry",
    guardrail: "Guardrail",
    cache: "Cache",
    enable: "Enable",
    disable: "Disable",
    delete: "Delete",
  },
  title: (count: number) => `Change ${keysOf(count)}`,
  submit: {
    limit: (count: number) => `Set the limit of ${keysOf(count)}`,
    expiry: (count: number) => `Set the expiry of ${keysOf(count)}`,
    guardrail: (count: number) => `Set the guardrail of ${keysOf(count)}`,
    cache: (count: number) => `Set the cache of ${keysOf(count)}`,
    enable: (count: number) => `Enable ${keysOf(count)}`,
    disable: (count: number) => `Disable ${keysOf(count)}`,
    delete: (count: number) => `Delete ${keysOf(count)}`,
  },
  busy: (done: number, all: number) => `${done} of ${all} …`,
  notes: {
    limit: "Empty means no limit. What is spent stays spent.",
    expiry: undefined,
    guardrail: "Only guardrails that every one of these keys may have are offered.",
    cache: undefined,
    enable: "They are taken again from their next request on.",
    disable: "New requests with these keys get 401. Open requests may finish. They can be enabled again.",
    delete: "New requests with them get 401. Receipts and sums stay. They cannot be brought back.",
  },
  preview: "What changes",
  key: "Key",
  before: "Now",
  after: "Then",
  same: "no change",
  nothing: "None of these keys would change.",
  noGuardrail: "none",
  never: "never",
  cached: (seconds: string) => seconds === "" ? "cached as long as usual" : `cached for ${seconds} s`,
  notCached: "not cached",
  on: "on",
  off: "disabled",
  gone: "deleted",
  done: {
    limit: (count: number) => `${keysOf(count)} changed`,
    expiry: (count: number) => `${keysOf(count)} changed`,
    guardrail: (count: number) => `${keysOf(count)} changed`,
    cache: (count: number) => `${keysOf(count)} changed`,
    enable: (count: number) => `${keysOf(count)} enabled`,
    disable: (count: number) => `${keysOf(count)} disabled`,
    delete: (count: number) => `${keysOf(count)} deleted`,
  },
  failed: "Some keys were not changed",
  unchanged: (name: string, why: string) => `${name}: ${why}`,
  unreadable: "The guardrails could not be read",
} as const;
