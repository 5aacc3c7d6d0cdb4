/** Ogg pages (RFC 3533): bytes → packets of the first stream. */

import type { StateMachine } from "../../../protocols/stream/state_machine.ts";
import { AudioError } from "../audio_error.ts";
import { concatBytes } from "../byte_reader.ts";

export interface OggPacket {
  readonly bytes: Uint8Array;
  /** The page's sample count; with `last`, where the sound ends. */
  readonly granule: number;
  /** It ends on the stream's last page. */
  readonly last: boolean;
}

interface Pages {
  readonly left: Uint8Array;
  readonly serial: number | undefined;
  /** The beginning of a packet that goes on in the next page. */
  readonly open: readonly Uint8Array[];
}

const HEAD = 27;
/** Bytes of a packet, at most: a tag packet may hold an image. */
const LONGEST_PACKET = 1_048_576;

export const oggPackets: StateMachine<Pages, Uint8Array, OggPacket> = {
  initial: { left: new Uint8Array(0), serial: undefined, open: [] },
  step: (state, bytes) => {
    let { serial, open } = state;
    let left = concatBytes([state.left, bytes.slice()]);
    const packets: OggPacket[] = [];
    for (let page = pageAt(left); page !== undefined; page = pageAt(left)) {
      left = left.subarray(page.size);
      serial ??= page.serial;
      if (page.serial === serial) open = packetsOf(page, { open, packets });
    }
    return [{ left, serial, open }, packets];
  },
};

interface Page {
  readonly serial: number;
  readonly granule: number;
  readonly last: boolean;
  readonly lengths: Uint8Array;
  readonly body: Uint8Array;
  readonly size: number;
}

/** The page at the start; undefined where it is not all there. Throws for what is no page. */
function pageAt(bytes: Uint8Array): Page | undefined {
  if (bytes.length < HEAD) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0) !== 0x4f67_6753) throw damaged("a page does not begin where it has to");
  const segments = bytes[26] ?? 0;
  const lengths = bytes.subarray(HEAD, HEAD + segments);
  const size = HEAD + segments + lengths.reduce((sum, length) => sum + length, 0);
  if (bytes.length < HEAD + segments || bytes.length < size) return undefined;
  if (checksum(bytes.subarray(0, size)) !== view.getUint32(22, true)) {
    throw damaged("a page's checksum is wrong");
  }
  return {
    serial: view.getUint32(14, true),
    granule: Number(view.getBigInt64(6, true)),
    last: ((bytes[5] ?? 0) & 4) !== 0,
    lengths,
    body: bytes.subarray(HEAD + segments, size),
    size,
  };
}

interface Packing {
  readonly open: readonly Uint8Array[];
  readonly packets: OggPacket[];
}

/** Adds the packets that end on this page; what is left of one that does not is returned. */
function packetsOf(
  { lengths, body, granule, last }: Page,
  { open, packets }: Packing,
): readonly Uint8Array[] {
  let parts = [...open];
  let at = 0;
  for (const length of lengths) {
    parts.push(body.subarray(at, at + length));
    at += length;
    if (length === 255) continue;
    packets.push({ bytes: concatBytes(parts), granule, last });
    parts = [];
  }
  if (parts.reduce((sum, part) => sum + part.length, 0) > LONGEST_PACKET) {
    throw damaged("a packet has no end");
  }
  return parts;
}

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit++) value = value << 1 ^ (value < 0 ? 0x04c1_1db7 : 0);
  return value;
});

/** The CRC of RFC 3533, over a page whose own checksum counts as zero. */
function checksum(page: Uint8Array): number {
  let value = 0;
  for (const [at, byte] of page.entries()) {
    const own = at >= 22 && at < 26 ? 0 : byte;
    value = value << 8 ^ (table[(value >>> 24 ^ own) & 255] ?? 0);
  }
  return value >>> 0;
}

function damaged(what: string): AudioError {
  return new AudioError("damaged", `Cannot read Ogg: ${what}`);
}
