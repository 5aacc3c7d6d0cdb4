/** Fetches a small file or answer, within a time and a size. */

import type { Runtime } from "../runtime.ts";

interface DownloadOptions extends Pick<Runtime, "fetch" | "clock"> {
  readonly headers?: Readonly<Record<string, string>>;
}

interface Download {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const MOST_MS = 15_000;
const MOST_BYTES = 8 * 1024 * 1024;

/** Follows no redirect: the address is the operator's. Throws an error that says in a few words why there is none. */
export async function download(
  url: string,
  { fetch: get, clock, headers }: DownloadOptions,
): Promise<Download> {
  const abort = new AbortController();
  const cancel = clock.after(
    MOST_MS,
    () => abort.abort(new Error(`it did not answer within ${MOST_MS / 1_000} s`)),
  );
  try {
    const response = await get(url, { headers: { ...headers }, redirect: "manual", signal: abort.signal });
    return {
      status: response.status,
      headers: response.headers,
      bytes: await readUpTo(MOST_BYTES, response.body),
    };
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new Error(`there is no connection to ${new URL(url).host}`, { cause });
  } finally {
    cancel();
  }
}

async function readUpTo(
  most: number,
  body: ReadableStream<Uint8Array> | null,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > most) throw new Error(`its answer is longer than ${most} bytes`);
    chunks.push(Uint8Array.from(chunk));
  }
  return await new Blob(chunks).bytes();
}
