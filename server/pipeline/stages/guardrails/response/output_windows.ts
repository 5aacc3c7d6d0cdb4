/** The events of a response in windows, each of which a service judges before it goes on. */

import type {
  ArgumentsEvent,
  ItemDoneEvent,
  OutputEvent,
  TextEvent,
} from "../../../../protocols/canonical/event.ts";
import type { ContentPart, OutputItem } from "../../../../protocols/canonical/item.ts";
import { readShaped } from "../../../guardrails/scanners/scan_slots.ts";
import { eventShapes } from "../../../guardrails/text_slots/event_shapes.ts";
import { item as itemShape, jsonItem } from "../../../guardrails/text_slots/item_shapes.ts";
import { json, type Shape, text as textShape } from "../../../guardrails/text_slots/shape.ts";
import type { ExternalJudge } from "../external_judge.ts";
import { RESPONSE } from "../guard_errors.ts";
import { type JudgedValue, judgeValues } from "../judge_values.ts";

/** Characters that are judged together, up to the last white space among them. */
const WINDOW = 1_000;
/** A text without white space is cut here. */
const MOST_HELD = 4_000;

type PieceEvent = TextEvent | ArgumentsEvent;

interface OutputWindowsOptions {
  readonly model: string | undefined;
  /** The client has asked for JSON: it takes the texts of messages for that. */
  readonly hasJsonTexts: boolean;
}

/** A text of which pieces have come: what was received, and what went on. */
interface PartText {
  received: string;
  passed: string;
}

/** The pieces of one text in a window. */
interface Run {
  readonly key: string;
  /** Position of its first piece among the events. */
  readonly first: number;
  readonly shape: Shape;
  text: string;
}

export class OutputWindows {
  readonly #judge: ExternalJudge;
  readonly #options: OutputWindowsOptions;
  readonly #parts = new Map<string, PartText>();
  #held: OutputEvent[] = [];
  #chars = 0;

  constructor(judge: ExternalJudge, options: OutputWindowsOptions) {
    this.#judge = judge;
    this.#options = options;
  }

  /** Returns the events that may go on now. Rejects with an ApiError where the service blocks. */
  async read(batch: readonly OutputEvent[]): Promise<OutputEvent[]> {
    const out: OutputEvent[] = [];
    for (const event of batch) {
      this.#held.push(event);
      if (isPiece(event)) this.#chars += event.delta.length;
      const count = this.#ripe(event);
      if (count > 0) out.push(...await this.#pass(this.#held.splice(0, count)));
    }
    return out;
  }

  /** How many of the events may be judged: what is JSON only as a whole. */
  #ripe(event: OutputEvent): number {
    const { length } = this.#held;
    if (!isPiece(event)) return event.type === "foreign" || event.type === "annotation" ? 0 : length;
    if (this.#chars < WINDOW || this.#held.some((one) => this.#isJson(one))) return 0;
    const last = this.#held.findLastIndex((one) => isPiece(one) && /\s/.test(one.delta));
    return last >= 0 ? last + 1 : this.#chars > MOST_HELD ? length : 0;
  }

  #isJson({ type }: OutputEvent): boolean {
    return type === "arguments" || (type === "text" && this.#options.hasJsonTexts);
  }

  async #pass(events: readonly OutputEvent[]): Promise<readonly OutputEvent[]> {
    this.#chars = this.#held.reduce((sum, one) => sum + (isPiece(one) ? one.delta.length : 0), 0);
    const runs = runsOf(events, (event) => this.#isJson(event) ? json : textShape);
    const whole = events.filter((event) => !isPiece(event) && event.type !== "item_done");
    const judged = await this.#judged([
      ...runs.map(({ key, shape, text }) => ({ name: key, value: text, shape })),
      ...whole.map((event) => ({
        name: `output.${event.type}`,
        value: event,
        shape: eventShapes[event.type],
      })),
    ]);
    const changed = new Map<string, string>();
    for (const [at, { key, text }] of runs.entries()) {
      const passed = String(judged[at]);
      if (passed !== text) changed.set(key, passed);
      const part = this.#partOf(key);
      part.received += text;
      part.passed += passed;
    }
    const written = new Map(whole.map((event, at) => [event, asEvent(judged[runs.length + at])]));
    const out: OutputEvent[] = [];
    for (const [at, event] of events.entries()) {
      if (event.type === "item_done") out.push(await this.#done(event));
      else if (!isPiece(event)) out.push(written.get(event) ?? event);
      else out.push(...pieceOf(event, { at, runs, changed }));
    }
    return out;
  }

