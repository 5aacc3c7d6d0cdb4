/** Texts and patterns made to be slow. Time is only bounded against hanging: figures stand in the bench. */

import assert from "node:assert/strict";
import { builtinSlugs } from "../../shared/guardrails.ts";
import { compileContentFilters } from "../../server/pipeline/guardrails/content_filters.ts";
import { runWork } from "../../shared/util/run_work.ts";
import { scanText } from "../../server/pipeline/guardrails/scanners/scan_text.ts";
import { TextScanner } from "../../server/pipeline/guardrails/scanners/text_scanner.ts";
import { INPUT_WINDOW, OUTPUT_WINDOW } from "../../server/pipeline/guardrails/scanners/scan_windows.ts";
import { guarded } from "./guarded.ts";
import { threadMs } from "../support/thread_time.ts";
import { type CountedClock, tickingClock } from "../support/ticking_clock.ts";

const id = "11111111-1111-4111-8111-111111111111";

function viewOf(patterns: readonly string[], { isBuiltIn = false } = {}) {
  const filters = compileContentFilters([{
    id,
    scope: "workspace",
    content_filters: patterns.map((pattern) => ({ pattern, action: "redact" })),
    content_filter_builtins: isBuiltIn ? builtinSlugs.map((slug) => ({ slug, action: "redact" })) : null,
  }]);
  assert.ok(filters);
  return filters.others;
}

const patterns = [
  "(a+)+$",
  "(a|a)*b",
  "(?:a|aa)+c",
  "(x+x+)+y",
  "a{1,900}b",
  "(?:.*a){9}",
  "[^]*z",
  "(?i:A+)+!",
  "a*",
];
const MEGABYTE = 1_000_000;

const texts: Readonly<Record<string, string>> = {
  letters: "a".repeat(MEGABYTE),
  "at signs": "@".repeat(MEGABYTE),
  digits: "1".repeat(MEGABYTE),
  dots: "1.".repeat(MEGABYTE / 2),
  colons: "a:".repeat(MEGABYTE / 2),
  spaces: " ".repeat(MEGABYTE),
  capitals: "Anna ".repeat(MEGABYTE / 5),
  "lone surrogates": "\ud800".repeat(MEGABYTE),
  pairs: "😀".repeat(MEGABYTE / 2),
};

const clock = { monotonic: () => performance.now() };

Deno.test("patterns made to backtrack run in linear time, with pauses", async () => {
  for (const pattern of patterns) {
    const view = viewOf([pattern]);
    for (const text of ["a".repeat(200_000), `${"a".repeat(200_000)}!`, "x".repeat(100_000)]) {
      let pauses = 0;
      const pause = () => {
        pauses++;
        return Promise.resolve();
      };
      const work = () =>
        runWork(scanText(text, { view, window: INPUT_WINDOW, report: () => {} }), { clock, pause });
      const took = await threadMs(work);
      assert.ok(took < 10_000, `${pattern}: ${took} ms`);
      assert.ok(took < 500 || pauses > 0, `${pattern}: ${took} ms without a pause`);
    }
  }
});

Deno.test("the built-in filters stay linear on a megabyte of anything", async () => {
  const view = viewOf([], { isBuiltIn: true });
  for (const [name, text] of Object.entries(texts)) {
    let pauses = 0;
    const pause = () => Promise.resolve(void pauses++);
    const work = () =>
      runWork(scanText(text, { view, window: INPUT_WINDOW, report: () => {} }), { clock, pause });
    const took = await threadMs(work);
    assert.ok(took < 10_000, `${name}: ${took} ms`);
    assert.ok(pauses > 0, name);
  }
});

Deno.test("a million matches are counted and replaced", async () => {
  const view = viewOf(["ab"]);
  let found = 0;
  const work = scanText("ab ".repeat(MEGABYTE), { view, window: INPUT_WINDOW, report: () => found++ });
  const text = await runWork(work, { clock, pause: () => Promise.resolve() });
  assert.equal(found, MEGABYTE);
  assert.equal(text, "[REDACTED] ".repeat(MEGABYTE));
});

Deno.test("matches of no characters are none, and halves of characters stay together", () => {
  const scanner = new TextScanner({
    view: viewOf(["a*", "b?", "^", "$", "\\b"]),
    window: OUTPUT_WINDOW,
    report: () => {},
  });
  const text = "x😀y\ud800z";
  let out = "";
  for (const [position, piece] of text.split("").entries()) {
    for (const one of scanner.scan(piece, position === text.length - 1)) out += one.text;
  }
  assert.equal(out, text);
});

/** The real time, at a tenth of its speed: what reading may take is no matter of how busy the machine is. */
function slowClock(): CountedClock {
  const real = tickingClock();
  return {
    now: real.now,
    after: real.after,
    monotonic: () => real.monotonic() / 10,
    get open() {
      return real.open;
    },
  };
}

Deno.test("ten megabytes of a request are read while others are answered", async () => {
  await using rig = await guarded({
    content_filters: [{ pattern: "(a+)+$", action: "redact" }],
    content_filter_builtins: builtinSlugs.map((slug) => ({ slug, action: "redact" })),
  }, { clock: slowClock() });
  let isOver = false;
  const large = rig.ask({ api: "responses", stream: false, text: "@".repeat(10 * MEGABYTE) }).finally(() =>
    isOver = true
  );
  let answered = 0;
  while (!isOver) {
    const { status } = await rig.ask({ api: "chat", stream: true });
    assert.equal(status, 200);
    answered++;
  }
  assert.equal((await large).status, 200, (await large).raw.slice(0, 300));
  assert.ok(answered > 3, `${answered} answered meanwhile`);
});
