/** Classifies requests for their receipts: all of a usual load, and a sample of a heavy one. */

import type { TaskType } from "../../../../shared/task_types.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { Clock, Logger } from "../../../runtime.ts";
import { classifyTask } from "../../routing/tasks/classify_task.ts";

/** Requests at once, and a second in the long run: some 10 ms of work a second where prompts are long. */
const MOST = 1_000;
const PER_SECOND = 100;

interface TaskSamplerDeps {
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Logger;
}

export class TaskSampler {
  readonly #deps: TaskSamplerDeps;
  #left = MOST;
  /** When `#left` was counted, monotonic ms. */
  #countedAt: number;

  constructor(deps: TaskSamplerDeps) {
    this.#deps = deps;
    this.#countedAt = deps.clock.monotonic();
  }

  /** Undefined where nobody can tell, and where too many requests were classified just now. */
  taskOf(request: ModelRequest): TaskType | undefined {
    const now = this.#deps.clock.monotonic();
    this.#left = Math.min(MOST, this.#left + (now - this.#countedAt) * PER_SECOND / 1_000);
    this.#countedAt = now;
    if (this.#left < 1) return undefined;
    this.#left--;
    try {
      return classifyTask(request);
    } catch (error) {
      // A receipt without a task is better than none.
      this.#deps.log.error("Cannot classify request for its receipt", { error: String(error) });
      return undefined;
    }
  }
}
