/** A transport under test with all its connections, closed at the end of the test. */

import assert from "node:assert/strict";
import { httpTransport } from "../../server/upstream/http_transport.ts";
import type { PoolsOptions } from "../../server/upstream/connection_pools.ts";
import type { UpstreamResponse } from "../../server/upstream/transport.ts";
import { type FakeClock, fakeClock } from "./clock.ts";
import { pause } from "./until.ts";

export interface TransportRig extends AsyncDisposable {
  /** Stands still until the test moves it. */
  readonly clock: FakeClock;
  readonly post: (url: string, changes?: PostChanges) => Promise<UpstreamResponse>;
}

export interface PostChanges {
  readonly body?: string;
  readonly baseUrl?: string;
  readonly credentialHash?: string;
  readonly fresh?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export function transportRig(options: Omit<PoolsOptions, "clock"> = {}): TransportRig {
  const clock = fakeClock();
  const transport = httpTransport({ clock, ...options });
  return {
    clock,
    post: (url, changes = {}) =>
      transport({
        url,
        baseUrl: url,
        credentialHash: "",
        headers: {},
        body: "{}",
        signal: new AbortController().signal,
        ...changes,
      }),
    async [Symbol.asyncDispose]() {
      transport.close();
      // The sockets' resources are gone a turn later.
      await pause(5);
      assert.equal(clock.open, 0, "A deadline is left over");
    },
  };
}

/** Until connections that were released before may be used again. */
export async function kept(): Promise<void> {
  // Timers run in the order in which they are due: one more than the pool needs.
  for (let turn = 0; turn < 3; turn++) await pause(0);
}

/** The rest of the body, read to its end. */
export async function drain(response: UpstreamResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (let bytes = await response.read(); bytes !== undefined; bytes = await response.read()) {
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}

/** Rejects when `promise` takes longer: a test then fails in words instead of hanging. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Not within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
