/** Report of `doctor` on the scores by which routers rank the models of this gateway. */

import type { Config } from "../../config/config.ts";
import { coverageOf, describeCoverage } from "../../pipeline/routing/scores/coverage.ts";
import { buildCatalog } from "../../providers/catalog/catalog.ts";
import { snapshotFor } from "../../providers/catalog/operator_file.ts";
import type { ProviderRegistry } from "../../providers/mod.ts";
import type { Runtime } from "../../runtime.ts";
import { loadRoutingFiles } from "../compose/routing_files.ts";
import { scoredModels, scoreInput } from "./score_input.ts";

interface ReportDeps {
  readonly config: Config;
  readonly providers: ProviderRegistry;
  readonly runtime: Pick<Runtime, "fetch" | "clock" | "log">;
}

interface ScoreReport {
  /** `coding scores of 61 of 429; newest score 2026-07; newest model 2026-10` */
  readonly coverage: string;
  /** Said where nothing young is left. */
  readonly warning?: string;
}

/** Throws a ConfigError or a CatalogFileError. */
export async function reportScores({ config, providers, runtime }: ReportDeps): Promise<ScoreReport> {
  const snapshot = await snapshotFor(config, providers.providers);
  const models = scoredModels(buildCatalog({ config, providers, snapshot }));
  if (models.length === 0) return { coverage: "no model that anybody has measured is on" };
  const { scores, market } = await loadRoutingFiles(config, runtime);
  const coverage = coverageOf(await scoreInput({ config, models, files: scores }), runtime.clock.now());
  const old = [...new Set(coverage.scales.filter(({ isOld }) => isOld).map(({ scale }) => scale))];
  const parts = [
    `coding scores of ${describeCoverage(coverage)}`,
    ...(old.length === 0 ? [] : [`older than 180 days: ${old.join(", ")}`]),
    ...(market === undefined ? [] : [`market file of ${market.as_of}`]),
  ];
  const isStale = coverage.scales.every(({ isOld }) => isOld);
  return { coverage: parts.join("; "), ...(isStale ? { warning: STALE } : {}) };
}

const STALE = "every score is older than 180 days: name newer ones in routing.scores";
