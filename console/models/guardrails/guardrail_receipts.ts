/** The latest requests in which filters of a guardrail matched. */

import type { FilterResult } from "../../../shared/guardrails.ts";
import { type ConsoleApi, operation } from "../../api.ts";
import { createResource } from "../../resource.ts";
import { latelyText, summaryText } from "../../text/guardrails.ts";

const listReceipts = operation<"receipts.list">("GET", "/receipts");

const LAST = 10;

/** Name of a filter: its label, else that of the built-in one. */
export function filterName({ slug, label }: Pick<FilterResult, "slug" | "label">): string {
  return label ?? (slug === undefined ? latelyText.pattern : summaryText.slugs[slug]);
}

/** Receipts with what the filters of this guardrail did, without those of others. */
export function guardrailReceipts(id: string, { api }: { readonly api: Pick<ConsoleApi, "call"> }) {
  return createResource(async (signal) => {
    const { data } = await api.call(listReceipts, { query: { guardrail_id: id, limit: LAST }, signal });
    return data.map((receipt) => ({
      receipt,
      results: (receipt.guardrails ?? []).filter((result) => result.id === id),
    }));
  });
}
