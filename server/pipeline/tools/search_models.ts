/** Finds models of the catalog by their words (specification, Tools). */

import { truncateStart } from "../../../shared/util/text.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import { type ListedModel, searchModels } from "./model_index.ts";
import { failedCall, textOf, type ToolDefinition } from "./tool_definition.ts";
import { resultLimit } from "./result_limit.ts";

const MOST = 20;

const parameters = {
  type: "object",
  properties: {
    query: { type: "string", description: "What the model should be called or be good at." },
    max_results: { type: "integer", minimum: 1, maximum: MOST },
  },
  required: ["query"],
  additionalProperties: false,
} as const;

export const searchModelsTool: ToolDefinition = {
  kind: "search_models",
  describe: () => ({ description: "Searches the AI models that can be called here.", parameters }),
  itemFields: ({ query }) => ({ query: textOf(query) ?? "" }),
  failedStatus: "incomplete",
  outputOf: ({ output }) => textOf(output),
  run: ({ args, settings, deps }) => {
    const query = textOf(args.query);
    if (query === undefined) return Promise.resolve(failedCall("query is missing."));
    const most = resultLimit({ args, settings, most: MOST });
    const models = searchModels(deps.models(), { query, most });
    const output = JSON.stringify({ models: models.map(describeModel) });
    return Promise.resolve({ output, fields: { query, output } });
  },
};

/** UTF-16 units of a description. */
const LONGEST = 300;

const describeModel = (model: ListedModel): JsonObject => ({
  id: model.id,
  name: model.name,
  ...(model.description === undefined ? {} : { description: truncateStart(model.description, LONGEST) }),
  context_length: model.contextLength,
  input_modalities: model.inputModalities,
  output_modalities: model.outputModalities,
  pricing: model.price,
});
