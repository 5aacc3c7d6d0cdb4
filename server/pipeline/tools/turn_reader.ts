/**
 * One turn of a model that has server tools: what of it the client sees, what the next turn is told, and which server
 * tools it calls.
 */

import { encodeReasoning } from "../../protocols/canonical/encrypted_reasoning.ts";
import type {
  FailureEvent,
  FinishEvent,
  ItemDoneEvent,
  ItemEvent,
  ItemKey,
  ModelEvent,
  OutputEvent,
} from "../../protocols/canonical/event.ts";
import type { OutputItem, ToolCallItem } from "../../protocols/canonical/item.ts";
import { orderEvents, type OrderState } from "../../protocols/common/inbound/event_order.ts";
import type { OrderedEvent } from "../../protocols/common/inbound/item_assembly.ts";
import { openingEvents, type ServerCall } from "./call_items.ts";
import type { PlannedTool } from "./tool_plan.ts";
import { waitsForAnswer } from "./client_answers.ts";
import { qualifiedName } from "./tool_search/deferred_tools.ts";

interface TurnReaderOptions {
  /** From 1. */
  readonly step: number;
  readonly byName: ReadonlyMap<string, PlannedTool>;
  /** Names of the tools that the client answers. */
  readonly clientNames: ReadonlySet<string>;
  /** The generation, without its prefix. */
  readonly suffix: string;
}

export class TurnReader {
  readonly #options: TurnReaderOptions;
  readonly #machine: ReturnType<typeof orderEvents>;
  #order: OrderState;
  /** Items that have been opened, and those that have not been closed. */
  readonly #known = new Set<ItemKey>();
  readonly #open = new Set<ItemKey>();
  readonly #byKey = new Map<ItemKey, ServerCall>();
  readonly #calls: ServerCall[] = [];
  /** Items of calls that nobody offered: the client does not see them. */
  readonly #hidden = new Set<ItemKey>();
  /** Calls of which the last word has been read. */
  #closed = 0;
  readonly #items: OutputItem[] = [];
  #last: FinishEvent | FailureEvent | undefined;

  constructor(options: TurnReaderOptions) {
    this.#options = options;
    this.#machine = orderEvents(`${options.suffix}_${options.step}`);
    this.#order = this.#machine.initial;
  }

  /** The end of the turn, once it is there. */
  get last(): FinishEvent | FailureEvent | undefined {
    return this.#last;
  }

  get calls(): readonly ServerCall[] {
    return this.#calls;
  }

