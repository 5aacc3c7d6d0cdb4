/** Walks a value by its shape and lists its texts: the one place where it is decided what content filters read. */

import { fieldOf } from "./field_of.ts";
import type { Work } from "../../../../shared/util/run_work.ts";
import { BODY, DocumentText, HEAD, parseDataAddress, parseFile } from "./document_text.ts";
import { JsonText, type JsonToken, mayHaveJson } from "./json_text.ts";
import { parseSealed } from "./sealed_text.ts";
import { isOpaque, type ObjectShape, type Shape } from "./shape.ts";
import type { PathStep, SlotPath, TextSlot } from "./slot.ts";

export interface ReadValue {
  readonly slots: readonly TextSlot[];
  /** Images, sounds, videos and files that cannot be read. */
  readonly media: number;
  /** Number of values that only their maker can read: encrypted reasoning and the like. */
  readonly sealed: number;
}

/** A value is nested more deeply than JSON that a client may send. */
export class TooDeep extends Error {
  override readonly name = "TooDeep";
}

/** Levels of a value that are walked. */
const MAX_DEPTH = 200;
/** JSON in JSON in JSON is read; what is inside of that as text. */
export const MAX_JSON_DEPTH = 3;
/** A number with fewer digits is read where it stands in a JSON text only. */
const LONG_NUMBER = 10_000_000;

/** Throws TooDeep. */
export function* readSlots(value: unknown, shape: Shape): Work<ReadValue> {
  const walk = new SlotWalk();
  const left = walk.read(value, { shape, path: undefined, depth: 0 });
  if (left !== undefined) yield* left;
  return walk;
}

/** Values that are read before a pause is offered: a fraction of a millisecond. */
const VALUES_AT_ONCE = 1_024;

interface At {
  readonly path: SlotPath | undefined;
  readonly depth: number;
}

interface ShapedAt extends At {
  readonly shape: Shape;
}

interface ValueAt extends At {
  readonly field: string | undefined;
}

const step = (at: At, to: PathStep): SlotPath => ({ parent: at.path, step: to });

class SlotWalk {
  readonly slots: TextSlot[] = [];
  media = 0;
  sealed = 0;
  /** JSON texts around what is read. */
  #jsonDepth = 0;
  #values = 0;

  /** Reads a value at once. For a value or a text that holds others, returns the work that is left to do. */
  read(value: unknown, at: ShapedAt): Work<void> | undefined {
    if (value === undefined || value === null || typeof value === "boolean") return;
    const { shape } = at;
    if (shape.kind === "hidden") return;
    if (shape.kind === "lazy") return this.read(value, { ...at, shape: shape.shape() });
    if (typeof value === "string") return this.#readText(value, at);
    // A number of a wire's own is a count or a time.
    if (typeof value !== "object") return;
    if (at.depth > MAX_DEPTH) throw new TooDeep("The value is nested too deeply to be read.");
    if (shape.kind === "typed") return this.read(value, { ...at, shape: typeOf(value, shape) });
    if (Array.isArray(value)) return this.#readList(value, at);
    if (shape.kind === "object") return this.#readObject(value, { ...at, shape });
    if (shape.kind === "list") return this.read(value, { ...at, shape: shape.of });
    if (shape.kind === "tokens") return this.#readTokens(value, at);
    return this.#readValue(value, { ...at, field: undefined });
  }

