/** Tells the client, in a header, and the operator, in the log, which tools of a request a call leaves out. */

import type { ProviderRequest, RequestContext } from "../request_context.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import type { Clock, LogFields, Logger } from "../../runtime.ts";
import { leftOutTools } from "../tools/left_out_tools.ts";

export interface LeftOutNotesDeps {
  readonly clock: Clock;
  readonly log: Logger;
}

interface RenderedCall {
  readonly context: RequestContext;
  readonly endpoint: Endpoint;
  readonly rendered: Pick<ProviderRequest, "dropped">;
}

/** A tool is logged at most so often. */
const LOG_MS = 60_000;

export class LeftOutNotes {
  readonly #deps: LeftOutNotesDeps;
  /** Monotonic ms of the latest line, by the tool's kind. */
  readonly #logged = new Map<string, number>();

  constructor(deps: LeftOutNotesDeps) {
    this.#deps = deps;
  }

  /** To be called before the call is sent: a reply's headers may leave before its answer begins. */
  write({ context: { request, record, call }, endpoint, rendered: { dropped } }: RenderedCall): void {
    // Calls of tools are not the client's own requests.
    if (request.tools.length === 0 || call.purpose !== "model") return;
    const found = dropped.length === 0
      ? []
      : leftOutTools({ request, endpoint, dropped, planned: record.plannedTools });
    record.callNotes = [...new Set(found.map(({ note }) => note))];
    for (const { kind, note } of found) this.#log(kind, { endpoint: endpoint.id, reason: note });
  }

  #log(kind: string, fields: LogFields): void {
    const { clock, log } = this.#deps;
    const now = clock.monotonic();
    const last = this.#logged.get(kind);
    if (last !== undefined && now - last < LOG_MS) return;
    this.#logged.set(kind, now);
    log.warn("Tool is left out of a request", fields);
  }
}
