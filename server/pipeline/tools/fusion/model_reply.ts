/** Collects what a model of a run says: its text, its failure, and the pages that it cites. */

import type { Failure, FinishEvent, OutputEvent } from "../../../protocols/canonical/event.ts";
import type { Annotation } from "../../../protocols/canonical/item.ts";
import type { WebSource } from "../tool_memory.ts";

export class ModelReply {
  /** By item: texts of different messages are paragraphs. */
  readonly #texts = new Map<string | number, string>();
  readonly #sources: WebSource[] = [];
  #failure: Failure | undefined;
  #end: FinishEvent | undefined;
  readonly #onDelta: (kind: "text" | "thought", delta: string) => void;

  constructor(onDelta: (kind: "text" | "thought", delta: string) => void) {
    this.#onDelta = onDelta;
  }

  /** Without white space around it. */
  get text(): string {
    return [...this.#texts.values()].map((text) => text.trim()).filter((text) => text !== "").join("\n\n");
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** The model has ended its answer. */
  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** The model was cut at its limit of tokens. */
  get isCut(): boolean {
    return this.#end?.reason === "length";
  }

  get sources(): readonly WebSource[] {
    return this.#sources;
  }

  read(batch: readonly OutputEvent[]): void {
    for (const event of batch) this.#readEvent(event);
  }

  #readEvent(event: OutputEvent): void {
    switch (event.type) {
      case "text":
        this.#texts.set(event.itemKey, (this.#texts.get(event.itemKey) ?? "") + event.delta);
        this.#onDelta("text", event.delta);
        return;
      case "thought":
      case "summary":
        this.#onDelta("thought", event.delta);
        return;
      case "annotation":
        this.#cite(event.annotation);
        return;
      case "item_done":
        this.#readItem(event.itemKey, event.item);
        return;
      case "finish":
        this.#end = event;
        return;
      case "failure":
        this.#failure = event.failure;
        return;
      default:
    }
  }

  /** A response that came whole tells a message at its end, with no piece before. */
  #readItem(itemKey: string | number, item: Extract<OutputEvent, { type: "item_done" }>["item"]): void {
    if (item?.type !== "message" || this.#texts.has(itemKey)) return;
    const parts = item.parts.filter((part) => part.type === "text");
    const text = parts.map((part) => part.text).join("");
    if (text !== "") this.#texts.set(itemKey, text);
    for (const { annotations = [] } of parts) for (const annotation of annotations) this.#cite(annotation);
  }

  #cite({ type, url, title }: Annotation): void {
    if (type !== "url_citation" || typeof url !== "string") return;
    this.#sources.push({ url, title: typeof title === "string" ? title : url });
  }
}
