/** The snapshot of what the runtime's sources say about models: `snapshot.json`, made by `deno task catalog`. */

import * as z from "zod";
import { priceListSchema } from "../../../shared/models.ts";

const day = z.string().regex(/^\d{4}-\d\d-\d\d$/);
const source = z.object({ name: z.string(), date: day });

/** A public benchmark figure, in percent. */
const score = z.object({
  kind: z.enum(["intelligence", "coding", "agentic"]),
  benchmark: z.string(),
  value: z.number().min(0).max(100),
  source: z.string(),
  date: day,
});

/** Offer of one provider under one name of its own. */
export const offerSchema = z.object({
  /** Our id of the model, `author/slug`; the same at every provider that serves it. */
  model: z.string().regex(/^[^\s/]+\/\S+$/),
  name: z.string(),
  /** Unix seconds; 0 when nobody has told. */
  created: z.int().nonnegative(),
  context: z.int().positive().nullable(),
  output: z.int().positive().nullable(),
  inputs: z.array(z.string()),
  outputs: z.array(z.string()),
  /** Which of the snapshot's sets of parameters it takes. */
  parameters: z.int().nonnegative(),
  tokenizer: z.string(),
  pricing: priceListSchema.nullable(),
  /** Which of the snapshot's sources the price is from. */
  priced: z.enum(["prices", "limits", "rates"]).nullable(),
});

/** A price that is more than five times as high as in the snapshot before, or less than a fifth of it. */
const move = z.object({
  provider: z.string(),
  upstream: z.string(),
  /** A name of `rateNames`, in JSON's spelling. */
  rate: z.string(),
  /** USD per unit, as decimal strings. */
  from: z.string(),
  to: z.string(),
  /** Day of the newest source that said so. */
  date: day,
});

const byUpstreamName = z.record(z.string(), z.unknown());

/** Offers are read when their provider is asked for, so that a start does not pay for hundreds of them. */
export const snapshotSchema = z.object({
  sources: z.object({ prices: source, limits: source, rates: source, providers: source }),
  /** Sets of supported parameters, which offers share. */
  parameters: z.array(z.array(z.string())),
  /** Other spelling → model id; `~author/family-latest` among them. */
  aliases: z.record(z.string(), z.string()),
  /** By model id. */
  scores: z.record(z.string(), z.array(score)),
  /** By provider, then by the provider's own name of the model. */
  offers: z.record(z.string(), byUpstreamName),
  /** Changes of prices in the last updates, for the operator's eyes. */
  moved: z.array(move).default([]),
});

export type SnapshotOffer = z.output<typeof offerSchema>;
export type SnapshotOfferJson = z.input<typeof offerSchema>;
export type SnapshotFile = z.output<typeof snapshotSchema>;
export type Move = z.output<typeof move>;
export type BenchmarkScore = z.output<typeof score>;
