/** Limits that Deno Deploy has for a process: so much memory, and no turn of its loop that takes a second. */

import assert from "node:assert/strict";
import { peakBytes, waitedMs } from "../bench/process.ts";
import type { DeployedGateway } from "./deploy_gateway.ts";

/** All memory of the process, and the part of it that values of JavaScript may take. */
export const PLATFORM_BYTES = 512_000_000;
export const HEAP_MIB = 384;

/** A scraper needs neither the store nor a key. */
export const METRICS_TOKEN = "deploy-metrics-token-of-32-characters-xx";

/** Milliseconds for which the processor may be taken from the loop before a late turn says nothing of the gateway. */
const TAKEN_MS = 1_000;

interface Sample {
  /** Turns so far that were late by more than a second. */
  readonly late: number;
  /** Milliseconds for which the thread of the loop was ready and had no processor. */
  readonly waited: number;
}

export interface LimitWatch {
  /** Fails where the gateway has passed a limit since the last check; tells its figures. */
  readonly check: (what: string) => Promise<void>;
}

/** Watches a gateway from its start on. */
export function watchLimits(gateway: DeployedGateway): LimitWatch {
  let before: Sample = { late: 0, waited: 0 };
  return {
    check: async (what) => {
      const metrics = await readMetrics(gateway);
      const turns = metricIn(metrics, "tollgate_event_loop_lag_seconds_count");
      const sample = {
        late: turns - metricIn(metrics, 'tollgate_event_loop_lag_seconds_bucket{le="1.0"}'),
        waited: await waitedMs(gateway.pid),
      };
      const [late, waited] = [sample.late - before.late, sample.waited - before.waited];
      before = sample;
      const bytes = await peakBytes(gateway.pid);
      const figures = `${what}: at most ${Math.round(bytes / 1e6)} MB, ${late} turns late by over 1 s, ` +
        `${Math.round(waited)} ms without a processor`;
      console.log(figures);
      assert.ok(bytes < PLATFORM_BYTES, figures);
      assert.ok(turns > 0, "the loop was looked at");
      // On a machine that does other work a turn may be late through no work of the gateway.
      assert.ok(late === 0 || waited >= TAKEN_MS, figures);
    },
  };
}

async function readMetrics({ url }: DeployedGateway): Promise<string> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text;
}

function metricIn(metrics: string, name: string): number {
  const line = metrics.split("\n").find((one) => one.startsWith(`${name} `));
  assert.ok(line !== undefined, `no ${name}`);
  return Number(line.slice(name.length + 1));
}
