/** Pages that are no articles: all that a person sees is given, or the result says what is not. */

import assert from "node:assert/strict";
import type { ReadDocument } from "../../server/web/reader/messages.ts";
import { describeLeftOut } from "../../server/web/reader/reader.ts";
import { quickReaderRig } from "../support/quick_reader.ts";

const many = (count: number, render: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => render(at)).join("");
const sentence = (at: number) => `Sentence ${at} has commas, and words, and enough of them to be read.`;
const article = many(12, (at) => `<p>${sentence(at)}</p>`);

interface PageKind {
  readonly body: string;
  /** Words that must be in the text. */
  readonly words: readonly string[];
  readonly lost?: readonly string[];
  readonly leftOut?: "navigation" | "beside_main";
}

const words = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}${at}`);

const kinds: Readonly<Record<string, PageKind>> = {
  "an article": { body: `<article>${article}</article>`, words: ["Sentence 11"] },
  "an article with navigation": {
    body:
      `<nav><a href="/">menuword</a></nav><main><article>${article}</article></main><footer>footword</footer>`,
    words: ["Sentence 11"],
    lost: ["menuword", "footword"],
    leftOut: "navigation",
  },
  "an index in a table": {
    body: `<h1>Index</h1><table>${
      many(60, (at) => `<tr><td>word${at}</td><td><a href="f${at}.html">function${at}</a></td></tr>`)
    }</table>`,
    words: [...words(60, "word"), ...words(60, "function")],
  },
  "tables within tables": {
    body: `<table bgcolor="#eeeeee"><tr><td><table><tr><td><ul>${
      many(20, (at) => `<li><a href="${at}">menu${at}</a></li>`)
    }</ul></td></tr></table></td><td><h1>Top</h1><p>inner text</p></td></tr></table>`,
    words: [...words(20, "menu"), "# Top", "inner text"],
    lost: ["<table", "<td"],
  },
  "lists of links": {
    body: many(
      5,
      (part) =>
        `<h2>part${part}</h2><ul>${
          many(12, (at) => `<li><a href="/${part}/${at}">link${part}x${at}</a></li>`)
        }</ul>`,
    ),
    words: [...words(5, "part"), ...words(12, "link4x")],
  },
  "a list of definitions below a text": {
    body: `<article>${article}</article><dl>${
      many(30, (at) => `<dt><a href="#t${at}">term${at}</a></dt><dd>meaning${at}</dd>`)
    }</dl>`,
    words: ["Sentence 11", ...words(30, "term"), ...words(30, "meaning")],
  },
  "a directory": {
    body: `<h1>Index of /pool</h1><pre>${
      many(30, (at) => `<a href="file${at}.deb">file${at}.deb</a>  2026-01-02  ${at}K\n`)
    }</pre>`,
    words: words(30, "file"),
  },
  "a page in which all is navigation": {
    body: `<h1>Site</h1><nav><ul>${many(40, (at) => `<li><a href="/${at}">place${at}</a></li>`)}</ul></nav>`,
    words: words(40, "place"),
  },
  "more navigation than text": {
    body: `<nav>${many(400, (at) => `<a href="/${at}">place${at}</a> `)}</nav>${article}`,
    words: ["Sentence 11"],
    lost: ["place399"],
    leftOut: "navigation",
  },
  "a form": {
    body: `<form><label>labelword <select><option>optiona<option>optionb</select></label>
      <textarea>areaword</textarea><button>buttonword</button></form>`,
    words: ["labelword", "optiona", "optionb", "areaword", "buttonword"],
  },
  "a footer of a quotation": {
    body: `<h1>Said</h1><blockquote>quoteword<footer>authorword</footer></blockquote>`,
    words: ["quoteword", "authorword"],
  },
  "an article beside a few words": {
    body: `<div class="ad">sideword</div><div><article>${article.repeat(3)}</article></div>`,
    words: ["Sentence 11"],
    lost: ["sideword"],
    leftOut: "beside_main",
  },
  "too many elements for a form": {
    body: `<table>${many(26_000, (at) => `<tr><td>w${at}</td></tr>`)}</table>`,
    words: ["w0\nw1\n", "w25999"],
  },
};

const says = { navigation: /^The navigation of the page was left out: \d+ % of the visible text\.$/ };

for (const [kind, { body, words, lost = [], leftOut }] of Object.entries(kinds)) {
  Deno.test(`reader gives what people see of ${kind}`, async () => {
    await using rig = quickReaderRig();
    const page = `<!doctype html><title>The title</title><body>${body}</body>`;
    const { text, leftOut: told } = asDocument(await rig.read(page, { maxCharacters: 1_000_000 }));
    assert.deepEqual(words.filter((word) => !text.includes(word)), [], text.slice(0, 2_000));
    assert.deepEqual(lost.filter((word) => text.includes(word)), [], text.slice(0, 2_000));
    assert.equal(told?.what, leftOut);
    if (told?.what === "navigation") assert.match(describeLeftOut(told), says.navigation);
  });
}

function asDocument(result: { readonly type: string }): ReadDocument {
  assert.equal(result.type, "document", JSON.stringify(result));
  return result as ReadDocument & { readonly type: "document" };
}

Deno.test("reader makes addresses absolute, and leaves out those that nobody can follow", async () => {
  await using rig = quickReaderRig();
  const body =
    `<table><tr><td><a href="other?x=1#y">one</a> <a href="#here">two</a> <a href="//cdn/x">three</a>
    <a href="javascript:alert(1)">four</a> <a href="mailto:a@example.com">five</a>
    <img src="p.png" alt="six"> <img src="data:image/png;base64,AAAA" alt="seven"></td></tr></table>`;
  const { text } = asDocument(await rig.read(body));
  for (
    const part of [
      "[one](https://example.com/folder/other?x=1#y)",
      "[two](#here)",
      "[three](https://cdn/x)",
      "four",
      "[five](mailto:a@example.com)",
      "![six](https://example.com/folder/p.png)",
      "seven",
    ]
  ) assert.ok(text.includes(part), `${part}: ${text}`);
  assert.doesNotMatch(text, /javascript|base64/);
  const moved = asDocument(await rig.read(`<base href="/else/"><p><a href="x">one</a></p>`));
  assert.match(moved.text, /\(https:\/\/example\.com\/else\/x\)/);
});
