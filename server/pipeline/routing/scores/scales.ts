/** Scales by which tasks are ranked: one a task, because figures of two are not comparable. */

import type { ScoreKind } from "../../../../shared/routing/scores.ts";
import { type TaskType, taskTypes } from "../../../../shared/task_types.ts";

/** Null: no scale of those that ship says anything of such tasks. */
const scales: { readonly [T in TaskType]: ScoreKind | null } = {
  "code:general_impl": "coding",
  "code:debugging": "coding",
  "code:review": "coding",
  "data:extraction": "general",
  "data:sql": "coding",
  "data:analysis": "reasoning",
  "agent:tool_use": "tool_use",
  "agent:multi_step_planning": "reasoning",
  "agent:web_search": "tool_use",
  math: "math",
  qa_knowledge: "general",
  writing: "language",
  translation: "language",
  summarization: "summaries",
  // The benchmarks show no pictures, and play no parts.
  vision: null,
  roleplay: null,
};

/** Tasks that a scale ranks. */
export const tasksOf = (kind: ScoreKind): readonly TaskType[] =>
  taskTypes.filter((task) => scales[task] === kind);
