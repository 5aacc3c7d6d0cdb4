/** A file of LiteLLM → the configuration file, with the report on it. */

import type { Snapshot } from "../../providers/catalog/snapshot.ts";
import { ModelConverter } from "./convert_models.ts";
import { ImportReport } from "./import_report.ts";
import type { LitellmFile } from "./litellm_file.ts";

/** Settings of other places that are taken. */
const taken: Readonly<Record<string, ReadonlySet<string>>> = {
  litellm_settings: new Set(["num_retries", "request_timeout", "fallbacks", "drop_params"]),
  router_settings: new Set(["model_group_alias", "num_retries", "timeout", "fallbacks"]),
  general_settings: new Set(["master_key", "database_url"]),
};

/** Calls for one request, at most. */
const MOST_ATTEMPTS = 16;
const MOST_SECONDS = 86_400;

interface ConvertedFile {
  /** As the configuration file has it. */
  readonly file: Readonly<Record<string, unknown>>;
  readonly report: ImportReport;
}

export function convertFile(input: LitellmFile, snapshot: Snapshot): ConvertedFile {
  const report = new ImportReport();
  const converter = new ModelConverter({ snapshot, report });
  for (const [at, row] of (input.model_list ?? []).entries()) converter.add(row, at);
  for (const [name, target] of Object.entries(input.router_settings?.model_group_alias ?? {})) {
    if (typeof target !== "string") continue;
    converter.addAlias(name, target);
    report.done.push(`router_settings.model_group_alias.${name}`);
  }
  const { providers, aliases } = converter.result;
  const limits = limitsOf(input, report);
  reportRest(input, report);
  return {
    file: {
      ...(providers.length === 0 ? {} : { providers }),
      ...(Object.keys(aliases).length === 0 ? {} : { aliases }),
      ...(Object.keys(limits).length === 0 ? {} : { limits }),
    },
    report,
  };
}

function limitsOf(
  { litellm_settings: general, router_settings: router }: LitellmFile,
  report: ImportReport,
): Readonly<Record<string, number>> {
  const retries = router?.num_retries ?? general?.num_retries;
  const seconds = router?.timeout ?? general?.request_timeout;
  const limits: Record<string, number> = {};
  if (typeof retries === "number" && retries >= 0) {
    limits.attempts = Math.min(MOST_ATTEMPTS, Math.floor(retries) + 1);
    report.changed.push(`num_retries: limits.attempts is ${limits.attempts}, calls of several endpoints`);
  }
  if (typeof seconds === "number" && seconds > 0) {
    limits.answer_seconds = Math.min(MOST_SECONDS, seconds);
    report.done.push(`request time-out: limits.answer_seconds is ${limits.answer_seconds}`);
  }
  return limits;
}

function reportRest(input: LitellmFile, report: ImportReport): void {
  const { litellm_settings: general, router_settings: router } = input;
  for (const fallbacks of [router?.fallbacks, general?.fallbacks]) {
    for (const name of (fallbacks ?? []).flatMap((entry) => Object.keys(entry))) {
      report.impossible.push(`fallbacks of ${name}: name them in \`models\` of requests, in order`);
    }
  }
  const { master_key: master, database_url: database } = input.general_settings ?? {};
  if (master !== undefined) {
    report.changed.push("general_settings.master_key: set TOLLGATE_MANAGEMENT_KEY; it calls no models");
  }
  if (database !== undefined) report.changed.push("general_settings.database_url: set TOLLGATE_STORE");
  for (const [section, settings] of Object.entries(input)) {
    if (section === "model_list" || settings === null || settings === undefined) continue;
    const known = new Map(Object.entries(taken)).get(section);
    if (known === undefined) report.impossible.push(`${section} has no counterpart in the file`);
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
    if (!known.has(name)) report.impossible.push(`${section}.${name} has no counterpart`);
  }
}
