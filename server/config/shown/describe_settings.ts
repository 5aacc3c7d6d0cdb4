/**
 * The settings in force by the tables that they are read by: of secrets only whether they are there, of the others the
 * value, and where each came from. A setting that is new is described by its row.
 */

import { secretCutter } from "../../../shared/util/cut_secrets.ts";
import type { SettingDescription } from "../../../shared/management/gateway/settings.ts";
import { type EnvSetting, envSettings } from "../env_settings.ts";
import type { ProviderSetting } from "../provider_setting.ts";
import { namedPath, readVariable, type VariableSource } from "../variables.ts";
import { describeFile } from "./describe_file.ts";
import { withoutAddressSecrets } from "./setting_text.ts";

interface DescribedSettings {
  readonly providerSettings: readonly ProviderSetting[];
  /** Variables that the configuration file names; each holds a secret. */
  readonly namedSecrets: readonly string[];
  readonly file: Parameters<typeof describeFile>[0];
}

/** Description of a setting, and its secret, of which nothing may be shown anywhere. */
interface Described {
  readonly setting: SettingDescription;
  readonly secret?: string;
}

export function describeSettings(
  source: VariableSource,
  { providerSettings, namedSecrets, file }: DescribedSettings,
): readonly SettingDescription[] {
  const own = Object.values<EnvSetting<unknown>>(envSettings).filter(({ display }) => display !== undefined)
    .map((row) => describeOwn(source, row));
  const ofProviders = providerSettings.map((row) => describeProvider(source, row));
  const known = new Set([...own, ...ofProviders].map(({ setting: { name } }) => name));
  const named = [...new Set(namedSecrets)].filter((name) => !known.has(name)).map((name) =>
    describeProvider(source, { name, description: "named by the configuration file", kind: "key" })
  );
  const variables = [...own, ...ofProviders, ...named];
  const scrub = secretCutter(variables.flatMap(({ secret }) => secret ?? []));
  return [...variables.map(({ setting }) => setting), ...describeFile(file)].map((setting) => ({
    ...setting,
    value: typeof setting.value === "string" ? scrub(setting.value) : setting.value,
  }));
}

const describeOwn = (
  source: VariableSource,
  { name, alias = name, secret, description, display }: EnvSetting<unknown>,
): Described =>
  describeVariable(source, {
    names: [name, alias],
    group: "environment",
    description,
    secret: secret === true,
    default: display?.replaceAll("`", "") ?? null,
  });

const describeProvider = (
  source: VariableSource,
  { name, description, kind }: ProviderSetting,
): Described =>
  describeVariable(source, {
    names: [name],
    group: "providers",
    description,
    secret: kind === "key" || kind === "document",
    default: "off",
  });

interface VariableRow extends Pick<SettingDescription, "group" | "description" | "secret" | "default"> {
  /** In the order in which they count. */
  readonly names: readonly string[];
}

function describeVariable(source: VariableSource, { names, ...row }: VariableRow): Described {
  const [name = ""] = names;
  const used = names.find((one) => readVariable(source, one) !== undefined);
  const text = used === undefined ? undefined : readVariable(source, used);
  const shown = text === undefined ? null : withoutAddressSecrets(text);
  const value = row.secret ? (text === undefined ? "not set" : "set") : shown;
  const setting = { ...row, name, value, source: sourceOf(source, used) };
  return { setting, secret: row.secret ? text : undefined };
}

function sourceOf(source: VariableSource, name: string | undefined): SettingDescription["source"] {
  if (name === undefined) return { type: "default", name: null };
  return namedPath(source, name) === undefined
    ? { type: "environment", name }
    : { type: "environment_file", name: `${name}_FILE` };
}
