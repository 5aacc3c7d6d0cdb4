/**
 * Signatures of calls between instances, by a key that is derived from the master key. Each is for one call of one
 * instance with one body, holds for a minute, and is taken once.
 */

import type { Runtime } from "../../../runtime.ts";

/** How far the clocks of two instances may be apart, in ms. */
export const MAX_SKEW_MS = 60_000;
/** The header that has the signature. */
export const SIGNATURE_HEADER = "x-tollgate-instance";
const NONCE_BYTES = 16;

/** Version, time, nonce, id of the instance that is called, digest of the body, signature. */
const form = /^v1;(\d{1,15});([\w-]{22});([\w-]{1,64});([\da-f]{64});([\da-f]{64})$/;

const encoder = new TextEncoder();

interface SignedCall {
  readonly method: string;
  /** As it is sent, with a query where there is one. */
  readonly path: string;
}

/** `late`: the clocks differ, or it has been on its way for too long. `repeated`: it was taken before. */
type SignatureCheck =
  | {
    readonly type: "valid";
    /** Id of the instance that it is for. */
    readonly to: string;
    readonly isOf: (body: string) => Promise<boolean>;
  }
  | { readonly type: "unsigned" | "late" | "repeated" };

type SignatureRuntime = Pick<Runtime, "randomToken"> & { readonly clock: Pick<Runtime["clock"], "now"> };

export class CallSignatures {
  readonly #key: CryptoKey;
  readonly #runtime: SignatureRuntime;
  /** Nonces that were taken, the oldest first, and until when their signatures would hold. */
  readonly #nonces = new Map<string, number>();

  private constructor(key: CryptoKey, runtime: SignatureRuntime) {
    this.#key = key;
    this.#runtime = runtime;
  }

  /** `master`: the 32 bytes of the master key, which all instances have. */
  static async create(master: Uint8Array, runtime: SignatureRuntime): Promise<CallSignatures> {
    const base = await crypto.subtle.importKey("raw", new Uint8Array(master), "HKDF", false, ["deriveKey"]);
    const hkdf = {
      name: "HKDF",
      hash: "SHA-256",
      salt: new Uint8Array(),
      info: encoder.encode("tollgate calls between instances"),
    };
    const hmac = { name: "HMAC", hash: "SHA-256", length: 256 };
    const key = await crypto.subtle.deriveKey(hkdf, base, hmac, false, ["sign", "verify"]);
    return new CallSignatures(key, runtime);
  }

  /** The value of the header. */
  async sign(
    call: SignedCall,
    { to, body }: { readonly to: string; readonly body: string },
  ): Promise<string> {
    const { clock, randomToken } = this.#runtime;
    const facts = `v1;${clock.now()};${randomToken(NONCE_BYTES)};${to};${await digestOf(body)}`;
    const signature = await crypto.subtle.sign("HMAC", this.#key, signedBytes(call, facts));
    return `${facts};${new Uint8Array(signature).toHex()}`;
  }

  /** Judges a call by its header, before anything of its body is read. */
  async check(call: SignedCall, header: string | null): Promise<SignatureCheck> {
    const [, time = "", nonce = "", to = "", digest = "", signature = ""] = form.exec(header ?? "") ?? [];
    if (header === null || signature === "") return { type: "unsigned" };
    const bytes = signedBytes(call, header.slice(0, header.lastIndexOf(";")));
    if (!await crypto.subtle.verify("HMAC", this.#key, Uint8Array.fromHex(signature), bytes)) {
      return { type: "unsigned" };
    }
    if (Math.abs(this.#runtime.clock.now() - Number(time)) > MAX_SKEW_MS) return { type: "late" };
    if (!this.#take(nonce, Number(time))) return { type: "repeated" };
    return { type: "valid", to, isOf: async (body) => await digestOf(body) === digest };
  }

  /** False for one that was taken before. */
  #take(nonce: string, time: number): boolean {
    const now = this.#runtime.clock.now();
    for (const [old, until] of this.#nonces) {
      if (until >= now) break;
      this.#nonces.delete(old);
    }
    if (this.#nonces.has(nonce)) return false;
    // A nonce behind this one may be forgotten later than it could be, and none is forgotten too early.
    this.#nonces.set(nonce, Math.max(time, now) + MAX_SKEW_MS);
    return true;
  }
}

const signedBytes = ({ method, path }: SignedCall, facts: string) =>
  encoder.encode([method, path, facts].join("\n"));

async function digestOf(body: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(body))).toHex();
}
