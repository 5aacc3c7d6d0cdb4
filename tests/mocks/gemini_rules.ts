/** Rules of generateContent besides unknown keys, as met in the wild. */

import { complaint, isObject, type Json, objects, type SchemaViolation } from "./published.ts";

/** The first fault that the provider would find in a request; `model` decides some of them. */
export function geminiComplaint(body: Json, model: string): SchemaViolation | undefined {
  return renamed(complaint("gemini", body)) ?? contentFault(body) ?? turnFault(body, model) ??
    configFault(body, model);
}

const fault = (message: string, param: string): SchemaViolation => ({
  message,
  type: "INVALID_ARGUMENT",
  param,
  code: null,
});

/** Google's own sentence for a key that it does not have. */
function renamed(error: SchemaViolation | undefined): SchemaViolation | undefined {
  if (error === undefined) return undefined;
  const path = error.param ?? "";
  const key = path.split(".").at(-1) ?? "";
  const where = path.slice(0, -key.length - 1);
  const place = where === "" ? "" : ` at '${where}'`;
  return fault(`Invalid JSON payload received. Unknown name "${key}"${place}: Cannot find field.`, path);
}

function contentFault({ contents }: Json): SchemaViolation | undefined {
  const all = objects(contents);
  if (all.length === 0) {
    return fault("* GenerateContentRequest.contents: contents is not specified", "contents");
  }
  const odd = all.findIndex(({ role }) => role !== "user" && role !== "model");
  if (odd >= 0) return fault("Please use a valid role: user, model.", `contents[${odd}].role`);
  const empty = all.findIndex(({ parts }) => objects(parts).length === 0);
  if (empty >= 0) {
    return fault("Unable to submit request because it must have a parts field.", `contents[${empty}]`);
  }
  const model = all.every(({ role }) => role === "model");
  return model ? fault("Please ensure that there is a user turn.", "contents") : undefined;
}

const partsOf = (content: Json | undefined, key: string): readonly Json[] =>
  objects(content?.parts).flatMap((part) => isObject(part[key]) ? [part] : []);

const COUNTS =
  "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
const AFTER = "Please ensure that function response turn comes immediately after a function call turn.";

/** Calls are answered right behind their turn, one for one, and the newer models want their signature. */
function turnFault({ contents }: Json, model: string): SchemaViolation | undefined {
  const all = objects(contents);
  for (const [at, content] of all.entries()) {
    const answers = partsOf(content, "functionResponse").length;
    const requested = partsOf(all[at - 1], "functionCall").length;
    if (answers > 0 && requested === 0) return fault(AFTER, `contents[${at}]`);
    if (requested !== answers) return fault(COUNTS, `contents[${at}]`);
    const [first] = partsOf(content, "functionCall");
    if (first !== undefined && first.thoughtSignature === undefined && !/gemini-2/.test(model)) {
      return fault("Function call is missing a thought_signature in functionCall parts.", `contents[${at}]`);
    }
  }
  return undefined;
}

function configFault(
  { generationConfig: config, tools, toolConfig }: Json,
  model: string,
): SchemaViolation | undefined {
  if (toolConfig !== undefined && objects(tools).length === 0) {
    return fault("Function calling config is set without function_declarations.", "toolConfig");
  }
  if (!isObject(config)) return undefined;
  const thinking = isObject(config.thinkingConfig) ? config.thinkingConfig : {};
  if (/gemini-4/.test(model) && ("presencePenalty" in config || "frequencyPenalty" in config)) {
    return fault(`Penalty is not enabled for models/${model}`, "generationConfig");
  }
  if (/gemini-2/.test(model) && "thinkingLevel" in thinking) {
    return fault("Thinking level is not supported for this model.", "generationConfig.thinkingConfig");
  }
  return undefined;
}
