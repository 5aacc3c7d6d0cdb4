/** Short messages at the edge of the page: what was done, or why it was not, with an undo where there is one. */

import { signal } from "@preact/signals";
import type { Clock } from "./clock.ts";

export type ToastTone = "good" | "bad" | "plain";

export interface Toast {
  readonly id: number;
  readonly tone: ToastTone;
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

const SHOWN_MS = 6_000;
/** A failure has to be read. */
const FAILURE_SHOWN_MS = 15_000;
const MOST = 4;

export class Toasts {
  readonly #clock: Clock;
  readonly list = signal<readonly Toast[]>([]);
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  show(text: string, { tone = "plain", action }: Partial<Pick<Toast, "tone" | "action">> = {}): void {
    const id = ++this.#last;
    this.list.value = [...this.list.value, { id, tone, text, action }].slice(-MOST);
    this.#clock.after(tone === "bad" ? FAILURE_SHOWN_MS : SHOWN_MS, () => this.dismiss(id));
  }

  dismiss(id: number): void {
    this.list.value = this.list.value.filter((toast) => toast.id !== id);
  }
}
