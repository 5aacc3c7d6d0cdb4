/** Pages as text, read by a child process as in the gateway. */

import assert from "node:assert/strict";
import type { ReadDocument } from "../../server/web/reader/messages.ts";
import type { ReadResult } from "../../server/web/reader/reader.ts";
import { article, endlessPage, hugePage, nestedPage } from "../support/documents.ts";
import { quickReaderRig } from "../support/quick_reader.ts";
import { readerRig } from "../support/reader.ts";

function documentOf(result: ReadResult): ReadDocument {
  assert.equal(result.type, "document", JSON.stringify(result));
  return result.type === "document" ? result : assert.fail();
}

const paragraph =
  "<p>A paragraph of the article, with commas, and with enough words to be worth reading.</p>";
const page = `<!doctype html><html lang="en"><head><title>The title</title>
<meta property="article:published_time" content="2026-02-03T04:05:06Z"><script>var secret = 1;</script></head>
<body><nav><a href="/menu">Menu</a></nav><article><h2>Heading</h2>${paragraph.repeat(10)}
<p>See <a href="other?x=1">the other page</a>, it has <code>code</code> &amp; more, and more.</p>
<table><tr><th>Name</th><th>Size</th></tr><tr><td>one</td><td>1</td></tr></table></article>
<footer>Footer</footer></body></html>`;

