/** Failures of answers that cannot be read or that end before they are whole (faults U9), told alike on every wire. */

import type { Failure } from "../../canonical/event.ts";

/** Nothing said that the answer is whole. */
export const streamCut: Failure = {
  kind: "upstream_failed",
  message: "The provider's stream ended before it was complete.",
  code: "stream_cut",
};

/** The stream ended before anything came. */
export const emptyAnswer: Failure = {
  kind: "upstream_failed",
  message: "The provider sent an empty answer.",
  code: "empty_answer",
};

export const malformedEvent: Failure = {
  kind: "upstream_failed",
  message: "The provider sent a malformed event.",
};

/** Failure of an answer that came as a whole. */
export const unreadableAnswer: Failure = {
  kind: "upstream_failed",
  message: "The provider's answer cannot be read.",
};
