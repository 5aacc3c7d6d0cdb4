/** The bytes of a file as it is read whole: the last of them leave only if all of them are what was stored. */

import { BlobDigest } from "../blobs/blob_digest.ts";
import type { FileRow } from "./file_rows.ts";

/** `damaged` is called before the stream breaks. */
export function verifiedContent(
  { size, sha256 }: Pick<FileRow, "size" | "sha256">,
  { content, damaged }: { readonly content: ReadableStream<Uint8Array>; readonly damaged: () => void },
): ReadableStream<Uint8Array> {
  const reader = content.getReader();
  const digest = new BlobDigest();
  let held: Uint8Array | undefined;
  const end = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (digest.size !== size || digest.digest() !== sha256) {
      damaged();
      return controller.error(new Error("Cannot read file: its bytes are not those that were stored"));
    }
    if (held !== undefined) controller.enqueue(held);
    controller.close();
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return end(controller);
        digest.add(value);
        const ready = held;
        held = value;
        if (ready !== undefined) return controller.enqueue(ready);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}
