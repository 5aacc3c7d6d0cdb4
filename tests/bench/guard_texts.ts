/**
 * `deno run guard_texts.ts ROUNDS`: what content filters take without a network, beside plain patterns for the same
 * things over the same text in the same process; and long lists of wildcards. Prints JSON.
 */

import { builtinSlugs, nationalIdSlugs } from "../../shared/guardrails.ts";
import { compileContentFilters } from "../../server/pipeline/guardrails/content_filters.ts";
import { scanText } from "../../server/pipeline/guardrails/scanners/scan_text.ts";
import { TextScanner } from "../../server/pipeline/guardrails/scanners/text_scanner.ts";
import { runNow } from "../../shared/util/run_work.ts";
import type { ScanOptions } from "../../server/pipeline/guardrails/scanners/scan_options.ts";
import { OUTPUT_WINDOW } from "../../server/pipeline/guardrails/scanners/scan_windows.ts";
import { compilePatterns, matchesAny } from "../../server/pipeline/routing/selection/glob.ts";
import { spread } from "./stats.ts";

const rounds = Number(Deno.args[0] ?? 5);
const CHARS = 100_000;
const DELTA_CHARS = 20;
/** Characters that a stream holds back of most filters. */
const HELD_CHARS = 256;

/** Patterns that an operator would write for the nine filters. */
const patterns = [
  /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g,
  /\+?\d{1,3}[ .-]?(?:\(\d{1,4}\)|\d{1,4})(?:[ .-]?\d{2,4}){2,4}/g,
  /\b\d{3}-\d{2}-\d{4}\b/g,
  /\b(?:\d[ -]?){13,19}\b/g,
  /\b(?:\d{1,3}\.){3}\d{1,3}\b|(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}/gi,
  /(?:sk|pk|ghp|xox[bp]|AKIA)[-_]?[A-Za-z0-9]{16,}|-----BEGIN [A-Z ]*PRIVATE KEY-----|(?:password|token|secret|api[_-]?key)["']?\s*[:=]\s*["']?\S{8,}/gi,
  /\b(?:Mr|Mrs|Ms|Dr)\.? [A-Z][a-z]+|\b[A-Z][a-z]+ [A-Z][a-z]+\b/g,
  /\b\d{1,5} [A-Z][a-z]+ (?:Street|St|Road|Rd|Avenue|Ave)\b|\b\d{5} [A-Z][a-z]+\b/g,
  /ignore (?:all )?(?:previous|above) instructions|system prompt|you are now/gi,
];

function runPatterns(text: string): void {
  for (const pattern of patterns) {
    pattern.lastIndex = 0;
    while (pattern.exec(text) !== null) { /* the next one */ }
  }
}

const filters = compileContentFilters([{
  id: "11111111-1111-4111-8111-111111111111",
  scope: "workspace",
  content_filters: null,
  content_filter_builtins: builtinSlugs.filter((slug) => !nationalIdSlugs.some((one) => one === slug))
    .map((slug) => ({ slug, action: "redact" })),
}]);
if (filters === undefined) throw new Error("There are no filters");
const options: ScanOptions = { view: filters.others, window: OUTPUT_WINDOW, report: () => {} };

async function corpus(...names: readonly string[]): Promise<string> {
  const read = (name: string) =>
    Deno.readTextFile(new URL(`../guardrails/corpus/${name}.txt`, import.meta.url));
  const text = (await Promise.all(names.map(read))).join("\n");
  return text.repeat(Math.ceil(CHARS / text.length)).slice(0, CHARS);
}

function msOf(run: () => void): number {
  const started = performance.now();
  run();
  return performance.now() - started;
}

/** Own time in multiples of the plain patterns', one after the other in turn. */
function compare(own: () => void, plain: () => void) {
  for (let round = 0; round < 5; round++) [own, plain].forEach(msOf);
  return spread(Array.from({ length: rounds }, () => msOf(own) / msOf(plain)));
}

function scanDeltas(deltas: readonly string[]): void {
  const scanner = new TextScanner(options);
  for (const delta of deltas) scanner.scan(delta, false);
  scanner.scan("", true);
}

function patternsOverDeltas(deltas: readonly string[]): void {
  let held = "";
  for (const delta of deltas) {
    held = (held + delta).slice(-HELD_CHARS);
    runPatterns(held);
  }
}

const deltasOf = (text: string) => text.match(new RegExp(`[^]{1,${DELTA_CHARS}}`, "g")) ?? [];

function compareText(text: string) {
  const deltas = deltasOf(text);
  return {
    whole: compare(() => runNow(scanText(text, options)), () => runPatterns(text)),
    deltas: compare(() => scanDeltas(deltas), () => patternsOverDeltas(deltas)),
  };
}

const MODELS = 500;
const PATTERNS = 1_024;

/** Patterns that go far into every name before they fail. */
function wildcards() {
  const names = Array.from(
    { length: MODELS },
    (_, n) => `vendor-${n % 20}/model-${n}-aaaaaaaaaaaaaaaa-instruct`,
  );
  const list = Array.from({ length: PATTERNS }, (_, n) => `${"*a".repeat(12)}*-*i*n*s*t*r*u*c*t*${n}`);
  const compiled = compilePatterns(list);
  const pauses = names.map((name) => msOf(() => matchesAny(compiled, [name])));
  const again = msOf(() => names.forEach((name) => matchesAny(compiled, [name])));
  return { longestMs: Math.max(...pauses), againUs: again * 1_000 / MODELS };
}

console.log(JSON.stringify({
  prose: compareText(await corpus("prose_en", "prose_de", "prose_fr")),
  code: compareText(await corpus("code_typescript", "code_python", "code_go")),
  wildcards: wildcards(),
}));
