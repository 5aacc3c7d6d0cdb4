/** An image, drawn by another model: the one that the request names, else the workspace's, else the first that draws. */

import { ApiError } from "../../../shared/errors.ts";
import { emptyRequest } from "../../protocols/canonical/empty_request.ts";
import type { ModelEvent } from "../../protocols/canonical/event.ts";
import type { JsonObject, PassthroughItem } from "../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import {
  failedCall,
  textOf,
  type ToolDefinition,
  type ToolInput,
  type ToolOutcome,
} from "./tool_definition.ts";

const parameters = {
  type: "object",
  properties: { prompt: { type: "string", description: "What the image shows, and in which style." } },
  required: ["prompt"],
  additionalProperties: false,
} as const;

const OUTPUT = JSON.stringify({ status: "completed", note: "The image was drawn and is shown to the user." });

export const imageGeneration: ToolDefinition = {
  kind: "image_generation",
  hosted: { types: ["image_generation"], itemType: "image_generation_call" },
  describe: () => ({ description: "Draws an image and shows it to the user.", parameters }),
  itemFields: ({ prompt }) => ({ prompt: textOf(prompt) ?? "", result: null }),
  failedStatus: "failed",
  argumentsOf: ({ prompt }) => typeof prompt === "string" ? { prompt } : undefined,
  outputOf: ({ result }) => textOf(result) === undefined ? undefined : OUTPUT,
  run: async (input) => {
    const prompt = textOf(input.args.prompt);
    if (prompt === undefined) return failedImage("prompt is missing.", "");
    const model = drawingModel(prompt, input);
    if (model === undefined) return failedImage("This gateway has no model that draws.", prompt);
    try {
      return outcomeOf(await input.callModel(drawingRequest(prompt, { model, input })), prompt);
    } catch (error) {
      if (error instanceof ApiError) return failedImage(error.message, prompt);
      throw error;
    }
  },
};

/** The model reads of a failure as it does upstream. */
const failedImage = (error: string, prompt: string): ToolOutcome => ({
  ...failedCall(error, { prompt, result: null, error }),
  output: JSON.stringify({ status: "error", error }),
});

/** The first that draws is one that the caller may be answered by, with the client's `provider`. */
function drawingModel(prompt: string, input: ToolInput): string | undefined {
  const { settings, defaults, deps, finder } = input;
  const first = () =>
    deps.models().find(({ id, outputModalities }) =>
      outputModalities.includes("image") &&
      finder.find(drawingRequest(prompt, { model: id, input })) !== undefined
    )?.id;
  return textOf(settings.model) ?? defaults?.imageModel ?? first();
}

/** Keys of the tool that are none of the image's. */
const ownKeys: ReadonlySet<string> = new Set(["type", "model", "partial_images", "action"]);

function drawingRequest(
  prompt: string,
  { model, input: { settings, request } }: {
    readonly model: string;
    readonly input: Pick<ToolInput, "settings" | "request">;
  },
): ModelRequest {
  const { endUser, provider } = request;
  const config = Object.entries(settings).filter(([key]) => !ownKeys.has(key));
  return {
    ...emptyRequest,
    model,
    input: [{ type: "message", role: "user", parts: [{ type: "text", text: prompt }] }],
    modalities: ["image", "text"],
    imageConfig: config.length === 0 ? undefined : Object.fromEntries(config),
    endUser,
    provider,
  };
}

function outcomeOf(events: readonly ModelEvent[], prompt: string): ToolOutcome {
  const failure = events.find((event) => event.type === "failure");
  if (failure !== undefined) throw new ApiError(failure.failure.kind, failure.failure.message);
  const image = events.map(imageIn).findLast((item) => item !== undefined);
  if (image === undefined) {
    return failedImage("The model that draws answered without an image.", prompt);
  }
  return { output: OUTPUT, fields: { prompt, ...imageFields(image) } };
}

function imageIn(event: ModelEvent): PassthroughItem | undefined {
  if (event.type !== "item" && event.type !== "item_done") return undefined;
  const { item } = event;
  return item?.type === "foreign" && item.kind === "image_generation_call" && textOf(item.value.result)
    ? item
    : undefined;
}

function imageFields({ value: { result, revised_prompt, output_format } }: PassthroughItem): JsonObject {
  return {
    result,
    ...(textOf(revised_prompt) === undefined ? {} : { revisedPrompt: revised_prompt }),
    ...(textOf(output_format) === undefined ? {} : { output_format }),
  };
}
