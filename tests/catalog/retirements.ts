/**
 * Makes `server/providers/catalog/retirements.json` of LiteLLM's `model_prices_and_context_window_backup.json`:
 * `deno run --config tests/catalog/deno.json --allow-read --allow-write=server tests/catalog/retirements.ts FILE VERSION DATE`.
 * It keeps the days on which providers of the snapshot end models that it has.
 */

import * as z from "zod";
import type { RetirementsFile } from "../../server/providers/catalog/retirements.ts";
import { type Listed, listed } from "./sources.ts";

const row = z.object({
  litellm_provider: z.string().optional(),
  deprecation_date: z.iso.date().optional().catch(undefined),
  successor_model: z.string().optional(),
});
const rowsSchema = z.record(z.string(), row);
type Rows = z.output<typeof rowsSchema>;

/** Names of the models of a provider, its own, by our id of the provider. */
export type OfferNames = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Source {
  readonly name: string;
  readonly date: string;
}

export function retirementsOf(
  json: unknown,
  { offers, source }: { readonly offers: OfferNames; readonly source: Source },
): RetirementsFile {
  const rows = rowsSchema.parse(json);
  const providers = listed.flatMap((one) => {
    const found = Object.keys(offers[one.id] ?? {}).toSorted().flatMap((name) => {
      const end = endOf(rows, { one, name });
      return end === undefined ? [] : [[name, end] as const];
    });
    return found.length === 0 ? [] : [[one.id, Object.fromEntries(found)] as const];
  });
  return { source, attribution: "LiteLLM (BerriAI), MIT", providers: Object.fromEntries(providers) };
}

function endOf(rows: Rows, { one: { rates }, name }: { readonly one: Listed; readonly name: string }) {
  for (const prefix of rates?.prefixes ?? []) {
    const found = Object.hasOwn(rows, prefix + name) ? rows[prefix + name] : undefined;
    const { litellm_provider: provider = "", deprecation_date: date, successor_model: next } = found ?? {};
    if (date === undefined || rates === undefined || !provider.startsWith(rates.of)) continue;
    // It names a successor as its own tables do, with the provider in front.
    const successor = next?.startsWith(prefix) ? next.slice(prefix.length) : next;
    return { date, ...(successor === undefined ? {} : { successor: successor.replace(/^vertex_ai\//, "") }) };
  }
  return undefined;
}

if (import.meta.main) {
  const [file, version, date] = Deno.args;
  if (file === undefined || version === undefined || date === undefined) {
    throw new Error("Name LiteLLM's file, its version and its day, as in 1.110.2 2026-11-25");
  }
  const catalog = new URL("../../server/providers/catalog/", import.meta.url);
  const { offers } = JSON.parse(await Deno.readTextFile(new URL("snapshot.json", catalog)));
  const made = retirementsOf(JSON.parse(await Deno.readTextFile(file)), {
    offers,
    source: { name: `litellm ${version}`, date: z.iso.date().parse(date) },
  });
  await Deno.writeTextFile(new URL("retirements.json", catalog), `${JSON.stringify(made, null, 2)}\n`);
}
