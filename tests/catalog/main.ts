/**
 * `deno task catalog [--check]`: makes `server/catalog/snapshot.json` anew from the packages of package.json and
 * the tables in `hand/`, and prints what changed. With `--check` it only prints. Needs no network once the
 * packages are in the cache.
 */

import * as z from "zod";
import { snapshotSchema } from "../../server/catalog/schema.ts";
import { differences } from "./differences.ts";
import { type Hand, type Material, merge } from "./merge.ts";
import { limitRows, type Listed, listed, priceRows, type Told } from "./sources.ts";
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

async function toldBy({ limits, prices }: Listed): Promise<Told> {
  const { findProvider } = finder.parse(await load(PRICES));
  const held = limits === undefined ? {} : await load(`${LIMITS}${limits}.models`);
  const chats = Object.entries(held).find(([name]) => /(?<!IMAGE|CLASSIFIER)_MODELS$/.test(name))?.[1] ?? {};
  const priced = prices === undefined ? undefined : findProvider({ providerId: prices });
  return { limits: Object.values(limitRows.parse(chats)), prices: priceRows.parse(priced?.models ?? []) };
}

async function readHand(): Promise<Hand> {
  const read = async (name: string) =>
    JSON.parse(await Deno.readTextFile(new URL(`./hand/${name}.json`, import.meta.url)));
  const [sources, scores, released, limits] = await Promise.all(
    ["sources", "scores", "released", "limits"].map(read),
  );
  const { shape } = snapshotSchema;
  return {
    sources: shape.sources.parse(sources),
    scores: shape.scores.parse(scores),
    released: z.record(z.string(), z.iso.date()).parse(released),
    limits: z.record(z.string(), z.object({ context: z.int().optional(), output: z.int().optional() })).parse(
      limits,
    ),
  };
}

async function material(): Promise<Material> {
  const providers = await Promise.all(listed.map(async (one) => [one, await toldBy(one)] as const));
  return { hand: await readHand(), providers };
}

if (import.meta.main) {
  const file = new URL("../../server/catalog/snapshot.json", import.meta.url);
  const before = await Deno.readTextFile(file);
  const after = merge(await material());
  console.log(
    differences(snapshotSchema.parse(JSON.parse(before)), after).join("\n") || "Nothing has changed.",
  );
  if (!Deno.args.includes("--check")) await Deno.writeTextFile(file, write(after));
}
