/** Checks docs/frameworks.md for libraries that the tests do not have, as far as that can be done without them. */

import assert from "node:assert/strict";
import * as z from "zod";
import { type CodeBlock, codeBlocks } from "./commands.ts";

const FILE = "docs/frameworks.md";
const read = (file: string) => Deno.readTextFile(new URL(`../../${file}`, import.meta.url));
const page = await read(FILE);
const blocks = await codeBlocks(FILE);
const { imports } = z.object({ imports: z.record(z.string(), z.string()) }).parse(
  JSON.parse(await read("tests/deno.json")),
);

const sections = {
  TypeScript: ["OpenAI", "Anthropic", "OpenRouter", "AI SDK", "LangChain"],
  Python: ["OpenAI", "Anthropic", "OpenRouter", "LangChain", "pydantic-ai", "LlamaIndex", "LiteLLM"],
};

/** The addresses that a program gives its libraries, by what stands in front of them. */
const addressesOf = ({ text }: CodeBlock) =>
  [...text.matchAll(/(\w+)\s*[:=]\s*"(http:[^"]*)"/g)].map(([, name = "", address = ""]) => ({
    name,
    address,
  }));

/** The packages that a program of TypeScript imports. */
const importsOf = ({ text }: CodeBlock) =>
  [...text.matchAll(/ from "([^"]+)"/g)].map(([, name = ""]) => name);

Deno.test("frameworks has a program for each library, in each language", () => {
  for (const [language, names] of Object.entries(sections)) {
    const part = page.split(`\n## ${language}\n`)[1]?.split("\n## ")[0] ?? "";
    const found = part.split("\n### ").slice(1);
    assert.deepEqual(found.map((section) => section.split("\n")[0]), names, language);
    for (const section of found) {
      assert.match(section, /^```(ts|python)\n/m, `${language}: ${section.split("\n")[0]}`);
    }
  }
});

Deno.test("programs of frameworks read the key from API_KEY and call the built-in model", () => {
  for (const block of blocks) {
    assert.match(block.text, /process\.env\.API_KEY|os\.environ\["API_KEY"\]/, `${FILE}:${block.line}`);
    assert.match(block.text, /"(openai\/|anthropic\/)?local\/echo"/, `${FILE}:${block.line}`);
    assert(addressesOf(block).length > 0, `${FILE}:${block.line}`);
  }
});

Deno.test("programs of frameworks name the address that their library's API has", () => {
  const known = ["http://127.0.0.1:8787", "http://127.0.0.1:8787/v1", "http://127.0.0.1:8787/api/v1"];
  for (const block of blocks) {
    for (const { name, address } of addressesOf(block)) {
      assert(known.includes(address), `${FILE}:${block.line}: ${name}`);
      if (/^server_?url$/i.test(name)) assert.equal(address, known[2]);
      if (name === "anthropicApiUrl") assert.equal(address, known[0]);
    }
  }
});

Deno.test("frameworks runs what the tests have the packages of, and gives their versions", () => {
  for (const block of blocks) {
    const here = block.language === "ts" && importsOf(block).every((name) => Object.hasOwn(imports, name));
    assert.equal(block.notRun === undefined, here, `${FILE}:${block.line}`);
  }
  const rows = [...page.matchAll(/^\| (TypeScript|Python) \| `([^`]+)` \| (\d[\d.]*) \|$/gm)];
  assert.equal(rows.length, 18);
  const held = rows.filter(([, language, name = ""]) =>
    language === "TypeScript" && Object.hasOwn(imports, name)
  );
  assert.deepEqual(
    held.map(([, , name = "", version]) => `npm:${name}@${version}`),
    ["openai", "@anthropic-ai/sdk", "@openrouter/sdk", "@ai-sdk/anthropic"].map((name) => imports[name]),
  );
});

Deno.test("every package that a program of TypeScript imports has its version on the page", () => {
  for (const name of new Set(blocks.filter(({ language }) => language === "ts").flatMap(importsOf))) {
    assert(page.includes(`| TypeScript | \`${name}\` | `), name);
  }
});
