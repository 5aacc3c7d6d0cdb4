/** A document that has no text to give, and why. */

import type { ReadReply } from "../../messages.ts";

type UnreadableReason = Extract<ReadReply, { readonly type: "unreadable" }>["reason"];

export class UnreadableDocument extends Error {
  override readonly name = "UnreadableDocument";
  readonly reason: UnreadableReason;

  constructor(reason: UnreadableReason) {
    super(`The document cannot be read: ${reason}`);
    this.reason = reason;
  }
}
