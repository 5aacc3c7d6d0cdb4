/** A span of a chart's buckets, chosen by dragging over them, or by arrow keys, Shift and Enter. */

import { type Signal, useSignal } from "@preact/signals";
import { type Bucket, bucketAt } from "./chart_shape.ts";

/** Places of the first and the last bucket of a span. */
interface ChosenSpan {
  readonly first: number;
  readonly last: number;
}

interface NarrowingOptions {
  readonly buckets: readonly Bucket[];
  /** The bucket under the pointer, or that the arrow keys have reached. */
  readonly at: Signal<number | undefined>;
  /** Undefined for a chart that narrows nothing. Milliseconds since the epoch. */
  readonly onNarrow: ((from: number, to: number) => void) | undefined;
}

type AreaEvent = PointerEvent & { readonly currentTarget: HTMLElement };

class Narrowing {
  readonly #options: NarrowingOptions;
  /** Where the span begins; it ends at `at`. */
  readonly #anchor: Signal<number | undefined>;

  constructor(options: NarrowingOptions, anchor: Signal<number | undefined>) {
    this.#options = options;
    this.#anchor = anchor;
  }

  get isDragging(): boolean {
    return this.#anchor.value !== undefined;
  }

  get span(): ChosenSpan | undefined {
    const [one, other] = [this.#anchor.value, this.#options.at.value];
    if (one === undefined || other === undefined) return undefined;
    return { first: Math.min(one, other), last: Math.max(one, other) };
  }

  /** The bucket of a pointer; while a span is dragged, the outermost one where it is beside the chart. */
  placeOf({ clientX, currentTarget }: AreaEvent): number | undefined {
    const { left, width } = currentTarget.getBoundingClientRect();
    const share = (clientX - left) / width;
    const { length } = this.#options.buckets;
    const place = bucketAt(share, length);
    return place ?? (this.isDragging ? (share < 0 ? 0 : length - 1) : undefined);
  }

  start(event: AreaEvent): void {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    this.#anchor.value = this.#options.at.value = this.placeOf(event);
  }

  end(event: AreaEvent): void {
    if (!this.isDragging) return;
    this.#options.at.value = this.placeOf(event);
    this.#narrow();
  }

  clear(): void {
    this.#anchor.value = undefined;
  }

  press(event: KeyboardEvent): void {
    const { at } = this.#options;
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step !== 0) this.#move(step, event.shiftKey);
    else if (event.key === "Enter" && at.value !== undefined) this.#narrow();
    else if (event.key === "Escape" && at.value !== undefined) {
      this.clear();
      at.value = undefined;
    } else return;
    event.preventDefault();
  }

  #move(step: 1 | -1, marks: boolean): void {
    const { at, buckets } = this.#options;
    const within = (place: number) => Math.min(buckets.length - 1, Math.max(0, place));
    const before = at.value ?? (step === 1 ? -1 : buckets.length);
    if (marks) this.#anchor.value ??= within(before);
    else this.clear();
    at.value = within(before + step);
  }

  #narrow(): void {
    const { at: { value: at = -1 }, buckets, onNarrow } = this.#options;
    const { first, last } = this.span ?? { first: at, last: at };
    const [from, to] = [buckets[first]?.from, buckets[last]?.to];
    this.clear();
    if (from !== undefined && to !== undefined) onNarrow?.(from, to);
  }
}

export function useNarrowing(options: NarrowingOptions) {
  const narrowing = new Narrowing(options, useSignal<number | undefined>(undefined));
  const handlers = options.onNarrow === undefined ? {} : {
    tabIndex: 0,
    onKeyDown: (event: KeyboardEvent) => narrowing.press(event),
    onPointerDown: (event: AreaEvent) => narrowing.start(event),
    onPointerUp: (event: AreaEvent) => narrowing.end(event),
    onPointerCancel: () => narrowing.clear(),
  };
  return { narrowing, handlers };
}
