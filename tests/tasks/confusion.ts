/** Counts of tasks by what they were told to be, as a table for people. */

import { macroOf, type TaskType, taskTypes } from "../../shared/task_types.ts";

export interface Judged {
  readonly language: string;
  readonly task: TaskType;
  readonly classified: TaskType | undefined;
}

const share = (part: number, whole: number): number => whole === 0 ? 0 : part / whole;

/** Parts of the prompts whose macro, and whose tag, is right. */
export function accuracyOf(judged: readonly Judged[]): { readonly macro: number; readonly tag: number } {
  const macro = judged.filter(({ task, classified }) =>
    classified !== undefined && macroOf(task) === macroOf(classified)
  );
  const tag = judged.filter(({ task, classified }) => task === classified);
  return { macro: share(macro.length, judged.length), tag: share(tag.length, judged.length) };
}

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;

/** A line a group: `en: macro 91.2 %, tag 80.0 % of 80`. */
function accuracyLines(judged: readonly Judged[]): readonly string[] {
  const groups = new Map([["all", judged], ...Map.groupBy(judged, ({ language }) => language)]);
  return [...groups].map(([name, group]) => {
    const { macro, tag } = accuracyOf(group);
    return `${name}: macro ${percent(macro)}, tag ${percent(tag)} of ${group.length}`;
  });
}

/** Tasks in lines, what they were told to be in columns, in the order of `taskTypes`. */
export function confusionTable(judged: readonly Judged[]): string {
  const widths = Math.max(...taskTypes.map(({ length }) => length));
  const head = " ".repeat(widths) + taskTypes.map((_, at) => String(at + 1).padStart(4)).join("");
  const lines = taskTypes.map((task, at) => {
    const own = judged.filter((one) => one.task === task);
    const cells = taskTypes.map((other) => own.filter(({ classified }) => classified === other).length);
    const name = task.padEnd(widths);
    return `${name}${cells.map((count) => (count === 0 ? "." : String(count)).padStart(4)).join("")}  ${
      at + 1
    }`;
  });
  return [...accuracyLines(judged), "", head, ...lines].join("\n");
}
