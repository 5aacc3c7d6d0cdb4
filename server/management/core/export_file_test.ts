import assert from "node:assert/strict";
import { MAX_EXPORT_ROWS } from "../../../shared/management/exports.ts";
import type { ExportFormat } from "../../../shared/management/lists/export_formats.ts";
import { exportFile } from "./export_file.ts";

const deps = {
  pause: () => Promise.resolve(),
  runtime: {
    clock: { now: () => Date.UTC(2026, 0, 2), monotonic: () => 0, after: () => () => {} },
  },
};

async function* pagesOf(rows: readonly Readonly<Record<string, unknown>>[], size = 2) {
  for (let at = 0; at < rows.length; at += size) yield await Promise.resolve(rows.slice(at, at + size));
}

async function textOf(rows: readonly Readonly<Record<string, unknown>>[], format: ExportFormat) {
  const file = exportFile(deps, { name: "things", format, columns: ["name", "value"], pages: pagesOf(rows) });
  assert.equal(file.filename, `things-2026-01-02.${format === "jsonl" ? "jsonl" : "csv"}`);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await new Response(await file.open()).bytes());
}

Deno.test("exportFile writes texts that no table program takes for a formula", async () => {
  const cases = [
    ["=1+1", "'=1+1"],
    ["+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"],
    ["-2", "'-2"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["  =1", "'  =1"],
    ["\t=1", "'\t=1"],
    ["\rx", `"'\rx"`],
    ["a;=1+1", "a;'=1+1"],
    ["a; @x;b", "a;' @x;b"],
    ["\uff1d1", "'\uff1d1"],
    ["|x", "'|x"],
    ['say "hi", you', '"say ""hi"", you"'],
    ["two\nlines", '"two\nlines"'],
    ["<script>", "<script>"],
    ["a-b", "a-b"],
    [" a ", '" a "'],
    [-2, "-2"],
    [true, "true"],
    [null, ""],
    [undefined, ""],
    [["=1"], '"[""=1""]"'],
  ] as const;
  const text = await textOf(cases.map(([value]) => ({ name: "n", value })), "csv");
  assert.equal(text, `name,value\r\n${cases.map(([, cell]) => `n,${cell}\r\n`).join("")}`);
});

Deno.test("exportFile puts a byte order mark before CSV for Excel, and before nothing else", async () => {
  const rows = [{ name: "Käse", value: "Ärger" }];
  const csv = await textOf(rows, "csv");
  assert.equal(csv, "name,value\r\nKäse,Ärger\r\n");
  assert.equal(await textOf(rows, "excel"), `\ufeff${csv}`);
  assert((await textOf(rows, "jsonl")).startsWith("{"));
});

Deno.test("exportFile writes each row as a line of JSON", async () => {
  const rows = [{ name: "=a", value: { b: [1] } }, { name: "two\nlines" }, { name: "c" }];
  const text = await textOf(rows, "jsonl");
  assert.deepEqual(text.trimEnd().split("\n").map((line) => JSON.parse(line)), rows);
});

Deno.test("exportFile ends at its most rows, and reads no page that nobody wants", async () => {
  let pages = 0;
  const endless = async function* () {
    for (;;) {
      pages++;
      yield await Promise.resolve(Array.from({ length: 1_000 }, (_, name) => ({ name })));
    }
  };
  const open = () => exportFile(deps, { name: "x", format: "jsonl", columns: [], pages: endless() }).open();
  const lines = (await new Response(await open()).text()).split("\n").length - 1;
  assert.deepEqual([lines, pages], [MAX_EXPORT_ROWS + 1, MAX_EXPORT_ROWS / 1_000 + 1]);
  pages = 0;
  const reader = (await open()).getReader();
  await reader.read();
  await reader.cancel();
  assert(pages < 5, `${pages} pages`);
});

Deno.test("exportFile says in a last line that there are more rows, and nothing where there are none", async () => {
  const columns = ["name", "value", "more"];
  const last = async (count: number, format: "csv" | "jsonl") => {
    const rows = Array.from({ length: count }, (_, name) => ({ name }));
    const file = exportFile(deps, { name: "x", format, columns, pages: pagesOf(rows, 1_000) });
    return (await new Response(await file.open()).text()).trimEnd().split("\n").at(-1)?.trimEnd();
  };
  const most = MAX_EXPORT_ROWS;
  assert.deepEqual([await last(most, "csv"), await last(most, "jsonl")], [
    `${most - 1},,`,
    `{"name":${most - 1}}`,
  ]);
  assert.deepEqual([await last(most + 1, "csv"), await last(most + 1, "jsonl")], [
    `stopped after ${most} rows,,`,
    `{"stopped_after":${most}}`,
  ]);
});
