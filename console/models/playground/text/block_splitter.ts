/**
 * Cuts a text in Markdown into blocks while it grows. A block that is complete never changes again, so that a long
 * answer is parsed block by block and not anew with every delta.
 */

/** `continued`: it goes on where the block before was cut because of its length. */
export type TextBlock =
  | { readonly type: "markdown"; readonly text: string }
  | { readonly type: "code"; readonly text: string; readonly language: string; readonly continued: boolean }
  | { readonly type: "plain"; readonly text: string };

/** Characters of a block; what is longer is cut. */
export const MOST_BLOCK_CHARS = 16_000;
/** Characters of an image that stands in the text. */
const MOST_IMAGE_CHARS = 12_000_000;

const fenceStart = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`\s]{0,40})[^`]*$/;
const innerFence = /^\s{4,}(?:`{3}|~{3})|^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:`{3}|~{3})/;
const listMarker = /^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;

interface Fence {
  /** Closes it. */
  readonly end: RegExp;
  readonly language: string;
  readonly continued: boolean;
}

export class BlockSplitter {
  #done: TextBlock[] = [];
  /** Complete lines of the block that is open. */
  #lines = "";
  /** The line that has no end yet. */
  #tail = "";
  #fence: Fence | undefined;
  #isList = false;
  #hasInnerFence = false;
  #afterBlank = false;
  /** The rest of a line that was too long. */
  #isCutLine = false;

  push(text: string): void {
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      this.#line(this.#tail + text.slice(from, end));
      this.#tail = "";
      from = end + 1;
    }
    this.#tail += text.slice(from);
    if (this.#lines.length + this.#tail.length > MOST_BLOCK_CHARS) this.#cut();
  }

  /** Blocks that have become complete since the last call. */
  take(): readonly TextBlock[] {
    const done = this.#done;
    this.#done = [];
    return done;
  }

