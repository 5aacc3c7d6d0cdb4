/**
 * The second half of `deno task catalog`: makes `server/providers/catalog/snapshot.json` anew from the packages of package.json and
 * the tables in `hand/`, and prints what changed. With `--check` it only prints. With `--rates FILE VERSION DATE` it first
 * takes the rates of LiteLLM's `model_prices_and_context_window_backup.json` into `hand/rates.json`.
 */

import * as z from "zod";
import { overrideShape } from "../../shared/models.ts";
import { snapshotSchema } from "../../server/providers/catalog/snapshot_schema.ts";
import { differences, movedSince } from "./differences.ts";
import { importedRates, writtenRates } from "./import_rates.ts";
import { type Hand, type Material, merge } from "./merge.ts";
import { rateRows } from "./rates.ts";
import { limitRows, type Listed, listed, priceRows, type Reported } from "./sources.ts";
import { write } from "./write.ts";

const LIMITS = "@earendil-works/pi-ai/providers/";
const PRICES = "@pydantic/genai-prices";

/** A package that only this task has: what it holds is checked by a schema. */
async function load(specifier: string): Promise<Record<string, unknown>> {
  return await import(specifier);
}

const finder = z.object({
  findProvider: z.custom<
    (options: { readonly providerId: string }) => { readonly models: unknown } | undefined
  >(
    (value) => typeof value === "function",
  ),
});

async function reportedBy({ limits, prices }: Listed): Promise<Reported> {
  const { findProvider } = finder.parse(await load(PRICES));
  const held = limits === undefined ? {} : await load(`${LIMITS}${limits}.models`);
  const chats = Object.entries(held).find(([name]) => /(?<!IMAGE|CLASSIFIER)_MODELS$/.test(name))?.[1] ?? {};
  const priced = prices === undefined ? undefined : findProvider({ providerId: prices });
  return { limits: Object.values(limitRows.parse(chats)), prices: priceRows.parse(priced?.models ?? []) };
}

const announcement = z.object({ source: z.string(), overrides: z.array(z.object(overrideShape)) });

const handFile = (name: string): URL => new URL(`./hand/${name}.json`, import.meta.url);

async function readHand(): Promise<Hand> {
  const read = async (name: string) => JSON.parse(await Deno.readTextFile(handFile(name)));
  const [sources, scores, released, limits, announced] = await Promise.all(
    ["sources", "scores", "released", "limits", "announced"].map(read),
  );
  const { shape } = snapshotSchema;
  return {
    sources: shape.sources.parse(sources),
    scores: shape.scores.parse(scores),
    released: z.record(z.string(), z.iso.date()).parse(released),
    limits: z.record(z.string(), z.object({ context: z.int().optional(), output: z.int().optional() })).parse(
      limits,
    ),
    announced: z.record(z.string(), z.record(z.string(), announcement)).parse(announced),
  };
}

async function material(): Promise<Material> {
  const rates = rateRows.parse(JSON.parse(await Deno.readTextFile(handFile("rates"))));
  const providers = await Promise.all(
    listed.map(async (one) => [one, { ...await reportedBy(one), rates: rates[one.id] }] as const),
  );
  return { hand: await readHand(), providers };
}

async function takeRates([file, version, date]: readonly string[]): Promise<void> {
  if (file === undefined || version === undefined || date === undefined) {
    throw new Error(
      "Cannot take rates: name the file, LiteLLM's version and its date, as in 1.110.2 2026-11-25",
    );
  }
  const published = await Promise.all(listed.map(async (one) => [one, await reportedBy(one)] as const));
  const rates = importedRates(JSON.parse(await Deno.readTextFile(file)), published);
  const { sources } = await readHand();
  const changed = { ...sources, rates: { name: `litellm ${version}`, date: z.iso.date().parse(date) } };
  await Deno.writeTextFile(handFile("rates"), writtenRates(rates));
  await Deno.writeTextFile(handFile("sources"), JSON.stringify(changed, undefined, 2) + "\n");
}

if (import.meta.main) {
  const at = Deno.args.indexOf("--rates");
  if (at !== -1) await takeRates(Deno.args.slice(at + 1, at + 4));
  const file = new URL("../../server/providers/catalog/snapshot.json", import.meta.url);
  const before = snapshotSchema.parse(JSON.parse(await Deno.readTextFile(file)));
  const merged = merge(await material());
  const after = { ...merged, moved: movedSince(before, merged) };
  console.log(differences(before, after).join("\n") || "Nothing has changed.");
  if (!Deno.args.includes("--check")) await Deno.writeTextFile(file, write(after));
}
