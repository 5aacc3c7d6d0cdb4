/** The harness itself: what it reports, what it lets pass, and that it needs no loosened policy. */

import assert from "node:assert/strict";
import { assertAccessible } from "./support/accessibility.ts";
import { type BrowserStory, browserStory, withPage } from "./support/browser_story.ts";
import { type FixturePage, servePages } from "./support/fixture_pages.ts";
import { screenshots } from "./support/screenshots.ts";
import { until } from "../support/until.ts";

/** The console's, in short. */
const policy = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "require-trusted-types-for 'script'",
};

const page = (content: string, script = ""): FixturePage => ({
  body:
    '<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"><title>Page</title>' +
    `<link rel="icon" href="/icon.svg"><script src="${script}" defer></script></head>` +
    `<body><main><h1>Page</h1>${content}</main></body></html>`,
  headers: policy,
});

const script = (body: string): FixturePage => ({ body, headers: { "content-type": "text/javascript" } });
const icon: FixturePage = {
  body: "<svg xmlns='http://www.w3.org/2000/svg'/>",
  headers: { "content-type": "image/svg+xml" },
};

/** The page of a script; the icon keeps the browser from asking for one that is not there. */
function scripted(body: string, headers = page("").headers) {
  return servePages({ "/": { ...page("", "/own.js"), headers }, "/own.js": script(body), "/icon.svg": icon });
}

/** Waits until the browser has reported something like it. */
const problemLike = ({ watch }: BrowserStory, pattern: RegExp) =>
  until(() => watch.problems.some((line) => pattern.test(line)), { what: `a report of ${pattern}` });

interface Fault {
  readonly name: string;
  readonly script: string;
  readonly report: RegExp;
  /** Headers of the page; the policy by default. */
  readonly headers?: FixturePage["headers"];
}

const faults: readonly Fault[] = [
  { name: "an error on the console", script: "console.error('wrong')", report: /^console error: wrong/ },
  { name: "an error of a script", script: "throw new Error('broken')", report: /^page error: broken/ },
  {
    name: "a promise that nobody catches",
    script: "Promise.reject(new Error('lost'))",
    report: /^page error: lost/,
  },
  { name: "an answer that is an error", script: "fetch('/missing')", report: /^console error: .*404/ },
  {
    name: "a request to elsewhere",
    script:
      "document.querySelector('main').append(Object.assign(new Image(), { src: 'http://elsewhere.test/a' }))",
    report: /^request to elsewhere: http:\/\/elsewhere\.test\/a$/,
    headers: {},
  },
  {
    name: "a style attribute",
    script: "document.querySelector('h1').setAttribute('style', 'color: red')",
    report: /^policy violation: style-src-attr/,
  },
  {
    name: "markup from text",
    // The policy throws; the violation's report is what the test looks for.
    script: "try { document.querySelector('h1').innerHTML = '<b>x</b>' } catch { /* reported */ }",
    report: /^policy violation: require-trusted-types-for/,
  },
];

for (const { name, script, report, headers } of faults) {
  browserStory({ name: `a story fails for ${name}` }, async ({ watch }) => {
    await using pages = scripted(script, headers);
    const failing = withPage({ name }, async (inner) => {
      await inner.page.goto(pages.url);
      await problemLike(inner, report);
    });
    await assert.rejects(
      failing,
      (error) => error instanceof Error && error.message.includes("does not expect"),
    );
    assert.deepEqual(watch.problems, [], "stories do not see each other's reports");
  });

  browserStory({ name: `a story may expect ${name}` }, async (story) => {
    await using pages = scripted(script, headers);
    story.watch.expect(report, /./);
    await story.page.goto(pages.url);
    await problemLike(story, report);
  });
}

browserStory({ name: "a story fails for what it expects and does not come" }, async () => {
  await using pages = scripted("");
  const failing = withPage({ name: "nothing" }, async ({ page, watch }) => {
    watch.expect(/never/);
    await page.goto(pages.url);
  });
  await assert.rejects(failing, /reports what the story expects/);
});

browserStory({ name: "a failed story says what the browser reported" }, async () => {
  await using pages = scripted("console.error('the reason')");
  const failing = withPage({ name: "failed" }, async (story) => {
    await story.page.goto(pages.url);
    await problemLike(story, /the reason/);
    assert.fail("the story's own failure");
  });
  await assert.rejects(failing, /the story's own failure[^]*console error: the reason/);
});

browserStory({
  name: "withPage opens the page in the theme and width of the story",
  theme: "dark",
  width: 360,
}, async ({ page }) => {
  await using pages = scripted("");
  await page.goto(pages.url);
  assert.equal(await page.evaluate("innerWidth"), 360);
  assert.equal(await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches"), true);
});

browserStory({ name: "assertAccessible passes a page that is, under the policy" }, async ({ page: tab }) => {
  await using pages = servePages({
    "/": page("<p>Text</p>", "/own.js"),
    "/own.js": script(""),
    "/icon.svg": icon,
  });
  await tab.goto(pages.url);
  await assertAccessible(tab);
});

browserStory({ name: "assertAccessible names rule, element and remedy" }, async ({ page: tab }) => {
  const content = '<img src="/icon.svg"><button type="button"></button>';
  await using pages = servePages({ "/": page(content, "/own.js"), "/own.js": script(""), "/icon.svg": icon });
  await tab.goto(pages.url);
  await assert.rejects(assertAccessible(tab), (error) => {
    assert(error instanceof Error);
    for (
      const part of [
        /^image-alt \(critical\)/m,
        /^button-name/m,
        /<img src=/,
        /alt attribute/,
        /dequeuniversity/,
      ]
    ) {
      assert.match(error.message, part);
    }
    return true;
  });
});

browserStory(
  { name: "screenshots writes both themes and widths, and puts the page back", theme: "dark" },
  async ({ page }) => {
    await using pages = scripted("");
    await page.goto(pages.url);
    const folder = await Deno.makeTempDir();
    await screenshots(page, "page", { folder });
    const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
    await Deno.remove(folder, { recursive: true });
    const expected = ["dark-1280", "dark-360", "light-1280", "light-360"].map((view) => `page-${view}.png`);
    assert.deepEqual(names, expected);
    assert.deepEqual(page.viewportSize(), { width: 1280, height: 800 });
    assert.equal(await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches"), true);
  },
);
