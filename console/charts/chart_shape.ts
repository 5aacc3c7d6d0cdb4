/** The geometry of charts: a drawing of 240 × 100 units that is stretched to its box. */

export const WIDTH = 240;
export const HEIGHT = 100;

/** A span of time on the axis. */
export interface Bucket {
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

export interface Series {
  readonly name: string;
  /** One for each bucket; null where there is none. */
  readonly values: readonly (number | null)[];
  /** The classes of its colour: `f1` to `f6`, `f-soft`, `f-bad` for areas, `l1` to `l6` for lines. */
  readonly hue: string;
}

const steps = [1, 1.5, 2, 3, 4, 5, 6, 8, 10] as const;

interface AxisOptions {
  /** Equal parts of the axis. */
  readonly parts: number;
  /** Marks are whole numbers, as for counts. */
  readonly whole?: boolean | undefined;
}

/** The top of an axis: the smallest round number that no value exceeds. */
export function axisTop(most: number, { parts, whole = false }: AxisOptions): number {
  if (!(most > 0)) return parts;
  const share = whole ? Math.max(1, most / parts) : most / parts;
  const size = 10 ** Math.floor(Math.log10(share));
  const fits = (step: number) => step >= share * (1 - 1e-9) && (!whole || Number.isInteger(step));
  const step = steps.map((one) => one * size).find(fits) ?? 10 * size;
  return Number((step * parts).toPrecision(12));
}

/** Decimals that tell the marks of an axis from each other. */
export function axisDecimals(top: number, parts: number): number {
  const [, decimals = "", exponent = "0"] = /^\d+(?:\.(\d+))?(?:e-(\d+))?$/.exec(
    String(Number((top / parts).toPrecision(6))),
  ) ?? [];
  return Math.min(9, decimals.length + Number(exponent));
}

/** From the top of the axis to zero. */
export function axisTicks(top: number, parts: number): readonly number[] {
  return Array.from({ length: parts + 1 }, (_, at) => Number((top * (parts - at) / parts).toPrecision(12)));
}

const valueOf = (series: Series, at: number) => series.values[at] ?? 0;

/** Highest value: the sum of a bucket for stacked bars, else the largest value. */
export function highest(series: readonly Series[], { stacked }: { readonly stacked: boolean }): number {
  const length = Math.max(0, ...series.map(({ values }) => values.length));
  let most = 0;
  for (let at = 0; at < length; at++) {
    const values = series.map((one) => valueOf(one, at));
    most = Math.max(most, stacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values));
  }
  return most;
}

const round = (value: number) => Number(value.toFixed(2));

/** Space between bars, as a share of a bucket's width. */
const GAP = 0.22;
/** Between two series of a bar, a line of the ground stays free. */
const SPLIT = 0.55;

interface BarsOptions {
  readonly top: number;
  /** Position of the bucket that is not over yet; its bars are drawn apart, because they are paler. */
  readonly running?: number | undefined;
}

interface BarPaths {
  readonly hue: string;
  readonly past: string;
  readonly running: string;
}

/** Stacked bars, a path for each series. */
export function stackedBars(series: readonly Series[], { top, running }: BarsOptions): readonly BarPaths[] {
  const count = Math.max(1, ...series.map(({ values }) => values.length));
  const width = WIDTH / count;
  const bottoms = new Array<number>(count).fill(0);
  return series.map((one) => {
    let past = "";
    let now = "";
    for (let at = 0; at < count; at++) {
      const value = valueOf(one, at);
      if (value <= 0) continue;
      const bottom = bottoms[at] ?? 0;
      const height = HEIGHT * value / top;
      const split = bottom > 0 && height > 2 * SPLIT ? SPLIT : 0;
      const drawn = Math.max(0.3, height - split);
      const box = `M${round(at * width + width * GAP / 2)} ${round(HEIGHT - bottom - split - drawn)}h${
        round(width * (1 - GAP))
      }v${round(drawn)}h-${round(width * (1 - GAP))}z`;
      if (at === running) now += box;
      else past += box;
      bottoms[at] = bottom + height;
    }
    return { hue: one.hue, past, running: now };
  });
}

/** A line through the middle of each bucket, interrupted where there is no value. */
export function linePath({ values }: Series, top: number): string {
  const width = WIDTH / Math.max(1, values.length);
  let path = "";
  let open = false;
  values.forEach((value, at) => {
    if (value === null) {
      open = false;
      return;
    }
    path += `${open ? "L" : "M"}${round((at + 0.5) * width)} ${round(HEIGHT - HEIGHT * value / top)}`;
    // A point without neighbours is drawn as a short stroke.
    if (!open && (values[at + 1] ?? null) === null) path += "h0.01";
    open = true;
  });
  return path;
}

/** The bucket under the pointer; undefined outside. */
export function bucketAt(share: number, count: number): number | undefined {
  return share < 0 || share >= 1 || count === 0 ? undefined : Math.floor(share * count);
}
