/** The task of a request, told once: it is planned several times. */

import type { TaskType } from "../../../../shared/task_types.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import { classifyTask } from "../tasks/classify_task.ts";

const known = new WeakMap<ModelRequest, { readonly task: TaskType | undefined }>();

/** Undefined where there is nothing to classify. */
export function taskOf(request: ModelRequest): TaskType | undefined {
  if (request.task !== undefined) return request.task;
  const found = known.get(request);
  if (found !== undefined) return found.task;
  const task = classifyTask(request);
  known.set(request, { task });
  return task;
}
