/** Pages as text, read by a child process as in the gateway. */

import assert from "node:assert/strict";
import { readerRig } from "../support/reader.ts";
import type { ReadDocument } from "../../server/reader/messages.ts";
import type { ReadResult } from "../../server/reader/reader.ts";

function document(result: ReadResult): ReadDocument {
  assert.equal(result.type, "document", JSON.stringify(result));
  return result.type === "document" ? result : assert.fail();
}

const paragraph = "<p>A paragraph of the article, with commas, and with enough words to be worth reading.</p>";
const page = `<!doctype html><html lang="en"><head><title>The title</title>
<meta property="article:published_time" content="2026-02-03T04:05:06Z"><script>var secret = 1;</script></head>
<body><nav><a href="/menu">Menu</a></nav><article><h1>Heading</h1>${paragraph.repeat(10)}
<p>See <a href="other?x=1">the other page</a>, it has <code>code</code> &amp; more, and more.</p>
<table><tr><th>Name</th><th>Size</th></tr><tr><td>one</td><td>1</td></tr></table></article>
<footer>Footer</footer></body></html>`;

Deno.test("reader turns a page into the Markdown of its article", async () => {
  await using rig = readerRig();
  const { text, title, published, truncated } = document(await rig.read(page));
  assert.equal(title, "The title");
  assert.equal(published, "2026-02-03T04:05:06Z");
  assert.equal(truncated, false);
  assert.match(text, /A paragraph of the article/);
  assert.match(text, /\[the other page\]\(https:\/\/example\.com\/folder\/other\?x=1\)/);
  assert.match(text, /\| one +\| 1 +\|/);
  assert.doesNotMatch(text, /Menu|Footer|secret/);
});
