/** LiteLLM's lists of fallbacks, and rows that share a name → aliases of several models, tried in order. */

import { MOST_ALIAS_MODELS } from "../../config/routing/model_ids.ts";
import type { ImportReport } from "./import_report.ts";
import type { FallbackSection, LitellmFile } from "./litellm_file.ts";
import type { ModelGroups } from "./model_groups.ts";

/** Lists there, each with what differs: here the next model is tried after every failure that another may mend. */
const kinds = [
  ["fallbacks", undefined],
  ["context_window_fallbacks", "tried after other failures too, not only where the prompt is too long"],
  ["content_policy_fallbacks", "tried after other failures too, not only where the contents are refused"],
] as const satisfies readonly (readonly [keyof FallbackSection, string | undefined])[];

/** Stands for every model that has no fallbacks of its own. */
const ANY = "*";

/** Name of a model → names of those that are asked when it fails. */
type Fallbacks = ReadonlyMap<string, readonly string[]>;

interface FallbackDeps {
  readonly groups: ModelGroups;
  readonly report: ImportReport;
}

/** Aliases of the configuration file, by the names that callers use. */
export function convertFallbacks(
  input: LitellmFile,
  { groups, report }: FallbackDeps,
): ReadonlyMap<string, readonly string[]> {
  const fallbacks = readFallbacks(input, { groups, report });
  const aliases = new Map<string, readonly string[]>();
  for (const name of new Set([...groups.names, ...fallbacks.keys()])) {
    if (name === ANY) continue;
    const all = chainOf(name, { groups, fallbacks });
    const ids = all.slice(0, MOST_ALIAS_MODELS);
    if (ids.length < all.length) {
      report.changed.push(`${name}: the first ${ids.length} of its ${all.length} models are tried`);
    }
    const own = groups.idsOf(name);
    if (own.length > 1) {
      report.changed.push(`${name}: ${own.join(", ")} are tried in this order, not by chance or weight`);
    }
    if (own.length === 0 && ids.length > 0) {
      report.changed.push(`${name}: none of its own models is here, so that its fallbacks answer`);
    }
    if (ids.length > 0 && !(ids.length === 1 && ids[0] === name)) aliases.set(name, ids);
  }
  return aliases;
}

function readFallbacks(input: LitellmFile, { groups, report }: FallbackDeps): Fallbacks {
  const found = new Map<string, readonly string[]>();
  const add = (name: string, models: readonly string[]) =>
    found.set(name, [...new Set([...found.get(name) ?? [], ...models])]);
  const sections = [["router_settings", input.router_settings], [
    "litellm_settings",
    input.litellm_settings,
  ]] as const;
  for (const [kind, differs] of kinds) {
    for (const [section, settings] of sections) {
      for (const [name, models] of (settings?.[kind] ?? []).flatMap((one) => Object.entries(one))) {
        const known = models.filter((model) => isKnown(model, { groups, report, of: `${kind} of ${name}` }));
        if (known.length === 0) continue;
        add(name, known);
        const line = `${section}.${kind}: ${name}, then ${known.join(", ")}`;
        if (differs === undefined) report.done.push(line);
        else report.changed.push(`${line}: ${differs}`);
      }
    }
  }
  for (const [section, settings] of sections) {
    const models = settings?.default_fallbacks ?? [];
    const known = models.filter((model) => isKnown(model, { groups, report, of: "default_fallbacks" }));
    if (known.length === 0) continue;
    add(ANY, known);
    report.done.push(`${section}.default_fallbacks: ${known.join(", ")} behind each name without fallbacks`);
  }
  return found;
}

interface KnownDeps extends FallbackDeps {
  /** The list that names it. */
  readonly of: string;
}

function isKnown(model: string, { groups, report, of }: KnownDeps): boolean {
  if (groups.idsOf(model).length > 0) return true;
  report.impossible(`${of}: no model here is ${model}`);
  return false;
}

interface ChainDeps {
  readonly groups: ModelGroups;
  readonly fallbacks: Fallbacks;
}

/** A model that is asked because another has failed may have fallbacks too. Ids, each once. */
function chainOf(first: string, { groups, fallbacks }: ChainDeps): readonly string[] {
  const [seen, ids] = [new Set<string>(), new Set<string>()];
  const next = (name: string) => fallbacks.get(name) ?? fallbacks.get(groups.meant(name));
  const visit = (name: string): void => {
    const meant = groups.meant(name);
    if (seen.has(meant)) return;
    seen.add(meant);
    for (const id of groups.idsOf(meant)) ids.add(id);
    for (const one of next(name) ?? []) visit(one);
  };
  visit(first);
  if (next(first) === undefined) { for (const one of fallbacks.get(ANY) ?? []) visit(one); }
  return [...ids];
}
