/** Reads files of settings: regular ones, not too large, and none that is being written. */

const TRIES = 3;

/** Throws an error whose message ends a sentence about the file: what it is, or the system's reason. */
export function readSettledText(path: string, mostBytes: number): string {
  if (!Deno.statSync(path).isFile) {
    // A pipe would hold everything up until somebody writes to it.
    throw new Error(Deno.statSync(path).isDirectory ? "it is a folder" : "it is no regular file");
  }
  for (let tries = 0; tries < TRIES; tries++) {
    const bytes = readOnce(path, mostBytes);
    if (bytes !== undefined) return decode(bytes);
  }
  throw new Error("it changes while it is read");
}

/** Undefined where somebody has written to it meanwhile. */
function readOnce(path: string, mostBytes: number): Uint8Array | undefined {
  using file = Deno.openSync(path);
  const before = file.statSync();
  if (before.size > mostBytes) throw new Error(`it is larger than ${sizeText(mostBytes)}`);
  const bytes = new Uint8Array(before.size + 1);
  let length = 0;
  for (let read = file.readSync(bytes); read !== null && read > 0;) {
    length += read;
    read = file.readSync(bytes.subarray(length));
  }
  const after = file.statSync();
  const isSettled = length === before.size && after.size === before.size &&
    after.mtime?.getTime() === before.mtime?.getTime();
  return isSettled ? bytes.subarray(0, length) : undefined;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Error("it is no text in UTF-8", { cause });
  }
}

const MIB = 1024 * 1024;

const sizeText = (bytes: number): string => bytes < MIB ? `${bytes / 1024} KiB` : `${bytes / MIB} MiB`;
