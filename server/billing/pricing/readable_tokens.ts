/** The context of a model, as the limit of a whole request. */

import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { Model } from "../../providers/endpoint.ts";

/** Tokens that the model can read for one request; null where nobody told. Each text to embed has the context for itself. */
export const readableTokens = (
  { input, embeddings }: Pick<ModelRequest, "input" | "embeddings">,
  { contextLength }: Pick<Model, "contextLength">,
): number | null =>
  contextLength === null || embeddings === undefined ? contextLength : contextLength * input.length;
