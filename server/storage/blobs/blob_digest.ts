/** Counts the bytes of a blob and makes their SHA-256 while they pass. */

import { createHash } from "node:crypto";
import type { BlobKey, StoredBlob } from "./blob_store.ts";

export class BlobDigest {
  readonly #hash = createHash("sha256");
  /** Bytes so far. */
  size = 0;

  add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.size += bytes.length;
  }

  /** SHA-256 as hexadecimal digits. Nothing can be added any more. */
  digest(): string {
    return this.#hash.digest("hex");
  }

  /** Describes the content as stored under a key. */
  describe({ workspaceId, id }: BlobKey): StoredBlob {
    return { workspaceId, id, size: this.size, sha256: this.digest() };
  }
}
