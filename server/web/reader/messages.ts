/** Messages to the reader's child and back. */

import * as z from "zod";

/** The header of the frame whose body is the document. */
export const readRequestSchema = z.strictObject({
  type: z.enum(["html", "pdf", "text", "office"]),
  /** Where an HTML page is from: links are made absolute by it. Empty where that is unknown. */
  url: z.string(),
  /** Encoding of a page by its server; empty where that names none. */
  charset: z.string(),
  /** Most characters of the text. */
  maxCharacters: z.int().positive(),
  /** Most pages of a PDF, slides or sheets that are read. */
  maxPages: z.int().positive(),
});

export type ReadRequest = z.output<typeof readRequestSchema>;

const documentSchema = z.strictObject({
  type: z.literal("document"),
  text: z.string(),
  /** The text goes on. */
  truncated: z.boolean(),
  title: z.string().optional(),
  /** When the page says that it was published, in its own words. */
  published: z.string().optional(),
  /** Pages, slides or sheets that it has, and those that the text is from. */
  pages: z.int().optional(),
  pagesRead: z.int().optional(),
  /** Text that a person sees, and that is not given: declared navigation, or all beside the main part. */
  leftOut: z.strictObject({
    what: z.enum(["navigation", "beside_main"]),
    /** Percentage of the visible text, rounded up. */
    percent: z.int().min(1).max(100),
  }).optional(),
  /** Why there is no text. */
  lack: z.enum(["empty", "scripts", "pictures", "hidden"]).optional(),
});

/** On the child's standard output, as JSON. */
export const readReplySchema = z.discriminatedUnion("type", [
  documentSchema,
  /** It is not what its type says, needs a password, unpacks to too much, or is of a type that cannot be read. */
  z.strictObject({
    type: z.literal("unreadable"),
    reason: z.enum(["broken", "encrypted", "unpacks_too_large", "old_office", "unsupported_type"]),
  }),
]);

export type ReadReply = z.output<typeof readReplySchema>;
export type TextLack = NonNullable<z.output<typeof documentSchema>["lack"]>;
export type ReadDocument = Omit<z.output<typeof documentSchema>, "type">;
