/** Reading the bodies of S3's responses. */

import type * as z from "zod";
import type { Clock } from "../../runtime.ts";
import { asS3Error, S3Error } from "./s3_error.ts";
import { parseXml } from "./s3_xml.ts";

/** Most of an XML document that is read, in bytes; a full list of 1,000 keys is below 3 MB. */
const XML_BYTES = 8 * 1024 * 1024;
/** Longest wait for more of an object, in ms. */
const IDLE_MS = 30_000;

/** A response whose headers have come. */
export interface S3Response {
  readonly response: Response;
  /** Action of the request, for errors. */
  readonly action: string;
  /** Ends the request and what is left of its body. */
  readonly abort: (error: S3Error) => void;
}

/** The body as a text. */
export async function readText({ response, action }: S3Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const bytes of response.body ?? []) {
    size += bytes.length;
    if (size > XML_BYTES) {
      throw new S3Error({ action, why: `S3 responded with more than ${XML_BYTES} bytes` });
    }
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}

/** The body as the schema has it. */
export async function readXml<T>(received: S3Response, schema: z.ZodType<T>): Promise<T> {
  const text = await readText(received);
  return await parseXml(text, schema).catch((cause) => {
    throw new S3Error({ action: received.action, why: "the response is not one of S3", cause });
  });
}

/** The body as it comes. It breaks off with a BlobError, also where nothing comes for too long. */
export function streamBody(
  { response, action, abort }: S3Response,
  clock: Clock,
): ReadableStream<Uint8Array> {
  const reader = response.body?.getReader();
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const why = `S3 sent nothing for ${IDLE_MS / 1_000} s`;
      const cancelLimit = clock.after(IDLE_MS, () => abort(new S3Error({ action, why })));
      try {
        const { done = true, value } = await reader?.read() ?? {};
        if (done || value === undefined) return controller.close();
        controller.enqueue(value);
      } catch (error) {
        throw asS3Error(error, action);
      } finally {
        cancelLimit();
      }
    },
    cancel: (reason) => reader?.cancel(reason),
  }, { highWaterMark: 0 });
}
