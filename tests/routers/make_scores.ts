/**
 * Makes the score files of `server/pipeline/routing/scores/shipped/` of the tables that were taken from their sources:
 * `deno run --allow-read --allow-write=server tests/routers/make_scores.ts FOLDER`. It renames categories, leaves out
 * columns that nothing ranks by, and of BFCL and Vectara the rows whose model is not in the catalog; every figure
 * stays as it is.
 */

import * as z from "zod";
import { type ScoreFile, scoreFileSchema, type ScoreKind } from "../../shared/routing/scores.ts";

const table = z.object({
  repository: z.string(),
  path: z.string(),
  commit: z.string(),
  licence: z.string(),
  rows: z.array(z.record(z.string(), z.unknown())),
});
type Table = z.output<typeof table>;
type Row = Table["rows"][number];

interface Recipe {
  readonly file: string;
  readonly head: Omit<ScoreFile, "rows" | "source">;
  /** Text of the source before its repository. */
  readonly title: string;
  readonly scores: (row: Row) => Readonly<Partial<Record<ScoreKind, unknown>>>;
  readonly effort?: string;
  /** Rows without a model of the catalog stay: they are part of the field that percentiles are taken over. */
  readonly wholeField?: true;
}

const liveBenchScores: Recipe["scores"] = ({ overall, scores }) => {
  const { coding, reasoning, mathematics, language } = z.record(z.string(), z.number()).parse(scores);
  return { general: overall, coding, reasoning, math: mathematics, language };
};

const liveBench = (release: string, remark = ""): Recipe => ({
  file: `livebench-${release}.json`,
  title: `LiveBench, table of release ${release}`,
  head: {
    benchmark: `LiveBench ${release}`,
    attribution: "LiveBench (livebench.ai), CC BY-SA 4.0",
    licence: "CC BY-SA 4.0",
    as_of: "2026-07-01",
    notice:
      "This file is under CC BY-SA 4.0 (https://creativecommons.org/licenses/by-sa/4.0/), apart from the program around it. " +
      "Changed: tasks averaged to categories, and the categories to an overall figure; columns left out; names mapped to ids of the catalog." +
      remark,
  },
  scores: liveBenchScores,
  effort: "effort",
  wholeField: true,
});

const recipes: readonly Recipe[] = [
  liveBench(
    "2026-06-25",
    " A row of a failed run is left out. The table has no day: it is of July 2026 or later.",
  ),
  liveBench("2026-01-08"),
  {
    file: "bfcl-v4.json",
    title: "Berkeley Function Calling Leaderboard v4",
    head: {
      benchmark: "BFCL",
      attribution: "Berkeley Function Calling Leaderboard, Apache-2.0",
      licence: "Apache-2.0",
      as_of: "2026-04-12",
      notice: "Changed: columns and rows left out; names mapped to ids of the catalog.",
    },
    scores: ({ overall }) => ({ tool_use: overall }),
    effort: "mode",
  },
  {
    file: "vectara-summaries.json",
    title: "Vectara hallucination leaderboard (HHEM)",
    head: {
      benchmark: "Vectara HHEM",
      attribution: "Vectara hallucination leaderboard, Apache-2.0",
      licence: "Apache-2.0",
      as_of: "2026-03-10",
      notice: "Changed: columns and rows left out; names mapped to ids of the catalog.",
    },
    scores: ({ factual_consistency: summaries }) => ({ summaries }),
  },
];

export const scoreFileNames = recipes.map(({ file }) => file);

/** The file that a table becomes, or an error where the table is not as the recipe expects it. */
export function makeScoreFile(file: string, json: unknown): ScoreFile {
  const recipe = recipes.find((one) => one.file === file);
  if (recipe === undefined) throw new Error(`There is no recipe for ${file}`);
  const { head, title, scores, effort, wholeField } = recipe;
  const { repository, path, commit, rows } = table.parse(json);
  return scoreFileSchema.parse({
    ...head,
    source: `${title}: ${repository}, ${path}, commit ${commit}`,
    rows: rows.filter(({ model }) => wholeField || model !== null).map((row) => ({
      name: row.name,
      model: row.model,
      ...(effort === undefined || row[effort] === null ? {} : { effort: row[effort] }),
      scores: Object.fromEntries(
        // A model that failed a category has no figure there, and none overall.
        Object.entries(scores(row)).filter(([, value]) => value !== null && value !== undefined),
      ),
    })),
  });
}

/** A row a line, so that a change of one model is a change of one line. */
export function scoreFileText({ rows, ...head }: ScoreFile): string {
  const fields = Object.entries(head).map(([key, value]) =>
    `  ${JSON.stringify(key)}: ${JSON.stringify(value)},\n`
  );
  const lines = rows.map((row) => `    ${JSON.stringify(row)}`).join(",\n");
  return `{\n${fields.join("")}  "rows": [\n${lines}\n  ]\n}\n`;
}

if (import.meta.main) {
  const [folder] = Deno.args;
  if (folder === undefined) throw new Error("Name the folder of the tables");
  const target = new URL("../../server/pipeline/routing/scores/shipped/", import.meta.url);
  for (const file of scoreFileNames) {
    const json: unknown = JSON.parse(await Deno.readTextFile(`${folder}/${file}`));
    await Deno.writeTextFile(new URL(file, target), scoreFileText(makeScoreFile(file, json)));
  }
}
