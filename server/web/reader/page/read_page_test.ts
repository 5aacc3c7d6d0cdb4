import assert from "node:assert/strict";
import { runNow } from "../../../../shared/util/run_work.ts";
import { pageWork } from "./read_page.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);

interface ReadOptions {
  readonly maxCharacters?: number;
  readonly isXml?: boolean;
}

const workOn = (html: string | Uint8Array, { maxCharacters = 100_000, isXml = false }: ReadOptions = {}) =>
  pageWork({
    body: typeof html === "string" ? utf8(html) : html,
    url: "https://example.com/folder/page",
    charset: "",
    isXml,
    maxCharacters,
  });

const read = (html: string | Uint8Array, options?: ReadOptions) => runNow(workOn(html, options));
const textOf = (html: string) => read(html).text;

/** Pages and their texts. */
type Cases = Readonly<Record<string, string>>;

function holds(cases: Cases): void {
  for (const [html, text] of Object.entries(cases)) assert.equal(textOf(html), text, html);
}

Deno.test("pageWork writes the blocks of a page as Markdown", () => {
  holds({
    "<h1>One</h1><h3>Two</h3>Text<p>More": "# One\n\n### Two\n\nText\n\nMore",
    "a<br>b  <br> c<hr>d": "a\nb\nc\n\n---\n\nd",
    "<ul><li>a<li>b<ol start=4><li>c</li><li>d</ol><li>e</ul>f": "- a\n- b\n  4. c\n  5. d\n- e\n\nf",
    "<ul><li><p>a</p><p>b</p></li></ul>c": "- a\n\n  b\n\nc",
    "<ul><li></li></ul>a": "a",
    "<blockquote><p>a</p><p>b</p></blockquote>c": "> a\n\n> b\n\nc",
    "<pre>\n  a\n    b\n\n</pre>c": "```\n  a\n    b\n```\n\nc",
    "<dl><dt>a<dd>b<dt>c<dd>d</dl>": "a\n\nb\n\nc\n\nd",
    "<div>a<span> b</span></div> <div>c</div>": "a b\n\nc",
    "one  \n two\tthree": "one two three",
  });
});

Deno.test("pageWork writes links, pictures and code within their line", () => {
  holds({
    'a <a href="/b?c=1&amp;d">e</a> f': "a [e](https://example.com/b?c=1&d) f",
    '<a href="x"> y </a>z': "[y](https://example.com/folder/x) z",
    '<a href="#top">y</a>': "[y](#top)",
    '<a href="javascript:alert(1)">y</a><a name="z">w</a>': "yw",
    '<a href="/a"><div>b</div><div>c</div></a>d':
      "[b](https://example.com/a)\n\n[c](https://example.com/a)\n\nd",
    '<a href="/a">b<a href="/c">d</a>': "[b](https://example.com/a)[d](https://example.com/c)",
    '<a href="/a"></a>b': "b",
    '<base href="https://other.example/x/"><a href="y">z</a>': "[z](https://other.example/x/y)",
    'a<img src="p.png" alt="the [p]">': "a![the p](https://example.com/folder/p.png)",
    'a<img src="data:image/png;base64,AAAA" alt="p">': "ap",
    'a <img> <img alt="" src="data:,"> <img> b': "a b",
    "a \u200b \u200b \u200b \u200b b": "a b",
    "<p>run <code>a  b</code> now": "run `a b` now",
    [`<a href="${"x".repeat(3_000)}">y</a>`]: "y",
    [`${"<a href=/x><button>".repeat(12)}b`]: `${"[".repeat(8)}b${"](https://example.com/x)".repeat(8)}`,
  });
});

Deno.test("pageWork writes tables as rows, and those that lay a page out as blocks", () => {
  holds({
    "<table><tr><th>a<th>b<tr><td>c<td>d</table>e": "| a | b |\n| --- | --- |\n| c | d |\n\ne",
    "<table><tr><td><p>a</p><p>b</p></td><td></td><td>c<br>d</table>":
      "| a b |  | c d |\n| --- | --- | --- |",
    "<table><tr><td><h2>a</h2><td>b</table>": "## a\n\nb",
    "<table><tr><td>a<td><table><tr><td>b</table><td>c</table>": "a\n\n| b |\n| --- |\n\nc",
    "<table><caption>a</caption><tbody><tr><td>b</tbody></table>": "a\n\n| b |\n| --- |",
  });
});

Deno.test("pageWork reads what browsers read of tags that are left out or wrong", () => {
  holds({
    "<p hidden>a<p>b": "b",
    "<ul><li hidden>a<li>b</ul>": "- b",
    "<table><tr hidden><td>a<tr><td>b</table>": "| b |\n| --- |",
    "<div hidden>a<span></div>b": "b",
    "<span><div hidden>a</span>b</div>c": "c",
    "<div hidden><table><tr><td>a</div>b</table></div>c": "c",
    "a</p></div></table>b": "a\n\nb",
    "1 < 2 <3 a<b>c</b> <": "1 < 2 <3 ac <",
    "a<!-- <p>b --!>c<!-->d<!DOCTYPE html>e<?php f ?>g</ h>i": "acdegi",
    "a<p title='>' data-x = \"<b>\" y>b": "a\n\nb",
    "a<svg><title>b</title><path></svg>c<svg/>d": "acd",
    "a<textarea><b></textarea>c": "a<b>c",
    "a<script>'<p>b'</script >c<style>d{}</STYLE>e": "ace",
    "a<p": "a",
    'a<p x="b': "a",
    "a<!-- b": "a",
    "a<script>b": "a",
  });
});

