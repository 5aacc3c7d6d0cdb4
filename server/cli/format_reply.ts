/** Replies as text: lists as tables, records as lines. Controls in what is shown never reach the terminal. */

import { isRecord } from "../../shared/util/json.ts";

/** Columns that stand first when a table has them. */
const FIRST = [
  ...["id", "hash", "name", "slug", "label", "status", "interval", "reset_interval"],
  ...["at", "operation", "actor", "subject"],
] as const;
/** Columns that no width leaves out: those for which there is no room stand below their row. The first ones matter most. */
const KEPT = [
  ...["hash", "id", "name", "slug", "at", "operation", "actor", "subject"],
  ...[
    "status",
    "interval",
    "reset_interval",
    "provider",
    "model",
    "limit",
    "limit_usd",
    "amount_usd",
    "usage_monthly",
  ],
  ...["alert", "delivery"],
] as const;
/** In the audit log no command takes the id of an entry. */
const isLog = (names: readonly string[]) => names.includes("operation") && names.includes("actor");
/** Words that null stands for in a field, where the record has a limit. */
const NULL_WORDS: ReadonlyMap<string, string> = new Map([
  ["reset_interval", "lifetime"],
  ["limit_reset", "lifetime"],
]);
/** Columns of small records, whose values stand in one cell. */
const RECORDS: ReadonlySet<string> = new Set(["actor", "subject"]);
/** Columns of larger records, whose fields stand in one cell with their names. */
const NAMED_RECORDS: ReadonlySet<string> = new Set(["alert", "delivery"]);
/** Columns of numbers stand to the right. */
const GAP = "  ";

type Row = Readonly<Record<string, unknown>>;

interface FormatReplyOptions {
  /** Characters that a line of a table may have; columns that do not fit stand below their row, or are left out. */
  readonly width: number;
}

/** A reply of the API, without the envelope; a list inside a record stands below it, under its name. */
export function formatReply(reply: unknown, options: FormatReplyOptions): string {
  if (!isRecord(reply)) {
    return Array.isArray(reply) ? tableOf(reply.filter(isRecord), options) : cell(reply);
  }
  const { data, ...rest } = withWords(reply);
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

/** A limit that is never reset is one for the lifetime. */
function withWords(record: Row): Row {
  const limit = record.limit_usd ?? record.limit;
  if (limit === null || limit === undefined) return record;
  return Object.fromEntries(
    entriesOf(record).map(([name, value]) => [name, value === null ? NULL_WORDS.get(name) ?? null : value]),
  );
}

function tableOf(plain: readonly Row[], { width }: FormatReplyOptions): string {
  if (plain.length === 0) return "Nothing found.";
  const rows = plain.map(withWords);
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

interface TableColumn {
  readonly name: string;
  readonly width: number;
  readonly right: boolean;
}

function renderTable(rows: readonly Row[], { width, cells: all }: TableOptions): string {
  const { columns, below, left } = placeColumns(rows, { width, cells: all });
  const line = (textOf: (name: string) => string) =>
    columns.map(({ name, width: wide, right }) =>
      right ? textOf(name).padStart(wide) : textOf(name).padEnd(wide)
    ).join(GAP).trimEnd();
  return [
    line((name) => name),
    line((name) => "-".repeat(columns.find((column) => column.name === name)?.width ?? 0)),
    ...all.flatMap((row) => [
      line((name) => cellOf(row, name)),
      ...below.filter((name) => row.has(name)).map((name) => `${GAP}${name}: ${cellOf(row, name)}`),
    ]),
    ...(left.length === 0 ? [] : [`Left out for want of room, --json has them: ${left.join(", ")}`]),
  ].join("\n");
}

interface ColumnPlaces {
  readonly columns: readonly TableColumn[];
  readonly below: readonly string[];
  readonly left: readonly string[];
}

/** Gives the room to the columns that matter first; they stand in the usual order. */
function placeColumns(rows: readonly Row[], { width, cells: all }: TableOptions): ColumnPlaces {
  const names = columnsOf(rows);
  const kept = KEPT.filter((name) => names.includes(name) && !(isLog(names) && name === "id"));
  const chosen = new Map<string, TableColumn>();
  let used = 0;
  for (const name of [...kept, ...names.filter((name) => !kept.some((one) => one === name))]) {
    const wide = Math.max(name.length, ...all.map((row) => cellOf(row, name).length));
    if (chosen.size > 0 && used + wide > width) continue;
    used += wide + GAP.length;
    chosen.set(name, { name, width: wide, right: rows.every((row) => isNumeric(row[name])) });
  }
  return {
    columns: names.flatMap((name) => chosen.get(name) ?? []),
    below: kept.filter((name) => !chosen.has(name)),
    left: names.filter((name) => !chosen.has(name) && !kept.some((one) => one === name)),
  };
}

/** Names of the columns that have a value and fit into a cell. */
function columnsOf(rows: readonly Row[]): readonly string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) =>
    rows.some((row) => row[name] !== null && row[name] !== undefined) &&
    (RECORDS.has(name) || NAMED_RECORDS.has(name) ||
      rows.every((row) => typeof row[name] !== "object" || row[name] === null))
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
  if (NAMED_RECORDS.has(name) && isRecord(value)) return namedCell(value);
  if (RECORDS.has(name) && isRecord(value)) return Object.values(value).map((part) => cell(part)).join(" ");
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // deno-lint-ignore no-control-regex -- a name may hold what moves a terminal's cursor
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "?");
}

/** The fields that have a value, those of records inside among them. */
const namedCell = (record: Row): string =>
  entriesOf(record).flatMap(([name, value]) => {
    if (value === null || value === undefined) return [];
    return isRecord(value) ? [namedCell(value)] : [`${name} ${cell(value)}`];
  }).join(", ");
