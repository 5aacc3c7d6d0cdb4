/** The blocks of a document as Markdown: headings, paragraphs, items of lists, tables. */

const MAX_LEVEL = 6;

/** The text of a cell by its column. */
interface SparseRow {
  get(column: number): string | undefined;
}

export class Blocks {
  readonly #maxCharacters: number;
  readonly #parts: string[] = [];
  #length = 0;
  #lastIsItem = false;

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  /** There is more text than is wanted. */
  get isFull(): boolean {
    return this.#length > this.#maxCharacters;
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  paragraph(text: string): void {
    this.#add(text.trim(), { isItem: false });
  }

  /** Levels begin at 1. */
  heading(text: string, level: number): void {
    const line = oneLine(text);
    if (line !== "") this.#add(`${"#".repeat(Math.min(MAX_LEVEL, level))} ${line}`, { isItem: false });
  }

  /** Levels begin at 0. */
  item(text: string, { marker, level }: { readonly marker: string; readonly level: number }): void {
    const indent = "    ".repeat(Math.min(8, level));
    const lines = text.trim().replaceAll("\n", `\n${indent}  `);
    if (lines !== "") this.#add(`${indent}${marker} ${lines}`, { isItem: true });
  }

  /** The first row is the head. Rows may have different lengths; one without a text is left out. */
  table(rows: readonly (readonly string[])[]): void {
    const shown = rows.filter((row) => row.some((cell) => cell.trim() !== ""));
    const width = shown.reduce((most, row) => Math.max(most, row.length), 0);
    this.sparseTable(
      shown.map((row) => ({ get: (at) => row[at] })),
      Array.from({ length: width }, (_, at) => at),
    );
  }

  /** Rows with a text, and the columns that are shown. */
  sparseTable(rows: readonly SparseRow[], columns: readonly number[]): void {
    const lines: string[] = [];
    let length = 0;
    for (const row of rows) {
      const line = `| ${columns.map((column) => cellMarkdown(row.get(column) ?? "")).join(" | ")} |`;
      lines.push(line);
      if (lines.length === 1) lines.push(`|${" --- |".repeat(columns.length)}`);
      length += line.length;
      if (length > this.#maxCharacters) break;
    }
    this.#add(lines.join("\n"), { isItem: false });
  }

  #add(text: string, { isItem }: { readonly isItem: boolean }): void {
    if (text.trim() === "") return;
    const gap = this.isEmpty ? "" : isItem && this.#lastIsItem ? "\n" : "\n\n";
    this.#parts.push(gap, text);
    this.#length += gap.length + text.length;
    this.#lastIsItem = isItem;
  }

  toString(): string {
    return this.#parts.join("");
  }
}

export const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

const cellMarkdown = (text: string): string =>
  text.replaceAll("|", "\\|").split("\n").map((line) => line.trim()).filter((line) => line !== "").join(
    "<br>",
  );
