/** Names of containers, and the ids of their files (specification, Other identifiers). */

import { createHmac } from "node:crypto";

/** Letters of a session that its container's id shows; a hash tells sessions apart. */
const SESSION_CHARS = 8;
const HASH_CHARS = 16;
const GENERATION_CHARS = 26;
const NONCE_CHARS = 8;
/** The longest id that clients take. */
const MAX_CONTAINER_ID_CHARS = 40;

const idForm = /^[A-Za-z0-9_-]{1,40}$/;
const nonceForm = /-r[a-z0-9]{8}$/;

export const isContainerId = (text: string): boolean => idForm.test(text);

interface Named {
  /** Secret of this gateway alone. */
  readonly secret: string;
  readonly workspaceId: string;
}

/** The container of a session: the same one for every request of it, and another one in every workspace. */
export function sessionContainerId(
  { secret, workspaceId, sessionId }: Named & { readonly sessionId: string },
) {
  const label = sessionId.replace(/[^A-Za-z0-9]/g, "").slice(0, SESSION_CHARS);
  return `sess_${label}_${hash(secret, ["session", workspaceId, sessionId]).slice(0, HASH_CHARS)}`;
}

/** The container of a request without a session: all its tools share it. */
export function requestContainerId(
  { secret, workspaceId, generation }: Named & { readonly generation: string },
) {
  return `gen_${hash(secret, ["generation", workspaceId, generation]).slice(0, GENERATION_CHARS)}`;
}

/** The id from which a restarted container's was made; of any other one itself. */
export const baseContainerId = (id: string): string => id.replace(nonceForm, "");

/** `random` is the text of a token of at least 5 random bytes. */
export function restartedContainerId(id: string, random: string): string {
  const nonce = base32(Buffer.from(random, "base64url")).slice(0, NONCE_CHARS);
  return `${baseContainerId(id).slice(0, MAX_CONTAINER_ID_CHARS - NONCE_CHARS - 2)}-r${nonce}`;
}

const hash = (secret: string, parts: readonly string[]): string =>
  base32(createHmac("sha256", secret).update(JSON.stringify(parts)).digest());

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const LETTER_BITS = 5;

/** RFC 4648 in small letters and without padding; bits that fill no letter are left out. */
function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  const letters = bits.match(new RegExp(`.{${LETTER_BITS}}`, "g")) ?? [];
  return letters.map((letter) => ALPHABET[parseInt(letter, 2)]).join("");
}

const FILE_PREFIX = "cfile_";
export const MAX_PATH_BYTES = 1_024;
const encoder = new TextEncoder();

/** Undefined for a path that no id can name: it is kept, and not listed. */
export function encodeFileId(path: string): string | undefined {
  return isNameable(path) ? FILE_PREFIX + Buffer.from(path, "utf8").toString("base64url") : undefined;
}

/** The path; undefined for what is no id, or no id of that form that this gateway gives out. */
export function decodeFileId(id: string): string | undefined {
  if (!id.startsWith(FILE_PREFIX)) return undefined;
  const text = id.slice(FILE_PREFIX.length);
  if (!/^[A-Za-z0-9_-]+$/.test(text) || text.length > MAX_PATH_BYTES * 2) return undefined;
  const path = decodeUtf8(Buffer.from(text, "base64url"));
  return path !== undefined && encodeFileId(path) === id ? path : undefined;
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (_error) {
    // It is no UTF-8, and so no path.
    return undefined;
  }
}

function isNameable(path: string): boolean {
  return path.isWellFormed() && path.normalize("NFC") === path && !path.includes("\\") &&
    isRelativePath(path) &&
    encoder.encode(path).length <= MAX_PATH_BYTES;
}

/** Whether a path leads downwards only, and each of its parts is a name. */
export function isRelativePath(path: string): boolean {
  return !path.includes("\0") &&
    path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}
