/** The cost of a picture that a provider was drawing when its call was cut, or that it drew and did not count. */

import type { PriceList } from "../../../shared/models.ts";
import { ownValue } from "../../../shared/util/own_value.ts";
import { normalizeUsage, type Usage } from "../../protocols/canonical/usage.ts";
import type { HostedTool, ModelRequest } from "../../protocols/canonical/request.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import { isDrawing } from "./hosted_tools.ts";
import { isPriced } from "./unit_prices.ts";

/** The one that draws: the model itself, or the provider's image tool, which has a model and counts of its own. */
type Painter =
  | { readonly type: "model"; readonly tokens: number }
  | { readonly type: "tool"; readonly tokens: number };

interface PaintingCall {
  readonly request: Pick<ModelRequest, "tools" | "toolChoice" | "modalities" | "imageConfig">;
  readonly endpoint: Endpoint;
}

/** Undefined where nothing is drawn. `tokens` are those of one picture. */
export function painterOf({ request, endpoint }: PaintingCall): Painter | undefined {
  const tool = request.tools.find((tool): tool is HostedTool =>
    tool.type === "hosted" && tool.wire === endpoint.provider.wire && isDrawing(tool)
  );
  if (tool !== undefined && mayCall(tool, request)) return { type: "tool", tokens: openAiTokens(tool.value) };
  const draws = endpoint.model.outputModalities.includes("image") &&
    request.modalities?.includes("image") !== false;
  return draws ? { type: "model", tokens: modelTokens(endpoint.upstreamModel, request) } : undefined;
}

function mayCall({ kind }: HostedTool, { toolChoice }: Pick<ModelRequest, "toolChoice">): boolean {
  if (toolChoice?.type === "hosted") return toolChoice.kind === kind;
  return toolChoice?.type !== "none" && toolChoice?.type !== "named";
}

/** OpenAI publishes the tokens of a picture by its quality: of a square one, a tall one and a wide one. */
type Sizes = readonly [square: number, tall: number, wide: number];
const best: Sizes = [4_160, 6_240, 6_208];
const lesser: Readonly<Record<string, Sizes>> = { low: [272, 408, 400], medium: [1_056, 1_584, 1_568] };

/** Where nobody chose its quality or size, it is the best and square. */
function openAiTokens({ quality, size }: Readonly<Record<string, unknown>>): number {
  const [square, tall, wide] = ownValue(lesser, String(quality)) ?? best;
  const [, width = 1, height = 1] = /^(\d{1,5})x(\d{1,5})$/.exec(String(size)) ?? [];
  if (Number(width) === Number(height)) return square;
  return Number(width) < Number(height) ? tall : wide;
}

/** Google's: Gemini 2.5 draws every picture as 1,290 tokens, Gemini 3 as 1,120, and 2,000 in 4K. */
const GEMINI_2 = 1_290;
const GEMINI_3 = 1_120;
const GEMINI_3_LARGE = 2_000;

function modelTokens(model: string, { imageConfig = {} }: Pick<ModelRequest, "imageConfig">): number {
  if (/gpt/i.test(model)) return openAiTokens(imageConfig);
  if (!/gemini-[3-9]/i.test(model)) return GEMINI_2;
  return /^4k$/i.test(String(imageConfig.image_size)) ? GEMINI_3_LARGE : GEMINI_3;
}

/** The fewest tokens that any of these models takes for a picture; a third of it is not believed. */
const LEAST_PICTURE_TOKENS = 272;

/** A picture is charged by its tokens, unless the list has a price for the picture and none for the tokens. */
const isChargedByTokens = (list: PriceList): boolean =>
  isPriced(list, "imageOutput") || !isPriced(list, "outputImage");

interface DrawnPictures {
  readonly painter: Painter;
  readonly pictures: number;
  readonly list: PriceList;
  /** Tokens of text that came beside them. */
  readonly textTokens: number;
}

/** The same usage with so many pictures at least, marked `estimated`. */
export function withPictures(usage: Usage, { painter, pictures, list, textTokens }: DrawnPictures): Usage {
  const outputImages = Math.max(pictures, usage.outputImages ?? 0);
  const tokens = isChargedByTokens(list) ? pictures * painter.tokens : 0;
  if (painter.type === "tool") {
    const imageToolOutputTokens = Math.max(tokens, usage.imageToolOutputTokens ?? 0);
    return normalizeUsage({ ...usage, outputImages, imageToolOutputTokens, estimated: true });
  }
  const outputImageTokens = Math.max(tokens, usage.outputImageTokens ?? 0);
  const outputTokens = Math.max(usage.outputTokens, textTokens + outputImageTokens);
  return normalizeUsage({ ...usage, outputImages, outputTokens, outputImageTokens, estimated: true });
}

/** Pictures came of which the counts say nothing, and no price of a picture stands in for them. */
export function lacksPictures(
  usage: Usage,
  { painter, pictures, list }: Omit<DrawnPictures, "textTokens">,
): boolean {
  if (pictures === 0 || isPriced(list, "outputImage")) return false;
  if (painter.type === "tool") {
    return isPriced(list, "imageOutput") && usage.imageToolOutputTokens === undefined;
  }
  return usage.outputTokens * 3 < pictures * LEAST_PICTURE_TOKENS;
}
