/** The master key that stored secrets are encrypted with: from the settings, or made once beside the embedded store. */

import { systemReason } from "../../../shared/util/system_reason.ts";
import type { Runtime } from "../../runtime.ts";
import { StartError } from "../core/start_error.ts";

export interface MasterKeyOptions {
  readonly runtime: Pick<Runtime, "randomToken" | "log">;
  /** Value of TOLLGATE_MASTER_KEY: 32 bytes. */
  readonly input: Uint8Array | undefined;
  /** Where it is kept when it is not given; undefined where nothing but the environment is the gateway's own. */
  readonly file: string | undefined;
}

const BYTES = 32;

/** The key, if there is one. Throws a StartError for a file that holds none. */
export function findMasterKey({ input, file, runtime }: MasterKeyOptions): Uint8Array | undefined {
  if (input !== undefined || file === undefined) return input;
  const text = read(file);
  if (text === undefined) return undefined;
  const { mode } = Deno.statSync(file);
  if (mode !== null && (mode & 0o077) !== 0) {
    runtime.log.warn("Master key file is readable by other users; restrict its permissions", { path: file });
  }
  try {
    const bytes = Uint8Array.fromBase64(text.trim());
    if (bytes.length === BYTES) return bytes;
  } catch (cause) {
    throw new StartError(damaged(file), { cause });
  }
  throw new StartError(damaged(file));
}

const damaged = (file: string) =>
  `${file} holds no master key (32 bytes in base64): put the right one back from where you keep a copy`;

/** Makes the key of a first use; undefined where it has to be given. Throws when the file cannot be written. */
export function createMasterKey(options: MasterKeyOptions): Uint8Array | undefined {
  const { file, runtime } = options;
  if (file === undefined) return undefined;
  const bytes = Uint8Array.fromBase64(runtime.randomToken(BYTES), { alphabet: "base64url" });
  Deno.writeTextFileSync(file, `${bytes.toBase64()}\n`, { createNew: true, mode: 0o600 });
  runtime.log.warn("Created a master key for stored provider keys; keep a copy, backups do not include it", {
    path: file,
  });
  return bytes;
}

function read(file: string): string | undefined {
  try {
    return Deno.readTextFileSync(file);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return undefined;
    throw new StartError(`${file} cannot be read: ${systemReason(cause)}`, {
      cause,
    });
  }
}
