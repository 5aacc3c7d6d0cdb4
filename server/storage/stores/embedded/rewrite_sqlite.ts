/** Copies a SQLite database row by row: `vacuum` needs a right that Deno does not give (to attach a database). */

import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../store.ts";

/** Writes the content of `from`, which nobody else may be using, to the new file `to`. */
export function rewriteSqlite(from: string, to: string): void {
  const source = new DatabaseSync(from);
  const target = new DatabaseSync(to);
  try {
    source.exec("pragma wal_checkpoint(truncate)");
    target.exec(`pragma page_size = ${pragma(source, "page_size")}`);
    target.exec("pragma synchronous = full");
    target.exec("begin");
    for (const { name, sql, table } of objectsOf(source)) {
      target.exec(sql);
      if (table) copyTable({ source, target, name });
    }
    target.exec(`pragma user_version = ${pragma(source, "user_version")}`);
    target.exec("commit");
    target.exec("pragma journal_mode = wal");
  } finally {
    source.close();
    target.close();
  }
}

interface Databases {
  readonly source: DatabaseSync;
  readonly target: DatabaseSync;
  readonly name: string;
}

/** Names come from the database itself and are quoted as names. */
function copyTable({ source, target, name }: Databases): void {
  const table = quoted(name);
  const columns = source.prepare(`select name from pragma_table_info(?)`).all(name).map((row) =>
    textOf(row["name"])
  );
  const marks = columns.map(() => "?").join();
  const insert = target.prepare(`insert into ${table} (${columns.map(quoted).join()}) values (${marks})`);
  const select = source.prepare(`select ${columns.map(quoted).join()} from ${table}`);
  select.setReadBigInts(true);
  for (const row of select.iterate()) insert.run(...columns.map((column) => row[column] ?? null));
}

interface SchemaObject {
  readonly name: string;
  readonly sql: string;
  readonly table: boolean;
}

/** Tables before the indexes and triggers that speak of them. What SQLite makes by itself has no text. */
function objectsOf(source: DatabaseSync): readonly SchemaObject[] {
  const rows = source.prepare(
    "select name, sql, type from sqlite_master where sql is not null and name not like 'sqlite_%' order by type = 'table' desc",
  ).all();
  return rows.map((row) => ({
    name: textOf(row["name"]),
    sql: textOf(row["sql"]),
    table: row["type"] === "table",
  }));
}

function pragma(database: DatabaseSync, name: "page_size" | "user_version"): number {
  return Number(database.prepare(`pragma ${name}`).get()?.[name] ?? 0);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  throw new StoreError("corrupt", "The database has a table without a name");
}
