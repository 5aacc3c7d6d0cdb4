/** Long texts in chunks that a voice can say one after the other. */

/** From the largest parts of a text to the smallest; each divides what the one before leaves too long. */
const dividers: readonly ((text: string) => readonly string[])[] = [
  splitSentences,
  // Forwards, and never looking back: a text may be nothing but spaces, and long.
  (text) => text.match(/[^,;:،؛、，；：–—\n]*[,;:،؛、，；：–—\n]\s*|[^,;:،؛、，；：–—\n]+/gu) ?? [],
  (text) => text.match(/\S*\s+|\S+/gu) ?? [],
  (text) => [...text],
];

/**
 * Chunks of at most `maxChars` UTF-16 units (at least 2), ended at sentences where they can be, else after a
 * clause, a word or a code point. Joined they are the text, to the letter.
 */
export function splitText(text: string, maxChars: number): readonly string[] {
  return packed(text, { max: Math.max(2, Math.floor(maxChars)), level: 0 });
}

interface Packing {
  readonly max: number;
  readonly level: number;
}

function packed(text: string, { max, level }: Packing): readonly string[] {
  if (text.length <= max) return text === "" ? [] : [text];
  const divide = dividers[level];
  if (divide === undefined) return [text];
  const chunks: string[] = [];
  let chunk = "";
  for (const part of divide(text)) {
    if (chunk.length + part.length <= max) {
      chunk += part;
      continue;
    }
    const fitting = part.length <= max ? [part] : packed(part, { max, level: level + 1 });
    if (chunk !== "") chunks.push(chunk);
    chunks.push(...fitting.slice(0, -1));
    chunk = fitting.at(-1) ?? "";
  }
  if (chunk !== "") chunks.push(chunk);
  return chunks;
}

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/** The sentences of a text, each with the white space behind it; joined they are the text. */
export function splitSentences(text: string): readonly string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}
