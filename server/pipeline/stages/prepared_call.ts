/** A call that is ready to be reserved and sent. */

import type { ReservationRequest } from "../../billing/ledger/core/ledger.ts";
import type { ProviderRequest } from "../request_context.ts";
import type { UsageMeter } from "./billing/token_estimate.ts";

export interface PreparedCall {
  readonly providerRequest: ProviderRequest;
  readonly reservation: ReservationRequest;
  /** The cap that a limit demands at first, and the body names; undefined under no limit. */
  readonly maxOutputTokens: number | undefined;
  /** Ms since the epoch: by this moment's prices it is charged. */
  readonly at: number;
  /** Counts speech; answers in words are counted by a meter that `billing` makes. */
  readonly meter?: UsageMeter;
}
