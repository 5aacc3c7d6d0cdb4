/**
 * The routers `fusion` and `fusion-flash`: the model that is offered the tool `fusion`, and that compares the answers of
 * its panel (docs/fusion.md).
 */

import { ApiError } from "../../../../shared/errors.ts";
import type { FusionPreset } from "../../../../shared/fields/fusion.ts";
import { rankModels } from "./rank_models.ts";
import type { Router, RouterChoice, RouterQuestion } from "./router.ts";
import { fusionPresetOf } from "./router_slugs.ts";

const router: Router = { strategy: "fusion", choose };

export const fusionRouter: Router = router;
export const fusionFlashRouter: Router = router;

/** The named model, else the one of the preset, else the next of its panel, else the best of another author. */
function choose(question: RouterQuestion): RouterChoice {
  const { named: { slug }, request, fusionPresets, idOf, pool } = question;
  // One that is switched off keeps the panel away, and still says who answers.
  const options = question.settingsOf("fusion") ?? request.plugins.find((one) => one.id === "fusion");
  const { model, preset } = options?.id === "fusion" ? options : { model: undefined, preset: undefined };
  const { analysis_models: panel, model: analyst }: FusionPreset =
    fusionPresets[preset ?? fusionPresetOf(slug)];
  const wanted = model ?? analyst ?? panel[0] ?? "";
  const named = idOf(wanted);
  const other = named === undefined ? otherModel(question, { wanted, panel }) : undefined;
  const chosen = named ?? other?.model;
  return {
    ranked: chosen === undefined ? [] : [chosen],
    mayPin: (id) => id === chosen,
    describe: () => ({}),
    data: {
      models: { may_serve: pool.models.length },
      ...(other === undefined
        ? {}
        : { replaced: [{ model: wanted, by: other.model, evidence: other.evidence }] }),
    },
    ...(chosen === undefined ? { refusal: nobody(wanted) } : {}),
  };
}

interface OtherModel {
  readonly model: string;
  /** Source of evidence that ranked it, or `preset`. */
  readonly evidence: string;
}

interface Missing {
  readonly wanted: string;
  readonly panel: readonly string[];
}

function otherModel(
  { idOf, pool, task, evidence }: RouterQuestion,
  { wanted, panel }: Missing,
): OtherModel | undefined {
  const next = panel.map(idOf).find((id) => id !== undefined);
  if (next !== undefined) return { model: next, evidence: "preset" };
  const author = authorOf(wanted);
  const candidates = pool.models.filter(({ id }) => authorOf(id) !== author)
    .map(({ id, price }) => ({ model: id, cost: price }));
  const { source, models: [first] } = rankModels(evidence, { task, candidates });
  return first && { model: first.model, evidence: source };
}

const nobody = (wanted: string): ApiError =>
  new ApiError("not_found", `No model can answer for fusion: neither ${wanted} nor another can be reached.`, {
    metadata: { path: "model" },
  });

/** Author of a model's name, or of a family's. */
export const authorOf = (name: string): string => name.replace(/^~/, "").split("/", 1)[0] ?? name;