  /** The block that is open as far as it has come; undefined where there is none. */
  open(): TextBlock | undefined {
    const text = this.#lines + this.#tail;
    if (this.#isCutLine) return text === "" ? undefined : { type: "plain", text };
    if (this.#fence !== undefined) {
      return this.#code(this.#fence.end.test(this.#tail) ? this.#lines : text);
    }
    if (this.#imageAt() >= 0) return toBlock(text.slice(0, this.#imageAt()));
    return text.trim() === "" ? undefined : toBlock(text);
  }

  /** The text is over. */
  finish(): void {
    if (this.#fence?.end.test(this.#tail) === true) this.push("\n");
    const open = this.open();
    if (open !== undefined) this.#emit(open);
    this.#lines = this.#tail = "";
    this.#fence = undefined;
    this.#begin();
  }

  #line(line: string): void {
    if (this.#isCutLine) return this.#endCutLine(line);
    if (this.#fence !== undefined) return this.#fenceLine(line, this.#fence);
    const [, fence, language = ""] = fenceStart.exec(line) ?? [];
    if (fence !== undefined && !this.#hasInnerFence) {
      this.#settle();
      this.#fence = { end: fenceEnd(fence), language, continued: false };
      return;
    }
    if (line.trim() === "") {
      this.#afterBlank = true;
      this.#lines += "\n";
      return;
    }
    if (this.#beginsBlock(line)) this.#settle();
    if (this.#lines === "") this.#isList = listMarker.test(line);
    if (innerFence.test(line)) this.#hasInnerFence = !this.#hasInnerFence;
    this.#afterBlank = false;
    this.#lines += `${line}\n`;
    if (this.#lines.length > MOST_BLOCK_CHARS) this.#settle();
  }

  /** Each item of a list is a block, and so is what stands behind an empty line. */
  #beginsBlock(line: string): boolean {
    if (this.#hasInnerFence || this.#lines === "") return false;
    if (this.#isList) return listMarker.test(line) || (this.#afterBlank && !/^\s/.test(line));
    return this.#afterBlank && !(/^(?: {4}|\t)/.test(line) && /^(?: {4}|\t)/.test(this.#lines));
  }

  #fenceLine(line: string, fence: Fence): void {
    if (!fence.end.test(line)) {
      this.#lines += `${line}\n`;
      if (this.#lines.length > MOST_BLOCK_CHARS) this.#cut();
      return;
    }
    this.#emit(this.#code(this.#lines));
    this.#fence = undefined;
    this.#lines = "";
    this.#begin();
  }

  #endCutLine(line: string): void {
    if (line !== "") this.#emit({ type: "plain", text: line });
    this.#isCutLine = false;
    this.#begin();
  }

  /** Lets a block that is too long go on in a further one. */
  #cut(): void {
    if (this.#fence !== undefined) {
      this.#emit(this.#code(this.#lines + this.#tail));
      this.#fence = { ...this.#fence, continued: true };
      this.#lines = this.#tail = "";
      return;
    }
    if (this.#imageAt() >= 0) return;
    if (this.#lines !== "") this.#settle();
    if (this.#tail.length <= MOST_BLOCK_CHARS) return;
    this.#emit({ type: "plain", text: this.#tail });
    this.#tail = "";
    this.#isCutLine = true;
  }

  /** One that is parsed goes as it is: it is not long but for the bytes of images. */
  #emit(block: TextBlock): void {
    if (block.type === "markdown" || block.text.length <= MOST_BLOCK_CHARS) {
      this.#done.push(block);
      return;
    }
    for (let from = 0; from < block.text.length; from += MOST_BLOCK_CHARS) {
      const text = block.text.slice(from, from + MOST_BLOCK_CHARS);
      this.#done.push(
        block.type === "plain"
          ? { ...block, text }
          : { ...block, text, continued: block.continued || from > 0 },
      );
    }
  }

  /** Where an image begins whose bytes are still coming; -1 where none does. */
  #imageAt(): number {
    const at = this.#tail.lastIndexOf("![");
    const isImage = at >= 0 && this.#tail.length < MOST_IMAGE_CHARS &&
      /^!\[[^\]\n]{0,200}\]\(data:image\//.test(this.#tail.slice(at, at + 240)) &&
      this.#tail.indexOf(")", at) < 0;
    return isImage ? this.#lines.length + at : -1;
  }

  #settle(): void {
    if (this.#lines.trim() !== "") this.#emit(toBlock(this.#lines));
    this.#lines = "";
    this.#begin();
  }

  #begin(): void {
    this.#isList = this.#hasInnerFence = this.#afterBlank = false;
  }

  #code(text: string): TextBlock {
    const { language = "", continued = false } = this.#fence ?? {};
    return { type: "code", text: text.replace(/\n$/, ""), language, continued };
  }
}

const fenceEnd = (fence: string): RegExp => new RegExp(`^ {0,3}${fence[0]}{${fence.length},}\\s*$`);

/** Marks for which a parser may have to look through the rest of the text. */
const costly = /[*_~[\]!<]/g;
/** The most that the number of them times the length of the text may be. */
const MOST_LOOKING = 500_000;
const MOST_PIPES = 2_000;
const nested = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){12}|^[ \t]{40}/m;
const longWord = /\S{1000}/;
/** An image in the text, with its bytes. */
export const inlineImage =
  /!\[([^\]\n]{0,200})\]\((data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+)\)/g;

/** A text as Markdown, or as it stands where parsing it could take long. */
function toBlock(text: string): TextBlock {
  const words = text.includes("](data:image/") ? text.replaceAll(inlineImage, "") : text;
  const marks = words.match(costly)?.length ?? 0;
  const pipes = words.split("|", MOST_PIPES + 1).length;
  const isQuick = words.length <= 2 * MOST_BLOCK_CHARS && marks * words.length <= MOST_LOOKING &&
    pipes <= MOST_PIPES && !nested.test(words) && !longWord.test(words);
  return { type: isQuick ? "markdown" : "plain", text };
}