  /** Whether a pause is due. */
  #isDue(): boolean {
    return ++this.#values % VALUES_AT_ONCE === 0;
  }

  *#readList(list: readonly unknown[], { path, depth, shape }: ShapedAt): Work<void> {
    const of = shape.kind === "list" ? shape.of : shape.kind === "opaque" ? shape : undefined;
    const isJoined = shape.kind === "list" && shape.isJoined;
    let last = -1;
    for (const [position, item] of list.entries()) {
      const at = { path: step({ path, depth }, position), depth: depth + 1 };
      const before = this.slots.length;
      if (this.#isDue()) yield;
      const left = of === undefined
        ? this.#readValue(item, { ...at, field: undefined })
        : this.read(item, { ...at, shape: of });
      if (left !== undefined) yield* left;
      if (isJoined && this.slots.length > before) {
        if (last === position - 1) this.#join(before);
        last = position;
      }
    }
  }

  /** The slot goes on with the text of the part before it. */
  #join(position: number): void {
    const slot = this.slots[position];
    const before = this.slots[position - 1];
    if (slot === undefined || before === undefined || !isPartText(slot) || !isPartText(before)) return;
    this.slots[position] = { ...slot, isJoined: true };
  }

  *#readTokens(value: object, { path }: At): Work<void> {
    for (const name of Object.keys(value)) {
      if (this.#isDue()) yield;
      if (!/^\d{1,10}$/.test(name)) this.#add(name, { path: { parent: path, step: { name } }, form: "name" });
    }
  }

  *#readObject(value: object, { path, depth, shape }: At & { readonly shape: ObjectShape }): Work<void> {
    const before = this.slots.length;
    const unread = this.media;
    for (const name of Object.keys(value)) {
      const field = fieldOf(value, name);
      const at = { path: { parent: path, step: name }, depth: depth + 1 };
      if (this.#isDue()) yield;
      const of = shape.fields.get(name);
      if (of === undefined && !isOpaque(name)) {
        this.#add(name, { path: { parent: path, step: { name } }, form: "name" });
      }
      const left = this.read(field, { ...at, shape: of ?? shape.rest });
      if (left !== undefined) yield* left;
    }
    if (shape.isMedia && this.media === unread && !this.#hasDocument(before)) this.media++;
  }

  /** Whether the text of a file was read. */
  #hasDocument(from: number): boolean {
    return this.slots.slice(from).some(({ path }) => path?.step === BODY && isDocument(path.parent?.step));
  }

  #readText(text: string, { shape, ...at }: ShapedAt): Work<void> | undefined {
    switch (shape.kind) {
      case "opaque":
        return isOpaque(text) ? undefined : this.#add(text, { path: at.path, form: "text" });
      case "identifier":
        return this.#add(text, { path: at.path, form: "identifier" });
      case "json":
        return this.#readJson(text, { ...at, field: undefined });
      case "loose":
        return mayHaveJson(text)
          ? this.#readJson(text, { ...at, field: undefined })
          : this.#add(text, { path: at.path, form: "text" });
      case "value":
        return this.#readValue(text, { ...at, field: undefined });
      case "address":
        return this.#readData(text, { ...at, finding: parseDataAddress(text) });
      case "file":
        return this.#readData(text, { ...at, finding: parseFile(text) });
      case "media":
        if (text !== "") this.media++;
        return;
      case "sealed":
        return this.#readSealed(text, at);
      case "reasoning":
        return this.#readReasoning(text, at);
      case "list":
        return this.read(text, { ...at, shape: shape.of });
      case "typed":
        return this.read(text, { ...at, shape: shape.rest });
      default:
        return this.#add(text, { path: at.path, form: "text" });
    }
  }

  #add(
    text: string,
    { field, ...slot }: Omit<TextSlot, "text" | "isJoined">,
  ): undefined {
    if (text === "") return;
    this.slots.push(field === undefined || field === "" ? { ...slot, text } : { ...slot, text, field });
  }

  *#readData(
    text: string,
    { finding, ...at }: At & { readonly finding: Work<DocumentText | undefined> },
  ): Work<void> {
    const found = yield* finding;
    if (found === undefined) return this.#add(text, { path: at.path, form: "text" });
    const path = step(at, found);
    this.#add(found.head, { path: { parent: path, step: HEAD }, form: "text" });
    if (found.text === undefined) this.media++;
    else this.#add(found.text, { path: { parent: path, step: BODY }, form: "text" });
  }

  /** A text in its place is one that its maker has not sealed. */
  #readSealed(text: string, { path }: At): undefined {
    if (text === "") return;
    if (isOpaque(text)) this.sealed++;
    else this.#add(text, { path, form: "text" });
  }

  #readReasoning(text: string, at: At): undefined {
    const found = parseSealed(text);
    if (found === undefined) return this.#readSealed(text, at);
    const inside = { ...at, path: step(at, found) };
    for (const [number, one] of found.texts.entries()) {
      this.#add(one, { path: step(inside, number), form: "text" });
    }
  }

  *#readJson(text: string, at: ValueAt): Work<void> {
    const found = yield* JsonText.read(text);
    const inside = { path: step(at, found), depth: at.depth + 1 };
    if (!found.isValid) this.#add(text, { path: step(inside, -1), form: "text", field: at.field });
    this.#jsonDepth++;
    for (const [number, token] of found.tokens.entries()) {
      if (this.#isDue()) yield;
      const left = this.#readToken(token, { path: step(inside, number), depth: inside.depth, found });
      if (left !== undefined) yield* left;
    }
    this.#jsonDepth--;
  }

  #readToken(
    { value, kind, field, isPlain, offset }: JsonToken,
    { path, depth, found: { isValid, text } }: At & { readonly found: JsonText },
  ): Work<void> | undefined {
    const form = kind === "name" ? "name" : "text";
    if (!isValid && isPlain) {
      const around = { text, offset: kind === "number" ? offset : offset + 1 };
      return this.#add(value, { path, form, field, around });
    }
    return kind === "text"
      ? this.#readValue(value, { path, depth, field })
      : this.#add(value, { path, form, field });
  }

  /** Any value: its names are a caller's or a tool's as well, and say what its texts are. */
  #readValue(value: unknown, { path, depth, field }: ValueAt): Work<void> | undefined {
    if (typeof value === "string") {
      if (this.#jsonDepth < MAX_JSON_DEPTH && mayHaveJson(value)) {
        return this.#readJson(value, { path, depth, field });
      }
      return this.#add(value, { path, form: "text", field });
    }
    if (typeof value === "number") {
      if (Math.abs(value) >= LONG_NUMBER) this.#add(String(value), { path, form: "text", field });
      return;
    }
    if (typeof value !== "object" || value === null) return;
    if (depth > MAX_DEPTH) throw new TooDeep("The value is nested too deeply to be read.");
    return Array.isArray(value)
      ? this.#readItems(value, { path, depth, field })
      : this.#readFields(value, { path, depth, field });
  }

  *#readItems(list: readonly unknown[], { path, depth, field }: ValueAt): Work<void> {
    for (const [position, item] of list.entries()) {
      if (this.#isDue()) yield;
      const left = this.#readValue(item, {
        path: { parent: path, step: position },
        depth: depth + 1,
        field,
      });
      if (left !== undefined) yield* left;
    }
  }

  *#readFields(value: object, { path, depth }: ValueAt): Work<void> {
    for (const name of Object.keys(value)) {
      const item = fieldOf(value, name);
      if (this.#isDue()) yield;
      this.#add(name, { path: { parent: path, step: { name } }, form: "name" });
      const left = this.#readValue(item, {
        path: { parent: path, step: name },
        depth: depth + 1,
        field: name,
      });
      if (left !== undefined) yield* left;
    }
  }
}

const isDocument = (at: PathStep | undefined) => at instanceof DocumentText;

/** The text of a content part, at its own path. */
const isPartText = ({ path, form }: TextSlot) => form === "text" && path?.step === "text";

function typeOf(value: object, shape: Extract<Shape, { kind: "typed" }>): Shape {
  const type = "type" in value && typeof value.type === "string" ? shape.types.get(value.type) : undefined;
  return type ?? shape.rest;
}
