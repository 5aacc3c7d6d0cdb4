import assert from "node:assert/strict";
import { runNow } from "../../../../shared/util/run_work.ts";
import { pageWork } from "./read_page.ts";

const read = (html: string) =>
  runNow(pageWork({
    body: new TextEncoder().encode(html),
    url: "https://example.com/",
    charset: "utf-8",
    isXml: false,
    maxCharacters: 1_000,
  }));

const hiding: Readonly<Record<string, readonly string[]>> = {
  "its display": [
    "display:none",
    "DISPLAY : NONE",
    "color:red;;display:none !important;",
    "d\\69splay:none",
    "display:no\\6e e",
    "display:\\6eone",
    "display:block;display:none",
    "display:none;display:shown",
    "display:none;display:block block",
    "display:none;display:10px",
    "display:none!important;display:block",
    "background:url(a;b);display:none",
    "content:'a\\';';display:none",
    "/*;*/display:none/* } */",
    "visibility:hidden",
    "visibility:collapse",
    "content-visibility:hidden",
  ],
  "its color and opacity": [
    "color:transparent",
    "color:rgba(0,0,0,0)",
    "color:rgb(0 0 0 / 0%)",
    "color:#0000",
    "color:#ffffff00",
    "-webkit-text-fill-color:transparent",
    "opacity:0",
    "opacity:.01",
    "opacity:1%",
    "opacity:0.0e3",
    "filter:blur(1px) opacity(0)",
    "filter:opacity(1%)",
  ],
  "its size": [
    "font-size:0",
    "font-size:0.1px",
    "font-size:3px",
    "font-size:.01in",
    "font-size:.01em",
    "font-size:0%",
    "font:0/0 a",
    "font:italic 400 0/1 'a b'",
    "transform:scale(0)",
    "transform:rotate(3deg) scaleX(0)",
    "transform:matrix(0,0,0,0,0,0)",
    "scale:0",
    "scale:1 0",
    "width:0;height:0;overflow:hidden",
    "max-height:0;overflow:hidden",
    "height:0;height:small;overflow:hidden auto",
    "overflow-y:clip;height:1px",
    "clip-path:inset(100%)",
    "clip-path:inset(50% round 2px)",
    "clip-path:circle(0)",
    "clip-path:polygon(0 0, 0 0, 0 0)",
    "clip:rect(0 0 0 0)",
    "position:absolute;clip:rect(1px, 1px, 1px, 1px)",
  ],
  "its place": [
    "position:absolute;left:-9999px",
    "position:absolute;left:calc(-9999px)",
    "left:calc(50% - 9999px)",
    "left:calc(-1 * 9999px)",
    "top:-999px",
    "left:-9999px;left:none",
    "text-indent:-9999px hanging",
    "left:-99em",
    "right:9999px",
    "position:fixed;inset:-9999px",
    "inset:0 0 0 -9999px",
    "text-indent:-99em",
    "text-indent:-9999px",
    "margin-left:-9999px",
    "margin:0 0 0 -9999px",
    "transform:translateX(-9999px)",
    "transform:translate(0, calc(-9999px))",
    "translate:-9999px",
  ],
};

for (const [what, styles] of Object.entries(hiding)) {
  Deno.test(`pageWork leaves out what an element hides by ${what}`, () => {
    for (const style of styles) {
      assert.equal(read(`a<b style="${style}">b<i>c</i></b>d`).text, "ad", style);
      assert.equal(read(`<div style="${style}">b</div>`).lack, "hidden", style);
    }
  });
}

