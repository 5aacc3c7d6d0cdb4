/** `measure.ts FOLDER`: how often the task classifier is right on the prompts that fetch.sh has made (README.md). */

import * as z from "zod";
import { isTaskType, macroOf, type TaskType } from "../../../shared/task_types.ts";
import { classifyTask } from "../../../server/pipeline/routing/tasks/classify_task.ts";
import { requestOf } from "../corpus.ts";

const caseSchema = z.strictObject({
  set: z.string(),
  /** All that would be right. */
  tasks: z.array(z.string().refine(isTaskType)).min(1),
  text: z.string(),
  system: z.string(),
  tools: z.array(z.string()),
});
type Case = z.infer<typeof caseSchema>;

interface Figures {
  count: number;
  tasks: number;
  macros: number;
}

function taskOf({ text, system, tools }: Case): TaskType | undefined {
  const messages = [{ role: "user", content: text } as const];
  const told = { ...(system === "" ? {} : { system }), ...(tools.length === 0 ? {} : { tools }) };
  return classifyTask(requestOf({ language: "en", task: "math", messages, ...told }));
}

function measure(cases: readonly Case[]): ReadonlyMap<string, Figures> {
  const bySet = new Map<string, Figures>();
  for (const one of cases) {
    const figures = bySet.get(one.set) ?? { count: 0, tasks: 0, macros: 0 };
    bySet.set(one.set, figures);
    const task = taskOf(one);
    figures.count++;
    if (task === undefined) continue;
    if (one.tasks.includes(task)) figures.tasks++;
    if (one.tasks.some((right) => macroOf(right) === macroOf(task))) figures.macros++;
  }
  return bySet;
}

const percent = (part: number, { count }: Figures) => `${Math.round(100 * part / count)} %`;

if (import.meta.main) {
  const text = await Deno.readTextFile(`${Deno.args[0] ?? "."}/cases.jsonl`);
  const cases = text.trim().split("\n").map((line) => caseSchema.parse(JSON.parse(line)));
  console.log("| texts | prompts | macro is right | task is right |\n|---|---|---|---|");
  for (const [set, figures] of measure(cases)) {
    const { count, macros, tasks } = figures;
    console.log(`| ${set} | ${count} | ${percent(macros, figures)} | ${percent(tasks, figures)} |`);
  }
}
