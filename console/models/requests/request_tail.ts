/** The live tail: receipts as they are written, put before the list unless somebody is busy with it. */

import { computed, signal } from "@preact/signals";
import type { ReceiptRecord } from "../../../shared/management/receipts.ts";
import { ApiFailure, ConnectionLost, type ConsoleApi, queryOf } from "../../api.ts";
import type { Clock } from "../../clock.ts";
import { readEvents } from "../../event_stream.ts";
import type { RequestsModel } from "./requests.ts";

/** Receipts that come within this time are shown together. */
const GATHER_MS = 150;
/** A stream that has ended is opened again after this time. */
const AGAIN_MS = 1_000;
/** Receipts that wait while the list is paused; older ones are counted only. */
const MOST_WAITING = 100;

type Busy = "pointer" | "focus";

interface TailDeps {
  readonly api: Pick<ConsoleApi, "send">;
  readonly clock: Clock;
  readonly list: RequestsModel;
  readonly onRefused: (failure: Error) => void;
}

export class RequestTail {
  readonly #deps: TailDeps;
  readonly #waiting = signal<readonly ReceiptRecord[]>([]);
  /** Number of receipts that the gateway has left out, or that waited too long. */
  readonly leftOut = signal(0);
  readonly #busy = signal<ReadonlySet<Busy>>(new Set());
  readonly isPaused = computed(() => this.#busy.value.size > 0);
  readonly waiting = computed(() => this.#waiting.value.length);
  #running: AbortController | undefined;
  #cancelShow: (() => void) | undefined;

  constructor(deps: TailDeps) {
    this.#deps = deps;
  }

  /** Follows the receipts that pass the filters of now; a stream that is open is left. */
  start(): void {
    this.stop();
    const running = this.#running = new AbortController();
    void this.#follow(running.signal);
  }

  stop(): void {
    this.#running?.abort();
    this.#running = undefined;
    this.#cancelShow?.();
    this.#cancelShow = undefined;
    this.#waiting.value = [];
    this.leftOut.value = 0;
  }

  /** Waits while the pointer is over the list, or the focus in it. */
  pause(by: Busy, isBusy: boolean): void {
    const busy = new Set(this.#busy.value);
    if (isBusy) busy.add(by);
    else busy.delete(by);
    this.#busy.value = busy;
    if (busy.size === 0) this.#show();
  }

  async #follow(abort: AbortSignal): Promise<void> {
    const { api, clock, list, onRefused } = this.#deps;
    while (!abort.aborted) {
      try {
        const address = `/console/api/receipts/tail${queryOf(list.receiptQuery)}`;
        const { body } = await api.send("GET", address, { signal: abort });
        if (body !== null) { for await (const { event, data } of readEvents(body)) this.#take(event, data); }
      } catch (error) {
        if (abort.aborted) return;
        if (error instanceof ApiFailure) return onRefused(error);
        // The page is followed anew when the gateway is back.
        if (error instanceof ConnectionLost) return;
        console.warn(error);
      }
      await new Promise<void>((resolve) => clock.after(AGAIN_MS, resolve));
      // Nothing is sent again: the list has what came in between.
      if (!abort.aborted) await list.list.load();
    }
  }

  #take(event: string, data: string): void {
    const parsed: unknown = JSON.parse(data);
    if (event === "left_out") this.leftOut.value += toCount(parsed);
    if (event !== "receipt") return;
    const waiting = [toReceipt(parsed), ...this.#waiting.value];
    this.#waiting.value = waiting.slice(0, MOST_WAITING);
    this.leftOut.value += waiting.length - this.#waiting.value.length;
    this.#cancelShow ??= this.#deps.clock.after(GATHER_MS, () => {
      this.#cancelShow = undefined;
      if (!this.isPaused.value) this.#show();
    });
  }

  #show(): void {
    const receipts = this.#waiting.value;
    if (receipts.length === 0) return;
    this.#waiting.value = [];
    this.#deps.list.prepend(receipts);
  }
}

/** The server has rendered it by its schema. */
function toReceipt(data: unknown): ReceiptRecord {
  return data as ReceiptRecord;
}

/** The server has rendered it. */
function toCount(data: unknown): number {
  return (data as { readonly count: number }).count;
}
