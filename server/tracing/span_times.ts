/** Times of spans. Each lies within those of the span around it, whatever was noted of it. */

export interface SpanTimes {
  /** Monotonic ms. */
  readonly from: number;
  readonly to: number;
}

/** The times of a child as far as they lie within its parent's; never an end before its beginning. */
export function timesWithin(parent: SpanTimes, child: SpanTimes): SpanTimes {
  const from = Math.min(Math.max(child.from, parent.from), parent.to);
  return { from, to: Math.min(Math.max(child.to, from), parent.to) };
}
