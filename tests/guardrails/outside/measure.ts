/**
 * `deno run measure.ts FOLDER`: how much the built-in filters find in texts that nobody of this project wrote, and how
 * often they are wrong in code and logs, beside Presidio, detect-secrets and gitleaks. `fetch.sh FOLDER` fetches them.
 */

import * as z from "zod";
import { type BuiltinSlug, builtinSlugs, nationalIdSlugs } from "../../../shared/guardrails.ts";
import { builtinFilters } from "../../../server/pipeline/guardrails/builtins/mod.ts";
import type { TextMatch } from "../../../server/pipeline/guardrails/text_filter.ts";
import { findAll } from "../../support/filter_corpus.ts";

const folder = Deno.args[0];
if (folder === undefined) throw new Error("Say which folder fetch.sh has filled");

const caseSchema = z.object({
  set: z.string(),
  slug: z.enum(builtinSlugs),
  text: z.string(),
  start: z.int(),
  end: z.int(),
  half: z.enum(["tune", "check"]),
});
type Case = z.infer<typeof caseSchema>;
const alarmSchema = z.object({ set: z.string(), text: z.string() });
const otherSchema = z.union([
  z.object({ tool: z.string(), case: z.int(), places: z.array(z.tuple([z.int(), z.int()])) }),
  z.object({ tool: z.string(), set: z.string(), counts: z.record(z.string(), z.int()) }),
]);
const gitleaksSchema = z.array(z.object({ Secret: z.string(), File: z.string() }));

function readLines<T>(name: string, schema: z.ZodType<T>): readonly T[] {
  const lines = Deno.readTextFileSync(`${folder}/${name}`).trim().split("\n");
  return lines.map((line) => schema.parse(JSON.parse(line)));
}

const cases = readLines("cases.jsonl", caseSchema);
const alarms = readLines("alarms.jsonl", alarmSchema);
const others = readLines("others.jsonl", otherSchema);
const PER = 100_000;

type Places = ReadonlyMap<number, readonly TextMatch[]>;

/** Python counts characters, and we count code units; few texts have others. */
const placesOf = (tool: string): Places =>
  new Map(
    others.flatMap((row) =>
      "case" in row && row.tool === tool
        ? [[row.case, row.places.map(([start, end]) => ({ start, end }))] as const]
        : []
    ),
  );

const own: Places = new Map(cases.map(({ slug, text }, at) => [at, findAll(builtinFilters[slug], text)]));

