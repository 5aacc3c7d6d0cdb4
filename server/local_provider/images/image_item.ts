/** An image as an item of the answer, and how its making is told (the original's order). */

import { truncateStart } from "../../../shared/util/text.ts";
import { Buffer } from "node:buffer";
import type { GeneratedItem } from "../simulated_model/generate_output.ts";
import type { ImageRenderer } from "./image_renderer.ts";

type ImageItem = Extract<GeneratedItem, { type: "picture" }>;

/** Files in base64 by item: the unfinished ones first, the image last. */
export type RenderedImages = ReadonlyMap<string, readonly string[]>;

/** Has the images of an answer painted. */
export async function renderImages(
  items: readonly GeneratedItem[],
  painter: ImageRenderer,
): Promise<RenderedImages> {
  const album = new Map<string, readonly string[]>();
  for (const item of items) {
    if (item.type === "picture") album.set(item.id, await paint(item, painter));
  }
  return album;
}

async function paint(
  { prompt, imageOptions }: ImageItem,
  painter: ImageRenderer,
): Promise<readonly string[]> {
  const { width, height, quality, background, format, compression, partialImages } = imageOptions;
  const sketches = Array.from({ length: partialImages + 1 }, (_, at) => {
    return { prompt, width, height, quality, background, progress: (at + 1) / (partialImages + 1) };
  });
  const files = await painter.paint({ sketches, format, compression });
  return files.map((file) => Buffer.from(file).toString("base64"));
}

export function simulatedImageStart({ id }: ImageItem) {
  return { id, type: "image_generation_call", status: "in_progress", result: null };
}

export function simulatedImageEnd({ id, prompt, imageOptions }: ImageItem, album: RenderedImages) {
  const result = album.get(id)?.at(-1) ?? null;
  return {
    id,
    type: "image_generation_call",
    status: "completed",
    action: "generate",
    result,
    ...lookOf({ imageOptions }),
    revised_prompt: truncateStart(prompt, 1_000),
  };
}

const lookOf = (
  { imageOptions: { width, height, quality, background, format } }: Pick<ImageItem, "imageOptions">,
) => ({
  background,
  output_format: format,
  quality,
  size: `${width}x${height}`,
});

/** The events between the item's first and last. */
export function* imageEvents(
  item: ImageItem,
  { album, at }: { readonly album: RenderedImages; readonly at: object },
) {
  const event = (step: string, more: object = {}) => ({
    type: `response.image_generation_call.${step}`,
    ...at,
    ...more,
  });
  yield event("in_progress");
  yield event("generating");
  for (const [index, partial] of (album.get(item.id) ?? []).slice(0, -1).entries()) {
    yield event("partial_image", {
      partial_image_index: index,
      partial_image_b64: partial,
      ...lookOf(item),
    });
  }
  yield event("completed");
}
