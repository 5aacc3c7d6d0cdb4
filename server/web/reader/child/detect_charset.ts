/** The encoding of text that nobody declared and that is not Unicode. */

import { detectAll } from "jschardet";

/** Encodings of pages by the package's name for them, with the labels of the Encoding Standard. */
const encodings = new Map([
  ["cp932", "shift_jis"],
  ["euc-jp", "euc-jp"],
  ["gb18030", "gb18030"],
  ["big5", "big5"],
  ["cp949", "euc-kr"],
  ["windows-1251", "windows-1251"],
  ["koi8-r", "koi8-r"],
  ["windows-1252", "windows-1252"],
  ["windows-1250", "windows-1250"],
  ["iso-8859-2", "iso-8859-2"],
  ["windows-1253", "windows-1253"],
  ["windows-1254", "windows-1254"],
  ["windows-1255", "windows-1255"],
  ["windows-1256", "windows-1256"],
  ["cp874", "windows-874"],
]);

/** Alphabets that share most of their letters with windows-1252. */
const latin: ReadonlySet<string> = new Set(["windows-1250", "iso-8859-2", "windows-1254"]);

const DEFAULT = "windows-1252";
/** From a little before the first byte that is not ASCII. */
const SAMPLE_BYTES = 16_384;
const BYTES_BEFORE = 256;
/** How much likelier than the default another Latin alphabet has to be. */
const FAR_LIKELIER = 1.5;

/** A label of the Encoding Standard. */
export function detectCharset(bytes: Uint8Array): string {
  const first = bytes.findIndex((byte) => byte > 0x7f);
  const start = Math.max(0, first - BYTES_BEFORE);
  const sample = bytes.subarray(start, start + SAMPLE_BYTES);
  const candidates = detectAll(sample, { minimumThreshold: 0.001, detectEncodings: [...encodings.keys()] })
    .map(({ encoding, confidence }) => ({
      label: encodings.get(encoding?.toLowerCase() ?? "") ?? DEFAULT,
      confidence,
    }))
    .filter(({ label }) => label === DEFAULT || isPlausible(new TextDecoder(label).decode(sample)));
  const [best] = candidates;
  if (best === undefined || !latin.has(best.label)) return best?.label ?? DEFAULT;
  const usual = candidates.find(({ label }) => label === DEFAULT)?.confidence ?? 0;
  return best.confidence > usual * FAR_LIKELIER ? best.label : DEFAULT;
}

/** A letter of another script beside a Latin one. */
const MIXED = /[a-z](?=[^\p{Script=Latin}\P{L}])|[^\p{Script=Latin}\P{L}](?=[a-z])/giu;
/** Letters that stand beside letters of their own script. */
const FOREIGN = /[^\p{Script=Latin}\P{L}]/gu;

/** No word mixes scripts: where many do, their letters are those of a Latin alphabet. */
function isPlausible(text: string): boolean {
  const foreign = text.match(FOREIGN)?.length ?? 0;
  const mixed = text.match(MIXED)?.length ?? 0;
  return foreign === 0 || mixed < foreign / 2;
}
