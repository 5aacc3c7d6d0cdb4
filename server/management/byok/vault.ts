/**
 * Secrets at rest: AES-256-GCM with a key derived from the master key, each bound to its place, so that a
 * ciphertext moved elsewhere cannot be read (SECURITY.md). A canary in the store tells a wrong master key at the
 * start.
 */

import * as z from "zod";
import { ApiError } from "../../../shared/errors.ts";
import { Memo } from "../../../shared/util/memo.ts";
import { Collection } from "../../storage/stores/collection.ts";
import type { Store, StorePut } from "../../storage/stores/store.ts";
import { createMasterKey, findMasterKey, type MasterKeyOptions } from "./master_key.ts";
import { throwStoreUnavailable } from "../core/store_errors.ts";
import { StartError } from "../core/start_error.ts";

export const ciphertextSchema = z.object({
  /** Names the master key that it was sealed with. */
  kid: z.string(),
  iv: z.base64(),
  /** Ciphertext and tag. */
  text: z.base64(),
});
type Ciphertext = z.infer<typeof ciphertextSchema>;

/** Sub-keys of one master key, which nobody can read out again. */
interface Keys {
  readonly kid: string;
  readonly key: CryptoKey;
}

const IV_BYTES = 12;
const KID_BYTES = 8;
const CANARY = "canary";
const CANARY_TEXT = "tollgate";
const CANARY_PLACE = "vault|canary";

const encoder = new TextEncoder();

async function keysOf(master: Uint8Array): Promise<Keys> {
  const base = await crypto.subtle.importKey("raw", new Uint8Array(master), "HKDF", false, [
    "deriveKey",
    "deriveBits",
  ]);
  const hkdf = (info: string) => ({
    name: "HKDF",
    hash: "SHA-256",
    salt: new Uint8Array(),
    info: encoder.encode(info),
  });
  const kid = await crypto.subtle.deriveBits(hkdf("tollgate key id"), base, 8 * KID_BYTES);
  const aes = { name: "AES-GCM", length: 256 };
  const key = await crypto.subtle.deriveKey(hkdf("tollgate provider keys"), base, aes, false, [
    "encrypt",
    "decrypt",
  ]);
  return { kid: new Uint8Array(kid).toHex(), key };
}

export interface VaultOptions extends MasterKeyOptions {
  readonly store: Store;
}

const canaries = (store: Store) => new Collection({ store, name: "vault", schema: ciphertextSchema });

/** Throws a StartError when secrets are stored and the master key is missing, or another one. */
export async function openVault(options: VaultOptions): Promise<Vault> {
  const master = findMasterKey(options);
  const canary = await canaries(options.store).get(CANARY);
  if (canary === undefined) return new Vault(options, master && await keysOf(master));
  if (master === undefined) {
    throw new StartError(
      options.file === undefined
        ? "TOLLGATE_MASTER_KEY is not set, and provider keys are stored that it decrypts: set it to the one they were stored with"
        : `${options.file} is missing, and provider keys are stored that it decrypts: put it back, or set TOLLGATE_MASTER_KEY`,
    );
  }
  const keys = await keysOf(master);
  if (await isMade(keys, canary.record)) return new Vault(options, keys);
  throw new StartError(
    `${
      options.input === undefined ? options.file : "TOLLGATE_MASTER_KEY"
    } is another key than the one that the ` +
      "stored provider keys were encrypted with: use that one",
  );
}

async function isMade(keys: Keys, canary: Ciphertext): Promise<boolean> {
  try {
    return await opened(keys, { sealed: canary, place: CANARY_PLACE }) === CANARY_TEXT;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}

interface Opening {
  readonly sealed: Ciphertext;
  readonly place: string;
}

/** Throws a DOMException for what was sealed with another key, or for another place. */
async function opened({ key }: Keys, { sealed, place }: Opening): Promise<string> {
  const iv = Uint8Array.fromBase64(sealed.iv);
  const additionalData = encoder.encode(place);
  const text = Uint8Array.fromBase64(sealed.text);
  const plain = await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData }, key, text);
  return new TextDecoder("utf-8", { fatal: true }).decode(plain);
}

