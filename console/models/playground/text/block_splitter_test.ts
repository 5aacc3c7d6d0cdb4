import assert from "node:assert/strict";
import { seeded } from "../../../../tests/fuzz/random.ts";
import { seed } from "../../../../tests/support/seed.ts";
import { BlockSplitter, MOST_BLOCK_CHARS, type TextBlock } from "./block_splitter.ts";

/** Blocks of a text that comes in pieces of these lengths, the last of which repeats. */
function blocksOf(text: string, lengths: readonly number[] = [text.length || 1]): readonly TextBlock[] {
  const splitter = new BlockSplitter();
  const found: TextBlock[] = [];
  for (let from = 0, at = 0; from < text.length; at++) {
    const length = lengths[Math.min(at, lengths.length - 1)] ?? 1;
    splitter.push(text.slice(from, from + length));
    found.push(...splitter.take());
    splitter.open();
    from += length;
  }
  splitter.finish();
  return [...found, ...splitter.take()];
}

const shown = (blocks: readonly TextBlock[]) => blocks.map(({ type, text }) => [type, text.trim()]);

Deno.test("BlockSplitter cuts at empty lines, at items of a list, and around code", () => {
  const text = [
    "# Title",
    "Words",
    "go on.",
    "",
    "- one",
    "  more of one",
    "- two",
    "",
    "  ```js",
    "  a",
    "",
    "  b",
    "  ```",
    "Behind.",
    "",
    "```ts",
    "const a = 1;",
    "",
    "# no title",
    "```",
    "| a |",
    "|---|",
    "| b |",
  ].join("\n");
  assert.deepEqual(shown(blocksOf(text)), [
    ["markdown", "# Title\nWords\ngo on."],
    ["markdown", "- one\n  more of one"],
    ["markdown", "- two"],
    ["code", "a\n\n  b"],
    ["markdown", "Behind."],
    ["code", "const a = 1;\n\n# no title"],
    ["markdown", "| a |\n|---|\n| b |"],
  ]);
});

Deno.test("BlockSplitter makes the same blocks of any pieces, and loses no character", () => {
  const random = seeded(seed);
  const parts = [
    "word ",
    "\n",
    "\n\n",
    "- item\n",
    "```\n",
    "```js\n",
    "~~~\n",
    "    code\n",
    "> said\n",
    "1. a\n",
    "|x|",
    "`",
    "**",
  ];
  for (let run = 0; run < 200; run++) {
    const text = Array.from({ length: 40 }, () => parts[Math.floor(random.next() * parts.length)]).join("");
    const whole = blocksOf(text);
    assert.deepEqual(blocksOf(text, [1]), whole, `SEED=${seed} ${JSON.stringify(text)}`);
    assert.deepEqual(blocksOf(text, [3, 7, 2, 11]), whole, `SEED=${seed} ${JSON.stringify(text)}`);
  }
});

Deno.test("BlockSplitter cuts what is too long, and never hands a parser what could take it long", () => {
  const hostile = [
    ["a line", "x".repeat(1_000_000)],
    ["words", "word ".repeat(200_000)],
    ["brackets", "[".repeat(16_000)],
    ["stars", "*a ".repeat(5_000)],
    ["mixed marks", "**_a ".repeat(3_000)],
    ["quotes", ">".repeat(4_000)],
    ["nested lists", "- ".repeat(4_000)],
    ["an address", `${"a.".repeat(8_000)}@`],
    ["pipes", `${"|a".repeat(8_000)}\n${"|-".repeat(8_000)}`],
    ["deep items", Array.from({ length: 170 }, (_, at) => `${" ".repeat(at)}- a`).join("\n")],
    ["open tags", "<a ".repeat(5_000)],
  ] as const;
  for (const [name, text] of hostile) {
    for (const lengths of [[text.length], [1_000]]) {
      const blocks = blocksOf(text, lengths);
      assert(blocks.every((block) => block.text.length <= MOST_BLOCK_CHARS), name);
      assert(blocks.some(({ type }) => type === "plain"), name);
      const joined = blocks.map((block) => block.text).join("").replaceAll("\n", "");
      assert.equal(joined.length, text.replaceAll("\n", "").length, name);
    }
  }
  const code = blocksOf(`\`\`\`\n${"line\n".repeat(20_000)}\`\`\`\n`);
  assert(code.every(({ type, text }) => type === "code" && text.length <= MOST_BLOCK_CHARS));
});

Deno.test("BlockSplitter keeps a picture that stands in the text in one block, however long its bytes are", () => {
  const text = `Look:\n\n![A chart](data:image/png;base64,${"iVBOR".repeat(20_000)})\n\nDone.`;
  for (const lengths of [[text.length], [500]]) {
    const blocks = blocksOf(text, lengths);
    assert.deepEqual(blocks.map(({ type }) => type), ["markdown", "markdown", "markdown"]);
    assert(blocks[1]?.text.length !== undefined && blocks[1].text.length > 100_000);
  }
});
