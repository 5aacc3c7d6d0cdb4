/** Reads one page and one PDF and prints the results: a test runs it as another user and with other caches. */

import { article } from "../support/documents.ts";
import { pdfOf } from "../support/pdf.ts";
import { readerRig } from "../support/reader.ts";

await using rig = readerRig();
const pdf = pdfOf({ pages: ["text of a page"] });
const results = [await rig.read(article(3)), await rig.read(pdf, { contentType: "application/pdf" })];
console.log(JSON.stringify({ results, lines: rig.lines }));
