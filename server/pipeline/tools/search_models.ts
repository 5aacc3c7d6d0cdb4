/** Finds models of the catalog by their words (specification, Tools). */

import { truncateStart } from "../../../shared/util/text.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import { type ListedModel, searchModels } from "./model_index.ts";
import { textOf, type ToolDefinition } from "./tool_definition.ts";
import { resultLimit } from "./result_limit.ts";

const MOST = 20;

const parameters = {
  type: "object",
  properties: {
    query: { type: "string", description: "What the model should be called or be good at. Left out: any." },
    input_modalities: {
      type: "array",
      items: { type: "string" },
      description: "Kinds of input that it must take, all of them: text, image, file, audio, video.",
    },
    output_modalities: {
      type: "array",
      items: { type: "string" },
      description: "Kinds of output that it must make, all of them: text, image, audio.",
    },
    min_context_length: { type: "integer", minimum: 1, description: "Tokens of context, at least." },
    series: { type: "string", description: "Family of models, such as Claude, GPT or Gemini." },
    max_results: { type: "integer", minimum: 1, maximum: MOST },
  },
  additionalProperties: false,
} as const;

export const searchModelsTool: ToolDefinition = {
  kind: "search_models",
  describe: () => ({ description: "Searches the AI models that can be called here.", parameters }),
  itemFields: ({ query }) => ({ query: textOf(query) ?? "" }),
  failedStatus: "incomplete",
  outputOf: ({ output }) => textOf(output),
  check: faultOf,
  run: ({ args, settings, deps }) => {
    const query = textOf(args.query);
    const most = resultLimit({ args, settings, most: MOST });
    const { min_context_length: minimum, series } = args;
    const found = searchModels(deps.models(), {
      query,
      inputModalities: wordsIn(args.input_modalities),
      outputModalities: wordsIn(args.output_modalities),
      minContextLength: typeof minimum === "number" ? minimum : 0,
      series: textOf(series),
    });
    const models = found.slice(0, most).map(describeModel);
    const output = JSON.stringify({ models, total_results: found.length, showing: models.length });
    return Promise.resolve({ output, fields: { query: query ?? "", output } });
  },
};

/** Names the argument that is wrong; undefined where none is. */
function faultOf(args: JsonObject): string | undefined {
  for (const name of ["input_modalities", "output_modalities"]) {
    const value = args[name];
    const isList = Array.isArray(value) && value.every((one) => typeof one === "string");
    if (value !== undefined && value !== null && !isList) return `${name} is no list of texts.`;
  }
  const { min_context_length: minimum, query, series } = args;
  const isCount = typeof minimum === "number" && minimum >= 0;
  if (minimum !== undefined && minimum !== null && !isCount) {
    return "min_context_length is no number of tokens.";
  }
  const isText = (value: unknown) => value === undefined || value === null || typeof value === "string";
  if (!isText(query)) return "query is no text.";
  return isText(series) ? undefined : "series is no text.";
}

/** The words of a list, as the catalog writes them. */
const wordsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map((one) => String(one).toLowerCase()) : [];

/** UTF-16 units of a description. */
const LONGEST = 300;

const describeModel = (model: ListedModel): JsonObject => ({
  id: model.id,
  name: model.name,
  series: model.series,
  ...(model.description === undefined ? {} : { description: truncateStart(model.description, LONGEST) }),
  context_length: model.contextLength,
  input_modalities: model.inputModalities,
  output_modalities: model.outputModalities,
  pricing: model.price,
});
