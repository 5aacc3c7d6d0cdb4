/**
 * Requests damaged field by field: wrong types, lengths and counts, nulls, deep nesting, odd Unicode, odd
 * numbers, prototype keys, and now and then no JSON at all. They come as text, because some of it cannot be
 * said as a value (1e400, a key twice, a lone surrogate). Send them to a parser or over HTTP.
 */

import { covering } from "./covering.ts";
import { type Random, seeded } from "./random.ts";
import { recordedRequests } from "./recorded.ts";

export interface MutatedRequest {
  /** The body, in most cases JSON. */
  readonly text: string;
  /** Changes that were made to it, for the report of a failure. */
  readonly done: readonly string[];
}

type Container = Record<PropertyKey, unknown>;

/** One place in a body: the container that holds it, and its key there. */
interface Place {
  readonly holder: Container;
  readonly key: string;
  readonly path: string;
}

/** A string with this mark goes into the text as it is, without quotes. */
const RAW = "\u0001raw:";
const raw = (text: string) => RAW + text;

/** `count` requests, the same for the same seed. */
export function mutatedRequests(seed: number, count: number): Generator<MutatedRequest> {
  const corpus = [...covering, ...recordedRequests().map(({ body }) => body)].map((body) =>
    JSON.stringify(body)
  );
  return mutatedFrom({ seed, count, corpus });
}

export interface Mutation {
  readonly seed: number;
  readonly count: number;
  /** Bodies as JSON. */
  readonly corpus: readonly string[];
}

/** Bodies of any operation, damaged the same way. */
export function* mutatedFrom({ seed, count, corpus }: Mutation): Generator<MutatedRequest> {
  const random = seeded(seed);
  for (let made = 0; made < count; made++) yield mutated(random, corpus);
}

function mutated(random: Random, corpus: readonly string[]): MutatedRequest {
  const body: Container = JSON.parse(random.pick(corpus));
  const done: string[] = [];
  const wanted = 1 + random.below(3);
  while (done.length < wanted) {
    const places = placesOf({ body });
    const whole = random.below(10) === 0;
    const place = whole
      ? { holder: body, key: random.pick(["input", "tools"]), path: ".whole" }
      : random.pick(places);
    const name = whole ? random.pick(["repeated", "reversed"] as const) : random.pick(names);
    damages[name]({ place, random, places });
    done.push(`${name} ${place.path}`);
  }
  const text = spell(body);
  if (random.below(20) > 0) return { text, done };
  const cut = random.pick(textNames);
  return { text: textDamages[cut](text, random), done: [...done, cut] };
}

/** Every place below `body`; the body itself is not replaced, for that would leave nothing to test. */
function placesOf({ body }: { readonly body: unknown }): readonly Place[] {
  const places: Place[] = [];
  const open: { readonly value: unknown; readonly path: string }[] = [{ value: body, path: "" }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: holder, path } = next;
    if (!isContainer(holder)) continue;
    for (const key of Object.keys(holder)) {
      places.push({ holder, key, path: `${path}.${key}` });
      if (places.length < 5_000) open.push({ value: holder[key], path: `${path}.${key}` });
    }
  }
  return places.length > 0 ? places : [{ holder: { input: null }, key: "input", path: ".input" }];
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

/** JSON text; marked strings go in as they are. */
function spell(body: unknown): string {
  return JSON.stringify(body).replace(
    /"\\u0001raw:((?:[^"\\]|\\.)*)"/g,
    (_, inner: string) => JSON.parse(`"${inner}"`),
  );
}

interface Damage {
  readonly place: Place;
  readonly random: Random;
  readonly places: readonly Place[];
}

const otherTypes: readonly unknown[] = [
  true,
  false,
  0,
  -1,
  1.5,
  42,
  "x",
  "",
  " ",
  [],
  {},
  [[]],
  [null],
  { a: 1 },
  [{}],
  "auto",
];

const oddNumbers = [
  "1e400",
  "-1e400",
  "-0",
  "1e308",
  "1e-400",
  "9007199254740993",
  "-9007199254740993",
  "0.1",
  "1".repeat(400),
  "31",
  "2.0000001",
];

