/**
 * Answers kept for callers who ask again. They may hold the text of a new key, which the store must not: they are
 * encrypted with a key made from the caller's own token, which is kept nowhere, so that only who presents the token
 * can have them read.
 */

import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

interface SealReplyOptions {
  /** The caller's token; it must not be empty. */
  readonly token: string;
  /** Context to which the text is bound: moved elsewhere, it cannot be read. */
  readonly place: string;
}

function keyOf({ token, place }: SealReplyOptions): Buffer {
  if (token === "") throw new Error("Cannot seal: the token is empty");
  return Buffer.from(hkdfSync("sha256", token, place, "tollgate idempotency", KEY_BYTES));
}

interface SealInput extends SealReplyOptions {
  /** Base64url of random bytes, as the runtime makes them. */
  readonly randomToken: (bytes: number) => string;
}

/** Base64 of IV, tag and ciphertext. */
export function sealReply(text: string, { randomToken, ...options }: SealInput): string {
  const iv = Buffer.from(randomToken(IV_BYTES), "base64url");
  const encrypted = createCipheriv(ALGORITHM, keyOf(options), iv);
  encrypted.setAAD(Buffer.from(options.place));
  const sealed = [encrypted.update(text, "utf8"), encrypted.final()];
  return Buffer.concat([iv, encrypted.getAuthTag(), ...sealed]).toString("base64");
}

/** Throws when it was sealed with another token, for another place, or was changed. */
export function unsealReply(sealed: string, options: SealReplyOptions): string {
  const bytes = Buffer.from(sealed, "base64");
  const iv = bytes.subarray(0, IV_BYTES);
  const decipher = createDecipheriv(ALGORITHM, keyOf(options), iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(options.place));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const text = [decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()];
  return Buffer.concat(text).toString("utf8");
}
