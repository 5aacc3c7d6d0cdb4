/** The text of a body that comes chunk by chunk. */

const wholeText = new TextDecoder();

/** Text that comes as bytes; what comes at once needs no decoder of its own. */
export class TextCollector {
  size = 0;
  #decoder: TextDecoder | undefined;
  #text = "";

  take(bytes: Uint8Array, last: boolean): void {
    if (last && this.size === 0) this.#text = wholeText.decode(bytes);
    else this.#text += (this.#decoder ??= new TextDecoder()).decode(bytes, { stream: true });
    this.size += bytes.length;
  }

  end(): string {
    return this.#decoder === undefined ? this.#text : this.#text + this.#decoder.decode();
  }
}
