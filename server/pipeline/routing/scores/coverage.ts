/** How much of a catalog its scores cover, for the operator. */

import { type ScoreKind, scoreKinds } from "../../../../shared/routing/scores.ts";
import { buildScoreTables, type ScoreInput } from "./score_tables.ts";

/** One table of scores. */
interface ScaleCoverage {
  readonly kind: ScoreKind;
  /** `LiveBench 2026-06-25 coding`. */
  readonly scale: string;
  readonly source: string;
  readonly date: string;
  /** Models of the catalog that were measured, and those that inherit. */
  readonly measured: number;
  readonly inherited: number;
  /** Older than 180 days, all of it. */
  readonly isOld: boolean;
}

interface Coverage {
  /** Models of the catalog without its variants, and how many of them have a coding score of their own. */
  readonly models: number;
  readonly coding: number;
  /** Months, `2026-07`; undefined where there is no score, or nobody has told when a model was made. */
  readonly newestScore?: string;
  readonly newestModel?: string;
  readonly scales: readonly ScaleCoverage[];
}

/** `openai/gpt-5:batch` is a variant; a model of Bedrock ends in `:0`. */
const isVariant = (id: string): boolean => /:[a-z]+$/.test(id);

/** `now`: ms since the epoch. */
export function coverageOf(input: ScoreInput, now: number): Coverage {
  const models = input.models.filter(({ id }) => !isVariant(id));
  const { byKind } = buildScoreTables(input, now);
  const coding = new Set<string>();
  const scales = scoreKinds.flatMap((kind) =>
    (byKind.get(kind) ?? []).map(({ scale, source, date, models: figures }): ScaleCoverage => {
      const known = models.flatMap(({ id }) => {
        const figure = figures.get(id);
        return figure === undefined ? [] : [{ id, figure }];
      });
      const measured = known.filter(({ figure }) => figure.inferredFrom === undefined);
      if (kind === "coding") { for (const { id } of measured) coding.add(id); }
      const isOld = known.length > 0 && known.every(({ figure }) => figure.isOld);
      return {
        kind,
        scale,
        source,
        date,
        measured: measured.length,
        inherited: known.length - measured.length,
        isOld,
      };
    })
  );
  const newest = Math.max(0, ...models.map(({ created }) => created));
  return {
    models: models.length,
    coding: coding.size,
    newestScore: scales.map(({ date }) => date).toSorted().at(-1)?.slice(0, 7),
    newestModel: newest === 0 ? undefined : new Date(newest * 1_000).toISOString().slice(0, 7),
    scales,
  };
}

/** `61 of 429; newest score 2026-07; newest model 2026-10` */
export function describeCoverage({ models, coding, newestScore, newestModel }: Coverage): string {
  const score = newestScore === undefined ? "no score" : `newest score ${newestScore}`;
  return `${coding} of ${models}; ${score}; newest model ${newestModel ?? "unknown"}`;
}
