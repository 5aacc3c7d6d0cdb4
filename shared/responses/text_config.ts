/** `text`: the answer's format and verbosity (specification, Nested request objects). */

import * as z from "zod";
import { jsonObject } from "../fields/primitives.ts";

export const textFormat = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text") }),
  z.looseObject({ type: z.literal("json_object") }),
  z.looseObject({
    type: z.literal("json_schema"),
    /** Some clients leave it out; it is named `response` then. */
    name: z.string().nullish(),
    schema: jsonObject,
    description: z.string().nullish(),
    strict: z.boolean().nullish(),
  }),
]);
export type TextFormat = z.infer<typeof textFormat>;

export const textConfig = z.looseObject({
  format: textFormat.nullish(),
  verbosity: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish(),
});
export type TextConfig = z.infer<typeof textConfig>;
