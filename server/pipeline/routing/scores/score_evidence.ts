/** Scores as evidence of routers: made once per catalog, and anew only when a score becomes old. */

import type { TaskType } from "../../../../shared/task_types.ts";
import type { Evidence, ScoreTable } from "../routers/evidence.ts";
import { tasksOf } from "./scales.ts";
import { buildScoreTables, type ScoreInput } from "./score_tables.ts";

type ScoreEvidence = Pick<Evidence, "scores" | "coding">;

/** Returns the same value until a score becomes old. `now`: ms since the epoch. */
export function createScoreEvidence(input: ScoreInput, now: () => number): () => ScoreEvidence {
  let until = -Infinity;
  let evidence: ScoreEvidence = { scores: new Map() };
  return () => {
    const time = now();
    if (time >= until) {
      const tables = buildScoreTables(input, time);
      until = tables.until;
      evidence = evidenceOf(input, tables);
    }
    return evidence;
  };
}

function evidenceOf(
  { models }: ScoreInput,
  { byKind }: Pick<ReturnType<typeof buildScoreTables>, "byKind">,
): ScoreEvidence {
  const scores = new Map<TaskType, readonly ScoreTable[]>();
  for (const [kind, tables] of byKind) for (const task of tasksOf(kind)) scores.set(task, tables);
  const known = (table: ScoreTable) => models.filter(({ id }) => table.models.has(id)).length;
  const [coding] = (byKind.get("coding") ?? []).toSorted((one, other) => known(other) - known(one));
  return coding === undefined ? { scores } : { scores, coding };
}
