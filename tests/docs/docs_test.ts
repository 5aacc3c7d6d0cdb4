import assert from "node:assert/strict";
import * as z from "zod";
import { replaceBlock, staleDocuments } from "./generate.ts";

const root = new URL("../../", import.meta.url);
const documents = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];

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
    for (const [, task = ""] of (await read(file)).matchAll(/deno task ([a-z]+)/g)) {
      assert.ok(Object.hasOwn(tasks, task), `${file} names deno task ${task}`);
    }
  }
});

Deno.test("the documents link only to files that exist", async () => {
  for (const file of documents) {
    for (const [, link = ""] of (await read(file)).matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      await assert.doesNotReject(Deno.stat(new URL(link, root)), `${file} links to ${link}`);
    }
  }
});

Deno.test("the documents are free of what belongs on one machine", async () => {
  for (const file of documents) {
    assert.doesNotMatch(await read(file), /\/home\/|\/root\/|\/tmp\/|\bjsr:@/, file);
  }
});