Deno.test("pageWork gives what an element's style does not hide", () => {
  const styles = [
    "display:none;display:block",
    "display:none;display:inline !important",
    "display:block!important;display:none",
    "display:none none",
    "display:none;display:block flow-root",
    "dis/**/play:none",
    "content:';display:none;'",
    "background:url(;display:none;)",
    "display\\:none",
    "x:(display:none;",
    "display:var(--x)",
    "opacity:.5",
    "opacity:0;opacity:1",
    "filter:opacity(50%)",
    "color:#000f",
    "color:rgba(0,0,0,.5)",
    "color:transparent;-webkit-background-clip:text",
    "color:transparent;text-shadow:0 0 3px #000",
    "font-size:4px",
    "font:400 12px/0 a",
    "font:0",
    "font-size:0;font-size:-1px;font-size:2em",
    "transform:scale(.9)",
    "transform:translateX(-100%)",
    "width:0;height:0",
    "overflow:hidden;width:100px",
    "overflow:hidden;height:0;padding-bottom:56.25%",
    "overflow:hidden;height:0;min-height:2em",
    "clip:rect(0,100px,100px,0)",
    "position:relative;clip:rect(0,0,0,0)",
    "clip-path:inset(10%)",
    "position:relative;left:-100px",
    "position:static;left:-9999px",
    "left:-100%",
    "left:-9999px;left:0",
    "left:50%;margin-left:-1000px",
    "margin-left:-100px",
    "margin-top:-200px",
    "text-indent:-100px",
    "margin-bottom:-9999px",
  ];
  for (const style of styles) assert.equal(read(`a<b style="${style}">b</b>d`).text, "abd", style);
});

Deno.test("pageWork gives what an element within a hidden one shows again", () => {
  const cases: Readonly<Record<string, string>> = {
    '<b style="visibility:hidden">a<i style="visibility:visible">b</i>c</b>d': "bd",
    '<b style="font-size:0">a<i style="font-size:16px">b</i><i style="font-size:2em">c</i></b>d': "bd",
    '<b style="font:0/0 a">a<i style="font-size:medium">b</i></b>d': "bd",
    '<b style="font-size:.2em"><i style="font-size:.2em">a</i><i style="font-size:10em">b</i></b>': "b",
    '<b style="color:transparent">a<i style="color:red">b</i></b>d': "bd",
    '<b style="display:none">a<i style="display:block;visibility:visible">b</i></b>d': "d",
    '<b style="opacity:0">a<i style="opacity:1">b</i></b>d': "d",
    '<b hidden style="display:inline">b</b>d': "bd",
    '<b style="font-size:0"><img src="/p" alt="p"></b>': "![p](https://example.com/p)",
    '<b style="visibility:hidden">a<img src="/p" alt="p"></b>d': "d",
    '<img src="/p" alt="p" style="display:none">d': "d",
  };
  for (const [html, text] of Object.entries(cases)) assert.equal(read(html).text, text, html);
});

Deno.test("pageWork never leaves a page out as a whole", () => {
  for (const name of ["html", "body"]) {
    for (
      const attribute of ['style="opacity:0"', 'style="visibility:hidden"', 'style="font-size:0"', "hidden"]
    ) {
      assert.equal(read(`<${name} ${attribute}>a<p hidden>b</p>`).text, "a", `${name} ${attribute}`);
    }
  }
});

Deno.test("pageWork looks for what hides an element in a long style and deep within a page", () => {
  assert.equal(read(`a<b style="${"x:y;".repeat(4_000)}display:none">b</b>d`).text, "ad");
  for (const depth of [0, 511, 512, 600, 5_000]) {
    const outer = "<div>".repeat(depth);
    for (const inner of ["</i>".repeat(9), "</p>".repeat(9), "<i></i>".repeat(9)]) {
      assert.equal(read(`${outer}<div hidden>${inner}b<i>c</div>d`).text, "d", `${depth} ${inner}`);
      assert.equal(
        read(`<div hidden>${outer}${inner}b${"</div>".repeat(depth)}c</div>d`).text,
        "d",
        `${depth} ${inner}`,
      );
      assert.equal(read(`${outer}<p hidden>b</p>${inner}d`).text, "d", `${depth} ${inner}`);
    }
  }
});