Deno.test("pageWork sets apart what browsers do at the ends of lines and paragraphs that have none", () => {
  holds({
    "a</br>b<br/>c": "a\nb\nc",
    "a</br x=y></BR >b": "a\n\nb",
    "a</p>b": "a\n\nb",
    "<p>a</p></p>b": "a\n\nb",
    "<p>foo<ul><li>x</ul>bar</p>baz": "foo\n\n- x\n\nbar\n\nbaz",
    "<p>a<div>b</div>c</p>d": "a\n\nb\n\nc\n\nd",
    "<table><tr><td>a</p>b</table>": "| a b |\n| --- |",
    "<b hidden>a</br></p></b>b": "b",
  });
});

Deno.test("pageWork ends scripts and foreign elements where browsers do", () => {
  holds({
    '<script><!-- document.write("<script>x</script>"); //--></script>tail': "tail",
    "<script><!-- <script >a</script > </script>b": "b",
    "<script><!-- a</script>b": "b",
    "<script><!--><script>a</script>b": "b",
    "<script><!-- <scripts>a</script>b": "b",
    "<script><script>a</script>b": "b",
    "<script><!-- <script> --></script>b": "b",
    "<script><!-- <script>a</script>b": "",
    "a<svg><![CDATA[</svg>b]]></svg>c": "ac",
    "a<math><mi>x</mi><![CDATA[</math>b]]></math>c": "ax</math>bc",
    "a<svg><svg></svg><![CDATA[</svg>b]]></svg>c": "ac",
    "a<![CDATA[b]]>c": "ac",
    "<div>a<svg></div>b<![CDATA[c]]>d<script/>e</script>f": "a\n\nbdf",
    "a<svg><script/></svg>b<svg><title/><style/></svg>c": "abc",
    "a<svg><title>b</title></svg>c<script/>d</script>e": "ace",
  });
});

Deno.test("pageWork reads the tags and sections of XHTML", () => {
  const cases = {
    "<head><script src='a'/><title/><style/></head>a<iframe/>b<textarea/>c<noscript/>d": "abcd",
    "<p/>a<b hidden='hidden'/>c<br/>d<div/>e": "ac\nd\n\ne",
    "a<a href='/b'/>c": "ac",
    "a<![CDATA[<b> &amp; ]]>c": "a<b> &amp; c",
    "<script>//<![CDATA[\n<p>b</p>//]]></script>c": "c",
  };
  for (const [html, text] of Object.entries(cases)) {
    assert.equal(read(html, { isXml: true }).text, text, html);
  }
});

Deno.test("pageWork decodes references in attributes as browsers do", () => {
  const cases = {
    "?a=1&copy=2": "?a=1&copy=2",
    "?a=1&copy2": "?a=1&copy2",
    "?a=1&copyx": "?a=1&copyx",
    "?a=1&reg&lt=3": "?a=1%C2%AE&lt=3",
    "?a=1&amp;copy;": "?a=1&copy;",
    "?a=1&copy;=2": "?a=1%C2%A9=2",
    "?a&#61;1&#x26b": "?a=1%C9%AB",
  };
  for (const [written, address] of Object.entries(cases)) {
    assert.equal(
      textOf(`<a href="${written}">a</a>`),
      `[a](https://example.com/folder/page${address})`,
      written,
    );
  }
});

Deno.test("pageWork decodes references by number and by name", () => {
  holds({
    "&lt;p&gt; &amp;amp; &quot;&#65;&#x42;&#x1F600;&quot;": '<p> &amp; "AB😀"',
    "&eacute;&Auml;&euro;&hellip;&mdash;&larr;&alpha;&Omega;": "éÄ€…—←αΩ",
    "&copy 2026 &ampx &notit; &unknown; & &; &#; &#x;": "© 2026 &x ¬it; &unknown; & &; &#; &#x;",
    "&#128;&#150;|&#0;&#xD800;&#x110000;&#99999999;": "€–|\ufffd\ufffd\ufffd\ufffd",
    "&lang;&rang;&piv;&thetasym;&upsih;|a&lrm;b&rlm;c": "\u27e8\u27e9ϖϑϒ|abc",
    "&#123456789012;a&#x123456789;b&#0000000000065;": "\ufffda\ufffdbA",
    [`&#${"9".repeat(100)};a`]: "\ufffda",
    [`${"x".repeat(4_090)}&eacute;y`]: `${"x".repeat(4_090)}éy`,
  });
});

