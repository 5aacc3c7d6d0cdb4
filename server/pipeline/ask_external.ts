/** How a service that judges texts is asked. Types only. */

import type { ExternalGuardrail, ExternalReply, ExternalRequest } from "../../shared/external_guardrail.ts";
import type { CancelSignal } from "../one_shot_signal.ts";

interface ExternalCall {
  readonly guardrail: ExternalGuardrail;
  readonly request: ExternalRequest;
  /** The client has gone. */
  readonly signal: CancelSignal;
}

/** Rejects where no proper reply comes in time. */
export type AskExternal = (call: ExternalCall) => Promise<ExternalReply>;
