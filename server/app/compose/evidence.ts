/** Evidence of routers, put together from what the operator names, what ships and what this gateway has seen. */

import type { CompositionParts } from "../composition_parts.ts";
import { isBuiltInProvider } from "../../providers/catalog/provider_facts.ts";
import { type Evidence, noEvidence } from "../../pipeline/routing/routers/evidence.ts";
import { marketEvidence } from "../../pipeline/routing/scores/market.ts";
import { indexFamilies } from "../../pipeline/routing/scores/model_family.ts";
import { indexModelIds } from "../../pipeline/routing/scores/model_ids.ts";
import { createScoreEvidence } from "../../pipeline/routing/scores/score_evidence.ts";
import { loadShippedScores } from "../../pipeline/routing/scores/shipped_scores.ts";
import { loadRoutingFiles } from "./routing_files.ts";

type EvidenceParts = Pick<CompositionParts, "config" | "catalog" | "runtime">;

/** Returns what gives the evidence of the moment: the same value until a part of it changes. Throws a ConfigError. */
export async function createEvidence({ config, catalog, runtime }: EvidenceParts): Promise<() => Evidence> {
  const { scores: ownFiles, market } = await loadRoutingFiles(config, runtime);
  const models = catalog.models.map(({ model: { id, created } }) => ({ id, created }));
  const ids = indexModelIds(models.map(({ id }) => id));
  const hasOthers = catalog.providers.some(({ id }) => !isBuiltInProvider(id));
  const files = ownFiles ?? (hasOthers ? await loadShippedScores() : []);
  const scoresNow = createScoreEvidence(
    { files, operator: config.scores, models, inherit: indexFamilies(models), idOf: ids.exact },
    () => runtime.clock.now(),
  );
  const fixed = {
    ...noEvidence,
    ...(market === undefined ? {} : { market: marketEvidence(market, ids.similar) }),
    defaultModels: config.auto.defaultModels.map((name) => catalog.resolve(name)[0]?.model.id ?? name),
  };
  let made: { readonly scores: ReturnType<typeof scoresNow>; readonly evidence: Evidence } | undefined;
  const evidence = () => {
    const scores = scoresNow();
    if (made?.scores !== scores) made = { scores, evidence: { ...fixed, ...scores } };
    return made.evidence;
  };
  // Made here, so that no request waits for it.
  evidence();
  return evidence;
}
