import assert from "node:assert/strict";
import type { BuiltinFilter } from "../../server/pipeline/guardrails/builtins/builtin_filter.ts";
import { builtinFilters } from "../../server/pipeline/guardrails/builtins/mod.ts";
import { nationalIdSlugs } from "../../shared/guardrails.ts";
import type { TextMatch } from "../../server/pipeline/guardrails/text_filter.ts";
import { findAll, negatives, type Positive, positives } from "../support/filter_corpus.ts";

interface Score {
  readonly precision: number;
  readonly recall: number;
  readonly missed: readonly string[];
  readonly falseAlarms: readonly string[];
}

const overlaps = (one: TextMatch, other: TextMatch) => one.start < other.end && other.start < one.end;
const covers = (one: TextMatch, other: TextMatch) => one.start <= other.start && one.end >= other.end;

/** Where an attempt at an injection ends is a matter of taste; everything else has to be covered. */
const finds = ({ slug }: BuiltinFilter) => slug === "regex-prompt-injection" ? overlaps : covers;

function judgePositive(filter: BuiltinFilter, { text, marks }: Positive) {
  const matches = findAll(filter, text);
  return {
    missed: marks.filter((mark) => !matches.some((match) => finds(filter)(match, mark)))
      .map(({ start, end }) => text.slice(start, end)),
    falseAlarms: matches.filter((match) => !marks.some((mark) => overlaps(match, mark)))
      .map(({ start, end }) => `${text} → ${text.slice(start, end)}`),
  };
}

function score(filter: BuiltinFilter): Score {
  const own = positives.filter(({ slug }) => slug === filter.slug);
  const judged = own.map((positive) => judgePositive(filter, positive));
  const falseAlarms = [
    ...judged.flatMap((one) => one.falseAlarms),
    ...[...negatives.values()].flat().flatMap((text) =>
      findAll(filter, text).map(({ start, end }) => `${text} → ${text.slice(start, end)}`)
    ),
  ];
  const missed = judged.flatMap((one) => one.missed);
  const found = own.flatMap(({ marks }) => marks).length - missed.length;
  return {
    precision: found / (found + falseAlarms.length),
    recall: found / (found + missed.length),
    missed,
    falseAlarms,
  };
}

/** Numbers with check digits have tests of their own. */
const judged = Object.values(builtinFilters).filter(({ slug }) =>
  !nationalIdSlugs.some((one) => one === slug)
);
const scores = new Map(judged.map((filter) => [filter, score(filter)]));

function printTable(): void {
  console.log("\n| filter | positives | precision | recall |\n|---|---|---|---|");
  for (const [{ slug }, { precision, recall }] of scores) {
    const count = positives.filter((positive) => positive.slug === slug).length;
    console.log(`| ${slug} | ${count} | ${precision.toFixed(3)} | ${recall.toFixed(3)} |`);
  }
}

Deno.test("the corpus has enough lines of each kind, all different", () => {
  const lines = [...negatives.values()].flat();
  assert.equal(lines.length, 4_000);
  assert.equal(new Set(lines).size, lines.length);
  assert.ok(positives.length >= 400);
  assert.equal(new Set(positives.map(({ slug, text }) => `${slug} ${text}`)).size, positives.length);
  for (const { slug } of judged) {
    const least = slug === "credit-card" || slug === "secrets" ? 60 : 30;
    assert.ok(positives.filter((positive) => positive.slug === slug).length >= least, slug);
  }
});

Deno.test("the built-in filters find what the corpus marks and nothing else", async (t) => {
  printTable();
  for (const [{ slug }, { precision, recall, missed, falseAlarms }] of scores) {
    await t.step(slug, () => {
      const details = JSON.stringify({ missed, falseAlarms }, null, 2);
      if (slug === "credit-card" || slug === "ssn") {
        assert.equal(recall, 1, details);
        assert.deepEqual(falseAlarms, []);
      } else assert.ok(precision >= 0.95 && recall >= 0.9, details);
    });
  }
});
