/** Names, counts and ends of a receipt in the words of the GenAI conventions; nothing of what was said, and no money. */

import type { Receipt } from "../../shared/receipts.ts";
import { genAiOperation } from "./gen_ai_series.ts";

export function receiptAttributes(receipt: Receipt) {
  const { usage, model, finish_reason, preset } = receipt;
  const {
    input_tokens,
    output_tokens,
    cached_tokens: cached,
    cache_write_tokens: written,
    reasoning_tokens: reasoning,
  } = usage;
  return {
    "gen_ai.operation.name": genAiOperation(receipt.api),
    "gen_ai.response.model": model ?? undefined,
    "gen_ai.response.finish_reasons": finish_reason === null ? undefined : [finish_reason],
    "gen_ai.usage.input_tokens": input_tokens,
    "gen_ai.usage.output_tokens": output_tokens,
    "gen_ai.usage.cache_read.input_tokens": cached,
    "gen_ai.usage.cache_creation.input_tokens": written,
    "gen_ai.usage.reasoning.output_tokens": reasoning,
    "tollgate.api": receipt.api,
    "tollgate.generation": receipt.id,
    "tollgate.request": receipt.request_id,
    "tollgate.workspace": receipt.workspace_id,
    "tollgate.status": receipt.status,
    "tollgate.preset": preset?.slug,
    "tollgate.preset_version": preset?.version,
  };
}

/** Name of the span of an operation. */
export const spanName = (operation: string, model: string | null): string =>
  model === null ? operation : `${operation} ${model}`;
