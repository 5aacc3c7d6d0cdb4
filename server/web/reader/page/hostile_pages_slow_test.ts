/** Pages that are made to be slow or to break a reader, by the steps that they take. */

import assert from "node:assert/strict";
import { endlessPage, hugePage, nestedPage } from "../../../../tests/support/documents.ts";
import { runNow } from "../../../../shared/util/run_work.ts";
import { pageWork } from "./read_page.ts";

const workOn = (html: string, maxCharacters = 100_000) =>
  pageWork({
    body: new TextEncoder().encode(html),
    url: "https://example.com/",
    charset: "",
    isXml: false,
    maxCharacters,
  });

const read = (html: string, maxCharacters?: number) => runNow(workOn(html, maxCharacters));

function stepsOf(html: string, maxCharacters?: number): number {
  const work = workOn(html, maxCharacters);
  let steps = 0;
  while (work.next().done !== true) steps++;
  return steps;
}

const SIZE = 256 * 1024;
/** Pages that are made to be slow, so many bytes of each. */
const hostile: Readonly<Record<string, (bytes: number) => string>> = {
  "less-than signs": (bytes) => "<".repeat(bytes),
  "tags that do not end": (bytes) => "<a ".repeat(bytes / 3),
  "comments that do not end": (bytes) => "<!--".repeat(bytes / 4),
  "comments that nearly end": (bytes) => `<!--${"-".repeat(bytes)}`,
  "end tags of scripts that nearly end": (bytes) => `<script>${"</script".repeat(bytes / 8)}`,
  "open elements": (bytes) => "<b>".repeat(bytes / 3),
  "open blocks": (bytes) => "<div>x".repeat(bytes / 6),
  "open lists": (bytes) => "<ul><li>x".repeat(bytes / 9),
  "open tables": (bytes) => "<table><tr><td>x".repeat(bytes / 16),
  "open quotes": (bytes) => "<blockquote>x".repeat(bytes / 13),
  "hidden elements": (bytes) => "<p hidden>x".repeat(bytes / 11),
  "end tags of what is open far outside": (bytes) =>
    `<i><div>${"<u>".repeat(400)}${"</i>".repeat(bytes / 4)}`,
  "links": (bytes) => `${"<a href=a>b".repeat(bytes / 11)}`,
  "a link over all": (bytes) => `<a href=a>${"b ".repeat(bytes / 2)}</a>`,
  "links in links": (bytes) => `${"<button><a href=a>".repeat(250)}${"<p>b".repeat((bytes - 4_500) / 4)}`,
  "pictures between blanks": (bytes) => "<img> ".repeat(bytes / 6),
  "invisible letters between blanks": (bytes) => "\u200b ".repeat(bytes / 4),
  "links over blocks": (bytes) => `<a href=a>${"<p>b".repeat(bytes / 4)}</a>`,
  "codes": (bytes) => "<code>a".repeat(bytes / 7),
  "scripts in comments of scripts": (bytes) => `<script>${"<!--<script >".repeat(bytes / 13)}`,
  "styles": (bytes) => `<p style="opacity:${"0".repeat(bytes / 64)}x">`.repeat(64),
  "a style": (bytes) => `<p style="${"a:b;".repeat(bytes / 4)}">`,
  "a style of parentheses": (bytes) => `<p style="left:${"calc(".repeat(bytes / 5)}">`,
  "a style of escapes": (bytes) => `<p style="${"\\61 ".repeat(bytes / 4)}">`,
  "a section": (bytes) => `<svg><![CDATA[${"]]".repeat(bytes / 2)}`,
  "an attribute": (bytes) => `<p style="${"x".repeat(bytes)}">`,
  "attributes": (bytes) => `<p ${"a=b ".repeat(bytes / 4)}>`,
  "attributes of other names": (bytes) =>
    `<p ${Array.from({ length: bytes / 12 }, (_, at) => `a${at}=`).join(" ")}>`,
  "a name": (bytes) => `<${"p".repeat(bytes)}>`,
  "blanks": (bytes) => `<pre>a${" ".repeat(bytes)}b`,
  "blanks in a tag": (bytes) => `<p a${" ".repeat(bytes)}b>`,
  "lines": (bytes) => `<blockquote><pre>a${"\n".repeat(bytes)}b`,
  "bars": (bytes) => `<table><tr>${"<td> ".repeat(bytes / 5)}`,
  "references": (bytes) => "&#65;".repeat(bytes / 5),
  "references that do not end": (bytes) => "&".repeat(bytes),
  "a long reference": (bytes) => `&#${"0".repeat(bytes)};`,
  "invisible letters": (bytes) => "\u200b".repeat(bytes / 3),
};

for (const [what, make] of Object.entries(hostile)) {
  Deno.test(`pageWork takes no more than a step for some characters: ${what}`, () => {
    const [half, whole] = [stepsOf(make(SIZE / 2)), stepsOf(make(SIZE))];
    assert.ok(whole <= SIZE / 2, `${whole} steps`);
    assert.ok(whole <= 2 * half + 100, `${half} steps for a half, ${whole} for the whole`);
    const { text } = read(make(SIZE), 1_000);
    assert.ok(text.length <= 1_000);
  });
}

Deno.test("pageWork reads pages that a program of its own was ended for", () => {
  assert.equal(read(endlessPage()).lack, "empty");
  assert.match(read(hugePage(), 1_000).text, /^\| 1 \| 2 \|\n\| --- \| --- \|\n\| 1 \| 2 \|/);
  for (const depth of [10, 600, 50_000]) {
    const { text } = read(nestedPage(depth), 1_000);
    assert.match(text, /^A paragraph of the article, with commas/, String(depth));
  }
});

Deno.test("pageWork reads no more of a page than its text needs", () => {
  const steps = stepsOf("<p>word word</p>".repeat(100_000), 100);
  assert.ok(steps < 100, `${steps} steps for 100 characters`);
});
