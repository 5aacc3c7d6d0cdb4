/** Heads of MPEG audio frames, layer III (ISO/IEC 11172-3 and 13818-3). */

import { AudioError } from "../audio_error.ts";
import type { ByteReader } from "../byte_reader.ts";

export interface Mp3Header {
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  /** Bits a second. */
  readonly bitrate: number;
  /** Bytes of the frame, head included. */
  readonly size: number;
  /** Samples of each channel. */
  readonly samples: 576 | 1152;
  /** Bytes from the frame's start to where a tag frame has its tag. */
  readonly tagAt: number;
}

const rates = [44_100, 48_000, 32_000] as const;
const bitrates = {
  full: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  half: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;

/** The head at `at`; undefined where there is none. */
export function parseMp3Header(bytes: Uint8Array, at: number): Mp3Header | undefined {
  const [sync = 0, kind = 0, rate = 0, mode = 0] = bytes.subarray(at, at + 4);
  if (bytes.length < at + 4 || sync !== 0xff || (kind & 0xe6) !== 0xe2) return undefined;
  const version = kind >> 3 & 3;
  const base = rates[rate >> 2 & 3];
  const full = version === 3;
  const kilobits = bitrates[full ? "full" : "half"][(rate >> 4) - 1];
  if (version === 1 || base === undefined || kilobits === undefined) return undefined;
  const sampleRate = full ? base : version === 2 ? base / 2 : base / 4;
  const samples = full ? 1_152 : 576;
  const channels = mode >> 6 === 3 ? 1 : 2;
  const size = Math.floor(samples / 8 * kilobits * 1_000 / sampleRate) + (rate >> 1 & 1);
  const side = full ? (channels === 1 ? 17 : 32) : channels === 1 ? 9 : 17;
  return { sampleRate, channels, bitrate: kilobits * 1_000, size, samples, tagAt: 4 + side };
}

/** How far to look for a first frame behind an ID3 tag, in bytes. */
const FARTHEST = 65_536;

/** The first frame's head; tags and rubbish before it are dropped. Throws an AudioFault where there is none. */
export async function findFirstMp3Header(feed: ByteReader): Promise<Mp3Header> {
  await skipId3(feed);
  const first = parseMp3Header(await feed.peek(4), 0);
  if (first !== undefined) return first;
  const bytes = await feed.peek(FIRST_LOOK);
  const near = findHead(bytes);
  if (near !== undefined) return await found(feed, near);
  const far = findHead(await feed.peek(FARTHEST));
  if (far !== undefined) return await found(feed, far);
  const what = bytes.length === 0 ? "it is empty" : "it has no frame of layer III";
  throw new AudioError("damaged", `Cannot read MP3: ${what}`);
}

/** Bytes that hold two frames of most streams. */
const FIRST_LOOK = 1_024;

interface Found {
  readonly head: Mp3Header;
  readonly at: number;
}

async function found(feed: ByteReader, { head, at }: Found): Promise<Mp3Header> {
  await feed.skip(at);
  return head;
}

/** A head that another one follows where its frame ends: rubbish has heads, but hardly two. */
function findHead(bytes: Uint8Array): Found | undefined {
  for (let at = 0; at + 4 <= bytes.length; at++) {
    const head = parseMp3Header(bytes, at);
    if (head === undefined) continue;
    const next = at + head.size;
    if (parseMp3Header(bytes, next)?.sampleRate === head.sampleRate) return { head, at };
  }
  return undefined;
}

async function skipId3(feed: ByteReader): Promise<void> {
  for (;;) {
    const head = await feed.peek(10);
    if (head.length < 10 || String.fromCharCode(...head.subarray(0, 3)) !== "ID3") return;
    const size = head.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 127), 0);
    await feed.skip(10 + size + ((head[5] ?? 0) & 16 ? 10 : 0));
  }
}