Deno.test("pageWork leaves out what a page hides by its elements' own attributes", () => {
  const hiding = [
    "hidden",
    'HIDDEN=""',
    'style="display: none"',
    'style="color:red; Display:/**/none !important"',
    'style="visibility:hidden"',
    'style="content-visibility: hidden"',
    'style="opacity:0"',
    'style="opacity: 0.0;"',
    'style="font-size:0px"',
    'style="position:absolute; left:-9999px"',
    'style="text-indent:-5000em"',
  ];
  for (const attribute of hiding) {
    assert.equal(textOf(`a<div ${attribute}>b<p>c</p></div>d`), "a\n\nd", attribute);
    assert.equal(textOf(`a<b ${attribute}>b</b>d`), "ad", attribute);
    assert.equal(read(`<div ${attribute}>b</div>`).lack, "hidden", attribute);
  }
  const shown = [
    'style="display:block"',
    'style="opacity:0.5"',
    'style="font-size:10px"',
    'style="left:-5px"',
  ];
  for (const attribute of shown) assert.equal(textOf(`<b ${attribute}>b</b>`), "b", attribute);
  for (const name of ["template", "object", "canvas", "video", "audio", "noscript", "iframe", "dialog"]) {
    assert.equal(textOf(`a<${name}>b</${name}>c`).replaceAll("\n", ""), "ac", name);
  }
  assert.equal(textOf("<dialog open>b</dialog>"), "b");
  // Letters that nobody sees.
  assert.equal(textOf("a\u200b\u{E0061}\u202Eb"), "ab");
});

Deno.test("pageWork tells the title, the date, and why there is no text", () => {
  const facts = read(
    '<title> The &amp; title </title><meta property="article:published_time" content="2026-01-02T03:04:05Z">' +
      "<title>other</title>text",
  );
  assert.deepEqual([facts.title, facts.published, facts.text], [
    "The & title",
    "2026-01-02T03:04:05Z",
    "text",
  ]);
  assert.equal(read('<meta name="date" content="ignore all rules">a').published, undefined);
  const lacks = {
    "": "empty",
    "<p> </p>": "empty",
    '<div id="root"></div><script src="/app.js"></script>': "scripts",
    '<img src="/a.png">': "pictures",
    "<p hidden>a</p><script></script>": "hidden",
  };
  for (const [html, lack] of Object.entries(lacks)) {
    const { text, lack: found } = read(html);
    assert.deepEqual([text, found], ["", lack], html);
  }
});

Deno.test("pageWork leaves out declared navigation where the rest is what the page is for", () => {
  const nav = '<nav><a href="/">Menu</a></nav>';
  const body = "<p>Word word.</p>".repeat(4);
  const page = read(`${nav}<main>${body}<footer>Own</footer></main><footer>Imprint</footer>`);
  assert.match(page.text, /^Word word\.[^]*Own$/);
  assert.deepEqual(page.leftOut, { what: "navigation", percent: 22 });
  assert.equal(read(`<div role="navigation">Menu</div>${body}`).leftOut?.percent, 10);
  const menu = read(`${nav}<p>x`);
  assert.deepEqual([menu.text, menu.leftOut], ["[Menu](https://example.com/)\n\nx", undefined]);
});

Deno.test("pageWork decodes by the mark, by what is declared, and else as windows-1252", () => {
  assert.equal(read(Uint8Array.of(0x63, 0x61, 0x66, 0xe9)).text, "café");
  assert.equal(read(utf8("café")).text, "café");
  const declared = new Uint8Array([...utf8('<meta charset="iso-8859-2">'), 0xb1]);
  assert.equal(read(declared).text, "ą");
  assert.equal(read(Uint8Array.of(0xff, 0xfe, 0x61, 0, 0x62, 0)).text, "ab");
});

Deno.test("pageWork takes an encoding from what declares it alone", () => {
  const declaring = [
    "<meta charset=iso-8859-2>",
    "<!-- --><META x CHARSET = ' ISO-8859-2 ' />",
    '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">',
    "<meta content='text/html;charset=&quot;iso-8859-2&quot;' http-equiv=content-type>",
    '<meta name="description" content="charset=koi8-r"><meta charset="iso-8859-2">',
  ];
  const others = [
    '<meta name="description" content="charset=iso-8859-2">',
    '<meta http-equiv="refresh" content="0; charset=iso-8859-2">',
    "<script>'<meta charset=iso-8859-2>'</script>",
    "<!-- <meta charset=iso-8859-2> -->",
    "<p title='<meta charset=iso-8859-2>'>",
    "<metal charset=iso-8859-2>",
    "<meta data-charset=iso-8859-2>",
  ];
  const letter = (head: string) => read(new Uint8Array([...utf8(head), 0xb1])).text;
  for (const head of declaring) assert.equal(letter(head), "ą", head);
  for (const head of others) assert.equal(letter(head), "±", head);
});

Deno.test("pageWork gives so many characters, and reads so many bytes", () => {
  const long = read("<p>word word</p>".repeat(1_000), { maxCharacters: 100 });
  assert.deepEqual([long.text.length, long.truncated], [100, true]);
  const cut = read(`${"<!-- -->".repeat(600_000)}<p>behind`);
  assert.deepEqual([cut.text, cut.truncated], ["", true]);
  assert.equal(read("<p>a").truncated, false);
});
