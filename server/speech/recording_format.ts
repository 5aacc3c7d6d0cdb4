/**
 * Detects the format of a recording and its length, from its first bytes and its frames' heads. Nothing is decoded.
 */

import { parseMp3Header } from "./audio/codecs/mp3_header.ts";

interface RecordingFormat {
  readonly mediaType: string;
  /** Undefined where the head does not tell. */
  readonly seconds?: number;
}

/** Undefined for what is none. */
export function readRecordingFormat(bytes: Uint8Array): RecordingFormat | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const seen: RecordingFacts = { bytes, view };
  return readers.find(({ is }) => is(seen))?.read(seen);
}

interface RecordingFacts {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

interface Reader {
  readonly is: (seen: RecordingFacts) => boolean;
  readonly read: (seen: RecordingFacts) => RecordingFormat | undefined;
}

/** Four letters. */
const ascii = ({ bytes }: RecordingFacts, at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));

const readers: readonly Reader[] = [
  { is: (seen) => ascii(seen, 0) === "RIFF" && ascii(seen, 8) === "WAVE", read: wav },
  { is: (seen) => ascii(seen, 0) === "fLaC", read: flac },
  { is: (seen) => ascii(seen, 0) === "OggS", read: ogg },
  { is: (seen) => ascii(seen, 4) === "ftyp", read: () => ({ mediaType: "audio/mp4" }) },
  {
    is: ({ bytes, view }) => bytes.length > 4 && view.getUint32(0) === 0x1a45dfa3,
    read: () => ({ mediaType: "audio/webm" }),
  },
  { is: (seen) => mp3Start(seen) !== undefined, read: mp3 },
];

/** Bytes before a WAV's sound, at most: chunks may be empty, and many. */
const LONGEST_HEAD = 65_536;

/** The bytes a second stand in the format, the bytes in the head of the sound. */
function wav(seen: RecordingFacts): RecordingFormat {
  const { bytes, view } = seen;
  const mediaType = "audio/wav";
  let rate = 0;
  const end = Math.min(bytes.length, LONGEST_HEAD);
  for (let at = 12; at + 8 <= end;) {
    const size = view.getUint32(at + 4, true);
    const name = ascii(seen, at);
    if (name === "fmt " && at + 20 <= bytes.length) rate = view.getUint32(at + 16, true);
    if (name === "data") {
      // A stream that did not know its size says one that is too large.
      const held = Math.min(size, bytes.length - at - 8);
      return rate === 0 ? { mediaType } : { mediaType, seconds: held / rate };
    }
    at += 8 + size + size % 2;
  }
  return { mediaType, seconds: 0 };
}

/** STREAMINFO comes first: 20 bits of rate, 36 bits of samples. */
function flac({ bytes, view }: RecordingFacts): RecordingFormat {
  if (bytes.length < 26) return { mediaType: "audio/flac", seconds: 0 };
  const rate = view.getUint32(18) >>> 12;
  const samples = (view.getUint8(21) & 15) * 2 ** 32 + view.getUint32(22);
  if (rate === 0 || samples === 0) return { mediaType: "audio/flac" };
  return { mediaType: "audio/flac", seconds: samples / rate };
}

/** Bytes of a page, at most, and the letters that it begins with. */
const LONGEST_PAGE = 65_307;
const OGGS = 0x4f676753;

/** The last page says how many samples there were before its end; Opus counts 48,000 a second. */
function ogg(seen: RecordingFacts): RecordingFormat {
  const { bytes, view } = seen;
  const mediaType = "audio/ogg";
  const first = 27 + (bytes[26] ?? 0);
  const rate = ascii(seen, first) === "Opus"
    ? 48_000
    : ascii(seen, first + 1) === "vorb" && bytes.length > first + 16
    ? view.getUint32(first + 12, true)
    : 0;
  const from = Math.max(0, bytes.length - LONGEST_PAGE);
  for (let at = bytes.length - 27; at >= from && rate > 0; at--) {
    if (view.getUint32(at) !== OGGS) continue;
    const samples = view.getUint32(at + 6, true) + view.getUint32(at + 10, true) * 2 ** 32;
    return samples > 2 ** 52 ? { mediaType } : { mediaType, seconds: samples / rate };
  }
  return { mediaType };
}

/** Where the first frame is that another one follows, behind a tag. */
function mp3Start(seen: RecordingFacts): number | undefined {
  const { bytes } = seen;
  let at = 0;
  if (ascii(seen, 0).startsWith("ID3") && bytes.length > 10) {
    at = 10 + bytes.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 127), 0);
  }
  const head = parseMp3Header(bytes, at);
  if (head === undefined) return undefined;
  const next = at + head.size;
  return next + 4 > bytes.length || parseMp3Header(bytes, next) !== undefined ? at : undefined;
}

/** Frame by frame: the rate of bits may change. */
function mp3(seen: RecordingFacts): RecordingFormat {
  let seconds = 0;
  let at = mp3Start(seen) ?? 0;
  for (let head = parseMp3Header(seen.bytes, at); head !== undefined; head = parseMp3Header(seen.bytes, at)) {
    seconds += head.samples / head.sampleRate;
    at += head.size;
  }
  return { mediaType: "audio/mpeg", seconds };
}