/** Master key other than the one that the store knows, and what makes it known. */
interface OtherMasterKey {
  readonly kid: string;
  readonly encrypt: (text: string, place: string) => Promise<Ciphertext>;
  /** From the commit on that has this, the store's master key is this one. */
  readonly canary: StorePut;
}

/** For those who move everything from one master key to another. */
export async function otherMasterKey(
  { store, runtime, master }: Pick<VaultOptions, "store" | "runtime"> & { readonly master: Uint8Array },
): Promise<OtherMasterKey> {
  const keys = await keysOf(master);
  const seal = (text: string, place: string) => sealed(keys, { text, place, runtime });
  const canary = canaries(store).put([CANARY], await seal(CANARY_TEXT, CANARY_PLACE));
  return { kid: keys.kid, encrypt: seal, canary };
}

interface Sealing {
  readonly text: string;
  readonly place: string;
  readonly runtime: VaultOptions["runtime"];
}

async function sealed({ kid, key }: Keys, { text, place, runtime }: Sealing): Promise<Ciphertext> {
  const iv = Uint8Array.fromBase64(runtime.randomToken(IV_BYTES), { alphabet: "base64url" });
  const additionalData = encoder.encode(place);
  const made = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData },
    key,
    encoder.encode(text),
  );
  return { kid, iv: iv.toBase64(), text: new Uint8Array(made).toBase64() };
}

export class Vault {
  readonly #options: VaultOptions;
  #keys: Keys | undefined;
  /** The canary is in the store, made with these keys. */
  readonly #proved = new Memo(() => this.#prove());

  constructor(options: VaultOptions, keys: Keys | undefined) {
    this.#options = options;
    this.#keys = keys;
  }

  /**
   * Encrypts a text for its place. The first time it makes the master key where it may, and throws an ApiError (400)
   * where it may not.
   */
  async encrypt(text: string, place: string): Promise<Ciphertext> {
    return await sealed(await this.#proved.get(), { text, place, runtime: this.#options.runtime });
  }

  /** Throws an ApiError `internal` for what was sealed with another master key, or for another place. */
  async decrypt(sealed: Ciphertext, place: string): Promise<string> {
    const keys = this.#keys;
    if (keys === undefined || keys.kid !== sealed.kid) {
      throw new ApiError("internal", "A stored secret was encrypted with another master key.");
    }
    try {
      return await opened(keys, { sealed, place });
    } catch (cause) {
      throw new ApiError("internal", "A stored secret cannot be decrypted.", { cause });
    }
  }

  /** A caller who stores the first secret leaves the canary, and everybody else looks whether it is his. */
  async #prove(): Promise<Keys> {
    const keys = this.#keys ??= await this.#make();
    const { store, runtime } = this.#options;
    const rows = canaries(store);
    const canary = await sealed(keys, { text: CANARY_TEXT, place: CANARY_PLACE, runtime });
    if (await rows.create([CANARY], canary).catch(throwStoreUnavailable)) return keys;
    const found = await rows.get(CANARY).catch(throwStoreUnavailable);
    if (found && await isMade(keys, found.record)) return keys;
    throw new ApiError("internal", "TOLLGATE_MASTER_KEY is not the one that other instances use.");
  }

  async #make(): Promise<Keys> {
    const made = findMasterKey(this.#options) ?? createMasterKey(this.#options);
    if (made !== undefined) return await keysOf(made);
    throw new ApiError(
      "invalid_request",
      "Cannot store a secret: the gateway has no master key to encrypt it with. Set TOLLGATE_MASTER_KEY to 32 " +
        "random bytes in base64 and start again",
    );
  }
}
