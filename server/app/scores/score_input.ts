/** Scores and models of a catalog, as tables of scores are made of them. */

import type { ScoreFile } from "../../../shared/routing/scores.ts";
import type { Config } from "../../config/config.ts";
import { type DatedModel, indexFamilies } from "../../pipeline/routing/scores/model_family.ts";
import { indexModelIds } from "../../pipeline/routing/scores/model_ids.ts";
import type { ScoreInput } from "../../pipeline/routing/scores/score_tables.ts";
import { loadShippedScores } from "../../pipeline/routing/scores/shipped_scores.ts";
import { isBuiltInProvider } from "../../providers/catalog/provider_facts.ts";
import type { Catalog } from "../../providers/catalog/catalog.ts";

interface ScoreParts {
  readonly config: Pick<Config, "scores">;
  readonly models: readonly DatedModel[];
  /** The operator's files; undefined for those that ship. */
  readonly files: readonly ScoreFile[] | undefined;
}

export async function scoreInput({ config, models, files }: ScoreParts): Promise<ScoreInput> {
  return {
    files: files ?? await loadShippedScores(),
    operator: config.scores,
    models,
    inherit: indexFamilies(models),
    idOf: indexModelIds(models.map(({ id }) => id)).exact,
  };
}

/** Models of the providers that are on, without the built-in ones: nobody has measured those. */
export const scoredModels = ({ models }: Pick<Catalog, "models">): readonly DatedModel[] =>
  models.filter(({ endpoints }) => endpoints.some(({ provider }) => !isBuiltInProvider(provider.id)))
    .map(({ model: { id, created } }) => ({ id, created }));
