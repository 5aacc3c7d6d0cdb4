/** Reads a long text in a JSON text while it comes: as it is meant, behind the name of its field. */

import { meaningOf } from "../builtins/json_escapes.ts";
import { type Shift, toRawStart } from "../spelled.ts";
import { ClippedScanner } from "./clipped_scanner.ts";
import type { ScanOptions } from "./scan_options.ts";
import type { ScannedPiece } from "./text_scanner.ts";
import type { Work } from "../../../../shared/util/run_work.ts";

const escape = /\\(?:u[\dA-Fa-f]{4}|[^u])/y;
const BACKSLASH = "\\";
/** Code units of the longest escape. */
const LONGEST = 6;

export class JsonString {
  readonly #scanner: ClippedScanner;
  /** As it was written, without its quotation marks. */
  #raw = "";
  /** As far as it has been decoded: in the text as it was written, and as it is meant. */
  #position = 0;
  #meant = 0;
  readonly #shifts: Shift[] = [];

  /** `before` is what it stands behind. */
  constructor(options: ScanOptions, before: string) {
    this.#scanner = new ClippedScanner(options, before);
  }

  /** Reads on. Gives what can be sent on now, by places in the text as written. Throws BlockedContent. */
  *scanLong(more: string, isEnd: boolean): Work<readonly ScannedPiece[]> {
    this.#raw += more;
    const pieces = yield* this.#scanner.scanLong(this.#decode(isEnd), isEnd);
    return pieces.map((piece) => this.#written(piece));
  }

  #written({ start, end, text, isReplaced }: ScannedPiece): ScannedPiece {
    const [from, to] = [toRawStart(this, start), toRawStart(this, end)];
    return { start: from, end: to, text: isReplaced ? text : this.#raw.slice(from, to), isReplaced };
  }

  get shifts(): readonly Shift[] {
    return this.#shifts;
  }

  /** Decodes what has come, as far as its escapes are complete. Gives the newly decoded text. */
  #decode(isEnd: boolean): string {
    let decoded = "";
    while (this.#position < this.#raw.length) {
      const found = this.#raw.indexOf(BACKSLASH, this.#position);
      const end = found < 0 ? this.#raw.length : found;
      decoded += this.#raw.slice(this.#position, end);
      this.#position = end;
      if (found < 0) break;
      escape.lastIndex = end;
      const [written] = escape.exec(this.#raw) ?? [];
      if (written !== undefined) {
        decoded += meaningOf(written.slice(1));
        this.#position += written.length;
        const next = this.#meant + decoded.length;
        this.#shifts.push({ at: next - 1, next, rawEnd: this.#position });
      } else if (isEnd || this.#raw.length - end >= LONGEST) {
        // It is no escape.
        decoded += BACKSLASH;
        this.#position++;
      } else break;
    }
    this.#meant += decoded.length;
    return decoded;
  }
}