Deno.test("reader turns a page into the Markdown of its article", async () => {
  await using rig = quickReaderRig();
  const { text, title, published, truncated } = documentOf(await rig.read(page));
  assert.deepEqual([title, published, truncated], ["The title", "2026-02-03T04:05:06Z", false]);
  assert.match(text, /^## Heading\n\nA paragraph of the article/);
  assert.match(text, /\[the other page\]\(https:\/\/example\.com\/folder\/other\?x=1\)/);
  assert.match(text, /\| Name +\| Size +\|\n\| -+ \| -+ \|\n\| one +\| 1 +\|/);
  assert.doesNotMatch(text, /Menu|Footer|secret/);
});

const odd: readonly (readonly [what: string, html: string, text: RegExp])[] = [
  ["nothing", "", /^$/],
  ["text without a tag", "hello &amp; goodbye", /^hello & goodbye$/],
  ["no body", "<!doctype html><title>x</title><p>hello<p>goodbye", /^hello\n+goodbye$/],
  ["a body without a frame", "<body><p>hello</p>", /^hello$/],
  ["tags that are not closed", "<div><p>hello<b>bold", /hello\*\*bold\*\*/],
  ["only scripts", "<script>alert(1)</script>", /^$/],
  ["NUL", "a\0b", /a.?b/],
];

for (const [what, html, text] of odd) {
  Deno.test(`reader takes a page with ${what}`, async () => {
    await using rig = quickReaderRig();
    assert.match(documentOf(await rig.read(html)).text, text);
  });
}

const dates = [
  "2026-02-03T04:05:06Z",
  "2026-02-03",
  "Tue, 03 Feb 2026 04:05:06 GMT",
  "February 3rd, 2026 at 4:05 pm",
  "3 Sept 2026 (UTC+02:00)",
];

Deno.test("reader takes the date of a page in its own words", async () => {
  await using rig = quickReaderRig();
  for (const date of dates) {
    const { published } = documentOf(await rig.read(`<meta name="date" content="${date}"><p>x</p>`));
    assert.equal(published, date);
  }
});

const lacking: readonly (readonly [what: string, body: string, type: string, lack: string | undefined])[] = [
  ["nothing", "", "text/html", "empty"],
  ["a title only", "<title>A title</title>", "text/html", "empty"],
  ["blank elements", "<div> &nbsp;<br></div>", "text/html", "empty"],
  ["scripts", '<div id="root"></div><script src="app.js"></script>', "text/html", "scripts"],
  [
    "scripts and a word for who has none",
    "<script>1</script><noscript>Switch on</noscript>",
    "text/html",
    "scripts",
  ],
  ["a picture", '<body><img src="a.png"></body>', "text/html", "pictures"],
  ["a drawing", '<svg><path d="M0 0"/></svg>', "text/html", "pictures"],
  ["a drawing with a text", '<svg><text y="20">x</text></svg>', "text/html", undefined],
  ["invisible characters", "<p>\u200b\u{E0041}\u{E0042}", "text/html", "hidden"],
  ["a described picture", '<img src="a.png" alt="A cat">', "text/html", undefined],
  ["spaces", " \n\t ", "text/plain", "empty"],
  ["invisible characters in a text", "\u200b\u200b", "text/plain", "hidden"],
  ["a word", "x", "text/plain", undefined],
];

for (const [what, body, contentType, lack] of lacking) {
  Deno.test(`reader says what a document of ${what} lacks`, async () => {
    await using rig = quickReaderRig();
    const document = documentOf(await rig.read(body, { contentType }));
    assert.equal(document.lack, lack);
    assert.equal(document.text === "", lack !== undefined);
  });
}

Deno.test("reader leaves out invisible characters of each type of document", async () => {
  await using rig = quickReaderRig();
  const hidden = "Pay\u200b \u202enow\u{E0069}\u{E0067}.";
  const pages = [
    [`<title>T\u200b\u{E0069}</title><article><p>${hidden}`, "text/html"],
    [hidden, "text/plain"],
    [`{"a":"${hidden}"}`, "application/json"],
  ] as const;
  for (const [body, contentType] of pages) {
    const { text, title = "T" } = documentOf(await rig.read(body, { contentType }));
    assert.match(text, /Pay now\./);
    assert.equal(title, "T");
  }
  const long = documentOf(await rig.read("\u200b".repeat(1_000) + "end", { maxCharacters: 300 }));
  assert.deepEqual([long.text, long.truncated], ["end", false]);
});

Deno.test("reader decodes a page by its header, by its head, and as UTF-8", async () => {
  await using rig = quickReaderRig();
  const latin = (html: string) => new Uint8Array(Buffer.from(html, "latin1"));
  const read = async (body: string | Uint8Array<ArrayBuffer>, contentType: string) =>
    documentOf(await rig.read(body, { contentType })).text;
  assert.equal(await read(latin("<p>caf\xe9"), "text/html; charset=iso-8859-1"), "café");
  assert.equal(await read(latin('<meta charset="iso-8859-1"><p>caf\xe9'), "text/html"), "café");
  assert.equal(await read("<p>café", "text/html"), "café");
  assert.equal(await read("<p>café", "text/html; charset=nonsense"), "café");
});

Deno.test("reader cuts a long text, and no character in half", async () => {
  await using rig = quickReaderRig();
  const long = documentOf(await rig.read(article(100), { maxCharacters: 50 }));
  assert.deepEqual([long.text.length, long.truncated], [50, true]);
  const emoji = documentOf(await rig.read(`<p>${"😀".repeat(100)}`, { maxCharacters: 51 }));
  assert.deepEqual([emoji.text, emoji.truncated], ["😀".repeat(25), true]);
});

Deno.test("reader takes plain text and JSON as they are, and nothing else", async () => {
  await using rig = quickReaderRig();
  const text = async (body: string, contentType: string) =>
    documentOf(await rig.read(body, { contentType })).text;
  assert.equal(await text("<b>a</b>", "text/plain"), "<b>a</b>");
  assert.equal(await text('{"a":1}', "application/json; charset=utf-8"), '{"a":1}');
  assert.equal(await text('{"a":1}', "application/problem+json"), '{"a":1}');
  assert.equal(await text("just text", ""), "just text");
  assert.equal(await text("just text", "application/octet-stream"), "just text");
  const cut = documentOf(await rig.read("é".repeat(10), { contentType: "text/plain", maxCharacters: 4 }));
  assert.deepEqual([cut.text, cut.truncated], ["éééé", true]);
  for (const contentType of ["image/png", "application/zip", "video/mp4"]) {
    const result = await rig.read("PK\u0003\u0004", { contentType });
    assert.equal(result.type === "failed" && result.reason, "unsupported_type", contentType);
  }
  const binary = await rig.read(new Uint8Array([0, 1, 2, 255]), { contentType: "" });
  assert.equal(binary.type === "failed" && binary.reason, "unsupported_type");
});

Deno.test("reader takes nested pages as text", async () => {
  await using rig = quickReaderRig();
  for (const depth of [200, 1_000, 20_000]) {
    assert.match(documentOf(await rig.read(nestedPage(depth))).text, /A paragraph of the article/);
  }
});

Deno.test("reader ends pages that take too long or too much memory, and reads on", async () => {
  await using rig = readerRig();
  const [endless, huge, small] = await Promise.all([
    rig.read(endlessPage()),
    rig.read(hugePage()),
    rig.read(article(20)),
  ]);
  assert.equal(endless.type === "failed" && endless.reason, "time_limit");
  // On a busy machine its time may end first.
  assert.match(huge.type === "failed" ? huge.reason : "read", /^(?:memory|time)_limit$/);
  assert.match(documentOf(small).text, /A paragraph/);
  // By itself: beside the others a busy machine may leave it too little of the processor.
  assert.equal(documentOf(await rig.read(article(20_000))).truncated, true);
});
