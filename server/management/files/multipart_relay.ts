/** A file on its way to a provider as a multipart form, which is written while the file comes in. */

const encoder = new TextEncoder();

export class MultipartRelay {
  readonly body: ReadableStream<Uint8Array>;
  readonly headers: Readonly<Record<string, string>>;
  readonly #sent = Promise.withResolvers<void>();
  readonly #boundary: string;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;

  /** `token`: random text that is in no file. */
  constructor(token: string) {
    this.#boundary = `tollgate-${token}`;
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    this.body = readable;
    this.#writer = writable.getWriter();
    this.#writer.closed.catch(() => {
      // Whoever writes hears of it.
    });
    this.headers = { "content-type": `multipart/form-data; boundary=${this.#boundary}` };
  }

  /** Resolves when the file was taken; rejects when either side breaks. */
  async sendFile(filename: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#text(
      `--${this.#boundary}\r\ncontent-disposition: form-data; name="file"; filename="${
        quoted(filename)
      }"\r\n` +
        "content-type: application/octet-stream\r\n\r\n",
    );
    for await (const bytes of content) await this.#writer.write(bytes);
  }

  /** Sends the texts beside the file, and the end. */
  async end(fields: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(fields)) {
      await this.#text(
        `\r\n--${this.#boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}`,
      );
    }
    await this.#text(`\r\n--${this.#boundary}--\r\n`);
    await this.#writer.close();
    this.#sent.resolve();
  }

  /** Resolves behind the end; never where it is not reached. */
  get sent(): Promise<void> {
    return this.#sent.promise;
  }

  /** The other side gets no whole form. Harmless behind the end. */
  fail(reason: unknown): void {
    this.#writer.abort(reason).catch(() => {
      // It has ended already.
    });
  }

  #text(text: string): Promise<void> {
    return this.#writer.write(encoder.encode(text));
  }
}

/** As browsers write names into forms: what would end the name is escaped. */
const quoted = (name: string) =>
  name.replaceAll(
    /["\r\n]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`,
  );
