/** The image that a request asks for, read from the hosted tool `image_generation` and from `image_config`. */

import * as z from "zod";
import type { SimulatorRequest } from "../simulated_model/parse_request.ts";
import { invalidRequest } from "../wire_error.ts";
import { type ImageSize, resolveImageSize } from "./image_size.ts";

export interface ImageOptions extends ImageSize {
  readonly format: "png" | "jpeg" | "webp";
  readonly quality: "low" | "medium" | "high";
  readonly background: "opaque" | "transparent";
  /** Quality of a JPEG, 0 to 100. */
  readonly compression: number;
  /** Unfinished images that are shown on the way, when the answer is streamed. */
  readonly partialImages: number;
  /** Cost of the image and its partial ones, in output tokens. */
  readonly tokens: number;
}

const settings = z.looseObject({
  size: z.string().nullish(),
  image_size: z.string().nullish(),
  aspect_ratio: z.string().nullish(),
  quality: z.enum(["low", "medium", "high", "auto"]).nullish(),
  background: z.enum(["opaque", "transparent", "auto"]).nullish(),
  output_format: z.enum(["png", "jpeg", "webp"]).nullish(),
  output_compression: z.int().min(0).max(100).nullish(),
  partial_images: z.int().min(0).max(3).nullish(),
});

type Settings = z.infer<typeof settings>;

const IMAGE_TOOL = "image_generation";

/** Models that draw, with and without the author. */
const painters: ReadonlySet<string> = new Set(["image", "local/image"]);

/** The image that has to be drawn; undefined where none is. Throws a WireError for one that cannot be. */
export function parseImageOptions(requested: SimulatorRequest): ImageOptions | undefined {
  if (!draws(requested)) return undefined;
  const at = (requested.tools ?? []).findIndex(({ type }) => type === IMAGE_TOOL);
  const tool = parsed(requested.tools?.[at] ?? {}, `tools[${at}]`);
  const config = parsed(requested.image_config ?? {}, "image_config");
  const all: Settings = { ...present(tool), ...present(config) };
  const size = resolveImageSize({
    size: all.image_size ?? all.size ?? undefined,
    ratio: all.aspect_ratio ?? undefined,
  });
  const param = at >= 0 && tool.size ? `tools[${at}].size` : "image_config";
  if (typeof size === "string") throw invalidRequest(`Invalid size: ${size}.`, "invalid_value", { param });
  const format = all.output_format ?? "png";
  const background = all.background === "transparent" ? "transparent" : "opaque";
  if (format === "jpeg" && background === "transparent") {
    throw invalidRequest("A JPEG has no transparent background.", "invalid_value", { param: "tools" });
  }
  const quality = all.quality === "low" || all.quality === "high" ? all.quality : "medium";
  const partials = requested.stream === true ? all.partial_images ?? 0 : 0;
  const tokens = tokensOf(size, quality) + TOKENS_A_PARTIAL * partials;
  return {
    ...size,
    format,
    quality,
    background,
    compression: all.output_compression ?? 100,
    partialImages: partials,
    tokens,
  };
}

export const PATCH = 32;
export const TOKENS_A_PARTIAL = 100;
const tokensAPatch = { low: 1 / 4, medium: 1, high: 4 } as const;

/** One token for each patch of 32 × 32 pixels at medium quality, a quarter at low, four at high. */
function tokensOf({ width, height }: ImageSize, quality: ImageOptions["quality"]): number {
  return Math.ceil(Math.ceil(width / PATCH) * Math.ceil(height / PATCH) * tokensAPatch[quality]);
}

/** A model that draws does so unless it is told not to; the others only where they have to. */
function draws({ model, tools, tool_choice: choice, modalities }: SimulatorRequest): boolean {
  if (painters.has(model)) return choice !== "none" && (modalities?.includes("image") ?? true);
  const offered = (tools ?? []).map(({ type }) => type);
  if (typeof choice === "object" && choice?.type === IMAGE_TOOL) {
    if (offered.includes(IMAGE_TOOL)) return true;
    const message = `Tool choice '${IMAGE_TOOL}' not found in 'tools' parameter.`;
    throw invalidRequest(message, "invalid_value", { param: "tool_choice" });
  }
  return choice === "required" && offered.length > 0 && offered.every((type) => type === IMAGE_TOOL);
}

function parsed(value: unknown, where: string): Settings {
  const read = settings.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const param = [where, ...(issue?.path ?? [])].join(".");
  throw invalidRequest(`Invalid value for '${param}': ${issue?.message}.`, "invalid_value", { param });
}

/** Without the keys that say nothing, so that they hide nothing. */
function present(value: Settings): Settings {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined && one !== null));
}
