/** Finds what there is an alert of besides limits: endpoints, destinations, overrun, the store, prices, models that end. */

import { toNanoUsd, toUsdNumber } from "../../../shared/money.ts";
import { queryUsage } from "../../billing/ledger/usage/usage_query.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { failingDestinations } from "../destinations/failing_destinations.ts";
import type { EndpointHealthRecord } from "../status/status_source.ts";
import type { AlertSource } from "./alert_watch.ts";

/** An endpoint is told of that no call has reached for as long. */
export const DOWN_MS = 600_000;
/** A write of the store that takes longer is slow, and the store is when all were for so long. */
export const SLOW_MS = 500;
export const SLOW_FOR_MS = 300_000;
/** Prices are told of from so many days on. */
export const OLD_PRICE_DAYS = 30;
/** Sums of days are read this often. */
export const SUMS_MS = 300_000;
const DAY_MS = 86_400_000;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const timeOf = (ms: number): string => new Date(ms).toISOString();
/** The first moment after the UTC day of a moment. */
const nextDay = (ms: number): number => (Math.floor(ms / DAY_MS) + 1) * DAY_MS;

type CalledEndpoint = Pick<
  EndpointHealthRecord,
  "endpointId" | "provider" | "model" | "isByok" | "standing" | "reason"
>;

/** Tells of endpoints of the gateway's own keys that have not been well at any look for so long, once a day. */
export function endpointAlerts(endpoints: () => readonly CalledEndpoint[]): AlertSource {
  /** By the endpoint: ms since the epoch. */
  let downSince = new Map<string, number>();
  return async function* (now) {
    const down = endpoints().filter(({ standing, isByok }) => standing !== "well" && !isByok);
    downSince = new Map(down.map(({ endpointId: id }) => [id, Math.min(now, downSince.get(id) ?? now)]));
    for (const { endpointId, provider, model, reason = null } of down) {
      const began = downSince.get(endpointId) ?? now;
      if (now - began < DOWN_MS) continue;
      yield {
        alert: {
          type: "endpoint_down",
          timestamp: timeOf(now),
          data: { provider, model, since: timeOf(began), reason },
        },
        about: [provider, model, dayOf(now)],
        endsAt: nextDay(now),
      };
    }
  };
}

/** Tells of destinations that have failed for long, once a day. */
export function destinationAlerts(deps: Pick<ManagementDeps, "store" | "pause">): AlertSource {
  return async function* (now) {
    for (
      const { id, name, workspace_id, failing_since: since, last_error } of await failingDestinations(
        deps,
        now,
      )
    ) {
      const data = { destination_id: id, destination_name: name, workspace_id, since, reason: last_error };
      yield {
        alert: { type: "destination_failing", timestamp: timeOf(now), data },
        about: [id, dayOf(now)],
        endsAt: nextDay(now),
      };
    }
  };
}

/** Tells of days, the running one and the one before, on which providers took more than their own caps. */
export function overrunAlerts({ store }: Pick<ManagementDeps, "store">): AlertSource {
  let dueAt = 0;
  return async function* (now) {
    if (now < dueAt) return;
    const [from, bucket] = [nextDay(now) - 2 * DAY_MS, (at: number) => Math.floor(at / DAY_MS) * DAY_MS];
    const { groups } = await queryUsage(store, {
      from,
      to: nextDay(now),
      grain: "day",
      bucket,
      maxRows: Infinity,
    });
    for (const { bucket: at, totals } of groups) {
      if (totals.overrun === 0) continue;
      const data = { day: dayOf(at), overrun: toUsdNumber(toNanoUsd(totals.overrun)) };
      const alert = { type: "overrun", timestamp: timeOf(now), data } as const;
      // The day can be seen on the next one too.
      yield { alert, about: [data.day], endsAt: nextDay(at) + DAY_MS };
    }
    dueAt = now + SUMS_MS;
  };
}

/** Tells of a store whose writes were slow or failed at every look for so long, once a day. */
export function storeAlerts(
  { store, runtime: { clock } }: Pick<ManagementDeps, "store" | "runtime">,
): AlertSource {
  let slowSince: number | undefined;
  return async function* (now) {
    const began = clock.monotonic();
    const { ok } = await store.health();
    const answer = clock.monotonic() - began;
    const since = ok && answer <= SLOW_MS ? undefined : slowSince ?? now;
    slowSince = since;
    if (since === undefined || now - since < SLOW_FOR_MS) return;
    const data = { since: timeOf(since), answer_ms: ok ? Math.round(answer) : null };
    yield {
      alert: { type: "store_slow", timestamp: timeOf(now), data },
      about: [dayOf(now)],
      endsAt: nextDay(now),
    };
  };
}

interface PriceFacts {
  readonly source: { readonly name: string; readonly date: string };
  readonly days: number;
  readonly endpoints: number;
}

/** Tells of each source of prices that is old, once. */
export function priceAlerts(ages: (now: number) => readonly PriceFacts[]): AlertSource {
  return async function* (now) {
    for (const { source: { name, date }, days, endpoints } of await ages(now)) {
      if (days <= OLD_PRICE_DAYS) continue;
      const data = { source: name, date, age_days: days, models: endpoints };
      yield { alert: { type: "prices_old", timestamp: timeOf(now), data }, about: [name, date] };
    }
  };
}

interface RetirementFacts {
  readonly provider: string;
  readonly model: string;
  readonly date: string;
  readonly successor: string | null;
}

/** Tells of each model that its provider ends soon, once a date. */
export function retirementAlerts(ends: (now: number) => Promise<readonly RetirementFacts[]>): AlertSource {
  return async function* (now) {
    for (const { provider, model, date, successor } of await ends(now)) {
      if (date < dayOf(now)) continue;
      const data = { provider, model, date, successor };
      const alert = { type: "model_retiring", timestamp: timeOf(now), data } as const;
      yield { alert, about: [provider, model, date], endsAt: Date.parse(date) + DAY_MS };
    }
  };
}
