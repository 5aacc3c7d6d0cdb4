import assert from "node:assert/strict";
import * as z from "zod";
import { allPages } from "./commands.ts";
import { filesBelow } from "./architecture.ts";
import { replaceBlock, staleDocuments } from "./generate.ts";

const root = new URL("../../", import.meta.url);

/** The READMEs of a folder and of those below it. */
async function readmes(folder: string): Promise<readonly string[]> {
  const files = await filesBelow(root, folder);
  return files.filter((file) => file.endsWith("/README.md")).sort();
}

const documents = [
  "README.md",
  "ARCHITECTURE.md",
  "TOUR.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CHANGELOG.md",
  "server/protocols/fields.md",
  ...await readmes("server/"),
  "tests/bench/README.md",
  ...(await allPages()).filter((page) => page !== "README.md"),
];

const read = (file: string) => Deno.readTextFile(new URL(file, root));

Deno.test("replaceBlock replaces what stands between the marks and nothing else", () => {
  const text = "a\n<!-- t:begin -->\nold\n<!-- t:end -->\nz\n";
  assert.equal(replaceBlock(text, "t", { content: "new" }), "a\n<!-- t:begin -->\nnew\n<!-- t:end -->\nz\n");
  assert.throws(() => replaceBlock("a", "t", { content: "new" }), /no block/);
});

Deno.test("the documents' generated tables are current", async () => {
  assert.deepEqual(await staleDocuments({ write: false }), [], "run deno task build");
});

Deno.test("the documents name only tasks that exist", async () => {
  const { tasks } = z.object({ tasks: z.record(z.string(), z.unknown()) }).parse(
    JSON.parse(await read("deno.json")),
  );
  for (const file of documents) {
    for (const [, task = ""] of (await read(file)).matchAll(/deno task ([a-z]+(?:[:-][a-z]+)*)/g)) {
      assert.ok(Object.hasOwn(tasks, task), `${file} names deno task ${task}`);
    }
  }
});

/** The packages of an import map. */
async function packagesOf(file: string): Promise<readonly string[]> {
  const { imports } = z.object({ imports: z.record(z.string(), z.string()) }).parse(
    JSON.parse(await read(file)),
  );
  return Object.keys(imports).sort();
}

/** The packages that a table of docs/internals/dependencies.md gives a licence and a reason for. */
function reportedPackages(text: string, after: string): readonly string[] {
  const table = text.slice(text.indexOf(after)).split("\n\n")[1] ?? "";
  const names = table.split("\n").slice(2).map((row) => row.split("|")[1] ?? "");
  return names.flatMap((bucket) => bucket.split(",").map((name) => name.trim())).filter(Boolean).sort();
}

Deno.test("dependencies.md gives a reason for each dependency and for no other", async () => {
  const text = await read("docs/internals/dependencies.md");
  const runTime = await packagesOf("deno.json");
  const inConsole = await packagesOf("console/deno.json");
  const inReader = await packagesOf("server/web/reader/child/deno.json");
  const inContainers = await packagesOf("server/sandbox/child/deno.json");
  const inTests = [
    ...await packagesOf("tests/deno.json"),
    ...await packagesOf("tests/console/lighthouse/deno.json"),
  ];
  const testOnly = inTests.filter((name) => !runTime.includes(name) && !inConsole.includes(name)).sort();
  assert.deepEqual(reportedPackages(text, "At run time:"), runTime);
  assert.deepEqual(reportedPackages(text, "In the console only ("), inConsole);
  assert.deepEqual(reportedPackages(text, "In the reader's children only"), inReader);
  assert.deepEqual(reportedPackages(text, "In the processes of containers only"), inContainers);
  assert.deepEqual(reportedPackages(text, "In tests only:"), testOnly);
});

/** Bounds of what everybody is asked to read; what is for some goes to docs/internals/. */
const mostWords = { "CONTRIBUTING.md": 1_800, "SECURITY.md": 2_500 };

Deno.test("CONTRIBUTING and SECURITY are short enough to be read", async () => {
  for (const [file, most] of Object.entries(mostWords)) {
    const words = (await read(file)).split(/\s+/).length;
    assert.ok(words <= most, `${file} has ${words} words, ${most} are allowed`);
  }
});

Deno.test("the documents link only to files that exist", async () => {
  for (const file of documents) {
    for (const [, link = ""] of (await read(file)).matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      await assert.doesNotReject(Deno.stat(new URL(link, new URL(file, root))), `${file} links to ${link}`);
    }
  }
});

const MAX_PICTURE_BYTES = 150 * 1_024;

Deno.test("the documents' pictures are small, shown somewhere and described", async () => {
  const texts = await Promise.all(documents.map(read));
  for await (const { name } of Deno.readDir(new URL("docs/pictures", root))) {
    const { size } = await Deno.stat(new URL(`docs/pictures/${name}`, root));
    assert.ok(size <= MAX_PICTURE_BYTES, `${name} has ${size} bytes`);
    assert.ok(texts.some((text) => text.includes(`pictures/${name})`)), `no document shows ${name}`);
  }
  for (const text of texts) assert.doesNotMatch(text, /!\[\]\(/);
});

Deno.test("the documents are free of what belongs on one machine", async () => {
  for (const file of documents) {
    assert.doesNotMatch(await read(file), /\/home\/|\/root\/|\/tmp\/|\bjsr:@/, file);
  }
});

Deno.test("TOUR quotes lines that stand in the code, in this order", async () => {
  const stops = [...(await read("TOUR.md")).matchAll(/^## \d+\. (\S+)$.*?^```ts\n(.*?)^```$/gms)];
  assert.equal(stops.length, 15);
  for (const [, file = "", quote = ""] of stops) {
    const code = (await read(file)).split("\n").map((line) => line.trim());
    let from = 0;
    for (const line of quote.trim().split("\n").map((line) => line.trim())) {
      const at = code.indexOf(line, from);
      assert.ok(at >= 0, `${file} does not have, after line ${from}: ${line}`);
      from = at + 1;
    }
  }
});

/** Words of an earlier private language; each has a plain word in the field. */
const bannedWords = new RegExp(
  "\\b(the house|posters?|lanes?|census|seats?|hangs? up|hung up|hangups?|whoever|unsaid|ciphers?|reapers?|" +
    "(the|an?) (asked|told|given)|doors?|(ledger|its|a|the) tabs?)\\b",
  "i",
);

Deno.test("the documents for readers use the field's words", async () => {
  const forReaders = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "TOUR.md", "SECURITY.md"];
  const faults: string[] = [];
  for (const file of new Set([...forReaders, ...await allPages()])) {
    (await read(file)).split("\n").forEach((line, at) => {
      const [word] = bannedWords.exec(line) ?? [];
      if (word !== undefined) faults.push(`${file}:${at + 1} says "${word}"`);
    });
  }
  assert.deepEqual(faults, []);
});

Deno.test("a page of docs/decisions/ is dated, short, and says what it costs", async () => {
  for await (const { name } of Deno.readDir(new URL("docs/decisions", root))) {
    const [, date = ""] = /^(\d{4}-\d{2}-\d{2})-[a-z0-9-]+\.md$/.exec(name) ?? [];
    assert.notEqual(date, "", `${name} begins with its date`);
    const page = await read(`docs/decisions/${name}`);
    assert.ok(page.trim().split("\n").length <= 40, `${name} has more than 40 lines`);
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, text]) => text);
    assert.deepEqual(headings, ["Decision", "Why", "What it costs", "Instead"], name);
    assert.ok(page.includes(`Decided ${date}`), `${name} says its date`);
  }
});
