/** Events of an answer's stream, put together to what is shown of it. */

import { signal } from "@preact/signals";
import { addOutput, beginItem, endItem, outputOf, type RunItem } from "./items.ts";
import { asJson, type Json, numberOf, objectOf, textOf } from "./json.ts";

interface LiveItem {
  readonly shown: RunItem;
  /** Monotonic ms. */
  readonly begunAt: number;
  /** The part of a message that came last. */
  part: number;
}

/** The end of an answer, in the words of its last event. */
export interface RunEnd {
  readonly status: "completed" | "incomplete" | "failed";
  readonly response: Json;
  readonly error: string | undefined;
}

export class RunEvents {
  readonly items = signal<readonly RunItem[]>([]);
  /** Items as they are sent back with the next message. */
  readonly output: Json[] = [];
  readonly #live = new Map<number, LiveItem>();
  readonly #now: () => number;
  /** Monotonic ms; undefined until something of the answer has come. */
  firstAt: number | undefined;
  /** Characters of text and reasoning so far. */
  characters = 0;

  /** `now`: monotonic ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes an event. Tells the end, where it is one. */
  take(event: Json): RunEnd | undefined {
    const type = textOf(event, "type") ?? "";
    if (type === "error") return failed({}, textOf(event, "message"));
    if (/^response\.(?:completed|incomplete|failed)$/.test(type)) return this.#end(event);
    if (type === "response.output_item.added") this.#begin(event);
    else if (type === "response.output_item.done") this.#finish(event);
    else if (type === "response.image_generation_call.partial_image") this.#picture(event);
    else if (/\.delta$/.test(type)) this.#delta(type, event);
    return undefined;
  }

  /** Shows what has come since the last call. */
  flush(): void {
    for (const { shown } of this.#live.values()) {
      if (shown.type !== "tool") shown.text.flush();
    }
  }

  /** The answer breaks off: what has come stays. */
  stop(): void {
    for (const { shown, begunAt } of this.#live.values()) {
      if (shown.type === "tool") shown.state.value = "failed";
      else shown.text.finish();
      if (shown.type === "message" && shown.text.length > 0) {
        this.output.push(partialMessage(shown.text.whole()));
      }
      if (shown.type !== "message") shown.ms.value = this.#now() - begunAt;
    }
    this.#live.clear();
  }

  #begin(event: Json): void {
    this.firstAt ??= this.#now();
    const item = objectOf(event, "item");
    const shown = this.#stepOf(item) ?? beginItem(item);
    this.#live.set(numberOf(event, "output_index") ?? -1, { shown, begunAt: this.#now(), part: 0 });
    if (!this.items.value.includes(shown)) this.items.value = [...this.items.value, shown];
  }

  /** The step of a call whose output is an item of its own. */
  #stepOf(item: Json): RunItem | undefined {
    const call = outputOf(item);
    return call === undefined
      ? undefined
      : this.items.value.find((one) => one.type === "tool" && one.callId === call);
  }

  #finish(event: Json): void {
    const [at, item] = [numberOf(event, "output_index") ?? -1, objectOf(event, "item")];
    if (!this.#live.has(at)) this.#begin(event);
    const live = this.#live.get(at);
    this.#live.delete(at);
    this.output.push(item);
    if (live === undefined) return;
    const { shown, begunAt } = live;
    if (shown.type === "tool" && outputOf(item) !== undefined) addOutput(shown, item);
    else endItem(shown, item);
    if (shown.type !== "message") shown.ms.value = (shown.ms.value ?? 0) + this.#now() - begunAt;
  }

  #picture(event: Json): void {
    const shown = this.#live.get(numberOf(event, "output_index") ?? -1)?.shown;
    if (shown?.type !== "tool") return;
    const picture = beginItem({ type: "image_generation_call", result: textOf(event, "partial_image_b64") });
    if (picture.type === "tool") shown.images.value = picture.images.value;
  }

  #delta(type: string, event: Json): void {
    const live = this.#live.get(numberOf(event, "output_index") ?? -1);
    const delta = textOf(event, "delta") ?? "";
    if (live === undefined || delta === "") return;
    this.firstAt ??= this.#now();
    this.characters += delta.length;
    const { shown } = live;
    if (shown.type === "tool") {
      if (!type.includes("fusion")) shown.input.value += delta;
      return;
    }
    const part = numberOf(event, "content_index") ?? numberOf(event, "summary_index") ?? 0;
    shown.text.append(part === live.part ? delta : `\n\n${delta}`);
    live.part = part;
  }

  #end(event: Json): RunEnd {
    this.stop();
    const response = objectOf(event, "response");
    const status = textOf(response, "status");
    if (status === "failed") return failed(response, textOf(objectOf(response, "error"), "message"));
    return { status: status === "incomplete" ? "incomplete" : "completed", response, error: undefined };
  }
}

/** The part of a message that has come, as an item that can be sent back. */
const partialMessage = (text: string): Json => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [] }],
});

const failed = (response: Json, error: string | undefined): RunEnd => ({
  status: "failed",
  response: asJson(response),
  error: error ?? "",
});
