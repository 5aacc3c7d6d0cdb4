/** Checks of content filters for `deno task doctor`. */

import { isRecord } from "../../../shared/util/json.ts";
import { type CheckRow, listOf, ok, type ReadOperation, warning } from "./doctor_rows.ts";

/** Most that a page of a list holds. */
const PAGE = 100;

/** Which guardrails read what is sent and answered. */
export async function contentFilters(read: ReadOperation): Promise<CheckRow> {
  const names: string[] = [];
  const old: string[] = [];
  const failing: string[] = [];
  for (let offset = 0, more = true; more; offset += PAGE) {
    const page = listOf(await read(`/guardrails?limit=${PAGE}&offset=${offset}`));
    const filtering = page.filter((
      { content_filters: own, content_filter_builtins: builtin, words, external },
    ) =>
      isRecord(external) ||
      [own, builtin, words].some((filters) => Array.isArray(filters) && filters.length > 0)
    );
    const nameOf = ({ name, id }: typeof page[number]) => `${name} (${id})`;
    names.push(...filtering.map(nameOf));
    old.push(...filtering.filter(hasOldPattern).map(nameOf));
    failing.push(...filtering.filter(({ external }) => hasFault(external)).map(nameOf));
    more = page.length === PAGE;
  }
  if (names.length === 0) return ok("content filters", "no guardrail has any");
  const enforced = `enforced by ${names.join(", ")}`;
  const faults = [
    ...(old.length === 0 ? [] : [`patterns that would be refused now: ${old.join(", ")}`]),
    ...(failing.length === 0
      ? []
      : [`services that are not asked and count as failed: ${failing.join(", ")}`]),
  ];
  if (faults.length === 0) return ok("content filters", enforced);
  return warning(
    "content filters",
    `${enforced}; ${faults.join("; ")}. Each record says why (fault)`,
  );
}

/** Whether a pattern was saved by rules that have changed since. */
const hasOldPattern = ({ content_filters: patterns }: Readonly<Record<string, unknown>>): boolean =>
  Array.isArray(patterns) && patterns.some(hasFault);

const hasFault = (shown: unknown): boolean => isRecord(shown) && typeof shown.fault === "string";
