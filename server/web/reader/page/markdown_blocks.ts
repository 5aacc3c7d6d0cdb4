/** Writes the text of a page as blocks of Markdown, of which each has an end in sight: nothing of it is read again. */

import { visibleText } from "../../../../shared/util/visible_text.ts";

interface MarkdownBlock {
  readonly text: string;
  /** Stands right below the block before it where that is of the same kind. */
  readonly kind: "paragraph" | "item" | "row";
  readonly isNavigation: boolean;
}

/** Units of a block before it is cut. */
const MOST_BLOCK = 65_536;
/** Levels of lists, quotes and spans that are shown as such. */
const MOST_LEVELS = 8;
const CELL_BORDER = " | ";

interface OpenList {
  readonly isOrdered: boolean;
  next: number;
}

interface OpenTable {
  rows: number;
  cells: number;
  isRow: boolean;
  /** Has blocks in its cells, which are blocks of the page then. */
  isLayout: boolean;
}

interface OpenSpan {
  /** Number of parts of the block before it. */
  from: number;
  readonly wrap: (inner: string) => string;
}

export class MarkdownBlocks {
  /** Units kept, of both kinds. */
  readonly kept = { page: 0, navigation: 0 };
  readonly #blocks: MarkdownBlock[] = [];
  readonly #mostUnits: number;
  readonly #lists: OpenList[] = [];
  readonly #tables: OpenTable[] = [];
  readonly #spans: OpenSpan[] = [];
  #parts: string[] = [];
  #length = 0;
  #endsBlank = true;
  #marker = "";
  #quotes = 0;
  #heading = 0;
  #preformatted = 0;
  #isNavigation = false;

  /** Keeps so many units, and as many of navigation. */
  constructor(mostUnits: number) {
    this.#mostUnits = mostUnits;
  }

  text(text: string): void {
    const shown = this.#preformatted > 0 ? text : this.#collapse(text);
    if (shown === "") return;
    this.#add(shown);
  }

