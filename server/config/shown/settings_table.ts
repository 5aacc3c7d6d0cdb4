/** The settings of the environment as a table of Markdown. */

import { type EnvSetting, envSettings } from "../env_settings.ts";
import type { ProviderSetting } from "../provider_setting.ts";
import { serviceSettings } from "../search_settings.ts";

/** Rows of README's table of settings, and of `--help`. */
export function settingsTable(providerSettings: readonly ProviderSetting[]): string {
  const own = Object.values<EnvSetting<unknown>>(envSettings).filter(({ display }) => display !== undefined);
  const rows = [
    ...own.map(({ name, description, display }) => [`\`${name}\``, description, display ?? ""]),
    ...[...providerSettings, ...serviceSettings].map((
      { name, description },
    ) => [`\`${name}\``, description, "off"]),
  ];
  const head = ["| variable | meaning | default |", "|---|---|---|"];
  return [
    ...head,
    ...rows.map((buckets) => `| ${buckets.map((bucket) => bucket.replaceAll("|", "\\|")).join(" | ")} |`),
  ].join("\n");
}
