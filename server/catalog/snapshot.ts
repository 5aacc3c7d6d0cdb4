/** Reads the snapshot and finds what it says of a provider's model. */

import type { Source } from "../../shared/models.ts";
import { catalogName } from "./about.ts";
import { type Offer, offerSchema, type Score, snapshotSchema } from "./schema.ts";

/** A provider's offer with what its numbers stand for. */
export interface Known extends Omit<Offer, "parameters" | "priced"> {
  readonly parameters: readonly string[];
  readonly pricedBy: Source | null;
}

export interface Snapshot {
  /** Where limits, modalities and parameters are from. */
  readonly limitsFrom: Source;
  /** Other spelling → model id. */
  readonly aliases: Readonly<Record<string, string>>;
  /** By the provider's own name of the model; empty for a provider that nobody tells of. */
  offersOf(provider: string): ReadonlyMap<string, Known>;
  /** What its author offers, for a provider of whom nobody tells: limits and modalities, no prices. */
  modelOf(model: string): Known | undefined;
  scoresOf(model: string): readonly Score[];
}

/** Of the file's text. Offers are checked when their provider is first asked for. */
export function snapshotOf(text: string): Snapshot {
  const { sources, parameters, aliases, scores, offers } = snapshotSchema.parse(JSON.parse(text));
  const read = new Map<string, ReadonlyMap<string, Known>>();
  const toKnown = (offer: unknown): Known => {
    const { parameters: set, priced, ...rest } = offerSchema.parse(offer);
    return { ...rest, parameters: parameters[set] ?? [], pricedBy: priced === null ? null : sources[priced] };
  };
  const offersOf = (provider: string): ReadonlyMap<string, Known> => {
    const name = catalogName(provider);
    const found = read.get(name) ??
      new Map(Object.entries(offers[name] ?? {}).map(([upstream, offer]) => [upstream, toKnown(offer)]));
    read.set(name, found);
    return found;
  };
  const modelOf = (model: string): Known | undefined => {
    const [author = "", ...slug] = model.split("/");
    return offersOf(author).get(slug.join("/")) ?? offersOf("openrouter").get(model);
  };
  return { limitsFrom: sources.limits, aliases, offersOf, modelOf, scoresOf: (model) => scores[model] ?? [] };
}

/** The snapshot that came with this version, read when it is first asked for: a start without providers is free of it. */
export function installedSnapshot(): Snapshot {
  let read: Snapshot | undefined;
  const snapshot = () =>
    read ??= snapshotOf(Deno.readTextFileSync(new URL("./snapshot.json", import.meta.url)));
  return {
    get limitsFrom() {
      return snapshot().limitsFrom;
    },
    get aliases() {
      return snapshot().aliases;
    },
    offersOf: (provider) => snapshot().offersOf(provider),
    modelOf: (model) => snapshot().modelOf(model),
    scoresOf: (model) => snapshot().scoresOf(model),
  };
}

/** Knows nothing. */
export const emptySnapshot: Snapshot = {
  limitsFrom: { name: "none", date: "1970-01-01" },
  aliases: {},
  offersOf: () => new Map(),
  modelOf: () => undefined,
  scoresOf: () => [],
};
