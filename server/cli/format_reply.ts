/** Replies as text: lists as tables, records as lines. Controls in what is shown never reach the terminal. */

import { isRecord } from "../../shared/util/json.ts";

/** Columns that stand first when a table has them. */
const FIRST = [
  ...["id", "hash", "name", "slug", "label", "status", "interval"],
  ...["at", "operation", "actor", "subject"],
] as const;
/** Columns of small records, whose values stand in one cell. */
const RECORDS: ReadonlySet<string> = new Set(["actor", "subject"]);
/** Columns of numbers stand to the right. */
const GAP = "  ";

type Row = Readonly<Record<string, unknown>>;

export interface FormatReplyOptions {
  /** Characters that a line of a table may have; columns that do not fit are left out. */
  readonly width: number;
}

/** A reply of the API, without the envelope; a list inside a record stands below it, under its name. */
export function formatReply(reply: unknown, options: FormatReplyOptions): string {
  if (!isRecord(reply)) {
    return Array.isArray(reply) ? tableOf(reply.filter(isRecord), options) : cell(reply);
  }
  const { data, ...rest } = reply;
  const inner = data === undefined ? [] : [formatReply(data, options)];
  const entries = entriesOf(rest);
  const lists = entries.flatMap(([name, value]) => isList(value) ? [[name, value] as const] : []);
  const fields = entries.filter(([, value]) => !isList(value));
  return [
    ...inner,
    ...(fields.length === 0 ? [] : [linesOf(Object.fromEntries(fields))]),
    ...lists.map(([name, rows]) => `\n${name}:\n${tableOf(rows, options)}`),
  ].join("\n");
}

const isList = (value: unknown): value is readonly Row[] =>
  Array.isArray(value) && value.length > 0 && value.every(isRecord);

function tableOf(rows: readonly Row[], { width }: FormatReplyOptions): string {
  if (rows.length === 0) return "Nothing found.";
  const whole = rows.map(toCells);
  const fits = columnsOf(rows).reduce(
    (sum, name) => sum + GAP.length + Math.max(name.length, ...whole.map((row) => cellOf(row, name).length)),
    0,
  ) <= width;
  return renderTable(rows, { width, cells: fits ? whole : whole.map(shortenCells) });
}

type Cells = ReadonlyMap<string, string>;
const toCells = (row: Row): Cells =>
  new Map(entriesOf(row).map(([name, value]) => [name, cell(value, name)]));
const cellOf = (cells: Cells, name: string): string => cells.get(name) ?? cell(undefined);

/** As much of a hash as tells it apart, which commands take for the whole, and times to the minute. */
const shortenCells = (cells: Cells): Cells =>
  new Map([...cells].map(([name, text]) => [
    name,
    text.replace(/\b([\da-f]{12})[\da-f]{52}\b/g, "$1")
      .replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/, "$1 $2"),
  ]));

interface TableOptions extends FormatReplyOptions {
  readonly cells: readonly Cells[];
}

function renderTable(rows: readonly Row[], { width, cells: all }: TableOptions): string {
  const columns: { readonly name: string; readonly width: number; readonly right: boolean }[] = [];
  let used = 0;
  for (const name of columnsOf(rows)) {
    const cells = all.map((row) => cellOf(row, name));
    const wide = Math.max(name.length, ...cells.map((text) => text.length));
    if (columns.length > 0 && used + wide > width) continue;
    used += wide + GAP.length;
    columns.push({ name, width: wide, right: rows.every((row) => isNumeric(row[name])) });
  }
  const line = (textOf: (name: string) => string) =>
    columns.map(({ name, width: wide, right }) =>
      right ? textOf(name).padStart(wide) : textOf(name).padEnd(wide)
    ).join(GAP).trimEnd();
  return [
    line((name) => name),
    line((name) => "-".repeat(columns.find((column) => column.name === name)?.width ?? 0)),
    ...all.map((row) => line((name) => cellOf(row, name))),
  ].join("\n");
}

/** Names of the columns that have a value and fit into a cell. */
function columnsOf(rows: readonly Row[]): readonly string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) =>
    rows.some((row) => row[name] !== null && row[name] !== undefined) &&
    (RECORDS.has(name) || rows.every((row) => typeof row[name] !== "object" || row[name] === null))
  );
  const first: readonly string[] = FIRST.filter((name) => names.includes(name));
  return [...first, ...names.filter((name) => !first.includes(name))];
}

function linesOf(data: Row): string {
  const entries = entriesOf(data);
  const width = Math.max(0, ...entries.map(([key]) => key.length));
  return entries.map(([key, value]) => `${key.padEnd(width)}  ${cell(value)}`).join("\n");
}

const entriesOf = (row: Row): readonly (readonly [string, unknown])[] => Object.entries(row);

const isNumeric = (value: unknown) => typeof value === "number" || value === null || value === undefined;

function cell(value: unknown, name = ""): string {
  if (value === null || value === undefined) return "-";
  if (RECORDS.has(name) && isRecord(value)) return Object.values(value).map((part) => cell(part)).join(" ");
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // deno-lint-ignore no-control-regex -- a name may hold what moves a terminal's cursor
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "?");
}
