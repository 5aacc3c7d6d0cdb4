/** Market files: shares of models by task, for evidence of routers. */

import type { MarketFile } from "../../../../shared/routing/scores.ts";
import { isTaskType, type TaskMacro, taskMacros, type TaskType } from "../../../../shared/task_types.ts";
import type { MarketEvidence } from "../routers/evidence.ts";

/** `idOf`: the catalog's id of a model that the file names. Names of one model are added up. */
export function marketEvidence(
  { source, licence, as_of: date, shares }: MarketFile,
  idOf: (name: string) => string,
): MarketEvidence {
  const byTask = Object.entries(shares).flatMap(([task, models]) => {
    if (!isTask(task)) return [];
    const sums = new Map<string, number>();
    for (const [name, share] of Object.entries(models)) {
      const id = idOf(name);
      sums.set(id, (sums.get(id) ?? 0) + share);
    }
    return [[task, sums] as const];
  });
  return { source: `${source}, ${licence}`, date, shares: new Map(byTask) };
}

const isTask = (text: string): text is TaskType | TaskMacro =>
  isTaskType(text) || taskMacros.some((macro) => macro === text);
