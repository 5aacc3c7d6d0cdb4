/** Reads a text behind another one that has gone on already: what matches may begin there, but nothing of it changes. */

import type { TextMatch } from "../text_filter.ts";
import { type ScannedPiece, TextScanner } from "./text_scanner.ts";
import { runNow, type Work } from "../../../../shared/util/run_work.ts";
import type { ScanOptions } from "./scan_options.ts";

export class ClippedScanner {
  readonly #scanner: TextScanner;
  readonly #before: number;

  constructor(options: ScanOptions, before: string) {
    this.#before = before.length;
    const accepts = (_: unknown, { end }: TextMatch) => end > this.#before;
    this.#scanner = new TextScanner({ ...options, accepts, from: this.#before });
    if (before !== "") runNow(this.#scanner.scanLong(before, false));
  }

  /** Pieces by their places in the text itself. Throws BlockedContent. */
  *scanLong(more: string, isEnd: boolean): Work<readonly ScannedPiece[]> {
    const pieces = yield* this.#scanner.scanLong(more, isEnd);
    return this.#before === 0 ? pieces : pieces.flatMap((piece) => this.#clipped(piece));
  }

  #clipped({ start, end, text, isReplaced }: ScannedPiece): readonly ScannedPiece[] {
    const before = this.#before;
    if (end <= before) return [];
    const cut = Math.max(0, before - start);
    return [{
      start: start + cut - before,
      end: end - before,
      text: isReplaced ? text : text.slice(cut),
      isReplaced,
    }];
  }
}
