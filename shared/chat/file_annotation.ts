/** Annotations of a chat on parsed files: an answer has them, and a client may send them back (specification, Plugins). */

import * as z from "zod";

const content = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.looseObject({ type: z.literal("image_url"), image_url: z.looseObject({ url: z.string() }) }),
]);

export const fileAnnotation = z.looseObject({
  type: z.literal("file"),
  file: z.looseObject({
    /** SHA-256 of the file, as hexadecimal digits. */
    hash: z.string().min(1),
    name: z.string().nullish(),
    content: z.array(content),
  }),
});

export type FileAnnotation = z.infer<typeof fileAnnotation>;
