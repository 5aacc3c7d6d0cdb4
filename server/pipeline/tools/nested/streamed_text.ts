/** Tells a client of the Responses API the text of a nested run while it comes, as the text of the tool's item. */

import type { ToolInput } from "../tool_definition.ts";

const TEXT = "response.output_text";
const place = { content_index: 0, logprobs: [] } as const;

export class StreamedText {
  readonly #emit: ToolInput["emit"];
  #text = "";

  /** Undefined: nobody is told. */
  constructor(emit: ToolInput["emit"]) {
    this.#emit = emit;
  }

  add(delta: string): void {
    this.#text += delta;
    this.#emit?.({ type: `${TEXT}.delta`, delta, ...place });
  }

  /** `text`: all of it, of which a provider may have told nothing before. */
  end(text: string): void {
    if (this.#text === "" && text !== "") this.add(text);
    if (this.#text !== "") this.#emit?.({ type: `${TEXT}.done`, text: this.#text, ...place });
  }
}
