/** Pictures of a tool's result, which the model is shown beside the text where it takes pictures. */

import type { ContentPart, ToolResultItem } from "../../protocols/canonical/item.ts";
import type { Endpoint } from "../../providers/endpoint.ts";

/** Pictures of a request, and bytes of all of them as base64: providers refuse more than about four times as much. */
const MAX_IMAGES = 20;
const MAX_CHARS = 8 * 1024 * 1024;

/** Says which part is which: some wires put pictures into a message behind the result. */
const INTRODUCTION = "The pictures that the code wrote follow, in this order.";

/** Whether a model is known to take pictures: what a model that nobody has described takes, nobody knows. */
export const takesImages = ({ model }: Pick<Endpoint, "model">): boolean =>
  model.inputModalities.includes("image");

/** Counts the pictures of a request: those beyond the limits are left out. */
export class ResultImages {
  #images = MAX_IMAGES;
  #chars = MAX_CHARS;

  /** The result as the model reads it; `images` are data URLs. */
  outputOf(text: string, images: readonly string[] = []): ToolResultItem["output"] {
    const shown = images.filter((url) => this.#take(url));
    if (shown.length === 0) return text;
    const parts = shown.map((url): ContentPart => ({ type: "image", url }));
    return [{ type: "text", text }, { type: "text", text: INTRODUCTION }, ...parts];
  }

  #take({ length }: string): boolean {
    if (this.#images < 1 || length > this.#chars) return false;
    this.#images--;
    this.#chars -= length;
    return true;
  }
}
