/** Queue of what the calls of a turn tell, in the order in which it happens. */

import type { OutputEvent } from "../../../protocols/canonical/event.ts";
import type { ToolOutcome } from "../../tools/tool_definition.ts";
import type { ServerCall } from "../../tools/call_items.ts";

/** Progress of a call, its end, or the fault that ends the response. */
type CallMessage =
  | { readonly type: "progress"; readonly event: OutputEvent }
  | { readonly type: "end"; readonly one: ServerCall; readonly outcome: ToolOutcome | undefined }
  | { readonly type: "fault"; readonly error: unknown };

export class CallQueue {
  #messages: CallMessage[] = [];
  #wake: (() => void) | undefined;

  push(message: CallMessage): void {
    this.#messages.push(message);
    this.#wake?.();
    this.#wake = undefined;
  }

  /** All that has happened since; waits for the next one where that is nothing. */
  async take(): Promise<readonly CallMessage[]> {
    if (this.#messages.length === 0) await new Promise<void>((resolve) => this.#wake = resolve);
    const taken = this.#messages;
    this.#messages = [];
    return taken;
  }
}
