/** Messages to the reader's child that makes indexes of texts; its reply has a line of JSON for each, an index or null. */

import * as z from "zod";
import { indexPartSchema } from "./index_part.ts";

/** The header of the frame whose body has the texts, one behind the other. */
export const indexRequestSchema = z.strictObject({
  type: z.literal("index"),
  /** Bytes of each text. */
  lengths: z.array(z.int().nonnegative()),
});
export type IndexRequest = z.output<typeof indexRequestSchema>;

/** Null: it is no text. */
export const indexLineSchema = indexPartSchema.nullable();
export type IndexLine = z.output<typeof indexLineSchema>;
