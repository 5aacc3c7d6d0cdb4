/** Scans what a piece of a text brings besides: fields of its wire, and tokens that were likely. */

import type { Logprob } from "../../../protocols/canonical/item.ts";
import { scanValue, type SlotScanOptions } from "../../guardrails/scanners/scan_slots.ts";
import { scanText } from "../../guardrails/scanners/scan_text.ts";
import type { Work } from "../../../../shared/util/run_work.ts";
import { argumentsEvent, textEvent } from "../../guardrails/text_slots/event_shapes.ts";
import type { PartEvent } from "./response/scanned_part.ts";

/** Tokens of which something would be replaced are left out. Throws BlockedContent. */
export function* scanPieceFields<E extends PartEvent>(event: E, options: SlotScanOptions): Work<E> {
  const { type, extra, delta } = event;
  const shape = type === "arguments" ? argumentsEvent : textEvent;
  const read = extra === undefined ? event : (yield* scanValue(event, { shape, options })).value;
  if (read.type === "arguments" || read.logprobs === undefined) return read;
  for (const token of otherTokens(read.logprobs, delta)) {
    if ((yield* scanText(token, options)) !== token) return { ...read, logprobs: undefined };
  }
  return read;
}

/** Lists the tokens that are not in the text itself. */
function otherTokens(tokens: readonly Logprob[], delta: string): readonly string[] {
  const isText = tokens.map(({ token }) => token).join("") === delta;
  return tokens.flatMap(({ token, top_logprobs: others = [] }) => [
    ...(isText ? [] : [token]),
    ...others.map((other) => other.token).filter((other) => other !== token),
  ]);
}
