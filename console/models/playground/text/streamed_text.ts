/** A text that grows: its blocks as they are to be drawn. */

import { signal } from "@preact/signals";
import { BlockSplitter, type TextBlock } from "./block_splitter.ts";

/** Blocks that are drawn together: of many, only the last group is looked at again. */
const GROUP = 40;

type BlockGroup = readonly TextBlock[];

export class StreamedText {
  #splitter = new BlockSplitter();
  readonly #parts: string[] = [];
  #length = 0;
  readonly groups = signal<readonly BlockGroup[]>([]);
  readonly open = signal<TextBlock | undefined>(undefined);

  /** Characters so far. */
  get length(): number {
    return this.#length;
  }

  whole(): string {
    return this.#parts.join("");
  }

  /** Takes a delta; it is shown with the next `flush`. */
  append(delta: string): void {
    this.#parts.push(delta);
    this.#length += delta.length;
    this.#splitter.push(delta);
  }

  flush(): void {
    this.#show(this.#splitter.take());
    this.open.value = this.#splitter.open();
  }

  /** Shows all of it; with another text where that is more than what has come. */
  finish(text?: string): void {
    if (text !== undefined && text !== this.whole()) this.#replace(text);
    this.#splitter.finish();
    this.flush();
  }

  #replace(text: string): void {
    this.#parts.splice(0, Infinity, text);
    this.#length = text.length;
    this.#splitter = new BlockSplitter();
    this.groups.value = [];
    this.#splitter.push(text);
  }

  #show(blocks: readonly TextBlock[]): void {
    if (blocks.length === 0) return;
    const groups = [...this.groups.value];
    let last = [...groups.pop() ?? []];
    for (const block of blocks) {
      if (last.length === GROUP) {
        groups.push(last);
        last = [];
      }
      last.push(block);
    }
    this.groups.value = [...groups, last];
  }
}
