/** Files and queries that no search may be hurt by. */

import assert from "node:assert/strict";
import { makeFile, utf8 } from "../support/files.ts";
import { managed } from "../support/manage.ts";
import { pdfOf } from "../support/pdf.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { addFile, search, withFiles } from "./file_search_rig.ts";

Deno.test("file_search names files without a text, and finds the others", async () => {
  await withFiles({}, async (rig) => {
    const { gateway } = rig;
    const { body } = await managed(gateway, { call: "GET /workspaces" });
    const workspaceId = String(asList(body.data).map(asObject).find(({ slug }) => slug === "default")?.id);
    await addFile(gateway, { name: "a.md", text: "Llamas are sheared in spring." });
    await addFile(gateway, { name: "whole.pdf", text: pdfOf({ pages: ["Llamas on a page"] }) });
    await addFile(gateway, { name: "broken.pdf", text: utf8("%PDF-1.7\nllamas") });
    await addFile(gateway, { name: "locked.pdf", text: pdfOf({ pages: ["Llamas"], encrypted: true }) });
    await addFile(gateway, { name: "blank.txt", text: "\n\n \n" });
    await addFile(gateway, {
      name: "broken.docx",
      text: utf8("PK\x03\x04........[Content_Types].xml......PK\x03\x04....word/document.xml"),
    });
    for (const bytes of [new Uint8Array(3_000).map((_, at) => at * 31), utf8("Llamas\u0000\u0001")]) {
      await makeFile(gateway, { workspaceId, bytes, filename: "made.bin" });
    }
    for (let round = 0; round < 2; round++) {
      const { results, told } = await search(rig, { queries: ["llamas"] });
      const names = results.map(({ filename }) => String(filename));
      assert.ok(names.includes("a.md") && names.includes("whole.pdf"), names.join());
      const note = String(told.note);
      for (const name of ["broken.pdf", "locked.pdf", "blank.txt", "broken.docx"]) {
        assert.ok(note.includes(name), `${name}: ${note}`);
      }
      assert.ok(!note.includes("could not be searched yet"), note);
    }
  });
});

Deno.test("file_search takes every query and every name", async () => {
  await withFiles({}, async (rig) => {
    const { gateway } = rig;
    await addFile(gateway, { name: "图书馆.txt", text: "图书馆每天早上九点开门，晚上八点关门。" });
    await addFile(gateway, { name: "a\u0001\u202eb.txt", text: "constructor and __proto__ are words here." });
    const files = async (...queries: readonly string[]) => {
      const { results, told, item } = await search(rig, { queries });
      assert.equal(item.status, "completed");
      return { names: results.map(({ filename }) => String(filename)), note: String(told.note ?? "") };
    };
    assert.deepEqual((await files("图书馆几点开门？")).names, ["图书馆.txt"]);
    for (const query of ["__proto__", "constructor", '{"words": [', "proto "]) {
      assert.equal((await files(query)).names.length, 1, query);
    }
    const long = await files(`constructor ${"filler ".repeat(15_000)}`);
    assert.equal(long.names.length, 1);
    assert.match(long.note, /A query was too long/);
    for (const nothing of ["\ud800", "?!", "hasOwnProperty toString valueOf"]) {
      const { names, note } = await files(nothing);
      assert.deepEqual([names, note], [[], "Nothing was found."], nothing);
    }
    const { item } = await search(rig, { queries: [] });
    assert.match(String(item.output), /queries are missing/);
  });
});

Deno.test("a large text is searched in all of its parts, and the places of its passages are those of the file", async () => {
  await withFiles({}, async (rig) => {
    const line = (at: number) =>
      `Line ${at} of a log, in which nothing of interest happens at all, ünless it does.\n`;
    const lines = Array.from(
      { length: 12_000 },
      (_, at) => at === 11_990 ? "The zeppelin landed.\n" : line(at),
    );
    const text = lines.join("");
    assert.ok(utf8(text).length > 900_000);
    await addFile(rig.gateway, { name: "log.txt", text });
    const { told } = await search(rig, { queries: ["zeppelin"] });
    const [first] = asList(told.results).map(asObject);
    const [start = 0, end = 0] = String(first?.characters).split("-").map(Number);
    assert.equal(text.slice(start, end), first?.text);
    assert.match(String(first?.text), /The zeppelin landed/);
  });
});
