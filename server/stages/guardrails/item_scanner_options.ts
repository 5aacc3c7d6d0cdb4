/** How the items of a response are read. */

import type { FilterView } from "../../guardrails/content_filters.ts";
import type { ScannedValue, SlotScanOptions } from "../../guardrails/scan_slots.ts";
import type { PartEvent } from "./scanned_part.ts";

export interface ItemScannerOptions extends SlotScanOptions {
  /** Filters of the text of messages, where they are others than those of everything else. */
  readonly messageView?: FilterView;
  /** A text is about to be read. */
  readonly read: (text: string) => void;
  /** A text has been read: it need not be read again when it is sent back to the model. */
  readonly remember: (text: string) => void;
  /** What an item has that cannot be read. */
  readonly skip: (unread: Pick<ScannedValue<unknown>, "media" | "sealed">) => void;
}

/** Those for a text of this type. */
export function optionsFor<Options extends ItemScannerOptions>(
  options: Options,
  type: PartEvent["type"],
): Options {
  const { messageView } = options;
  return messageView === undefined || type !== "text" ? options : { ...options, view: messageView };
}
