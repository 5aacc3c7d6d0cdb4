/** A file of LiteLLM → the configuration file, with the report on it. */

import type { Snapshot } from "../../providers/catalog/snapshot.ts";
import { convertFallbacks } from "./convert_fallbacks.ts";
import { ModelConverter } from "./convert_models.ts";
import { ImportReport } from "./import_report.ts";
import { whySectionIsLeft, whySettingIsLeft } from "./left_fields.ts";
import type { LitellmFile } from "./litellm_file.ts";
import type { ModelGroups } from "./model_groups.ts";
import type { ProviderEntry } from "./own_servers.ts";

const fallbackNames = [
  "fallbacks",
  "context_window_fallbacks",
  "content_policy_fallbacks",
  "default_fallbacks",
] as const;

/** Settings of other places that are taken. */
const taken: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["litellm_settings", new Set(["num_retries", "request_timeout", "drop_params", ...fallbackNames])],
  [
    "router_settings",
    new Set([
      "model_group_alias",
      "num_retries",
      "timeout",
      "stream_timeout",
      "routing_strategy",
      "enable_pre_call_check",
      "enable_pre_call_checks",
      ...fallbackNames,
    ]),
  ],
  ["general_settings", new Set(["master_key", "database_url"])],
]);

/** Calls for one request, at most and unless set. */
const [MOST_ATTEMPTS, USUAL_ATTEMPTS] = [16, 4];
const MOST_SECONDS = 86_400;

interface ConvertedFile {
  /** As the configuration file has it. */
  readonly file: Readonly<Record<string, unknown>>;
  readonly report: ImportReport;
  /** Names of models, for the lists of keys and teams. */
  readonly groups: ModelGroups;
}

export function convertFile(input: LitellmFile, snapshot: Snapshot): ConvertedFile {
  const report = new ImportReport();
  const converter = new ModelConverter({ snapshot, report });
  const { groups } = converter;
  for (const [at, row] of (input.model_list ?? []).entries()) converter.add(row, at);
  for (const [name, target] of Object.entries(input.router_settings?.model_group_alias ?? {})) {
    const place = `router_settings.model_group_alias.${name}`;
    if (groups.idsOf(target).length === 0) report.impossible(`${place}: no model here is ${target}`);
    else {
      groups.addAlias(name, target);
      report.done.push(place);
    }
  }
  const aliases = convertFallbacks(input, { groups, report });
  const { providers, models } = converter;
  const longest = Math.max(0, ...[...aliases.values()].map((ids) => callsOf(ids, providers)));
  const limits = limitsOf(input, { report, longest });
  reportRest(input, report);
  return {
    file: {
      ...(providers.length === 0 ? {} : { providers }),
      ...(aliases.size === 0 ? {} : { aliases: writtenAliases(aliases) }),
      ...(models.length === 0 ? {} : { models }),
      ...(Object.keys(limits).length === 0 ? {} : { limits }),
    },
    report,
    groups,
  };
}

const writtenAliases = (aliases: ReadonlyMap<string, readonly string[]>) =>
  Object.fromEntries([...aliases].map(([name, ids]) => [name, ids.length === 1 ? ids[0] : ids]));

/** Endpoints of models, as far as the file tells: each key of a server of its own is one. */
function callsOf(ids: readonly string[], providers: readonly ProviderEntry[]): number {
  const counts = ids.map((id) =>
    providers.filter(({ models }) => models.some((one) => one.id === id))
      .reduce((sum, { api_keys_env: keys = [] }) => sum + Math.max(1, keys.length), 0)
  );
  return counts.reduce((sum, count) => sum + Math.max(1, count), 0);
}

interface LimitDeps {
  readonly report: ImportReport;
  /** Endpoints of the alias that has most. */
  readonly longest: number;
}

function limitsOf(
  { litellm_settings: general, router_settings: router }: LitellmFile,
  { report, longest }: LimitDeps,
): Readonly<Record<string, number>> {
  const retries = router?.num_retries ?? general?.num_retries;
  const seconds = router?.timeout ?? general?.request_timeout;
  const first = router?.stream_timeout;
  const limits: Record<string, number> = {};
  const hasRetries = typeof retries === "number" && retries >= 0;
  const wanted = Math.max(longest, hasRetries ? Math.floor(retries) + 1 : USUAL_ATTEMPTS);
  if (hasRetries || wanted > USUAL_ATTEMPTS) {
    limits.attempts = Math.min(MOST_ATTEMPTS, wanted);
    report.changed.push(
      `num_retries: limits.attempts is ${limits.attempts}, the calls of a request in all, each of another endpoint`,
    );
  }
  if (isSeconds(seconds)) {
    limits.answer_seconds = Math.min(MOST_SECONDS, seconds);
    report.done.push(`request time-out: limits.answer_seconds is ${limits.answer_seconds}`);
  }
  if (isSeconds(first)) {
    limits.first_byte_seconds = Math.min(MOST_SECONDS, first);
    report.changed.push(
      `router_settings.stream_timeout: limits.first_byte_seconds is ${limits.first_byte_seconds}`,
    );
  }
  return limits;
}

const isSeconds = (value: number | null | undefined): value is number =>
  typeof value === "number" && value > 0;

/** Strategies there → what comes nearest here. */
const strategies: ReadonlyMap<string, string> = new Map([
  ["simple-shuffle", "endpoints of a model are drawn, cheap ones more often"],
  ["cost-based-routing", "set default_provider_sort of the workspace to price"],
  ["latency-based-routing", "set default_provider_sort of the workspace to latency"],
]);

function reportRest(input: LitellmFile, report: ImportReport): void {
  const { routing_strategy: strategy } = input.router_settings ?? {};
  if (strategy) {
    const near = strategies.get(strategy) ?? "endpoints of a model are drawn by price; see docs/routing.md";
    report.changed.push(`router_settings.routing_strategy ${strategy}: ${near}`);
  }
  const { master_key: master, database_url: database } = input.general_settings ?? {};
  if (master !== undefined) {
    report.changed.push("general_settings.master_key: set TOLLGATE_MANAGEMENT_KEY; it calls no models");
  }
  if (database !== undefined) report.changed.push("general_settings.database_url: set TOLLGATE_STORE");
  for (const [section, settings] of Object.entries(input)) {
    if (section === "model_list" || settings === null || settings === undefined) continue;
    const known = taken.get(section);
    if (known === undefined) report.impossible(`${section}: ${whySectionIsLeft(section)}`);
    else reportUnknown(report, { section, settings, known });
  }
}

interface Section {
  readonly section: string;
  readonly settings: unknown;
  readonly known: ReadonlySet<string>;
}

function reportUnknown(report: ImportReport, { section, settings, known }: Section): void {
  if (typeof settings !== "object" || settings === null) return;
  for (const name of Object.keys(settings)) {
    if (!known.has(name)) report.impossible(`${section}.${name}: ${whySettingIsLeft(section, name)}`);
  }
}
