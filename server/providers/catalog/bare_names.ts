/** Models by the names that people and agents type: `gpt-5.5` for `openai/gpt-5.5`, with a date or `[1m]` behind it. */

import { closestMatch } from "leven";
import type { Endpoint } from "../endpoint.ts";
import type { OffService } from "../mod.ts";

/** Longer names are no model's, and are compared with none. */
const MOST_CHARS = 100;
/** Most characters by which a misspelled name may differ from the one that was meant. */
const MOST_DIFFERENT = 3;

/** The mark that agents put behind a name: Claude Code asks for a context of a million tokens so. */
const CONTEXT_MARK = /\[1m\]$/i;
/** The day of a version, as OpenAI, Anthropic and Vertex write it, or the newest one. */
const VERSION = /(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2})|-latest)$/;

/** Spellings under which a name is looked for, the closest one first: as it is, then without its version. */
function spellingsOf(name: string): readonly string[] {
  if (name.length > MOST_CHARS) return [];
  const whole = name.replace(CONTEXT_MARK, "").toLowerCase();
  // The author writes `claude-opus-4-8` where catalogs write `claude-opus-4.8`.
  return [...new Set([whole, whole.replace(VERSION, "")].map((text) => text.replaceAll(".", "-")))];
}

const slugOf = (id: string): string => id.slice(id.indexOf("/") + 1);

export interface BareNames {
  /** The id of the model that a name without an author stands for; undefined where none or several have it. */
  idOf(name: string): string | undefined;
  /** Ids of the models that share the name; empty where none has it. */
  idsOf(name: string): readonly string[];
  /** The id that an unknown name, with or without an author, was probably meant to be. */
  near(name: string): string | undefined;
}

/** Indexes the endpoints that there are. */
export function indexBareNames(endpoints: readonly Endpoint[]): BareNames {
  const bySpelling = new Map<string, Set<string>>();
  const add = (name: string, id: string) => {
    for (const spelling of spellingsOf(name)) {
      const ids = bySpelling.get(spelling) ?? new Set();
      bySpelling.set(spelling, ids.add(id));
    }
  };
  for (const { model: { id } } of endpoints) add(slugOf(id), id);
  // A provider's own name counts where no model is called so.
  const named = new Set(bySpelling.keys());
  for (const { model: { id }, upstreamModel } of endpoints) {
    if (spellingsOf(upstreamModel).every((spelling) => !named.has(spelling))) add(upstreamModel, id);
  }
  const owners = new Set(
    endpoints.filter(({ model: { id }, provider }) => id.startsWith(`${provider.id}/`)).map(({ model }) =>
      model.id
    ),
  );
  const idsOf = (name: string): readonly string[] => {
    const spelling = spellingsOf(name).find((one) => bySpelling.has(one));
    const all = spelling === undefined ? [] : oneSpelling(name, bySpelling.get(spelling) ?? []);
    if (all.length < 2) return all;
    const own = all.filter((id) => owners.has(id));
    return own.length === 1 ? own : all;
  };
  return {
    idsOf,
    idOf: (name) => {
      const [only, ...others] = idsOf(name);
      return others.length === 0 ? only : undefined;
    },
    near: (name) => nearestId(name, [...new Set(endpoints.map(({ model }) => model.id))]),
  };
}

/** Ids that differ in their spelling alone are one model: the one that is spelled as the name, or the first. */
function oneSpelling(name: string, ids: Iterable<string>): readonly string[] {
  const bySpelling = Map.groupBy(ids, (id) => id.toLowerCase().replaceAll(".", "-"));
  return [...bySpelling.values()].flatMap((same) => same.find((id) => slugOf(id) === name) ?? same[0] ?? []);
}

/** Whole ids are compared with whole ids, and names without an author with names alone. */
function nearestId(name: string, ids: readonly string[]): string | undefined {
  if (name.length > MOST_CHARS) return undefined;
  const [spelled = name] = spellingsOf(name).slice(-1);
  const known = new Map(
    ids.map((id) => [(name.includes("/") ? id : slugOf(id)).toLowerCase().replaceAll(".", "-"), id]),
  );
  const same = known.get(spelled) ?? known.get(slugOf(spelled));
  if (same !== undefined) return same;
  const found = closestMatch(spelled, [...known.keys()], { maxDistance: MOST_DIFFERENT });
  return found === undefined ? undefined : known.get(found);
}

export interface HintSources {
  readonly names: BareNames;
  readonly off: readonly OffService[];
}

/** A sentence for a caller whose model has no endpoint; undefined where there is nothing to say. */
export function hintForUnknown(name: string, { names, off }: HintSources): string | undefined {
  const several = names.idsOf(name);
  if (several.length > 1) return `Several models have this name: ${several.slice(0, 5).join(", ")}.`;
  const spellings = spellingsOf(slugOf(name));
  const service = off.find(({ id, models }) =>
    name.startsWith(`${id}/`) ||
    models.some((model) => spellings.includes(slugOf(model).replaceAll(".", "-")))
  );
  if (service !== undefined) return `${service.name} is off: set ${service.keyEnv}.`;
  const near = names.near(name);
  return near === undefined ? undefined : `Did you mean ${near}?`;
}
