import assert from "node:assert/strict";
import { htmlTitleOrText } from "./error_text.ts";

const cases: Readonly<Record<string, string>> = {
  "<html><head><title>502 Bad Gateway</title></head></html>": "502 Bad Gateway",
  '\n<TITLE lang="en">Busy</TITLE>': "Busy",
  "<html><body>Busy</body></html>": "",
  "a < b": "a < b",
  "": "",
};

Deno.test("htmlTitleOrText reads a page by its title and leaves any other text", () => {
  for (const [body, text] of Object.entries(cases)) assert.equal(htmlTitleOrText(body), text, body);
});

Deno.test("htmlTitleOrText reads a page once, whatever stands in it", () => {
  for (const part of ["<title", "<title>", "<title>a", "<title "]) {
    assert.equal(htmlTitleOrText(`<html>${part.repeat(500_000)}`), "");
  }
});
