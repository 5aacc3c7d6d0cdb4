/** Statements of the documents are those of the code: each stands in a table with what holds it. */

import assert from "node:assert/strict";
import { limitsSchema } from "../../server/config/limits.ts";
import { type Claim, claimsWithout, nameClaims, numberClaims, quotedClaims } from "./claims.ts";
import { allPages } from "./commands.ts";
import { isByLine, phraseOf } from "./held/held_page.ts";
import { heldPages } from "./held_numbers.ts";
import { isInProduct, productNames, productTexts } from "./product_texts.ts";

const root = new URL("../../", import.meta.url);
const files = new Map<string, string>();

async function read(file: string): Promise<string> {
  const text = files.get(file) ?? await Deno.readTextFile(new URL(file, root));
  files.set(file, text);
  return text;
}

const inRoot: ReadonlySet<string> = new Set(["README", "SECURITY"]);
const pageOf = (name: string) => read(inRoot.has(name) ? `${name}.md` : `docs/${name}.md`);

/** README, SECURITY and the pages of `docs/` by their names; decisions are dated and stay as they were. */
const pageNames = async () =>
  [...await allPages(), "SECURITY.md"].filter((file) => !file.startsWith("docs/decisions/"))
    .map((file) => file.replace("docs/", "").replace(".md", ""));

Deno.test("each row of the table stands on its page, and what holds it in the code or a test", async (t) => {
  for (const [page, { rows, others = [] }] of heldPages) {
    await t.step(page, async () => {
      const text = await pageOf(page);
      const wanted = [...rows.map(phraseOf), ...others.map(([says]) => says)];
      assert.deepEqual(wanted.filter((says) => !text.includes(says)), [], `${page}.md does not say these`);
      const missing: string[] = [];
      for (const [says, file, line] of rows.filter(isByLine)) {
        if (!(await read(file)).includes(line)) missing.push(`${file} does not have: ${line} (${says})`);
      }
      assert.deepEqual(missing, [], `${page}.md`);
    });
  }
});

type ClaimsOf = (page: string) => readonly Claim[];

/** Claims of all pages that no row holds. */
async function looseClaims(claimsOf: ClaimsOf): Promise<readonly string[]> {
  const loose: string[] = [];
  for (const page of await pageNames()) {
    const text = await pageOf(page);
    const held = heldPages.get(page) ?? { rows: [] };
    loose.push(...claimsWithout(claimsOf(text), { text, page: held }).map((told) => `${page}.md ${told}`));
  }
  return loose;
}

Deno.test("no number and no default of a page is without a row that holds it", async () => {
  assert.deepEqual(await looseClaims(numberClaims), [], "no row of tests/docs/held/ holds these");
});

Deno.test("texts that pages quote stand in the product's sources, or in a row", async () => {
  const texts = await productTexts();
  const unknown = (page: string) => quotedClaims(page).filter(({ words }) => !isInProduct(words, texts));
  assert.deepEqual(await looseClaims(unknown), [], "no source has these, and no row of tests/docs/held/");
});

Deno.test("fields, values and names that pages write as code stand in the product's sources, or in a row", async () => {
  const names = await productNames();
  const unknown = (page: string) => nameClaims(page).filter(({ words }) => !names.has(words));
  assert.deepEqual(await looseClaims(unknown), [], "no source has these, and no row of tests/docs/held/");
});

const limits: ReadonlyMap<string, unknown> = new Map(Object.entries(limitsSchema.parse({})));

/** Defaults that depend on something, which the table says in words. */
const dependent: Readonly<Record<string, readonly string[]>> = {
  first_byte_seconds: ["60 s", "300 s at servers of your own"],
  loop_seconds: ["30 min streamed", "10 min whole"],
  memory_bytes: ["none"],
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
