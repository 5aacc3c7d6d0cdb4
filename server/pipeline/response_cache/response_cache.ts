/** Whole responses that requests may be answered with again: in memory, bounded, the least recently used go first. */

import { isLongText, nextLongStep } from "../../../shared/util/long_step.ts";
import type { ModelEvent, OutputEvent } from "../../protocols/canonical/event.ts";
import type { Source } from "../../protocols/stream/source.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import type { Clock } from "../../runtime.ts";

/** Memory of all responses, those that are still being read too. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Larger responses are not kept. */
const MOST_OF_ONE = 8 * 1024 * 1024;

/** Memory that a response takes besides its texts. */
const OWN_BYTES = 1_024;
/** A character of JavaScript has at most two bytes in memory. */
const BYTES_PER_CHAR = 2;
/** Characters of events that are kept as one text. */
const BATCH_CHARS = 65_536;

/** Where a response came from. */
interface ResponseOrigin {
  /** The generation that was paid. */
  readonly sourceId: string;
  readonly endpoint: Endpoint;
  /** Sentences for the client on what the call left out. */
  readonly notes: readonly string[];
}

export interface KeptResponse extends ResponseOrigin {
  readonly ageSeconds: number;
  /** Until it is forgotten. */
  readonly secondsLeft: number;
  readonly source: () => Source<OutputEvent>;
}

interface Entry extends ResponseOrigin {
  /** Lists of events, in JSON. */
  readonly batches: readonly string[];
  readonly bytes: number;
  /** Monotonic ms. */
  readonly keptAt: number;
  readonly expiresAt: number;
}

interface ResponseCacheOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly mostBytes?: number;
  readonly mostOfOne?: number;
}

export class ResponseCache {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #mostBytes: number;
  readonly #mostOfOne: number;
  /** By their keys, the least recently used first. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor({ clock, mostBytes = MOST_BYTES, mostOfOne = MOST_OF_ONE }: ResponseCacheOptions) {
    this.#clock = clock;
    this.#mostBytes = mostBytes;
    this.#mostOfOne = mostOfOne;
  }

  /** Bytes of memory that are taken, drafts included. */
  get bytes(): number {
    return this.#bytes;
  }

  find(key: string): KeptResponse | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const now = this.#clock.monotonic();
    if (now >= entry.expiresAt) {
      this.drop(key);
      return undefined;
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const { sourceId, endpoint, notes, batches, keptAt, expiresAt } = entry;
    return {
      sourceId,
      endpoint,
      notes,
      ageSeconds: Math.floor((now - keptAt) / 1_000),
      secondsLeft: Math.ceil((expiresAt - now) / 1_000),
      source: () => replay(batches),
    };
  }

  drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }

  clear(): void {
    for (const key of [...this.#entries.keys()]) this.drop(key);
  }

  /** A response that is being read. It takes room until it is kept or discarded. */
  draft(origin: ResponseOrigin, { key, ttlSeconds }: KeptUnder): ResponseDraft {
    return new ResponseDraft({
      mostBytes: this.#mostOfOne,
      take: (bytes) => this.#take(bytes),
      keep: ({ batches, bytes }) => {
        this.drop(key);
        const keptAt = this.#clock.monotonic();
        const expiresAt = keptAt + ttlSeconds * 1_000;
        this.#entries.set(key, { ...origin, batches, bytes, keptAt, expiresAt });
      },
    });
  }

  /** Makes room for a draft, or gives some back. False where all others together do not leave so much. */
  #take(bytes: number): boolean {
    this.#bytes += bytes;
    for (const key of this.#entries.keys()) {
      if (this.#bytes <= this.#mostBytes) return true;
      this.drop(key);
    }
    return this.#bytes <= this.#mostBytes;
  }
}

interface KeptUnder {
  readonly key: string;
  readonly ttlSeconds: number;
}

interface DraftOptions {
  readonly mostBytes: number;
  readonly take: (bytes: number) => boolean;
  readonly keep: (whole: Pick<Entry, "batches" | "bytes">) => void;
}

/** Collects the events of a response. One that grows too large, or finds no room, is discarded and stays so. */
export class ResponseDraft {
  readonly #options: DraftOptions;
  readonly #batches: string[] = [];
  #open: string[] = [];
  #openChars = 0;
  #bytes = 0;
  #isOver = false;

  constructor(options: DraftOptions) {
    this.#options = options;
    this.#grow(OWN_BYTES);
  }

  add(events: readonly OutputEvent[]): void {
    for (const event of events) {
      if (this.#isOver) return;
      const text = JSON.stringify(event);
      this.#grow((text.length + 1) * BYTES_PER_CHAR);
      this.#open.push(text);
      this.#openChars += text.length;
      if (this.#openChars >= BATCH_CHARS) this.#closeBatch();
    }
  }

  /** The response came whole: from now on the cache has it. */
  keep(): void {
    if (this.#isOver) return;
    this.#closeBatch();
    this.#isOver = true;
    this.#options.keep({ batches: this.#batches, bytes: this.#bytes });
  }

  discard(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#open = [];
    this.#batches.length = 0;
    this.#options.take(-this.#bytes);
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    const hasRoom = this.#options.take(bytes);
    if (!hasRoom || this.#bytes > this.#options.mostBytes) this.discard();
  }

  #closeBatch(): void {
    if (this.#open.length === 0) return;
    this.#batches.push(`[${this.#open.join(",")}]`);
    this.#open = [];
    this.#openChars = 0;
  }
}

/** A long batch is read in a turn of its own. */
function replay(batches: readonly string[]): Source<OutputEvent> {
  let next = 0;
  return {
    pull: () => {
      const text = batches[next++];
      if (text === undefined) return undefined;
      return isLongText(text.length) ? nextLongStep().then(() => toEvents(text)) : toEvents(text);
    },
    cancel: () => {
      next = batches.length;
    },
  };
}

/** Was written by a draft. */
function toEvents(text: string): readonly ModelEvent[] {
  return JSON.parse(text) as readonly ModelEvent[];
}
