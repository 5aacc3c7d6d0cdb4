/** The XML of S3's responses. Its parser is loaded with the first of them. */

import * as z from "zod";

/** Elements of which there may be one, many or none. */
const lists: readonly string[] = ["Contents", "Upload"];

const moment = z.string().transform((text) => Date.parse(text)).refine(Number.isFinite);
const flag = z.string().optional().transform((text) => text === "true");

const errorSchema = z.object({
  Error: z.object({ Code: z.string().optional(), Message: z.string().optional() }),
});

export const objectListSchema = z.object({
  ListBucketResult: z.object({
    Contents: z.array(z.object({ Key: z.string(), LastModified: moment })).default([]),
    IsTruncated: flag,
    NextContinuationToken: z.string().optional(),
  }),
});

export const uploadListSchema = z.object({
  ListMultipartUploadsResult: z.object({
    Upload: z.array(z.object({ Key: z.string(), UploadId: z.string(), Initiated: moment })).default([]),
    IsTruncated: flag,
    NextKeyMarker: z.string().optional(),
    NextUploadIdMarker: z.string().optional(),
  }),
});

export const createdUploadSchema = z.object({
  InitiateMultipartUploadResult: z.object({ UploadId: z.string().min(1) }),
});

export const completedUploadSchema = z.object({ CompleteMultipartUploadResult: z.unknown() });

/** The document as the schema has it. Throws where it is another one, or none. */
export async function parseXml<T>(text: string, schema: z.ZodType<T>): Promise<T> {
  return schema.parse(await parseDocument(text));
}

/** Parses an error's body; undefined for any other text. */
export async function parseErrorXml(
  text: string,
): Promise<z.infer<typeof errorSchema>["Error"] | undefined> {
  try {
    return errorSchema.safeParse(await parseDocument(text)).data?.Error;
  } catch {
    // Not XML: a proxy's page, for one. The status has to do.
    return undefined;
  }
}

async function parseDocument(text: string): Promise<unknown> {
  // S3 declares no entities of its own, and nobody else may.
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) throw new Error("The XML has a document type");
  const { XMLParser } = await import("fast-xml-parser");
  const parser = new XMLParser({
    parseTagValue: false,
    trimValues: false,
    isArray: (name) => lists.includes(name),
  });
  const document: unknown = parser.parse(text);
  return document;
}

const escapes: ReadonlyMap<string, string> = new Map([["&", "&amp;"], ["<", "&lt;"], [">", "&gt;"]]);

/** A text as the content of an element. */
export function escapeXml(text: string): string {
  return text.replaceAll(/[&<>]/g, (character) => escapes.get(character) ?? character);
}
