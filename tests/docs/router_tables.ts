/** Tables of what routers rank by: scores that ship, as docs/auto-routing.md shows them, and settings for docs/settings.md. */

import { autoSchema, routingSchema, scoresSchema } from "../../server/config/routers/routing_settings.ts";
import { coverageOf, describeCoverage } from "../../server/pipeline/routing/scores/coverage.ts";
import { tasksOf } from "../../server/pipeline/routing/scores/scales.ts";
import { loadShippedScores } from "../../server/pipeline/routing/scores/shipped_scores.ts";
import { scoreInput } from "../../server/app/scores/score_input.ts";
import { readSnapshot } from "../../server/providers/catalog/snapshot.ts";
import snapshot from "../../server/providers/catalog/snapshot.json" with { type: "json" };
import { scoreKinds } from "../../shared/routing/scores.ts";
import { taskTypes } from "../../shared/task_types.ts";

const files = await loadShippedScores();
const coverage = coverageOf(
  await scoreInput({ config: { scores: new Map() }, models: readSnapshot(snapshot).allModels(), files }),
  Date.parse(snapshot.sources.rates.date),
);

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ") || "–";

/** Each ability with the tasks that it ranks, and the tables that have it. */
export function scalesTable(): string {
  const rows = scoreKinds.map((kind) => {
    const tables = coverage.scales.filter((one) => one.kind === kind).map(({ scale, measured, inherited }) =>
      `${scale.slice(0, -kind.length - 1)}: ${measured}, ${inherited} inherit`
    );
    return `| \`${kind}\` | ${code(tasksOf(kind))} | ${tables.join("; ")} |`;
  });
  const ranked = new Set(scoreKinds.flatMap(tasksOf));
  const others = taskTypes.filter((task) => !ranked.has(task));
  return [
    "| ability | ranks | tables that ship, the preferred one in front, and their models |",
    "|---|---|---|",
    ...rows,
    `| – | ${code(others)} | none: no table of scores says anything of them |`,
    "",
    "| table | cited as | licence | day |",
    "|---|---|---|---|",
    ...files.map(({ benchmark, attribution, licence, as_of: day }) =>
      `| ${benchmark} | ${attribution} | ${licence} | ${day} |`
    ),
    "",
    `Models of the catalog with a coding score of their own: ${describeCoverage(coverage)}.`,
  ].join("\n");
}

const PATH =
  'a path below the configuration file\'s folder or a whole one, or `{"url": "https://…", "sha256": "…"}`';
const FIGURE = "0 to 100";

const routing: { readonly [K in keyof typeof routingSchema.shape]: Setting } = {
  scores: { meaning: "scores instead of those that ship", allowed: PATH, fallback: "those that ship" },
  market: { meaning: "shares of models by task, ranked by before scores", allowed: PATH, fallback: "none" },
};

const auto: { readonly [K in keyof typeof autoSchema.shape]: Setting } = {
  default_models: {
    meaning: "what ranks where neither receipts nor a market file nor scores do, the best first",
    allowed: "up to 64 model ids or aliases",
    fallback: "none",
  },
  classifier: {
    meaning: "who tells the task of a request",
    allowed: "`local`, or the id or an alias of a model (no slug of fusion), which is asked and charged",
    fallback: "`local`",
  },
};

/** A row of the operator's own scores; the type checker asks for every key. */
const scores: { readonly [K in keyof Required<ReturnType<typeof scoresSchema.parse>[string]>]: string } = {
  general: FIGURE,
  coding: FIGURE,
  reasoning: FIGURE,
  math: FIGURE,
  language: FIGURE,
  tool_use: FIGURE,
  summaries: FIGURE,
  source: "words that explain shows",
  date: "`2026-11-01`",
};

interface Setting {
  readonly meaning: string;
  readonly allowed: string;
  readonly fallback: string;
}

/** Keys of the configuration file by which routers choose. */
export function routerSettingsTable(): string {
  const named = { ...prefixed("routing", routing), ...prefixed("auto", auto) };
  const rows = Object.entries(named).map(([name, { meaning, allowed, fallback }]) =>
    `| \`${name}\` | ${meaning} | ${allowed} | ${fallback} |`
  );
  const { source, date, ...figures } = scores;
  const allowed = `${
    code(Object.keys(figures))
  }: ${FIGURE}, at least one; \`source\`: ${source}; \`date\`: ${date}`;
  return [
    "| key | meaning | allowed | default |",
    "|---|---|---|---|",
    ...rows,
    `| \`scores.<model>\` | own figures of one model: they replace those of the tables and join them | ${allowed} | none |`,
  ].join("\n");
}

const prefixed = (section: string, settings: Readonly<Record<string, Setting>>) =>
  Object.fromEntries(Object.entries(settings).map(([key, setting]) => [`${section}.${key}`, setting]));
