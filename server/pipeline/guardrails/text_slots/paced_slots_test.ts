/** Whatever a caller makes large, reading it and writing it offer pauses in proportion. */

import assert from "node:assert/strict";
import { runNow, type Work } from "../../../../shared/util/run_work.ts";
import { MaskMap } from "../mask_map.ts";
import { countUtf8Bytes } from "../scanners/scan_text.ts";
import { readSlots } from "./read_slots.ts";
import { anyValue, file, json, listOf, media, objectOf, type Shape, text } from "./shape.ts";
import { writeSlots } from "./write_slots.ts";

/** Pauses that a work offers, and what comes of it. */
function stepsOf<T>(work: Work<T>): { readonly steps: number; readonly value: T } {
  for (let steps = 0;; steps++) {
    const step = work.next();
    if (step.done === true) return { steps, value: step.value };
  }
}

const MANY = 20_000;
const MIB = 1024 * 1024;
const many = <T>(make: (at: number) => T): readonly T[] => Array.from({ length: MANY }, (_, at) => make(at));
const fields = Object.fromEntries(many((at) => [`field_${at}`, { type: "string" }]));
const bytes = btoa("The quick brown fox. ".repeat(4 * MIB / 21));

interface Case {
  readonly value: unknown;
  readonly shape: Shape;
  /** Pauses at least. */
  readonly least: number;
}

const cases: Readonly<Record<string, Case>> = {
  "a list of texts": { value: many((at) => `text ${at}`), shape: listOf(text), least: MANY / 1_024 },
  "a list of parts": {
    value: many((at) => ({ text: `text ${at}` })),
    shape: listOf(objectOf<{ text: string }>({ text })),
    least: MANY / 1_024,
  },
  "an object of any fields": { value: fields, shape: anyValue, least: MANY / 1_024 },
  "a list of any values": { value: many((at) => ({ at, b: "c" })), shape: anyValue, least: MANY / 1_024 },
  "a JSON text": { value: JSON.stringify(fields), shape: json, least: 2 * MANY / 1_024 },
  "a JSON text in a value": {
    value: { a: JSON.stringify(fields) },
    shape: anyValue,
    least: 2 * MANY / 1_024,
  },
  "a file in base64": { value: bytes, shape: file, least: bytes.length / MIB * 4 },
  "a file in base64 with lines": {
    value: bytes.replaceAll(/.{76}/g, "$&\n"),
    shape: file,
    least: bytes.length / MIB * 4,
  },
};

for (const [name, { value, shape, least }] of Object.entries(cases)) {
  Deno.test(`reading and writing ${name} offers pauses`, () => {
    const { steps, value: read } = stepsOf(readSlots(value, shape));
    assert.ok(steps >= Math.floor(least), `${steps} pauses, at least ${least}`);
    const texts = read.slots.filter(({ form }) => form === "text");
    assert.ok(texts.length > 0);
    const changes = new Map(texts.map((slot) => [slot, `${slot.text}!`]));
    const written = stepsOf(writeSlots(value, { shape, changes }));
    assert.ok(written.steps >= Math.floor(changes.size / 1_024), `${written.steps} pauses`);
    const again = runNow(readSlots(written.value, shape)).slots.filter(({ form }) => form === "text");
    assert.deepEqual(again.map(({ text }) => text), [...changes.values()]);
  });
}

Deno.test("an image is looked at with pauses, and a text with `=` in the middle is no base64", () => {
  const shape = listOf(file);
  const image = `data:image/png;base64,${bytes}`;
  const { steps, value } = stepsOf(readSlots([image], shape));
  assert.ok(steps >= bytes.length / MIB * 4, `${steps} pauses`);
  assert.equal(value.media, 1);
  for (const at of [256 * 1024, 256 * 1024 - 1, 400_000]) {
    const broken = `${bytes.slice(0, at - 1)}=${bytes.slice(at)}`;
    const read = runNow(readSlots([broken], shape));
    assert.deepEqual(read.slots.map(({ text }) => text), [broken]);
  }
  assert.equal(runNow(readSlots("anything", media)).media, 1);
});

Deno.test("counting bytes and reserving placeholders offer pauses, and miss nothing between two of them", () => {
  const letters = "a\u{1f600}é漢".repeat(100_000);
  let value = 0;
  const counting = countUtf8Bytes(`x${letters}`, (bytes) => value += bytes);
  assert.ok(counting);
  const { steps } = stepsOf(counting);
  assert.ok(steps >= letters.length / (64 * 1024) - 1, `${steps} pauses`);
  assert.equal(value, new TextEncoder().encode(`x${letters}`).length);
  for (const before of [4_090, 4_094, 4_096, 8_190]) {
    const masks = new MaskMap();
    const written = `${"x".repeat(before)}[ID_1]${"y".repeat(100_000)}`;
    assert.ok(stepsOf(masks.reserve(written)).steps >= Math.floor(written.length / 4_096));
    assert.equal(masks.placeholder("[ID]", "4711"), "[ID_2]");
  }
});
