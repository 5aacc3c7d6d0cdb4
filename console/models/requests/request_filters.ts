/** Filters of requests: as the address has them, and as the gateway is asked for them. */

import { apiErrorKinds } from "../../../shared/errors.ts";
import type { ReceiptStatus } from "../../../shared/receipts.ts";
import { bucketsOf, rangeOf } from "../series.ts";

/** Names in the address → names of the operation's query. */
const parameters = {
  status: "status",
  model: "model",
  asked: "requested_model",
  provider: "provider",
  key: "api_key_hash",
  user: "user",
  session: "session_id",
  preset: "preset",
  min_cost: "min_cost",
  min_ms: "min_ms",
  error: "error_kind",
  fell_back: "fell_back",
  guardrail: "guardrail_id",
  done: "guardrail_action",
  tag: "tag",
  q: "q",
  id: "id",
} as const;

export type FilterName = keyof typeof parameters;
export type RequestFilters = { readonly [F in FilterName]?: string };

const isFilterName = (name: string): name is FilterName => Object.hasOwn(parameters, name);
export const filterList: readonly FilterName[] = Object.keys(parameters).filter(isFilterName);

/** Filters that no index answers: what passes them is looked for in slices. */
const lookedThrough: ReadonlySet<FilterName> = new Set<FilterName>([
  ...["asked", "user", "session", "preset", "min_cost", "min_ms", "error", "fell_back", "q", "id"] as const,
]);

export const statusList: readonly ReceiptStatus[] = [
  ...["completed", "incomplete", "failed", "refused", "cancelled", "interrupted"] as const,
];
export const errorKinds: readonly string[] = Object.keys(apiErrorKinds);

/** Our ids end with 32 digits; those of providers have no common form. */
const ownId = /^(?:gen-|req_|resp_|chatcmpl-|msg_)[0-9a-f]{32}$/;
export const isOwnId = (text: string): boolean => ownId.test(text);

/** The filter for a typed search: an id of ours is found whenever it was, all else is a text. */
export function searchOf(text: string): Pick<RequestFilters, "q" | "id"> {
  const trimmed = text.trim();
  return isOwnId(trimmed) ? { id: trimmed, q: undefined } : { q: text, id: undefined };
}

export function filtersOf(query: ReadonlyMap<string, string>): RequestFilters {
  return Object.fromEntries(filterList.flatMap((name) => {
    const value = query.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
}

export const isLookedThrough = (filters: RequestFilters): boolean =>
  filterList.some((name) => filters[name] !== undefined && lookedThrough.has(name));

/** Ms since the epoch; `until` is undefined for a period that is still running. */
interface RequestTime {
  readonly since: number;
  readonly until: number | undefined;
}

export function momentOf(text: string | undefined): number | undefined {
  const at = Date.parse(text ?? "");
  return Number.isFinite(at) ? at : undefined;
}

/** The span between two moments of the address, else its range as the Overview counts it. */
export function timeOf(query: ReadonlyMap<string, string>, now: number): RequestTime {
  const [since, until] = [momentOf(query.get("since")), momentOf(query.get("until"))];
  const range = bucketsOf(rangeOf(query.get("range")), now);
  return { since: since ?? (until === undefined ? range[0]?.from ?? 0 : 0), until };
}

interface QueryInput {
  readonly filters: RequestFilters;
  readonly time: RequestTime;
  readonly workspaceId: string | undefined;
}

/** An id is looked for alone: it is found whatever else was chosen. */
export function receiptQuery({ filters, time, workspaceId }: QueryInput) {
  if (filters.id !== undefined) return { id: filters.id, until: undefined };
  const named = filterList.map((name) => [parameters[name], filters[name]] as const);
  return {
    ...Object.fromEntries(named),
    workspace_id: workspaceId,
    since: new Date(time.since).toISOString(),
    until: time.until === undefined ? undefined : new Date(time.until).toISOString(),
  };
}
