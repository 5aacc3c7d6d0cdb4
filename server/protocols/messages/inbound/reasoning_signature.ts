/**
 * Encodes the proof of reasoning for its maker, in the one opaque text that this wire has for it. Anthropic's own
 * goes as it is; of other models everything that their reasoning item needs is written into it.
 */

import * as z from "zod";
import { tryParseJson } from "../../../../shared/util/json.ts";
import type { ReasoningItem } from "../../canonical/item.ts";

/** The name under which clients find thoughts of Anthropic's (specification, Output items, `format`). */
const OWN_FORMAT = "anthropic-claude-v1";
const PREFIX = "gateway-reasoning-v1:";

const text = z.string().optional();
const sealed = z.object({
  id: text,
  format: text,
  signature: text,
  encrypted: text,
  /** Whether what is shown is the summary. */
  summary: z.boolean().optional(),
});

/** The seal of a block of thoughts; undefined for one that has none. */
export function encodeSignature(
  item: ReasoningItem,
  { summary }: { readonly summary: boolean },
): string | undefined {
  const { id, format, signature, encrypted } = item;
  if (format === OWN_FORMAT) return signature;
  if (signature === undefined && encrypted === undefined) return undefined;
  if (encrypted === undefined && format === undefined) return signature;
  return PREFIX + JSON.stringify({ id, format, signature, encrypted, ...(summary ? { summary } : {}) });
}

/** The data of a block whose thoughts cannot be shown. */
export function redactedData(item: ReasoningItem): string | undefined {
  if (item.format === OWN_FORMAT) return item.encrypted;
  return item.encrypted === undefined ? undefined : encodeSignature(item, { summary: false });
}

/** A block of thoughts that a client brings back. */
export function decodeReasoning(shown: string, seal: string | null | undefined): ReasoningItem {
  const decoded = decodeSignature(seal);
  const texts = shown === "" ? [] : [shown];
  if (decoded === undefined) {
    const own = seal ? { signature: seal, format: OWN_FORMAT } : {};
    return { type: "reasoning", content: texts, summary: [], ...own };
  }
  const { summary = false, ...rest } = decoded;
  return { type: "reasoning", content: summary ? [] : texts, summary: summary ? texts : [], ...rest };
}

/** A block of thoughts that nobody but their maker can read. */
export function decodeRedactedReasoning(data: string): ReasoningItem {
  if (decodeSignature(data) !== undefined) return decodeReasoning("", data);
  return { type: "reasoning", content: [], summary: [], encrypted: data, format: OWN_FORMAT };
}

/** Undefined for a seal that is not of our making. */
function decodeSignature(seal: string | null | undefined): z.infer<typeof sealed> | undefined {
  if (!seal?.startsWith(PREFIX)) return undefined;
  return sealed.safeParse(tryParseJson(seal.slice(PREFIX.length))).data;
}
