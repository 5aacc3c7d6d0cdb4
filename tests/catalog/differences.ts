/** Compares two snapshots, in lines that a person reads before committing the new one. */

import { movesBetween } from "../../server/providers/catalog/price_moves.ts";
import { readSnapshot } from "../../server/providers/catalog/snapshot.ts";
import {
  offerSchema,
  type SnapshotFile,
  type SnapshotOfferJson,
} from "../../server/providers/catalog/snapshot_schema.ts";

/** A snapshot whose offers are all that counts. */
type Snapshot = Pick<SnapshotFile, "offers">;
type Offers = ReadonlyMap<string, SnapshotOfferJson>;

function offersOf(snapshot: Snapshot | undefined): Offers {
  const all = Object.entries(snapshot?.offers ?? {}).flatMap(([provider, models]) =>
    Object.entries(models).map(([upstream, offer]) =>
      [`${provider}: ${upstream}`, toOfferJson(offer)] as const
    )
  );
  return new Map(all);
}

/** Checked by the schema, and kept as it is spelled. */
function toOfferJson(offer: unknown): SnapshotOfferJson {
  offerSchema.parse(offer);
  return offer as SnapshotOfferJson;
}

const shown = (value: unknown): string =>
  value === null ? "unknown" : typeof value === "string" ? value : JSON.stringify(value);

/** `prompt 0.000002 → 0.000001` for every rate that changed. */
function priceChanges(before: SnapshotOfferJson, after: SnapshotOfferJson): readonly string[] {
  if (!before.pricing || !after.pricing) {
    return before.pricing === after.pricing ? [] : [after.pricing ? "now priced" : "no longer priced"];
  }
  const [old, now]: readonly Readonly<Record<string, unknown>>[] = [before.pricing, after.pricing];
  const keys = new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})]);
  return [...keys].filter((key) => JSON.stringify(old?.[key]) !== JSON.stringify(now?.[key]))
    .map((key) => `${key} ${shown(old?.[key] ?? null)} → ${shown(now?.[key] ?? null)}`);
}

const limits = ["model", "context", "output", "inputs", "outputs"] as const;

function limitChanges(before: SnapshotOfferJson, after: SnapshotOfferJson): readonly string[] {
  return limits.filter((key) => shown(before[key]) !== shown(after[key]))
    .map((key) => `${key} ${shown(before[key])} → ${shown(after[key])}`);
}

const KEPT_MS = 45 * 86_400_000;

/** Finds the prices that moved by more than five times, and those that did so lately. */
export function movedSince(before: SnapshotFile, after: SnapshotFile): SnapshotFile["moved"] {
  const { rates, limits, prices } = after.sources;
  const date = [rates.date, limits.date, prices.date].toSorted().at(-1) ?? "";
  const [old, now] = [readSnapshot(before), readSnapshot(after)];
  const moves = movesBetween(old, { operators: now, providers: Object.keys(after.offers) });
  const recent = before.moved.filter((one) => Date.parse(date) - Date.parse(one.date) <= KEPT_MS);
  const all = [...moves.map((one) => ({ ...one, date })), ...recent];
  const named = new Map(all.toReversed().map((one) => [`${one.provider} ${one.upstream} ${one.rate}`, one]));
  return [...named.values()].toReversed();
}

/** Lines by kind: added, removed, changed. */
export function differences(before: Snapshot | undefined, after: Snapshot): readonly string[] {
  const [old, now] = [offersOf(before), offersOf(after)];
  const added = [...now.keys()].filter((key) => !old.has(key)).map((key) => `+ ${key}`);
  const removed = [...old.keys()].filter((key) => !now.has(key)).map((key) => `- ${key}`);
  const changed = [...now].flatMap(([key, offer]) => {
    const was = old.get(key);
    if (!was) return [];
    const changes = [...priceChanges(was, offer), ...limitChanges(was, offer)];
    return changes.length === 0 ? [] : [`~ ${key}: ${changes.join("; ")}`];
  });
  const summary = `${added.length} added, ${removed.length} removed, ${changed.length} changed`;
  return added.length + removed.length + changed.length === 0
    ? []
    : [...added, ...removed, ...changed, summary];
}
