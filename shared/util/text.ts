/** Texts that are written out as JSON. */

/**
 * The chunks as one text. What a template puts together, the engine keeps in chunks until somebody looks into it,
 * and over an object that holds such a text `JSON.stringify` takes twice as long.
 */
export function joinStrings(...chunks: readonly string[]): string {
  return chunks.join("");
}

/** Texts that are shown in part. */

/**
 * The beginning of a text, `most` UTF-16 units at most. A character that the cut would halve, and half of one
 * that came alone, are shown as the replacement character: strict readers of JSON refuse halves.
 */
export function truncateStart(text: string, most: number): string {
  return text.slice(0, most).toWellFormed();
}

/** The same, with an ellipsis where something is missing; 60 units are what a message repeats of a caller's text. */
export function truncate(text: string, most = 60): string {
  return text.length <= most ? text.toWellFormed() : `${truncateStart(text, most)}…`;
}

/** The beginning of a text, `most` UTF-16 units at most, without half of a character at its end. */
export function cutWhole(text: string, most: number): string {
  if (text.length <= most) return text;
  const start = text.slice(0, most);
  return start.isWellFormed() ? start : start.replace(/[\ud800-\udbff]$/, "");
}

/** Whole words of the beginning, `most` UTF-16 units at most; a single long word is cut itself. */
export function cutWords(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = cutWhole(text, most + 1).search(/\s\S*$/);
  return end > 0 ? text.slice(0, end).trimEnd() : cutWhole(text, most);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The beginning of a text, in at most so many bytes of UTF-8. */
export function cutBytes(text: string, most: number): string {
  if (text.length * 3 <= most) return text;
  const bytes = encoder.encode(text);
  return bytes.length <= most ? text : wholeText(bytes.subarray(0, most));
}

/** The beginning and the end of a text, `most` UTF-16 units of it, with a word about what is missing. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const [start, end] = [text.slice(0, half).toWellFormed(), text.slice(text.length - half).toWellFormed()];
  return `${start}\n[… ${text.length - 2 * half} characters left out …]\n${end}`;
}

/** The beginning and the end of a text, with a word about what is missing: together `most` bytes of UTF-8. */
export function cutMiddleBytes(text: string, most: number): string {
  if (text.length * 3 <= most) return text;
  const bytes = encoder.encode(text);
  if (bytes.length <= most) return text;
  const side = Math.floor((most - encoder.encode(leftOut(bytes.length - most, bytes.length)).length) / 2);
  return joinCut({ start: bytes.subarray(0, side), end: bytes.subarray(-side), total: bytes.length });
}

interface CutText {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
  /** Bytes of the whole text. */
  readonly total: number;
}

/** The beginning and the end of a text that is longer than both, with a word about what is missing. */
export function joinCut({ start, end, total }: CutText): string {
  return wholeText(start) + leftOut(total - start.length - end.length, total) + wholeText(end);
}

const leftOut = (bytes: number, total: number): string => `\n[… ${bytes} of ${total} bytes left out …]\n`;

/** Without the halves of characters at its ends. */
const wholeText = (bytes: Uint8Array): string => decoder.decode(bytes).replace(/^\uFFFD+|\uFFFD+$/g, "");
