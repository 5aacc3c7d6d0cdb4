/** Keys of the configuration file's providers: the variables that it names, and what stands in them. */

import * as z from "zod";
import { ConfigError } from "../config_error.ts";
import { readVariable, type VariableSource } from "../variables.ts";

export const variableName = z.string().max(200).regex(
  /^[A-Za-z_][A-Za-z0-9_]*$/,
  "the name of an environment variable",
);

interface KeyNames {
  readonly id: string;
  readonly api_key_env?: string;
  readonly api_keys_env?: readonly string[];
}

/** The variables of a provider's keys, each with the field that names it. */
export function keyNamesOf(
  { api_key_env: single, api_keys_env: names = [] }: KeyNames,
): readonly (readonly [field: string, name: string])[] {
  if (single !== undefined) return [["api_key_env", single]];
  return names.map((name, at) => [`api_keys_env[${at}]`, name]);
}

/** Throws a ConfigError for names that contradict each other. `place` is the provider's in the file. */
export function assertKeyNames(
  place: string,
  { api_key_env: single, api_keys_env: names = [] }: KeyNames,
): void {
  if (single !== undefined && names.length > 0) {
    throw new ConfigError(`${place} has api_key_env and api_keys_env: allowed is one of them`);
  }
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice === -1) return;
  throw new ConfigError(`${place}.api_keys_env[${twice}] is ${names[twice]} a second time`);
}

/** The keys by the names of their variables. Throws a ConfigError for one that is not set, or is no key. */
export function readNamedKeys(
  source: VariableSource,
  providers: readonly KeyNames[],
): readonly (readonly [string, string])[] {
  return providers.flatMap((provider, at) =>
    keyNamesOf(provider).map(([field, name]) => {
      const input = readVariable(source, name);
      if (input !== undefined) return [name, headerText(name, input)] as const;
      const { id } = provider;
      throw new ConfigError(
        `providers[${at}].${field} is ${name}, which is not set: set it to the key of ${id}, or take the provider out`,
      );
    })
  );
}

/** Keys travel in a header. */
export function headerText(name: string, input: string): string {
  if (/^[\x21-\x7e]+$/.test(input)) return input;
  throw new ConfigError(
    `${name} is not usable (${input.length} characters): allowed is printable ASCII without spaces`,
  );
}
