/** Reads the snapshot and finds what it says of a provider's model. */

import type { FactSource } from "../../../shared/models.ts";
import { ownValue } from "../../../shared/util/own_value.ts";
import type { Provider } from "../endpoint.ts";
import { catalogProviderName, isBuiltInProvider } from "./provider_facts.ts";
import {
  type BenchmarkScore,
  type Move,
  offerSchema,
  type SnapshotOffer,
  snapshotSchema,
} from "./snapshot_schema.ts";

/** A provider's offer with what its numbers stand for. */
export interface KnownOffer extends Omit<SnapshotOffer, "parameters" | "priced"> {
  readonly parameters: readonly string[];
  readonly pricedBy: FactSource | null;
}

export interface Snapshot {
  /** Where limits, modalities and parameters are from. */
  readonly limitsFrom: FactSource;
  /** Other spelling → model id. */
  readonly aliases: Readonly<Record<string, string>>;
  /** By the provider's own name of the model; empty for a provider that nobody tells of. */
  offersOf(provider: string): ReadonlyMap<string, KnownOffer>;
  /** Offer of the model's author, for a provider that nobody lists: limits and modalities, no prices. */
  modelOf(model: string): KnownOffer | undefined;
  scoresOf(model: string): readonly BenchmarkScore[];
  /** Every model of every provider, with the newest day, in Unix seconds, that one of them tells; 0 for none. */
  allModels(): readonly { readonly id: string; readonly created: number }[];
  /** Prices of these providers that moved by more than five times in the last updates. */
  movesAt(providers: readonly string[]): readonly Move[];
  /** It is the operator's: its prices stand above those of this version's own tables. */
  readonly isOperators: boolean;
}

interface SnapshotOptions {
  readonly isOperators?: boolean;
}

/** Reads the snapshot in a file. Offers are checked when their provider is first asked for. */
export function readSnapshot(file: unknown, { isOperators = false }: SnapshotOptions = {}): Snapshot {
  const { sources, parameters, aliases, scores, offers, moved } = snapshotSchema.parse(file);
  const read = new Map<string, ReadonlyMap<string, KnownOffer>>();
  const toKnown = (offer: unknown): KnownOffer => {
    const { parameters: set, priced, ...rest } = offerSchema.parse(offer);
    return { ...rest, parameters: parameters[set] ?? [], pricedBy: priced === null ? null : sources[priced] };
  };
  const offersOf = (provider: string): ReadonlyMap<string, KnownOffer> => {
    const name = catalogProviderName(provider);
    const found = read.get(name) ??
      new Map(
        Object.entries(ownValue(offers, name) ?? {}).map(([upstream, offer]) => [upstream, toKnown(offer)]),
      );
    read.set(name, found);
    return found;
  };
  const modelOf = (model: string): KnownOffer | undefined => {
    const [author = "", ...slug] = model.split("/");
    return offersOf(author).get(slug.join("/")) ?? offersOf("openrouter").get(model);
  };
  return {
    limitsFrom: sources.limits,
    aliases,
    offersOf,
    modelOf,
    scoresOf: (model) => ownValue(scores, model) ?? [],
    allModels: () => {
      const models = new Map<string, number>();
      for (const { model, created } of Object.keys(offers).flatMap((id) => [...offersOf(id).values()])) {
        models.set(model, Math.max(created, models.get(model) ?? 0));
      }
      return [...models].map(([id, created]) => ({ id, created }));
    },
    movesAt: (providers) => {
      const names = new Set(providers.map(catalogProviderName));
      return moved.filter(({ provider }) => names.has(provider));
    },
    isOperators,
  };
}

/** Read once: what it says stays the same, and a reload would pause open streams to check it again. */
let installed: Snapshot | undefined;

/**
 * The snapshot that came with this version. It is imported, not read as a file, so that it needs no permission;
 * a gateway that has nothing but its built-in models does without.
 */
export async function loadSnapshot(providers: readonly Pick<Provider, "id">[]): Promise<Snapshot> {
  if (providers.every(({ id }) => isBuiltInProvider(id))) return emptySnapshot;
  const { default: file } = await import("./snapshot.json", { with: { type: "json" } });
  return installed ??= readSnapshot(file);
}

/** Knows nothing. */
export const emptySnapshot: Snapshot = {
  limitsFrom: { name: "none", date: "1970-01-01" },
  aliases: {},
  offersOf: () => new Map(),
  modelOf: () => undefined,
  scoresOf: () => [],
  allModels: () => [],
  movesAt: () => [],
  isOperators: false,
};
