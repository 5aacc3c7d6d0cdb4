/** Walks a value by its shape and lists its texts: the one place where it is decided what content filters read. */

import { BODY, DocumentText, HEAD, parseDataAddress, parseFile } from "./document_text.ts";
import { isJson, JsonText, type JsonToken, mayHaveJson } from "./json_text.ts";
import { parseSealed } from "./sealed_text.ts";
import type { ObjectShape, Shape } from "./shape.ts";
import type { PathStep, SlotPath, TextSlot } from "./slot.ts";

export interface ReadValue {
  readonly slots: readonly TextSlot[];
  /** Images, sounds, videos and files that cannot be read. */
  readonly media: number;
  /** What only its maker can read: encrypted reasoning and the like. */
  readonly sealed: number;
}

/** A value is nested more deeply than JSON that a client may send. */
export class TooDeep extends Error {
  override readonly name = "TooDeep";
}

/** Levels of a value that are walked. */
const MAX_DEPTH = 200;
/** JSON in JSON in JSON is read; what is inside of that as text. */
const MAX_JSON_DEPTH = 3;
/** A number with fewer digits is read where it stands in a JSON text only. */
const LONG_NUMBER = 10_000_000;

/** Throws TooDeep. */
export function readSlots(value: unknown, shape: Shape): ReadValue {
  const walk = new SlotWalk();
  walk.read(value, { shape, path: undefined, depth: 0 });
  return walk;
}

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

  read(value: unknown, at: ShapedAt): void {
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
    this.#readValue(value, { ...at, field: undefined });
  }

  #readList(list: readonly unknown[], { path, depth, shape }: ShapedAt): void {
    const of = shape.kind === "list" ? shape.of : shape.kind === "opaque" ? shape : undefined;
    const isJoined = shape.kind === "list" && shape.isJoined;
    let last = -1;
    for (const [position, item] of list.entries()) {
      const at = { path: step({ path, depth }, position), depth: depth + 1 };
      const before = this.slots.length;
      if (of === undefined) this.#readValue(item, { ...at, field: undefined });
      else this.read(item, { ...at, shape: of });
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

  #readObject(value: object, { path, depth, shape }: At & { readonly shape: ObjectShape }): void {
    const before = this.slots.length;
    const unread = this.media;
    for (const [name, field] of Object.entries(value)) {
      const at = { path: { parent: path, step: name }, depth: depth + 1 };
      const of = shape.fields.get(name);
      if (of !== undefined) this.read(field, { ...at, shape: of });
      else this.read(field, { ...at, shape: shape.rest });
    }
    if (shape.isMedia && this.media === unread && !this.#hasDocument(before)) this.media++;
  }

  /** Whether the text of a file was read. */
  #hasDocument(from: number): boolean {
    return this.slots.slice(from).some(({ path }) => path?.step === BODY && isDocument(path.parent?.step));
  }

  #readText(text: string, { shape, ...at }: ShapedAt): void {
    switch (shape.kind) {
      case "opaque":
        return;
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
        return this.#readData(text, { ...at, found: parseDataAddress(text) });
      case "file":
        return this.#readData(text, { ...at, found: parseFile(text) });
      case "media":
        if (text !== "") this.media++;
        return;
      case "sealed":
        if (text !== "") this.sealed++;
        return;
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
  ): void {
    if (text === "") return;
    this.slots.push(field === undefined || field === "" ? { ...slot, text } : { ...slot, text, field });
  }

  #readData(text: string, { found, ...at }: At & { readonly found: DocumentText | undefined }): void {
    if (found === undefined) return this.#add(text, { path: at.path, form: "text" });
    const path = step(at, found);
    this.#add(found.head, { path: { parent: path, step: HEAD }, form: "text" });
    if (found.text === undefined) this.media++;
    else this.#add(found.text, { path: { parent: path, step: BODY }, form: "text" });
  }

  #readReasoning(text: string, at: At): void {
    const found = parseSealed(text);
    if (found === undefined) {
      this.sealed += text === "" ? 0 : 1;
      return;
    }
    const inside = { ...at, path: step(at, found) };
    for (const [number, one] of found.texts.entries()) {
      this.#add(one, { path: step(inside, number), form: "text" });
    }
  }

  #readJson(text: string, at: ValueAt): void {
    const found = new JsonText(text, isJson(text));
    const inside = { path: step(at, found), depth: at.depth + 1 };
    if (!found.isValid) this.#add(text, { path: step(inside, -1), form: "text", field: at.field });
    this.#jsonDepth++;
    for (const [number, token] of found.tokens.entries()) {
      this.#readToken(token, { path: step(inside, number), depth: inside.depth, found });
    }
    this.#jsonDepth--;
  }

  #readToken(
    { value, kind, field, isPlain, offset }: JsonToken,
    { path, depth, found: { isValid, text } }: At & { readonly found: JsonText },
  ): void {
    const form = kind === "name" ? "name" : "text";
    if (!isValid && isPlain) {
      const around = { text, offset: kind === "number" ? offset : offset + 1 };
      this.#add(value, { path, form, field, around });
    } else if (kind === "text") this.#readValue(value, { path, depth, field });
    else this.#add(value, { path, form, field });
  }

  /** Any value: its names are a caller's or a tool's as well, and say what its texts are. */
  #readValue(value: unknown, { path, depth, field }: ValueAt): void {
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
    if (Array.isArray(value)) {
      for (const [position, item] of value.entries()) {
        this.#readValue(item, { path: { parent: path, step: position }, depth: depth + 1, field });
      }
      return;
    }
    for (const [name, item] of Object.entries(value)) {
      this.#add(name, { path: { parent: path, step: { name } }, form: "name" });
      this.#readValue(item, { path: { parent: path, step: name }, depth: depth + 1, field: name });
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
