/** How many results of a search the model gets. */

import type { JsonObject } from "../../protocols/canonical/item.ts";

interface ResultLimitInput {
  readonly args: JsonObject;
  readonly settings: JsonObject;
  readonly most: number;
}

export const DEFAULT_RESULTS = 5;

/** The limit that the model asks for, within what the client allows. */
export function resultLimit({ args, settings, most }: ResultLimitInput): number {
  const allowed = countOf(settings.max_results, most);
  return Math.min(countOf(args.max_results, most) ?? allowed ?? DEFAULT_RESULTS, allowed ?? most);
}

function countOf(value: unknown, most: number): number | undefined {
  return Number.isInteger(value) && Number(value) > 0 ? Math.min(Number(value), most) : undefined;
}