/** Runs gitleaks on texts; its findings are by the file's name. */
function runGitleaks(texts: readonly string[]): ReadonlyMap<number, readonly string[]> {
  const files = Deno.makeTempDirSync();
  for (const [at, text] of texts.entries()) Deno.writeTextFileSync(`${files}/${at}.txt`, text);
  const report = `${files}.json`;
  const args = ["dir", files, "--no-banner", "--exit-code=0", "-f", "json", "-r", report];
  const { success, stderr } = new Deno.Command(`${folder}/gitleaks`, { args }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const found = new Map<number, string[]>();
  for (const { File, Secret } of gitleaksSchema.parse(JSON.parse(Deno.readTextFileSync(report)))) {
    const at = Number(/(\d+)\.txt$/.exec(File)?.[1]);
    found.set(at, [...found.get(at) ?? [], Secret]);
  }
  Deno.removeSync(files, { recursive: true });
  Deno.removeSync(report);
  return found;
}

const secretCases = cases.flatMap((one, at) => one.slug === "secrets" ? [{ ...one, at }] : []);
const gitleaksFound = runGitleaks(secretCases.map(({ text }) => text));
const gitleaks: Places = new Map(secretCases.map(({ at, text }, place) => [
  at,
  (gitleaksFound.get(place) ?? []).map((secret) => {
    const start = text.indexOf(secret);
    return { start, end: start + secret.length };
  }),
]));

/** Half of what is looked for has to be in one match; of a long text that is an attempt, any match counts. */
function isFound({ slug, start, end }: Case, matches: readonly TextMatch[]): boolean {
  const least = slug === "regex-prompt-injection" ? 1 : (end - start) / 2;
  return matches.some((match) => Math.min(match.end, end) - Math.max(match.start, start) >= least);
}

const tools = new Map([
  ["Tollgate", own],
  ...["Presidio", "detect-secrets"].map((tool) => [tool, placesOf(tool)] as const),
  [
    "gitleaks",
    gitleaks,
  ],
]);

function share(places: Places, chosen: readonly (readonly [number, Case])[]): string {
  const judged = chosen.filter(([at]) => places.has(at));
  if (judged.length === 0) return "";
  const found = judged.filter(([at, one]) => isFound(one, places.get(at) ?? [])).length;
  return (found / judged.length).toFixed(2);
}

const negativeSet = "gitleaks: negatives";

function printRecall(): void {
  const keys = [...new Set(cases.map(({ set, slug }) => `${set}\t${slug}`))];
  console.log("\nRecall: the half that filters were tuned on / the half that was held back\n");
  console.log(`| set | filter | texts | ${[...tools.keys()].join(" | ")} |\n|---|---|---|---|---|---|---|`);
  for (const key of keys.filter((one) => !one.startsWith(negativeSet))) {
    const [set, slug] = key.split("\t");
    const chosen = [...cases.entries()].filter(([, one]) => one.set === set && one.slug === slug);
    const cells = [...tools.values()].map((places) =>
      (["tune", "check"] as const).map((half) => share(places, chosen.filter(([, one]) => one.half === half)))
        .filter((text) => text !== "").join(" / ")
    );
    console.log(`| ${set} | ${slug} | ${chosen.length} | ${cells.join(" | ")} |`);
  }
  const negatives = [...cases.entries()].filter(([, { set }]) => set === negativeSet);
  const wrong = [...tools.values()].map((places) =>
    negatives.some(([at]) => places.has(at))
      ? `${negatives.filter(([at]) => (places.get(at) ?? []).length > 0).length}`
      : ""
  );
  console.log(
    `| ${negativeSet}: texts with a match | secrets | ${negatives.length} | ${wrong.join(" | ")} |`,
  );
}

function printAlarms(): void {
  const found = runGitleaks(alarms.map(({ text }) => text));
  console.log(
    `\nMatches per 100 KB of code and logs\n\n| filter | tool | ${
      alarms.map(({ set, text }) => `${set} (${Math.round(text.length / 1_000)} KB)`).join(" | ")
    } |\n|---|---|---|---|---|`,
  );
  const per = (count: number, text: string) => (count / text.length * PER).toFixed(2);
  const ids = new Set<BuiltinSlug>(nationalIdSlugs);
  const groups = [...builtinSlugs.filter((slug) => !ids.has(slug)).map((slug) => [slug]), [
    ...nationalIdSlugs,
  ]];
  for (const group of groups) {
    const name = group.length === 1 ? group[0] : "numbers with check digits, all";
    const cells = alarms.map(({ text }) =>
      per(group.flatMap((slug) => findAll(builtinFilters[slug], text)).length, text)
    );
    console.log(`| ${name} | Tollgate | ${cells.join(" | ")} |`);
    for (const tool of ["Presidio", "detect-secrets"]) {
      const counts = alarms.map(({ set, text }) => {
        const row = others.find((one) => "set" in one && one.set === set && one.tool === tool);
        return row === undefined || !("counts" in row)
          ? ""
          : per(group.reduce((sum, slug) => sum + (row.counts[slug] ?? 0), 0), text);
      });
      const isKnown = tool === "detect-secrets" === group.includes("secrets");
      if (isKnown && !["email", "ssn", "ip-address", "regex-prompt-injection"].includes(name ?? "")) {
        console.log(`| ${name} | ${tool} | ${counts.join(" | ")} |`);
      }
    }
    if (group.includes("secrets")) {
      console.log(
        `| ${name} | gitleaks | ${
          alarms.map(({ text }, at) => per(found.get(at)?.length ?? 0, text)).join(" | ")
        } |`,
      );
    }
  }
}

printRecall();
printAlarms();