  #judged(values: readonly JudgedValue[]): Promise<readonly unknown[]> {
    return judgeValues(values, {
      judge: this.#judge,
      judging: { texts: RESPONSE, model: this.#options.model },
    });
  }

  #partOf(key: string): PartText {
    let part = this.#parts.get(key);
    if (part === undefined) this.#parts.set(key, part = { received: "", passed: "" });
    return part;
  }

  /** Judges a whole item: what was streamed stays as it went on, the rest is judged now. */
  async #done(event: ItemDoneEvent): Promise<ItemDoneEvent> {
    const { item, itemKey } = event;
    const parts = [...this.#parts].filter(([key]) => key.startsWith(`output.${itemKey}.`)).map(([, part]) =>
      part
    );
    for (const { passed } of parts) this.#judge.remember(passed);
    if (item === undefined) return event;
    for (const { passed } of parts) {
      const { slots } = await this.#judge.run(readShaped(passed, json));
      for (const { text } of slots) this.#judge.remember(text);
    }
    const streamed = withTexts(
      item,
      (text) => parts.find(({ received }) => received === text)?.passed ?? text,
    );
    const shape = this.#options.hasJsonTexts ? jsonItem : itemShape;
    const [judged] = await this.#judged([{ name: `output.${itemKey}`, value: streamed, shape }]);
    const written = asItem(judged);
    if (written === item) return event;
    return { ...event, item: withoutSeals(written, textsOf(item)) };
  }
}

const isPiece = (event: OutputEvent): event is PieceEvent =>
  event.type === "text" || event.type === "refusal" || event.type === "thought" || event.type === "summary" ||
  event.type === "arguments";

const keyOf = (event: PieceEvent): string =>
  `output.${event.itemKey}.${event.type}.${event.type === "arguments" ? 0 : event.part}`;

function runsOf(
  events: readonly OutputEvent[],
  shapeOf: (event: PieceEvent) => Shape,
): readonly Run[] {
  const runs = new Map<string, Run>();
  for (const [first, event] of events.entries()) {
    if (!isPiece(event)) continue;
    const key = keyOf(event);
    const run = runs.get(key);
    if (run !== undefined) run.text += event.delta;
    else runs.set(key, { key, first, shape: shapeOf(event), text: event.delta });
  }
  return [...runs.values()];
}

interface PieceInput {
  readonly at: number;
  readonly runs: readonly Run[];
  /** The texts that are replaced, by their keys. */
  readonly changed: ReadonlyMap<string, string>;
}

/** A text that is replaced goes on in its first piece. */
function pieceOf(event: PieceEvent, { at, runs, changed }: PieceInput): readonly PieceEvent[] {
  const key = keyOf(event);
  const text = changed.get(key);
  if (text === undefined) return [event];
  if (runs.find((run) => run.key === key)?.first !== at) return [];
  const { extra: _, ...own } = event;
  return [own.type === "arguments" ? { ...own, delta: text } : { ...own, delta: text, logprobs: undefined }];
}

type Change = (text: string) => string;

/** An item with its texts changed. */
function withTexts(item: OutputItem, change: Change): OutputItem {
  switch (item.type) {
    case "message":
      return { ...item, parts: item.parts.map((part) => partWith(part, change)) };
    case "reasoning":
      return { ...item, content: item.content.map(change), summary: item.summary.map(change) };
    case "call":
      return { ...item, arguments: change(item.arguments) };
    case "foreign":
      return item;
    default:
      return item satisfies never;
  }
}

const partWith = (part: ContentPart, change: Change): ContentPart =>
  part.type === "text" || part.type === "refusal" ? { ...part, text: change(part.text) } : part;

/** All texts of an item, one behind the other. */
function textsOf(item: OutputItem): string {
  const texts: string[] = [];
  withTexts(item, (text) => {
    texts.push(text);
    return text;
  });
  return JSON.stringify(texts);
}

/** A signature, the tokens and the citations of a text are of the text as it was. */
function withoutSeals(item: OutputItem, before: string): OutputItem {
  if (textsOf(item) === before) return item;
  if (item.type === "reasoning") return { ...item, signature: undefined, encrypted: undefined };
  if (item.type !== "message") return item;
  const parts = item.parts.map((part) =>
    part.type === "text" ? { ...part, annotations: undefined, logprobs: undefined } : part
  );
  return { ...item, parts };
}

/** Texts take the place of texts, so a value keeps its form. */
const asEvent = (judged: unknown): OutputEvent | undefined => judged as OutputEvent | undefined;
const asItem = (judged: unknown): OutputItem => judged as OutputItem;
