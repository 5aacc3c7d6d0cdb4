/**
 * Writes one object whose length is not known before its end: a short one with one request, a longer one as a
 * multipart upload whose parts are sent one after another. No more than one part is in memory.
 */

import { readText, readXml, type S3Response } from "./s3_body.ts";
import type { S3Client, S3Request } from "./s3_client.ts";
import { S3Error } from "./s3_error.ts";
import { completedUploadSchema, createdUploadSchema, escapeXml, parseXml } from "./s3_xml.ts";

/** Bytes of a part; S3 takes none below 5 MiB but the last one. */
const PART_BYTES = 8 * 1024 * 1024;
/** Most files are short and need no buffer of a whole part. */
const FIRST_BYTES = 256 * 1024;
/** For a part, in ms. */
const PART_LIMIT_MS = 60_000;
/** S3 may put the parts of a large object together for minutes. */
const COMPLETE_LIMIT_MS = 300_000;

const action = "write file";

export class S3Upload {
  readonly #client: S3Client;
  readonly #objectKey: string;
  #buffer = new Uint8Array(FIRST_BYTES);
  /** Bytes in the buffer. */
  #length = 0;
  /** Id of the multipart upload, once there is one. */
  #uploadId: string | undefined;
  readonly #entityTags: string[] = [];

  constructor(client: S3Client, objectKey: string) {
    this.#client = client;
    this.#objectKey = objectKey;
  }

  async add(bytes: Uint8Array): Promise<void> {
    for (let rest = bytes; rest.length > 0;) {
      if (this.#length === PART_BYTES) await this.#sendPart();
      this.#makeRoom(rest.length);
      const taken = rest.subarray(0, this.#buffer.length - this.#length);
      this.#buffer.set(taken, this.#length);
      this.#length += taken.length;
      rest = rest.subarray(taken.length);
    }
  }

  /** The object is there once this resolves. */
  async finish(): Promise<void> {
    if (this.#uploadId === undefined) {
      await this.#send({ method: "PUT", body: this.#content(), timeLimit: PART_LIMIT_MS }, readText);
      return;
    }
    await this.#sendPart();
    await this.#complete(this.#uploadId).catch(async (error) => {
      if (!await this.#isThere(error)) throw error;
    });
  }

  /** Removes the parts that were sent. */
  async abort(): Promise<void> {
    if (this.#uploadId === undefined) return;
    const params = [["uploadId", this.#uploadId]] as const;
    await this.#send({ method: "DELETE", params }, readText);
  }

  #content(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#length);
  }

  #makeRoom(length: number): void {
    if (this.#buffer.length === PART_BYTES || this.#length + length <= this.#buffer.length) return;
    const larger = new Uint8Array(PART_BYTES);
    larger.set(this.#content());
    this.#buffer = larger;
  }

  async #sendPart(): Promise<void> {
    this.#uploadId ??= await this.#create();
    const partNumber = String(this.#entityTags.length + 1);
    const params = [["partNumber", partNumber], ["uploadId", this.#uploadId]] as const;
    const part = { method: "PUT", params, body: this.#content(), timeLimit: PART_LIMIT_MS } as const;
    this.#entityTags.push(await this.#send(part, readEntityTag));
    this.#length = 0;
  }

  async #create(): Promise<string> {
    const created = await this.#send(
      { method: "POST", params: [["uploads", ""]] },
      (received) => readXml(received, createdUploadSchema),
    );
    return created.InitiateMultipartUploadResult.UploadId;
  }

  async #complete(uploadId: string): Promise<void> {
    const parts = this.#entityTags.map((tag, index) =>
      `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`
    );
    const body = new TextEncoder().encode(
      `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join("")}` +
        "</CompleteMultipartUpload>",
    );
    const params = [["uploadId", uploadId]] as const;
    await this.#send({ method: "POST", params, body, timeLimit: COMPLETE_LIMIT_MS }, async (received) => {
      const text = await readText(received);
      // S3 sends its status before it begins, so that an error comes with a status of success.
      await parseXml(text, completedUploadSchema).catch(async () => {
        throw await this.#client.responseError(received, text);
      });
    });
  }

  /** True where an upload is unknown because a request before it, whose response was lost, has completed it. */
  async #isThere(error: unknown): Promise<boolean> {
    if (!(error instanceof S3Error) || error.code !== "NoSuchUpload") return false;
    try {
      await this.#send({ method: "HEAD" }, readText);
      return true;
    } catch (why) {
      if (why instanceof S3Error && why.isMissing) return false;
      throw why;
    }
  }

  #send<T>(
    request: Omit<S3Request, "action" | "objectKey">,
    read: (response: S3Response) => Promise<T>,
  ): Promise<T> {
    return this.#client.send({ ...request, action, objectKey: this.#objectKey }, read);
  }
}

async function readEntityTag(received: S3Response): Promise<string> {
  await readText(received);
  const tag = received.response.headers.get("etag");
  if (tag === null) throw new S3Error({ action, why: "S3 responded to a part without an ETag" });
  return tag;
}
