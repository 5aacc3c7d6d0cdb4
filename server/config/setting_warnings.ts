/** Warnings of the start about variables that are set and have no effect: misspelled ones, and halves of a pair. */

import { closestMatch } from "leven";
import type { ProviderSetting } from "./provider_setting.ts";
import { fileVariable } from "./variables.ts";

const PREFIX = "TOLLGATE_";
/** Read by the tests and by nothing else. */
const TEST_PREFIX = "TOLLGATE_TEST_";

/** Most characters that a misspelled name may differ by from the one that was meant. */
const MOST_DIFFERENT = 3;
/** Names that are longer are compared with none: the comparison grows with the square of their length. */
const MOST_COMPARED = 100;

/** A sentence for each variable that begins as ours do and is none. `known` are the names of all settings. */
export function unknownSettingWarnings(
  names: readonly string[],
  known: readonly string[],
): readonly string[] {
  const allowed = new Set(known.flatMap((name) => [name, fileVariable(name)]));
  return names
    .filter((name) => name.startsWith(PREFIX) && !name.startsWith(TEST_PREFIX) && !allowed.has(name))
    .map((name) => {
      const meant = meantName(name, [...allowed]);
      return meant === undefined
        ? `${name} is not a setting: see deno task start --help`
        : `${name} is not a setting: did you mean ${meant}?`;
    });
}

function meantName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MOST_COMPARED) return undefined;
  const bare = name.slice(PREFIX.length);
  // PORT, LOG_LEVEL and the providers' variables have no prefix of ours.
  if (known.includes(bare)) return bare;
  return closestMatch(name, known, { maxDistance: MOST_DIFFERENT });
}

interface InstanceSettings {
  readonly instanceUrl?: string;
  readonly store?: object;
  readonly masterKey?: Uint8Array;
}

/** A sentence where this gateway has an address for others that cannot call it. */
export function instanceUrlWarnings(
  { instanceUrl, store, masterKey }: InstanceSettings,
): readonly string[] {
  const missing = [
    ...(store === undefined ? ["TOLLGATE_STORE"] : []),
    ...(masterKey === undefined ? ["TOLLGATE_MASTER_KEY"] : []),
  ];
  return instanceUrl === undefined || missing.length === 0
    ? []
    : [`TOLLGATE_PEER_URL has no effect without ${missing.join(" and ")}`];
}

/** A sentence for each setting of a provider that is set without what it needs. `isSet` tells by name. */
export function halfSetWarnings(
  settings: readonly ProviderSetting[],
  isSet: (name: string) => boolean,
): readonly string[] {
  return settings.flatMap(({ name, needs }) => {
    if (needs === undefined || !isSet(name) || needs.some((group) => group.every(isSet))) return [];
    const groups = needs.map((group) => group.join(" and "));
    return [
      `${name} has no effect without ${
        groups.join(needs.some(({ length }) => length > 1) ? ", or " : " or ")
      }`,
    ];
  });
}
