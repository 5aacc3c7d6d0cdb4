/** The service that judges what requests send, as the operator has set it. Types only. */

import type { ModerationWireId } from "../../../../shared/moderation.ts";
import type { NanoUsd } from "../../../../shared/money.ts";
import type { AbortSignalLike } from "../../../providers/upstream/call_abort.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";

export interface JudgeSettings {
  readonly model: string;
  /** Score from which a category counts, instead of the service's own verdict on it; null: it never counts. */
  readonly thresholds: ReadonlyMap<string, number | null>;
  /** Rules in the operator's words, where the wire is `policy`. */
  readonly policy: string | undefined;
}

/** One call: `path` is below the service's address. */
export interface ModerationCall {
  readonly path: string;
  readonly body: JsonObject;
}

/** Rejects where no JSON with status 200 comes before the signal fires. */
export type AskModeration = (call: ModerationCall, signal: AbortSignalLike) => Promise<unknown>;

export interface ModerationService extends JudgeSettings {
  readonly wire: ModerationWireId;
  /** For errors and receipts. */
  readonly name: string;
  /** No request fails where `open` is set and the service does. */
  readonly fail: "closed" | "open";
  /** Cost of one call; undefined: nothing. */
  readonly price: NanoUsd | undefined;
  readonly ask: AskModeration;
}
