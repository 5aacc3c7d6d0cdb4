/** Scores as evidence of routers: made once per catalog, and anew only when a score becomes old. */

import type { TaskType } from "../../../../shared/task_types.ts";
import { type RunDeps, runWork } from "../../../../shared/util/run_work.ts";
import type { Evidence, ScoreTable } from "../routers/evidence.ts";
import { tasksOf } from "./scales.ts";
import { buildScoreTables, type ScoreInput, type ScoreTables, scoreTablesWork } from "./score_tables.ts";

type ScoreEvidence = Pick<Evidence, "scores" | "coding">;

interface ScoreDeps {
  readonly clock: RunDeps["clock"] & { now(): number };
  readonly pause: RunDeps["pause"];
}

/** Lets other work run meanwhile. What it makes returns the same value until a score becomes old. */
export async function createScoreEvidence(
  input: ScoreInput,
  { clock, pause }: ScoreDeps,
): Promise<() => ScoreEvidence> {
  let tables = await runWork(scoreTablesWork(input, clock.now()), { clock, pause });
  let evidence = evidenceOf(input, tables);
  return () => {
    const now = clock.now();
    if (now < tables.until) return evidence;
    tables = buildScoreTables(input, now);
    evidence = evidenceOf(input, tables);
    return evidence;
  };
}

function evidenceOf({ models }: ScoreInput, { byKind }: Pick<ScoreTables, "byKind">): ScoreEvidence {
  const scores = new Map<TaskType, readonly ScoreTable[]>();
  for (const [kind, tables] of byKind) for (const task of tasksOf(kind)) scores.set(task, tables);
  const known = (table: ScoreTable) => models.filter(({ id }) => table.models.has(id)).length;
  const [coding] = (byKind.get("coding") ?? []).toSorted((one, other) => known(other) - known(one));
  return coding === undefined ? { scores } : { scores, coding };
}
