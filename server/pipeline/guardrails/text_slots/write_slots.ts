/** Puts changed texts back where they were read. What has not changed stays the same object. */

import { fieldOf } from "./field_of.ts";
import type { Work } from "../../../../shared/util/run_work.ts";
import type { ObjectShape, Shape } from "./shape.ts";
import type { PathStep, SlotContainer, SlotPath, TextSlot } from "./slot.ts";

/** Changes at a place and below it. */
interface Change {
  text?: string;
  readonly below: Map<string | number | SlotContainer, Change>;
  readonly names: Map<string, string>;
}

const noChange = (): Change => ({ below: new Map(), names: new Map() });

/** The value with the changes; the same one where there are none. */
export function* writeSlots<T>(
  value: T,
  { shape, changes }: { readonly shape: Shape; readonly changes: ReadonlyMap<TextSlot, string> },
): Work<T> {
  if (changes.size === 0) return value;
  const root = noChange();
  let added = 0;
  for (const [slot, text] of changes) {
    addChange(root, { slot, text });
    if (++added % VALUES_AT_ONCE === 0) yield;
  }
  return toSameKind<T>(yield* write(value, { change: root, shape }));
}

/** Values that are written before a pause is offered: a fraction of a millisecond. */
const VALUES_AT_ONCE = 1_024;

/** Texts take the place of texts, so a value keeps its form. */
const toSameKind = <T>(written: unknown): T => written as T;

function addChange(root: Change, { slot, text }: { readonly slot: TextSlot; readonly text: string }): void {
  let at = root;
  for (const step of stepsOf(slot.path)) {
    if (isName(step)) {
      at.names.set(step.name, text);
      return;
    }
    let next = at.below.get(step);
    if (next === undefined) at.below.set(step, next = noChange());
    at = next;
  }
  at.text = text;
}

function stepsOf(path: SlotPath | undefined): readonly PathStep[] {
  const steps: PathStep[] = [];
  for (let at = path; at !== undefined; at = at.parent) steps.push(at.step);
  return steps.reverse();
}

const isName = (step: PathStep): step is { readonly name: string } =>
  typeof step === "object" && !("write" in step);

interface Writing {
  readonly change: Change;
  readonly shape: Shape | undefined;
}

function* write(value: unknown, { change, shape }: Writing): Work<unknown> {
  if (change.text !== undefined) return change.text;
  if (shape?.kind === "lazy") return yield* write(value, { change, shape: shape.shape() });
  if (typeof value === "string") return yield* writeContainer(value, change);
  if (typeof value !== "object" || value === null) return value;
  if (shape?.kind === "typed") return yield* write(value, { change, shape: typeOf(value, shape) });
  if (Array.isArray(value)) {
    const of = shape?.kind === "list" ? shape.of : undefined;
    const list: unknown[] = [];
    for (const [position, item] of value.entries()) {
      const below = change.below.get(position);
      list.push(below === undefined ? item : yield* write(item, { change: below, shape: of }));
      if (list.length % VALUES_AT_ONCE === 0) yield;
    }
    return list;
  }
  if (shape?.kind === "list") return yield* write(value, { change, shape: shape.of });
  return yield* writeObject(value, { change, shape: shape?.kind === "object" ? shape : undefined });
}

function* writeObject(
  value: object,
  { change, shape }: { readonly change: Change; readonly shape: ObjectShape | undefined },
): Work<object> {
  const fields = new Map<string, unknown>();
  for (const name of Object.keys(value)) {
    const field = fieldOf(value, name);
    const below = change.below.get(name);
    const of = shape?.fields.get(name) ?? shape?.rest;
    const written = below === undefined ? field : yield* write(field, { change: below, shape: of });
    fields.set(newName(name, { change, fields }), written);
    if (fields.size % VALUES_AT_ONCE === 0) yield;
  }
  const written = Object.fromEntries(fields);
  return shape?.adjust?.(value, written) ?? written;
}

/** Two names that become the same stay two. */
function newName(
  name: string,
  { change: { names }, fields }: { readonly change: Change; readonly fields: ReadonlyMap<string, unknown> },
): string {
  const renamed = names.get(name);
  if (renamed === undefined) return name;
  let unique = renamed;
  for (let number = 2; fields.has(unique); number++) unique = `${renamed} ${number}`;
  return unique;
}

function* writeContainer(value: string, { below }: Change): Work<unknown> {
  for (const [container, change] of below) {
    if (typeof container !== "object") continue;
    const texts = new Map<number, string>();
    for (const [number, inner] of change.below) {
      const written = inner.text ?? (yield* writeContainer("", inner));
      if (typeof number === "number" && typeof written === "string") texts.set(number, written);
      if (texts.size % VALUES_AT_ONCE === 0) yield;
    }
    return yield* container.write(texts);
  }
  return value;
}

function typeOf(value: object, shape: Extract<Shape, { kind: "typed" }>): Shape {
  const type = "type" in value && typeof value.type === "string" ? shape.types.get(value.type) : undefined;
  return type ?? shape.rest;
}
