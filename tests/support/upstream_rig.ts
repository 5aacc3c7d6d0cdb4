/** A transport under test with all its connections, closed at the end of the test. */

import assert from "node:assert/strict";
import { httpTransport } from "../../server/providers/upstream/http_transport.ts";
import { REUSE_DELAY_MS } from "../../server/providers/upstream/connections/reuse_delay.ts";
import { SingleUseOrigins } from "../../server/providers/upstream/connections/single_use_origins.ts";
import type { LogFields } from "../../server/runtime.ts";
import type { PoolsOptions } from "../../server/providers/upstream/connections/connection_pools.ts";
import type { UpstreamResponse } from "../../server/providers/upstream/transport.ts";
import { type FakeClock, fakeClock } from "./clock.ts";
import { pause } from "./until.ts";

export interface TransportRig extends AsyncDisposable {
  /** Stands still until the test moves it. */
  readonly clock: FakeClock;
  readonly post: (url: string, changes?: PostChanges) => Promise<UpstreamResponse>;
  /** Lets connections that were released before become ones that may be used again. */
  readonly kept: () => Promise<void>;
  readonly singleUse: SingleUseOrigins;
  /** Lines of the log. */
  readonly logged: readonly { readonly message: string; readonly fields?: LogFields }[];
}

export interface PostChanges {
  readonly body?: string;
  readonly baseUrl?: string;
  readonly credentialHash?: string;
  readonly fresh?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export function transportRig(options: Omit<PoolsOptions, "clock" | "singleUse"> = {}): TransportRig {
  const clock = fakeClock();
  const logged: { readonly message: string; readonly fields?: LogFields }[] = [];
  const log = { warn: (message: string, fields?: LogFields) => void logged.push({ message, fields }) };
  const singleUse = new SingleUseOrigins({ clock, log });
  const transport = httpTransport({ clock, singleUse, ...options });
  return {
    clock,
    singleUse,
    logged,
    kept: async () => {
      await twoMoreTurns();
      await clock.advanceOnce(() => true, REUSE_DELAY_MS);
      await twoMoreTurns();
    },
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

/** Until what was released before may be used again, where the pool has the real time. */
export async function afterReuseDelay(): Promise<void> {
  // Timers run in the order in which they are due, also where several are late.
  await pause(REUSE_DELAY_MS + 10);
  await twoMoreTurns();
}

/** Two turns of the event loop for the pool. */
async function twoMoreTurns(): Promise<void> {
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
