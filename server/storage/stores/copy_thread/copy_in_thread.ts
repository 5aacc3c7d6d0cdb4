/** Starts the thread that copies the embedded store, and ends it. */

import type { CopyReply, CopyRequest } from "./copy_store.ts";
import { StoreError } from "../store.ts";

interface CopyInput extends CopyRequest {
  /** The data folder, in which both are: the thread may read and write nothing else. */
  readonly folder: string;
}

/** Resolves when the copy is there and sound. Throws a StoreError. */
export async function copyInThread({ folder, from, to }: CopyInput): Promise<void> {
  const worker = new Worker(new URL("./copy_store.ts", import.meta.url), {
    type: "module",
    deno: {
      permissions: {
        net: false,
        env: false,
        run: false,
        sys: false,
        ffi: false,
        read: [folder],
        write: [folder],
      },
    },
  });
  try {
    const error = await new Promise<string | undefined>((resolve) => {
      worker.onmessage = ({ data }: MessageEvent<CopyReply>) => resolve(data.error);
      worker.onerror = (event) => {
        event.preventDefault();
        resolve(event.message);
      };
      worker.postMessage({ from, to } satisfies CopyRequest);
    });
    if (error !== undefined) throw new StoreError("unavailable", `Cannot back up ${from}: ${error}`);
  } finally {
    worker.terminate();
  }
}