const oddTexts = [
  raw('"\\ud800"'),
  raw('"a\\udc00b"'),
  "\u0000",
  "\ufffe\uffff",
  "\u202eabc",
  "e\u0301".repeat(50),
  "👩‍👩‍👧‍👦".repeat(100),
  "İıſ",
  "\ud83d\ude00".repeat(200),
  "\u2028\u2029",
  "%2e%2e/",
  "a\r\nb",
];

const prototypeKeys = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"];

/** Keys that JSON.parse makes own ones; plain assignment might not. */
function setOwn(holder: Container, { key, value }: { readonly key: string; readonly value: unknown }): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

const damages = {
  null: ({ place }: Damage) => set(place, null),
  type: ({ place, random }: Damage) => set(place, structuredClone(random.pick(otherTypes))),
  number: ({ place, random }: Damage) => set(place, raw(random.pick(oddNumbers))),
  unicode: ({ place, random }: Damage) => set(place, random.pick(oddTexts)),
  long: ({ place, random }: Damage) => set(place, "x".repeat(random.pick([65, 257, 513, 1025, 70_000]))),
  many: ({ place, random }: Damage) => {
    const value = place.holder[place.key];
    const count = random.pick([9, 17, 51, 1025]);
    const copies = () =>
      Array.from({ length: count }, (_, index) => Array.isArray(value) ? value[0] : `v${index}`);
    const pairs = () => Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, "v"]));
    set(place, isContainer(value) && !Array.isArray(value) ? { ...value, ...pairs() } : copies());
  },
  deep: ({ place, random }: Damage) => {
    const levels = random.pick([10, 50, 70, 700]);
    const [open, close] = random.pick([["[", "]"], ['{"type":', "}"], ['[{"type":"and","filters":', "}]"]]);
    set(place, raw(`${open}`.repeat(levels) + "1" + `${close}`.repeat(levels)));
  },
  prototype: ({ place, random }: Damage) => {
    const value = place.holder[place.key];
    const target = isContainer(value) && !Array.isArray(value) ? value : place.holder;
    setOwn(target, {
      key: random.pick(prototypeKeys),
      value: random.pick([{ polluted: true }, "x", null, 1]),
    });
  },
  absent: ({ place }: Damage) => {
    delete place.holder[place.key];
  },
  swapped: ({ place, random, places }: Damage) => {
    const other = random.pick(places);
    set(place, structuredClone(other.holder[other.key]));
  },
  renamed: ({ place, random }: Damage) => {
    const value = place.holder[place.key];
    delete place.holder[place.key];
    setOwn(place.holder, {
      key: random.pick(["", "x".repeat(100), "a[b]", "\ud83d", place.key.toUpperCase()]),
      value,
    });
  },
  repeated: ({ place }: Damage) => {
    const value = place.holder[place.key];
    set(place, Array.isArray(value) ? structuredClone([...value, ...value]) : value);
  },
  reversed: ({ place }: Damage) => {
    const value = place.holder[place.key];
    set(place, Array.isArray(value) ? value.toReversed() : value);
  },
  misspelled: ({ place }: Damage) => {
    const value = place.holder[place.key];
    set(place, typeof value === "string" ? `${value.slice(0, 30).toUpperCase()}_` : { type: "unheard_of" });
  },
} as const;

function set(place: Place, value: unknown): void {
  setOwn(place.holder, { key: place.key, value });
}

const names = keysOf(damages);

/** Damage to the text itself. */
const textDamages = {
  truncated: (text: string, random: Random) => text.slice(0, random.below(text.length)),
  garbage: (text: string, random: Random) => {
    const at = random.below(text.length);
    return text.slice(0, at) + random.pick(['"', "\\", "}", "\u0000", ",", "é", "]", "NaN"]) +
      text.slice(at + 1);
  },
  trailing: (text: string, random: Random) => text + random.pick(["x", "{}", ",", "\u0000", "[".repeat(100)]),
  doubled: (text: string) => text.replace(/^\{/, '{"input":5,"__proto__":{"input":"p"},'),
  other: (_: string, random: Random) =>
    random.pick(["", "null", "[]", '"text"', "1", "[[[", "\ufeff{}", "undefined"]),
} as const;

const textNames = keysOf(textDamages);

function keysOf<Table extends object>(table: Table): readonly (keyof Table)[] {
  return asKeys<Table>(Object.keys(table));
}

/** The tables above have no keys but their own. */
function asKeys<Table extends object>(keys: readonly string[]) {
  return keys as readonly (keyof Table)[];
}
