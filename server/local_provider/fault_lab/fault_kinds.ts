/** The faults that can be had on purpose: the models `fault/<kind>`. */

/** Kind → what it does. */
export const faultKinds = {
  slow: "Answers, with half a second before each piece.",
  stall: "Begins to answer, then falls silent for ever.",
  cut: "Begins to answer, then breaks the connection.",
  refuse: "Closes the connection before it says anything.",
  "429": "Answers 429 with Retry-After: 2.",
  "500": "Answers 500.",
  "503": "Answers 503.",
  "529": "Answers 529, overloaded.",
  malformed: "Puts broken JSON into its answer.",
  huge: "Sends one event of 64 MiB.",
  "wrong-usage": "Answers, but reports impossible token counts.",
  hang: "Takes the request and never answers.",
} as const;

export type FaultKind = keyof typeof faultKinds;

/** The kind that a model name asks for: `fault/slow`, or `fault-slow`. */
export function faultKindOf(model: string): FaultKind | undefined {
  const kind = /^fault[/-](.+)$/.exec(model)?.[1] ?? "";
  return isFaultKind(kind) ? kind : undefined;
}

function isFaultKind(kind: string): kind is FaultKind {
  return Object.hasOwn(faultKinds, kind);
}
