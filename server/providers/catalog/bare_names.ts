/** Models by the names that people and agents type: `gpt-5.5` for `openai/gpt-5.5`, with a date or `[1m]` behind it. */

import type { Endpoint } from "../endpoint.ts";
import type { OffService } from "../mod.ts";
import { plainSpelling, versionless } from "../model_spelling.ts";
import { familyOf, isOfFamily, nearIds } from "./near_names.ts";

/** Longer names are no model's, and are compared with none. */
const MOST_CHARS = 100;
/** Ids that a hint lists of those that share a name. */
export const MOST_LISTED = 5;

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
  /** Ids that an unknown name, with or without an author, was probably meant to be, the likeliest first. */
  near(name: string): readonly string[];
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
    near: (name) => nearIds(name, [...new Set(endpoints.map(({ model }) => model.id))]),
  };
}

interface HintSources {
  readonly names: BareNames;
  readonly off: readonly OffService[];
}

/** A sentence for a caller whose model has no endpoint; undefined where there is nothing to say. */
export function hintForUnknown(name: string, { names, off }: HintSources): string | undefined {
  const several = names.idsOf(name);
  if (several.length > 1) {
    return `Several models have this name: ${several.slice(0, MOST_LISTED).join(", ")}.`;
  }
  const service = offServiceOf(name, off);
  if (service !== undefined) return setKeyOf(service);
  const [near, ...more] = names.near(name);
  if (near === undefined) {
    const family = offOfFamily(name, off);
    return family === undefined ? undefined : setKeyOf(family);
  }
  return more.length === 0 ? `Did you mean ${near}?` : `Did you mean one of ${[near, ...more].join(", ")}?`;
}

/** The service that is off and sells the model, or is its author. */
function offServiceOf(name: string, off: readonly OffService[]): OffService | undefined {
  const spellings = spellingsOf(slugOf(name));
  return off.find(({ id, models }) =>
    name.startsWith(`${id}/`) ||
    models.some((model) => spellings.includes(plainSpelling(slugOf(model))))
  );
}

/** The service that is off and has the name's family: `mistral-large` without its version is Mistral's. */
function offOfFamily(name: string, off: readonly OffService[]): OffService | undefined {
  const family = name.length > MOST_CHARS ? undefined : familyOf(name);
  return off.find(({ id }) => id === family) ??
    off.find(({ models }) => models.some((model) => isOfFamily(name, model)));
}

const setKeyOf = ({ name, keyEnv }: OffService): string => `${name} is off: set ${keyEnv}.`;
