/**
 * Kinds of task that requests are for. The part in front of the colon is the macro: evidence that is too thin for a kind
 * is read by its macro.
 */

export const taskMacros = ["code", "data", "agent", "general"] as const;
export type TaskMacro = (typeof taskMacros)[number];

/**
 * The tags, as `data.task_type` of the routing metadata names them, and the macro of each. Receipts are stored with a
 * tag's position: a new one comes last, and none is taken out.
 */
const macros = {
  "code:general_impl": "code",
  "code:debugging": "code",
  "code:review": "code",
  "data:extraction": "data",
  "data:sql": "data",
  "data:analysis": "data",
  "agent:tool_use": "agent",
  "agent:multi_step_planning": "agent",
  "agent:web_search": "agent",
  math: "general",
  qa_knowledge: "general",
  writing: "general",
  translation: "general",
  summarization: "general",
  vision: "general",
  roleplay: "general",
} as const satisfies Readonly<Record<string, TaskMacro>>;
export type TaskType = keyof typeof macros;

export const taskTypes: readonly TaskType[] = Object.keys(macros).filter(isTaskType);

export const macroOf = (task: TaskType): TaskMacro => macros[task];

export function isTaskType(text: string): text is TaskType {
  return Object.hasOwn(macros, text);
}
