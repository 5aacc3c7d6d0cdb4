/** Which rows of LiteLLM's price file are kept, and how `hand/rates.json` is written. */

import * as z from "zod";
import { keptOf, publishedList, type RateRow, rateRow } from "./rates.ts";
import type { Listed, Reported } from "./sources.ts";

const publishedRows = z.record(z.string(), z.looseObject({ litellm_provider: z.string().optional() }));

type Published = z.output<typeof publishedRows>;

/** By provider, then by the provider's own name of the model. */
export type ImportedRates = Readonly<Record<string, Readonly<Record<string, RateRow>>>>;

export function importedRates(
  file: unknown,
  providers: readonly (readonly [Listed, Reported])[],
): ImportedRates {
  const rows = publishedRows.parse(file);
  return Object.fromEntries(providers.flatMap(([listed, { limits, prices }]) => {
    const names = new Set([...limits, ...prices].map(({ id }) => id));
    const found = [...names].toSorted().flatMap((name) => {
      const row = rowOf(rows, { listed, name });
      return row === undefined ? [] : [[name, row] as const];
    });
    return found.length === 0 ? [] : [[listed.id, Object.fromEntries(found)] as const];
  }));
}

interface Wanted {
  readonly listed: Listed;
  readonly name: string;
}

function rowOf(rows: Published, { listed: { rates }, name }: Wanted): RateRow | undefined {
  const row = rates?.prefixes.map((prefix) => rows[prefix + name])
    .find((one) => one?.litellm_provider?.startsWith(rates.of) === true);
  if (row === undefined) return undefined;
  const { data } = rateRow.safeParse(keptOf(row));
  return data === undefined || publishedList(data) === null ? undefined : data;
}

/** A line a model. */
export function writtenRates(rates: ImportedRates): string {
  const providers = Object.entries(rates).map(([provider, models]) => {
    const lines = Object.entries(models).map(([name, row]) =>
      `    ${JSON.stringify(name)}: ${JSON.stringify(row)}`
    );
    return `  ${JSON.stringify(provider)}: {\n${lines.join(",\n")}\n  }`;
  });
  return `{\n${providers.join(",\n")}\n}\n`;
}
