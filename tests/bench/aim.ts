/** One figure and what it should be. */

export interface Aim {
  readonly what: string;
  readonly aim: string;
  /** NaN when the run did not measure it. */
  readonly measured: number;
  readonly met: boolean;
}

interface Bound {
  readonly what: string;
  readonly measured: number | undefined;
}

export const atLeast = (least: number, { what, measured = NaN }: Bound): Aim => ({
  what,
  aim: `≥ ${least}`,
  measured,
  met: measured >= least,
});

export const atMost = (most: number, { what, measured = NaN }: Bound): Aim => ({
  what,
  aim: `≤ ${most}`,
  measured,
  met: measured <= most,
});
