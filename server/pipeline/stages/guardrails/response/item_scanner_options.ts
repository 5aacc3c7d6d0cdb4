/** How the items of a response are read. */

import type { Work } from "../../../../../shared/util/run_work.ts";
import type { ScannedValue, SlotScanOptions } from "../../../guardrails/scanners/scan_slots.ts";
import type { PartEvent } from "./scanned_part.ts";
import type { SpokenTexts } from "./text_joiner.ts";

export interface ItemScannerOptions extends SlotScanOptions {
  /** The client has asked for JSON: it takes the texts of messages for that. */
  readonly hasJsonTexts?: boolean;
  /** Ends of the texts that were said last in earlier turns. */
  readonly spoken?: SpokenTexts;
  /** A text is about to be read. */
  readonly read: (text: string) => Work<void> | undefined;
  /** A text has been read: it need not be read again when it is sent back to the model. */
  readonly remember: (text: string) => void;
  /** Reports what cannot be read of an item. */
  readonly skip: (unread: Pick<ScannedValue<unknown>, "media" | "sealed">) => void;
}

/** Options for a text of this type. */
export function optionsFor<Options extends ItemScannerOptions>(
  options: Options,
  type: PartEvent["type"],
): Options {
  return options.hasJsonTexts === true && type === "text" ? { ...options, isJson: true } : options;
}