  lineBreak(): void {
    if (this.#table?.isRow === true) return this.text(" ");
    this.#add("\n");
    this.#endsBlank = true;
  }

  picture(alt: string, address: string | undefined): void {
    const described = alt.replaceAll(/[\s[\]]+/g, " ").trim();
    if (described === "" && address === undefined) return;
    this.#add(address === undefined ? described : `![${described}](${address})`);
    this.#endsBlank = false;
  }

  rule(): void {
    this.endBlock();
    this.#add("---");
    this.endBlock();
  }

  /** A block that begins or ends; within a cell of a table that is a blank. */
  border(isLayout: boolean): void {
    const table = this.#table;
    if (table?.isRow !== true) return this.endBlock();
    if (!isLayout) return this.text(" ");
    table.isLayout = true;
    table.isRow = false;
    if (this.#parts.at(-1) === CELL_BORDER) this.#parts.pop();
    this.endBlock();
  }

  endBlock(): void {
    for (const span of this.#spans.toReversed()) this.#wrap(span);
    const table = this.#table?.isRow === true ? this.#table : undefined;
    const written = visibleText(this.#parts.join(""));
    const text = this.#preformatted > 0 ? written.replace(/^\n+/, "").trimEnd() : tidy(written);
    this.#parts = [];
    this.#length = 0;
    this.#endsBlank = true;
    for (const span of this.#spans) span.from = 0;
    if (text.replaceAll(/[|\s]+/g, "") === "") return;
    const kind = table ? "row" : this.#marker === "" ? "paragraph" : "item";
    this.#keep({ text: this.#decorate(text, table), kind, isNavigation: this.#isNavigation });
  }

  navigation(isNavigation: boolean): void {
    if (isNavigation === this.#isNavigation) return;
    this.endBlock();
    this.#isNavigation = isNavigation;
  }

  heading(level: number): void {
    this.#heading = level;
  }

  quote(change: 1 | -1): void {
    this.#quotes += change;
  }

  preformatted(change: 1 | -1): void {
    this.#preformatted += change;
  }

  get isPreformatted(): boolean {
    return this.#preformatted > 0;
  }

  beginList(isOrdered: boolean, start: number): void {
    this.#lists.push({ isOrdered, next: start });
  }

  endList(): void {
    this.#lists.pop();
  }

  item(): void {
    const list = this.#lists.at(-1);
    this.#marker = list?.isOrdered === true ? `${list.next++}. ` : "- ";
  }

  endItem(): void {
    this.endBlock();
    this.#marker = "";
  }

  beginTable(): void {
    this.#tables.push({ rows: 0, cells: 0, isRow: false, isLayout: false });
  }

  endTable(): void {
    this.#tables.pop();
  }

  beginRow(): void {
    const table = this.#table;
    if (table === undefined || table.isLayout) return;
    table.isRow = true;
    table.cells = 0;
  }

  endRow(): void {
    const table = this.#table;
    if (table?.isRow !== true) return;
    this.endBlock();
    table.isRow = false;
  }

  cell(): void {
    const table = this.#table;
    if (table?.isRow !== true) return this.endBlock();
    if (table.cells > 0) this.#add(CELL_BORDER);
    this.#endsBlank = true;
    table.cells++;
  }

  /** False where it is written without its form: too many are open, each of which every block within would repeat. */
  beginSpan(wrap: (inner: string) => string): boolean {
    if (this.#spans.length >= MOST_LEVELS) return false;
    this.#spans.push({ from: this.#parts.length, wrap });
    return true;
  }

  endSpan(): void {
    const span = this.#spans.pop();
    if (span) this.#wrap(span);
  }

  /** The blocks as one text, with or without those of navigation; more than `mostUnits` of it are cut off roughly. */
  join(withNavigation: boolean): string {
    const parts: string[] = [];
    let length = 0;
    let before: MarkdownBlock["kind"] | undefined;
    for (const { text, kind, isNavigation } of this.#blocks) {
      if (isNavigation && !withNavigation) continue;
      if (length > this.#mostUnits) break;
      const isTight = kind !== "paragraph" && kind === before;
      parts.push(before === undefined ? "" : isTight ? "\n" : "\n\n", text);
      length += text.length;
      before = kind;
    }
    return parts.join("");
  }

  get #table(): OpenTable | undefined {
    return this.#tables.at(-1);
  }

  #add(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
    if (this.#length >= MOST_BLOCK) this.endBlock();
  }

  /** Runs of blanks are one, also over the borders of texts. */
  #collapse(text: string): string {
    const collapsed = text.replaceAll(/[ \t\n\f\r]+/g, " ");
    const shown = this.#endsBlank && collapsed.startsWith(" ") ? collapsed.slice(1) : collapsed;
    if (shown !== "") this.#endsBlank = shown.endsWith(" ");
    return shown;
  }

  /** Makes one part of what stands in a span. */
  #wrap({ from, wrap }: OpenSpan): void {
    const inner = this.#parts.splice(from).join("");
    const text = inner.trim();
    if (text === "") return void this.#parts.push(inner);
    const before = inner.slice(0, inner.length - inner.trimStart().length);
    this.#parts.push(`${before}${wrap(text)}${inner.slice(inner.trimEnd().length)}`);
  }

  #decorate(text: string, table: OpenTable | undefined): string {
    const quote = "> ".repeat(Math.min(this.#quotes, MOST_LEVELS));
    const indent = "  ".repeat(Math.min(Math.max(0, this.#lists.length - 1), MOST_LEVELS));
    const marker = this.#marker;
    this.#marker = "";
    const shown = table ? rowOf(text, table) : this.#preformatted > 0 ? `\`\`\`\n${text}\n\`\`\`` : text;
    const heading = this.#heading > 0 ? `${"#".repeat(this.#heading)} ` : "";
    const first = `${quote}${indent}${marker || (this.#lists.length > 0 ? "  " : "")}${heading}`;
    const others = `${quote}${indent}${this.#lists.length > 0 ? "  " : ""}`;
    return `${first}${shown.replaceAll("\n", `\n${others}`)}`;
  }

  #keep(block: MarkdownBlock): void {
    const kind = block.isNavigation ? "navigation" : "page";
    if (this.kept[kind] > this.#mostUnits) return;
    this.kept[kind] += block.text.length;
    this.#blocks.push(block);
  }
}

/**
 * Without blanks at the ends of lines and cells. Of runs that invisible letters leave, one blank stays before anything else
 * is looked for: a pattern that begins with blanks would begin anew at each of thousands.
 */
const tidy = (text: string): string =>
  text.replaceAll(/ {3,}/g, " ").replaceAll(/ +\n/g, "\n").replaceAll(/\n{3,}/g, "\n\n")
    .replaceAll(/ +\| /g, CELL_BORDER).trim();

/** Markdown's tables have a head: the first row is taken for it. */
function rowOf(text: string, table: OpenTable): string {
  const row = `| ${text} |`;
  return table.rows++ > 0 ? row : `${row}\n|${" --- |".repeat(table.cells)}`;
}
