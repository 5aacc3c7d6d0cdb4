/** Unpacks a wheel of Python in a sandbox of its own, compiled, and reads what comes out as foreign bytes. */

import { chunks } from "../box_process.ts";
import type { NamedWheel, UnpackedFile } from "../../python/wheel_files.ts";
import type { BoxSession } from "../box_session.ts";

const UNPACK_MS = 120_000;
const MAX_REASON_CHARS = 300;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A string says why it cannot be used. Rejects with ProcessEnded. */
export async function unpackWheel(
  session: BoxSession,
  { name, content }: NamedWheel,
): Promise<readonly UnpackedFile[] | string> {
  const parts = chunks(Buffer.concat([encoder.encode(`${name}\n`), content]));
  const { code, limit, stdout, stderr } = await session.run({ program: "wheel", parts, timeMs: UNPACK_MS });
  if (limit !== undefined) return `it cannot be unpacked: its limit of ${limit} was reached`;
  if (code === 0) return readFiles(stdout);
  const lines = decoder.decode(stderr).trim().split("\n");
  return (lines.at(-1) ?? "it cannot be unpacked").slice(0, MAX_REASON_CHARS);
}

/** Each file is its size, a blank, its path, a NUL, and its content. */
function readFiles(output: Uint8Array): readonly UnpackedFile[] | string {
  const files: UnpackedFile[] = [];
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(0, at);
    const [, digits = "", path = ""] = /^(\d{1,10}) (.+)$/s.exec(decoder.decode(output.subarray(at, end))) ??
      [];
    const start = end + 1;
    const size = Number(digits);
    if (end < 0 || path === "" || start + size > output.length) {
      return "it cannot be unpacked: a file of it is cut";
    }
    files.push({ path, content: output.subarray(start, start + size) });
    at = start + size;
  }
  return files;
}