  /** Calls of tools that nobody offered. */
  get unknownCalls(): readonly ToolCallItem[] {
    return this.#items.filter((item) => item.type === "call").filter((item) =>
      this.#runnerOf(item) === "nobody"
    );
  }

  /** Whether the turn called anything that the client does not answer. */
  get calledHere(): boolean {
    return this.#calls.length > 0 || this.#hidden.size > 0;
  }

  /** Whether the client has calls to answer before the model can go on. */
  get waitsForClient(): boolean {
    return this.#items.some((item) =>
      item.type === "call" ? this.#runnerOf(item) === "client" : waitsForAnswer(item, this.#items)
    );
  }

  /** Items that the model sent, for its next turn. */
  get items(): readonly OutputItem[] {
    return this.#items.map((item) => item.type === "reasoning" ? sealed(item) : item);
  }

  /** The events that go on to the client. The end is kept back. */
  read(batch: readonly OutputEvent[]): readonly OutputEvent[] {
    return batch.flatMap((received): readonly OutputEvent[] => {
      if (received.type === "audio") return [received];
      const event = this.#named(received);
      this.#collect(event);
      return this.#shown(event);
    });
  }

  /** A call of a server tool has an id from its first event on, whether or not its provider gave one. */
  #named(event: ModelEvent): ModelEvent {
    if (event.type !== "item" || event.item.type !== "call" || event.item.callId !== "") return event;
    const { suffix, step, byName } = this.#options;
    if (!byName.has(event.item.name)) return event;
    return { ...event, item: { ...event.item, callId: `call_${suffix}_${step}_${this.#known.size}` } };
  }

  /** Closes what the provider left open, so that items of later turns can follow. */
  closeItems(): readonly OutputEvent[] {
    const open = [...this.#open];
    this.#open.clear();
    return open.map((itemKey) => ({ type: "item_done", itemKey: this.#keyOf(itemKey) }));
  }

  #runnerOf({ name, namespace }: ToolCallItem): "gateway" | "client" | "nobody" {
    const { byName, clientNames } = this.#options;
    if (byName.has(name)) return "gateway";
    return clientNames.has(name) || clientNames.has(qualifiedName(name, namespace)) ? "client" : "nobody";
  }

  #collect(event: ModelEvent): void {
    const [next, events] = this.#machine.step(this.#order, event);
    this.#order = next;
    for (const one of events) if (one.type === "close") this.#close(one);
  }

  #close({ item }: Extract<OrderedEvent, { type: "close" }>): void {
    this.#items.push(item);
    if (item.type !== "call" || !this.#options.byName.has(item.name)) return;
    const call = this.#calls[this.#closed++];
    if (call !== undefined) call.call = item;
  }

  #shown(event: ModelEvent): readonly OutputEvent[] {
    switch (event.type) {
      case "begin":
        return this.#options.step === 1 ? [event] : [];
      case "finish":
      case "failure":
        this.#last = event;
        return [];
      case "item":
        return this.#opened(event);
      case "item_done":
        if (this.#isOfCall(event.itemKey)) return [];
        this.#open.delete(event.itemKey);
        return [this.#rekeyed({ ...event, item: this.#inSpelling(event) })];
      case "foreign":
        return event.itemKey === undefined ? [event] : [this.#rekeyed({ ...event, itemKey: event.itemKey })];
      default:
        return this.#isOfCall(event.itemKey) ? [] : [this.#rekeyed(event)];
    }
  }

  /** True for an item of a call that the client does not answer: it is hidden, or in the gateway's words. */
  #isOfCall(itemKey: ItemKey): boolean {
    return this.#byKey.has(itemKey) || this.#hidden.has(itemKey);
  }

  #opened(event: ItemEvent): readonly OutputEvent[] {
    const { item, itemKey } = event;
    if (this.#known.has(itemKey)) return [];
    this.#known.add(itemKey);
    if (item.type === "call" && this.#runnerOf(item) === "nobody") {
      this.#hidden.add(itemKey);
      return [];
    }
    const tool = item.type === "call" ? this.#options.byName.get(item.name) : undefined;
    if (item.type !== "call" || tool === undefined) {
      this.#open.add(itemKey);
      return [this.#rekeyed({ ...event, item: this.#inSpelling(event) ?? item })];
    }
    const { suffix, step } = this.#options;
    const call: ServerCall = {
      itemKey: this.#keyOf(itemKey),
      itemId: `st_${suffix}_${step}_${this.#calls.length}`,
      tool,
    };
    this.#byKey.set(itemKey, call);
    this.#calls.push(call);
    return tool.definition.opensLate === true ? [] : openingEvents(call, item);
  }

  /** A provider's own item of a tool that the client asked for under another name. */
  #inSpelling({ item }: ItemEvent | ItemDoneEvent): OutputItem | undefined {
    if (item?.type !== "foreign") return item;
    for (const { definition: { hosted, kind }, itemType } of this.#options.byName.values()) {
      if (hosted?.itemType !== item.kind || itemType === item.kind) continue;
      return { ...item, kind: `service:${kind}`, value: { ...item.value, type: itemType } };
    }
    return item;
  }

  #rekeyed<Event extends ModelEvent & { readonly itemKey: ItemKey }>(event: Event): Event {
    return this.#options.step === 1 ? event : { ...event, itemKey: this.#keyOf(event.itemKey) };
  }

  /** Turns number their items alike. */
  #keyOf(itemKey: ItemKey): ItemKey {
    return this.#options.step === 1 ? itemKey : `turn ${this.#options.step}: ${itemKey}`;
  }
}

/** Reasoning as a client would bring it back: endpoints that cannot read it leave it out. */
function sealed(item: Extract<OutputItem, { type: "reasoning" }>): OutputItem {
  const encrypted = item.origin === undefined ? undefined : encodeReasoning(item.origin, item);
  return encrypted === undefined ? item : { ...item, signature: undefined, encrypted };
}
