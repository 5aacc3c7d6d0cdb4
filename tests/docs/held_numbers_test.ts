/** Numbers of the documents are those of the code: each stands in a table with the line that sets it. */

import assert from "node:assert/strict";
import { limitsSchema } from "../../server/config/limits.ts";
import { exampleNumbers, heldNumbers } from "./held_numbers.ts";

const root = new URL("../../", import.meta.url);
const files = new Map<string, string>();

async function read(file: string): Promise<string> {
  const text = files.get(file) ?? await Deno.readTextFile(new URL(file, root));
  files.set(file, text);
  return text;
}

const pageOf = (name: string) => read(`docs/${name}.md`);

Deno.test("each number of the table stands on its page, and its line in the code", async (t) => {
  for (const [page, rows] of Object.entries(heldNumbers)) {
    await t.step(page, async () => {
      const text = await pageOf(page);
      for (const [says, file, line] of rows) {
        assert(text.includes(says), `docs/${page}.md does not say: ${says}`);
        assert(
          (await read(file)).includes(line),
          `${file} does not have: ${line} (docs/${page}.md: ${says})`,
        );
      }
    });
  }
});

const UNITS = "MiB|KiB|GiB|MB|ms|s|seconds?|minutes?|hours?|days?|characters?|bytes|USD|tokens|levels";
const NUMBER = new RegExp(`(?<![\\w.\`#/-])\\d[\\d,.]*(?:-| )?(?:${UNITS})\\b`, "g");

/** Pages whose every number with a unit is in the table, or is an example. */
const whole = [
  "console",
  "credits-and-budgets",
  "files",
  "keys-and-workspaces",
  "rotate-keys",
  "simulator-and-fault-lab",
  "speech",
];

/** A page without its blocks of code. */
const proseOf = (text: string) => text.replaceAll(/^```[^]*?^```$/gm, "");

Deno.test("no number of these pages is without a line in the code", async () => {
  for (const page of whole) {
    const text = proseOf(await pageOf(page));
    const said = [...(heldNumbers[page] ?? []).map(([says]) => says), ...exampleNumbers[page] ?? []];
    const places = said.flatMap((words) => [...text.matchAll(wordsPattern(words))]).map(
      ({ index, 0: words }) => ({ from: index, to: index + words.length }),
    );
    for (const { index, 0: number } of text.matchAll(NUMBER)) {
      const isHeld = places.some(({ from, to }) => from < index + number.length && index < to);
      const around = text.slice(Math.max(0, index - 60), index + 60).replaceAll("\n", " ");
      assert(isHeld, `docs/${page}.md says ${number}, which no row of held_numbers.ts holds: …${around}…`);
    }
  }
});

const wordsPattern = (words: string) => new RegExp(words.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "g");

const limits: ReadonlyMap<string, unknown> = new Map(Object.entries(limitsSchema.parse({})));

/** Defaults that depend on something, which the table says in words. */
const dependent: Readonly<Record<string, readonly string[]>> = {
  first_byte_seconds: ["60 s", "300 s at servers of your own"],
  loop_seconds: ["30 min streamed", "10 min whole"],
  connections: ["(limit on open files − 64) ÷ 2"],
};

const MIB = 1024 * 1024;

/** The ways in which the table may write a default. */
function writtenOf(key: string, value: unknown): readonly string[] {
  assert(typeof value === "number", `limits.${key} has no default: name it in the test`);
  const plain = value.toLocaleString("en");
  if (key.endsWith("_bytes")) return [`${value / MIB} MiB`, `${value / MIB / 1024} GiB`];
  if (key.endsWith("_seconds")) return [`${plain} s`, `${value / 60} min`];
  if (key.endsWith("_days")) return [`${plain} days`];
  return [plain];
}

/** Whether a cell has these words, and not as a part of a longer number or word. */
function says(cell: string, words: string): boolean {
  const at = cell.indexOf(words);
  return at >= 0 && !/[\d.,]/.test(cell[at - 1] ?? "") && !/\w/.test(cell[at + words.length] ?? "");
}

Deno.test("the table of limits in errors.md has each limit with its default", async () => {
  const text = await pageOf("errors");
  const [, table = ""] = text.split("\n## Limits of a request\n");
  const rows =
    table.split("\n## ")[0]?.split("\n").filter((line) => line.startsWith("| ")).map((line) =>
      line.split(" | ").map((cell) => cell.trim())
    ) ?? [];
  const named = rows.flatMap(([, keys = "", words = ""]) =>
    [...keys.matchAll(/`(\w+)`/g)].map(([, key = ""]) => ({ key, words }))
  );
  assert.deepEqual(named.map(({ key }) => key).toSorted(), Object.keys(limitsSchema.shape).toSorted());
  for (const { key, words } of named) {
    const expected = dependent[key];
    if (expected !== undefined) {
      for (const one of expected) assert(words.includes(one), `${key}: ${words}`);
    } else {
      assert(
        writtenOf(key, limits.get(key)).some((one) => says(words, one)),
        `${key} is ${limits.get(key)}: ${words}`,
      );
    }
  }
});
