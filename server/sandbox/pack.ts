/** A pack: JSON and bytes in the body of one frame. The JSON's length stands in front, the high byte first. */

const LENGTH = 4;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export interface Pack {
  /** JSON, not yet checked. */
  readonly value: unknown;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export function encodePack(value: unknown, parts: readonly Uint8Array[] = []): Uint8Array<ArrayBuffer> {
  const json = encoder.encode(JSON.stringify(value));
  const start = new Uint8Array(LENGTH);
  new DataView(start.buffer).setUint32(0, json.length);
  return Buffer.concat([start, json, ...parts]);
}

/** Throws for what is no pack. */
export function decodePack(body: Uint8Array<ArrayBuffer>): Pack {
  const length = new DataView(body.buffer, body.byteOffset, body.length).getUint32(0);
  if (length > body.length - LENGTH) throw new Error("A pack is shorter than it says");
  const value: unknown = JSON.parse(decoder.decode(body.subarray(LENGTH, LENGTH + length)));
  return { value, bytes: body.subarray(LENGTH + length) };
}
