/** How fast and how reliable endpoints are, from live traffic alone: half an hour of figures, a day of counts. */

import type { Clock } from "../../../runtime.ts";
import { sharedEndpointId } from "../../../providers/keyed_endpoints.ts";
import { type Percentiles, PercentileWindow } from "./percentile_window.ts";
import { type AttemptCounts, SuccessCounter } from "./success_counter.ts";

/** Shares of attempts that succeeded, 0–100; null where there was none. */
interface Uptime {
  readonly last5m: number | null;
  readonly last30m: number | null;
  readonly last1d: number | null;
}

/** Measured figures that the catalog and routing read. Undefined: nothing was measured in the last 30 minutes. */
export interface EndpointStats {
  /** Milliseconds until a streamed answer began. */
  latency(endpointId: string): Percentiles | undefined;
  /** Output tokens a second. */
  throughput(endpointId: string): Percentiles | undefined;
  uptime(endpointId: string): Uptime;
}

interface EndpointSamples {
  readonly latency: PercentileWindow;
  readonly throughput: PercentileWindow;
  readonly minutes: SuccessCounter;
  readonly hours: SuccessCounter;
}

const MINUTE = 60_000;
const HALF_HOUR = 30 * MINUTE;
/** A day in slices of half an hour; the running one makes 49. */
const SLICES = 49;
/** Endpoints that are remembered, about 9 KiB each when busy; the one that was quiet longest makes room. */
const MOST_ENDPOINTS = 4_096;

export class LiveStats implements EndpointStats {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #records = new Map<string, EndpointSamples>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  recordLatency(endpointId: string, latencyMs: number): void {
    this.#recordOf(endpointId).latency.add(this.#clock.monotonic(), latencyMs);
  }

  recordThroughput(endpointId: string, tokensPerSecond: number): void {
    this.#recordOf(endpointId).throughput.add(this.#clock.monotonic(), tokensPerSecond);
  }

  /** An attempt ended: well, or in a fault of the endpoint's own. */
  recordResult(endpointId: string, well: boolean): void {
    const { minutes, hours } = this.#recordOf(endpointId);
    const now = this.#clock.monotonic();
    minutes.add(now, well);
    hours.add(now, well);
  }

  latency(endpointId: string): Percentiles | undefined {
    return this.#records.get(sharedEndpointId(endpointId))?.latency.percentiles(this.#clock.monotonic());
  }

  throughput(endpointId: string): Percentiles | undefined {
    return this.#records.get(sharedEndpointId(endpointId))?.throughput.percentiles(this.#clock.monotonic());
  }

  uptime(endpointId: string): Uptime {
    const record = this.#records.get(sharedEndpointId(endpointId));
    if (record === undefined) return { last5m: null, last30m: null, last1d: null };
    const now = this.#clock.monotonic();
    return {
      last5m: record.minutes.share(now, 5),
      last30m: record.minutes.share(now, 30),
      last1d: record.hours.share(now, SLICES - 1),
    };
  }

  /** Ids of the endpoints that were called, as far as they are remembered. */
  get endpointIds(): readonly string[] {
    return [...this.#records.keys()];
  }

  /** Attempts of the last five minutes. */
  attempts(endpointId: string): AttemptCounts {
    return this.#records.get(sharedEndpointId(endpointId))?.minutes.counts(this.#clock.monotonic(), 5) ??
      { well: 0, badly: 0 };
  }

  /** One for all keys of the endpoint's provider. */
  #recordOf(id: string): EndpointSamples {
    const endpointId = sharedEndpointId(id);
    const found = this.#records.get(endpointId);
    if (found !== undefined) return found;
    if (this.#records.size >= MOST_ENDPOINTS) this.#forgetQuietest();
    const made: EndpointSamples = {
      latency: new PercentileWindow(HALF_HOUR),
      throughput: new PercentileWindow(HALF_HOUR),
      minutes: new SuccessCounter({ width: MINUTE, slots: 31 }),
      hours: new SuccessCounter({ width: HALF_HOUR, slots: SLICES }),
    };
    this.#records.set(endpointId, made);
    return made;
  }

  #forgetQuietest(): void {
    let quietest: string | undefined;
    let last = Infinity;
    for (const [id, { minutes }] of this.#records) {
      if (minutes.latest >= last) continue;
      quietest = id;
      last = minutes.latest;
    }
    this.#records.delete(quietest ?? "");
  }
}
