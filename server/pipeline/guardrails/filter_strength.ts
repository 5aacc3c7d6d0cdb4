/** Actions of content filters, and which of several goes before the others. */

import type { FilterOutcome } from "../../../shared/guardrails.ts";

export type FilterAction = "block" | "redact" | "mask" | "flag";

interface Filter {
  readonly action: FilterAction;
}

const outcomes: { readonly [A in FilterAction]: FilterOutcome } = {
  block: "blocked",
  redact: "redacted",
  mask: "masked",
  flag: "flagged",
};

export const outcomeOf = ({ action }: Filter): FilterOutcome => outcomes[action];

export function strongestOutcome(all: readonly FilterOutcome[]): FilterOutcome {
  return (["blocked", "redacted", "masked"] as const).find((one) => all.includes(one)) ?? "flagged";
}

const strength: readonly FilterAction[] = ["flag", "mask", "redact", "block"];

/** Higher for a stronger one. */
export const strengthOf = ({ action }: Filter): number => strength.indexOf(action);

export const strongerAction = (one: FilterAction, other: FilterAction): FilterAction =>
  strength.indexOf(one) >= strength.indexOf(other) ? one : other;
