/** PDFs as text, read by a child process as in the gateway. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { pdfOf } from "../support/pdf.ts";
import { readerRig } from "../support/reader.ts";

const contentType = "application/pdf";

Deno.test("reader turns a PDF into the text of its pages", async () => {
  await using rig = readerRig();
  const pdf = pdfOf({ pages: ["The first page (one)", "The second page"], title: "A title" });
  for (const type of [contentType, "application/octet-stream", "text/html"]) {
    assert.deepEqual(await rig.read(pdf, { contentType: type }), {
      type: "document",
      text: "The first page (one)\n\nThe second page",
      truncated: false,
      title: "A title",
      pages: 2,
      pagesRead: 2,
    });
  }
});

Deno.test("reader says of a PDF that it is damaged or encrypted", async () => {
  await using rig = readerRig();
  const good = pdfOf({ pages: ["text"] });
  const broken = [new TextEncoder().encode("%PDF-1.4\nnonsense"), good.slice(0, 60), new Uint8Array(0)];
  for (const body of broken) {
    const result = await rig.read(body, { contentType });
    assert.equal(result.type === "failed" && result.reason, "broken");
  }
  const encrypted = await rig.read(pdfOf({ pages: ["text"], encrypted: true }), { contentType });
  assert.equal(encrypted.type === "failed" && encrypted.reason, "encrypted");
});

Deno.test("reader takes a PDF of 1,000 pages, and of it as much as is wanted", async () => {
  await using rig = readerRig();
  const pages = Array.from({ length: 1_000 }, (_, at) => `Page ${at + 1} ${"with some words ".repeat(20)}`);
  const result = await rig.read(pdfOf({ pages }), { contentType, maxCharacters: 1_000_000 });
  assert(result.type === "document");
  assert.match(result.text, /^Page 1 with/);
  assert.equal(result.pages, 1_000);
  const start = await rig.read(pdfOf({ pages }), { contentType, maxCharacters: 1_000 });
  assert.deepEqual(start.type === "document" && [start.text.length, start.truncated], [1_000, true]);
});

Deno.test("reader gives the first page of a PDF when its time is over before", async () => {
  const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
  const config = `--config=${path("../../server/web/reader/child/deno.json")}`;
  const args = [
    "run",
    "--no-prompt",
    "--allow-read",
    "--cached-only",
    "--no-check",
    config,
    path("late_pdf.ts"),
  ];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args, stderr: "inherit" }).output();
  assert.deepEqual(JSON.parse(new TextDecoder().decode(stdout)), {
    type: "document",
    text: "first page",
    truncated: true,
    pages: 3,
    pagesRead: 1,
  });
});
