/** The transport to what answers as `fetch` does without a network: a provider that runs in this process. */

import { type AbortSignalLike, toAbortSignal } from "./call_abort.ts";
import { targetOf } from "./request_target.ts";
import { ResponseTooLarge, type Transport, type UpstreamResponse } from "./transport.ts";

/**
 * Where nothing can listen, the built-in models are called this way. `text()` is used where the length is known
 * beforehand, because a reader loop costs a quarter of the throughput.
 */
export function fetchTransport(fetcher: typeof fetch): Transport {
  return async ({ url, baseUrl, headers, method = "POST", body, signal, onSent }) => {
    targetOf({ url, baseUrl });
    const init = {
      method,
      headers,
      body: method === "GET" ? undefined : body,
      signal: toAbortSignal(signal),
      redirect: "manual",
    } as const;
    onSent?.();
    const answering = fetcher(url, init);
    const response = await orCut(answering, signal).catch((error: unknown) => {
      answering.then(({ body }) => body?.cancel()).catch(brokenFetch);
      throw error;
    });
    return new FetchAnswer(response, signal);
  };
}

/** The same, or the reason of the cut where that comes first: what runs in this process need not hear of it. */
function orCut<T>(work: Promise<T>, signal: AbortSignalLike): Promise<T> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const cut = () => reject(signal.reason);
  signal.addEventListener("abort", cut);
  work.then(resolve, reject);
  return promise.finally(() => signal.removeEventListener("abort", cut));
}

class FetchAnswer implements UpstreamResponse {
  readonly status: number;
  readonly #response: Response;
  readonly #signal: AbortSignalLike;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(response: Response, signal: AbortSignalLike) {
    this.status = response.status;
    this.#response = response;
    this.#signal = signal;
  }

  header(name: string): string | null {
    return this.#response.headers.get(name);
  }

  text(cap: number): Promise<string> {
    const length = this.header("content-length");
    const plain = this.header("content-encoding") === null;
    return plain && length !== null && Number(length) <= cap
      ? orCut(this.#response.text(), this.#signal)
      : this.#capped(cap);
  }

  /** Counts decoded bytes: `fetch` undoes compression, so a short body may be a long answer (faults U13). */
  async #capped(cap: number): Promise<string> {
    const decoder = new TextDecoder();
    let size = 0;
    let text = "";
    for (let bytes = await this.read(); bytes !== undefined; bytes = await this.read()) {
      size += bytes.length;
      if (size > cap) {
        this.discard();
        throw new ResponseTooLarge(`The provider's answer is longer than ${cap} bytes.`);
      }
      text += decoder.decode(bytes, { stream: true });
    }
    return text + decoder.decode();
  }

  async read(): Promise<Uint8Array | undefined> {
    this.#reader ??= this.#response.body?.getReader();
    return this.#reader && (await orCut(this.#reader.read(), this.#signal)).value;
  }

  discard(): void {
    const closing = this.#reader?.cancel() ?? this.#response.body?.cancel();
    closing?.catch(brokenFetch);
  }
}

/** Letting go of a connection that broke meanwhile is no news. */
function brokenFetch(): void {}
