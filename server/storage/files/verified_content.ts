/** The bytes of a file on their way out. */

import { ApiError } from "../../../shared/errors.ts";
import { BlobDigest } from "../blobs/blob_digest.ts";
import type { FileRow } from "./file_rows.ts";

/** The same bytes; `failed` is called before the stream breaks because they cannot be read. */
export function withReadErrors(
  content: ReadableStream<Uint8Array>,
  failed: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = content.getReader();
  let cancelled = false;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (cancelled) return;
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        if (!cancelled) failed(error);
        throw error;
      }
    },
    cancel: (reason) => {
      cancelled = true;
      return reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}

/** For those who read a file whole. What has left for a client by then is cut off. */
export class DamagedContent extends ApiError {
  constructor() {
    super("not_found", "The content of this file is damaged: its bytes are not those that were stored.");
  }
}

/**
 * A file that is read whole: the last of its bytes leave only if all of them are what was stored. `damaged` is called
 * before the stream breaks.
 */
export function verifiedContent(
  { size, sha256 }: Pick<FileRow, "size" | "sha256">,
  { content, damaged }: { readonly content: ReadableStream<Uint8Array>; readonly damaged: () => void },
): ReadableStream<Uint8Array> {
  const reader = content.getReader();
  const digest = new BlobDigest();
  let held: Uint8Array | undefined;
  let cancelled = false;
  const end = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (digest.size !== size || digest.digest() !== sha256) {
      damaged();
      return controller.error(
        new DamagedContent(),
      );
    }
    if (held !== undefined) controller.enqueue(held);
    controller.close();
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read();
        // The client has disconnected: that the rest does not come says nothing about the file.
        if (cancelled) return;
        if (done) return end(controller);
        digest.add(value);
        const ready = held;
        held = value;
        if (ready !== undefined) return controller.enqueue(ready);
      }
    },
    cancel: (reason) => {
      cancelled = true;
      return reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}
