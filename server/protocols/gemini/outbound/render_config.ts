/** `generationConfig`: how the answer is made and what it looks like. */

import { ownValue } from "../../../../shared/util/own_value.ts";
import { omitUndefined } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../canonical/item.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import type { EndpointTraits } from "../../wire.ts";
import { renderSchema } from "./render_schema.ts";
import type { ModelFamily } from "./model_family.ts";
import { renderReasoning } from "./render_reasoning.ts";

interface RenderedConfig {
  readonly config: JsonObject;
  /** Instructions in words, where the wire has no field for them. */
  readonly formatInstruction: readonly string[];
  readonly dropped: readonly string[];
}

interface ConfigContext {
  readonly family: ModelFamily;
  readonly endpoint: EndpointTraits;
  readonly hasTools: boolean;
}

export function renderConfig(request: ModelRequest, context: ConfigContext): RenderedConfig {
  const format = renderFormat(request, context);
  const thinking = renderReasoning(request.reasoning, context.family.thinking);
  const image = renderImage(request);
  const config = omitUndefined({
    ...renderSampling(request, context.family),
    maxOutputTokens: context.endpoint.maxOutputTokens ?? request.maxOutputTokens,
    stopSequences: request.stop,
    ...format.config,
    ...image.config,
    thinkingConfig: thinking.config,
  });
  return {
    config,
    formatInstruction: format.formatInstruction,
    dropped: [...format.dropped, ...image.dropped, ...thinking.dropped],
  };
}

function renderSampling({ sampling, include }: ModelRequest, { penalties }: ModelFamily): JsonObject {
  const { temperature, topP, topK, seed, presencePenalty, frequencyPenalty, topLogprobs = 0 } = sampling;
  const logprobs = include.includes("message.output_text.logprobs") || topLogprobs > 0;
  return {
    temperature,
    topP,
    topK,
    seed,
    ...(penalties ? { presencePenalty, frequencyPenalty } : {}),
    responseLogprobs: logprobs ? true : undefined,
    logprobs: topLogprobs > 0 ? topLogprobs : undefined,
  };
}

/**
 * The current API takes plain JSON schema, of which `renderSchema` leaves what it knows. Older models refuse JSON
 * beside tools, so there the model is asked for it in words.
 */
function renderFormat({ format }: ModelRequest, { family, hasTools }: ConfigContext): RenderedConfig {
  if (format.type === "text") return { config: {}, formatInstruction: [], dropped: [] };
  const schema = format.type === "json_schema" ? renderSchema(format.schema) : undefined;
  if (hasTools && !family.jsonWithTools) {
    const which = schema === undefined ? "" : ` that matches this schema:\n${JSON.stringify(schema)}`;
    return {
      config: {},
      formatInstruction: [`Give the final answer as JSON alone${which}`],
      dropped: ["text.format"],
    };
  }
  const config = { responseMimeType: "application/json", responseJsonSchema: schema };
  return { config, formatInstruction: [], dropped: [] };
}

/** `image_config` in the spelling of most clients, and in Google's. */
const imageKeys: Readonly<Record<string, string>> = {
  aspect_ratio: "aspectRatio",
  aspectRatio: "aspectRatio",
  image_size: "imageSize",
  imageSize: "imageSize",
  size: "imageSize",
};

function renderImage(
  { modalities, imageConfig = {} }: ModelRequest,
): Omit<RenderedConfig, "formatInstruction"> {
  if (!modalities?.includes("image")) {
    return { config: {}, dropped: Object.keys(imageConfig).map((key) => `image_config.${key}`) };
  }
  const known = Object.entries(imageConfig).filter(([key]) => Object.hasOwn(imageKeys, key));
  const unknown = Object.keys(imageConfig).filter((key) => !Object.hasOwn(imageKeys, key));
  const spelled = Object.fromEntries(known.map(([key, value]) => [ownValue(imageKeys, key), value]));
  return {
    config: {
      responseModalities: modalities.map((word) => word.toUpperCase()),
      imageConfig: known.length === 0 ? undefined : spelled,
    },
    dropped: unknown.map((key) => `image_config.${key}`),
  };
}
