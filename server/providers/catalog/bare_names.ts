/** Models by the names that people and agents type: `gpt-5.5` for `openai/gpt-5.5`, with a date or `[1m]` behind it. */

import { closestMatch } from "leven";
import type { Endpoint } from "../endpoint.ts";
import type { OffService } from "../mod.ts";
import { plainSpelling, versionless } from "../model_spelling.ts";

/** Longer names are no model's, and are compared with none. */
const MOST_CHARS = 100;
/** Most characters by which a misspelled name may differ from the one that was meant. */
const MOST_DIFFERENT = 3;

/** Spellings under which a name is looked for, the closest one first: as it is, then without its version. */
function spellingsOf(name: string): readonly string[] {
  if (name.length > MOST_CHARS) return [];
  return [...new Set([plainSpelling(name), versionless(name)])];
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
  const [whole, withoutVersion] = [new Map<string, Set<string>>(), new Map<string, Set<string>>()];
  const add = (name: string, id: string) => {
    const [own, general = own] = spellingsOf(name);
    if (own === undefined || general === undefined) return;
    whole.set(own, (whole.get(own) ?? new Set()).add(id));
    withoutVersion.set(general, (withoutVersion.get(general) ?? new Set()).add(id));
  };
  for (const { model: { id } } of endpoints) add(slugOf(id), id);
  // A provider's own name counts where no model is called so.
  const named = new Set([...whole.keys(), ...withoutVersion.keys()]);
  for (const { model: { id }, upstreamModel } of endpoints) {
    if (spellingsOf(upstreamModel).every((spelling) => !named.has(spelling))) add(upstreamModel, id);
  }
  const owners = new Set(
    endpoints.filter(({ model: { id }, provider }) => id.startsWith(`${provider.id}/`)).map(({ model }) =>
      model.id
    ),
  );
  const idsOf = (name: string): readonly string[] => {
    // A model that is called so goes before the versions of it.
    const found = spellingsOf(name).map((one) => whole.get(one) ?? withoutVersion.get(one));
    const all = [...found.find((ids) => ids !== undefined) ?? []];
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

/** Whole ids are compared with whole ids, and names without an author with names alone. */
function nearestId(name: string, ids: readonly string[]): string | undefined {
  if (name.length > MOST_CHARS) return undefined;
  const [spelled = name] = spellingsOf(name).slice(-1);
  const known = new Map(
    ids.map((id) => [plainSpelling(name.includes("/") ? id : slugOf(id)), id]),
  );
  const same = known.get(spelled) ?? known.get(slugOf(spelled));
  if (same !== undefined) return same;
  const found = closestMatch(spelled, [...known.keys()], { maxDistance: MOST_DIFFERENT });
  return found === undefined ? undefined : known.get(found);
}

interface HintSources {
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
    models.some((model) => spellings.includes(plainSpelling(slugOf(model))))
  );
  if (service !== undefined) return `${service.name} is off: set ${service.keyEnv}.`;
  const near = names.near(name);
  return near === undefined ? undefined : `Did you mean ${near}?`;
}
