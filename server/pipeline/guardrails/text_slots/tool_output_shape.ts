/** Shape of a server tool's results: what the model reads, as JSON or text, and what the client is shown. */

import { loose, objectOf, type Shape } from "./shape.ts";
import { serviceImage, serviceItem } from "./wire_shapes.ts";

export interface ToolOutput {
  /** For the model. */
  readonly output: string;
  /** Fields of the item that the client is shown. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Tool or plugin that brought the results. */
export interface ToolSource {
  /** Kind of the tool. */
  readonly kind: string;
  /** For sentences: "server tool web_search", "plugin web". */
  readonly bringer: string;
}

const plain = objectOf<ToolOutput>({ output: loose, fields: serviceItem });
const image = objectOf<ToolOutput>({ output: loose, fields: serviceImage });

/** By the kind of the tool. */
export const toolOutputShape = (kind: string): Shape => kind === "image_generation" ? image : plain;
