import assert from "node:assert/strict";
import { findAll, positives } from "../../../../tests/support/filter_corpus.ts";
import { builtinFilters } from "./mod.ts";
import { threadMs } from "../../../../tests/support/thread_time.ts";

Deno.test("a window of the text around a match is enough to find it", () => {
  for (const filter of Object.values(builtinFilters)) {
    const { maxMatch, lookAhead, lookBehind } = filter;
    assert.ok(maxMatch !== null);
    for (const { text } of positives) {
      const long = `${"Before it. ".repeat(60)}${text} ${"And behind it. ".repeat(400)}`;
      for (const { start, end } of findAll(filter, long)) {
        assert.ok(end - start <= maxMatch, text);
        const first = Math.max(start - lookBehind, 0);
        const window = long.slice(first, start + maxMatch + lookAhead);
        const again = filter.find(window, start - first);
        assert.deepEqual(again, { start: start - first, end: end - first }, `${filter.slug}: ${text}`);
        if (!filter.spansSpace) assert.doesNotMatch(long.slice(start, end), /\s/);
      }
    }
  }
});

Deno.test("nothing outside of a filter's reach makes or unmakes a match", () => {
  const text = positives.filter((_, position) => position % 5 === 0).map((one) => one.text).join(" -x ");
  for (const filter of Object.values(builtinFilters)) {
    const { maxMatch, lookAhead, lookBehind } = filter;
    assert.ok(maxMatch !== null);
    const endAt = (searched: string, start: number) => {
      const match = filter.find(searched, start);
      return match?.start === start ? match.end - start : undefined;
    };
    for (let start = 0; start < text.length; start += 3) {
      const first = Math.max(start - lookBehind, 0);
      const window = text.slice(first, start + maxMatch + lookAhead);
      const context = `${filter.slug}: ${text.slice(start, start + 60)}`;
      assert.equal(endAt(window, start - first), endAt(text, start), context);
    }
  }
});

Deno.test("a match does not depend on where a search before it began", () => {
  for (const filter of Object.values(builtinFilters)) {
    for (const { text } of positives) {
      const first = filter.find(text, 0);
      if (first === undefined) continue;
      for (let from = 0; from <= first.start; from++) assert.deepEqual(filter.find(text, from), first, text);
    }
  }
});

const bombs = [
  ..."@a1-: .+(A_%é<=",
  ..."1.|a@|1 |1-|1:|::|+1|(0)|A |sk-|sk-a|eyJ|= |token=|<||ignore |ignore all |12 A|Am A |Anna |4111 |@a.|12 rue "
    .split("|")
    .filter(Boolean),
];

Deno.test("no text makes a filter slow", async () => {
  for (const filter of Object.values(builtinFilters)) {
    for (const bomb of bombs) {
      const text = bomb.repeat(Math.ceil(1_000_000 / bomb.length));
      const ms = await threadMs(() => findAll(filter, text));
      assert.ok(ms < 2_000, `${filter.slug} takes ${ms} ms for ${JSON.stringify(bomb)}`);
    }
  }
});
