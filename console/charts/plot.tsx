/** The frame of a chart: axes, grid, and a tip with the exact values of the bucket under the pointer. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { axisDecimals, axisTicks, type Bucket, HEIGHT, type Series, WIDTH } from "./chart_shape.ts";
import { useNarrowing } from "./use_narrowing.ts";

export interface PlotProps {
  /** Description of what it shows, in a sentence for screen readers. */
  readonly label: string;
  readonly series: readonly Series[];
  readonly buckets: readonly Bucket[];
  readonly top: number;
  /** Parts of the axis. */
  readonly parts: number;
  /** On the axis: short, with as many decimals as tell its marks apart. */
  readonly formatTick: (value: number, decimals: number) => string;
  /** In the tip: exact. */
  readonly formatValue: (value: number) => string;
  readonly formatBucket: (bucket: Bucket) => string;
  /** Below the axis, from left to right. */
  readonly marks: readonly string[];
  readonly size?: "tall" | "low";
  /** Under the values of the tip. */
  readonly total?: string;
  /** Narrows the page's time to some of the buckets; `hint` says how, for those who cannot drag. */
  readonly narrowing?: { readonly hint: string; readonly onNarrow: (from: number, to: number) => void };
  readonly children: ComponentChildren;
}

export function Plot(props: PlotProps) {
  const { label, buckets, top, parts, formatTick, marks, size, narrowing, children } = props;
  const at = useSignal<number | undefined>(undefined);
  const decimals = axisDecimals(top, parts);
  const { narrowing: chosen, handlers } = useNarrowing({ buckets, at, onNarrow: narrowing?.onNarrow });
  const { span } = chosen;
  const bucket = at.value === undefined ? undefined : buckets[at.value];
  return (
    <div class={`plot${size === undefined ? "" : ` plot-${size}`}`}>
      <div class="plot-y" aria-hidden="true">
        {axisTicks(top, parts).map((tick) => <span key={tick}>{formatTick(tick, decimals)}</span>)}
      </div>
      <div
        class={narrowing === undefined ? "plot-area" : "plot-area plot-narrows"}
        role={narrowing === undefined ? undefined : "group"}
        aria-label={narrowing?.hint}
        {...handlers}
        onPointerMove={(event) => {
          at.value = chosen.placeOf(event);
        }}
        onPointerLeave={() => {
          if (!chosen.isDragging) at.value = undefined;
        }}
      >
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
          <path class="zero-line" d={`M0 ${HEIGHT}H${WIDTH}`} />
          {Array.from(
            { length: parts },
            (_, line) => <path key={line} class="grid-line" d={`M0 ${HEIGHT * line / parts}H${WIDTH}`} />,
          )}
          {span !== undefined && <ChosenSpan {...span} count={buckets.length} />}
          {children}
          {at.value !== undefined && (
            <path class="cross" d={`M${(at.value + 0.5) * WIDTH / buckets.length} 0V${HEIGHT}`} />
          )}
        </svg>
        {bucket !== undefined && at.value !== undefined && <Tip {...props} at={at.value} bucket={bucket} />}
        {narrowing !== undefined && (
          <span class="unseen" role="status">{bucket === undefined ? "" : spoken(props, at.value ?? 0)}</span>
        )}
      </div>
      <div class="plot-x" aria-hidden="true">
        {marks.map((mark, place) => <span key={place}>{mark}</span>)}
      </div>
    </div>
  );
}

function ChosenSpan({ first, last, count }: {
  readonly first: number;
  readonly last: number;
  readonly count: number;
}) {
  const width = WIDTH / count;
  return (
    <rect class="chosen-span" x={first * width} y={0} width={(last - first + 1) * width} height={HEIGHT} />
  );
}

/** The values of a bucket as a screen reader says them. */
function spoken({ series, buckets, formatBucket, formatValue }: PlotProps, at: number): string {
  const bucket = buckets[at];
  const values = series.map(({ name, values }) => `${name} ${formatValue(values[at] ?? 0)}`);
  return bucket === undefined ? "" : `${formatBucket(bucket)}: ${values.join(", ")}`;
}

function Tip({ at, bucket, series, buckets, formatBucket, formatValue, total }: PlotProps & {
  readonly at: number;
  readonly bucket: Bucket;
}) {
  const values = series.map(({ name, hue, values }) => ({ name, hue, value: values[at] ?? null }));
  const sum = values.reduce((all, { value }) => all + (value ?? 0), 0);
  return (
    <div class={`tip tip-over ${at < buckets.length / 2 ? "tip-right" : "tip-left"}`} aria-hidden="true">
      <b>{formatBucket(bucket)}</b>
      <dl>
        {values.map(({ name, hue, value }) => (
          <TipLine key={name} name={name} hue={hue} value={value === null ? "–" : formatValue(value)} />
        ))}
        {total !== undefined && <TipLine name={total} value={formatValue(sum)} />}
      </dl>
    </div>
  );
}

function TipLine(
  { name, hue, value }: { readonly name: string; readonly hue?: string; readonly value: string },
) {
  return (
    <>
      {hue === undefined ? <span /> : <Swatch hue={hue} />}
      <dt>{hue === undefined ? <b>{name}</b> : name}</dt>
      <dd>{value}</dd>
    </>
  );
}

/** The colour of a series: a square for areas, a stroke for lines. */
export function Swatch({ hue }: { readonly hue: string }) {
  if (hue.startsWith("l")) {
    return (
      <svg class="swatch-line" viewBox="0 0 14 10" aria-hidden="true">
        <path class={`line ${hue}`} d="M0 5H14" />
      </svg>
    );
  }
  return (
    <svg class="swatch" aria-hidden="true">
      <rect class={hue} width="100%" height="100%" />
    </svg>
  );
}
