/** Names of models in the configuration file. */

import * as z from "zod";
import { isUpstreamName } from "../../../shared/validation/upstream_names.ts";

export const segments = 'a name in which no segment is empty, "." or ".."';

/** `author/slug`, as callers name a model. */
export const modelId = z.string().max(256)
  .regex(/^[^\s/]+\/\S+$/, "a model id is author/slug, such as acme/llama")
  .refine(isUpstreamName, segments);

/** Values that are allowed where a model or an alias may stand. */
export const MODEL_OR_ALIAS = "a model id is author/slug, such as acme/llama, or an alias of this file";

/** A model by its id or by an alias: `namingFault` sees whether it is either. */
export const modelOrAlias = z.string().max(256).regex(/^\S+$/, MODEL_OR_ALIAS);

/** Models that one alias may stand for: as many as `limits.attempts` may be. */
export const MOST_ALIAS_MODELS = 16;

/** One model, or several that are tried in this order, as those of a request's `models` are. */
const aliasModels = z.union([modelId, z.array(modelId).min(1).max(MOST_ALIAS_MODELS)], {
  error: `a model id, or a list of up to ${MOST_ALIAS_MODELS} of them`,
}).transform((models): readonly string[] => typeof models === "string" ? [models] : models);

/** Name that callers use → the models that it stands for. */
export const aliasesSchema = z.record(z.string().min(1).max(256), aliasModels);
