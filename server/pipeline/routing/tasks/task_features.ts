/** Features of a request by which its task is told: n-grams of its texts, cues by group and place, and traits. */

import { isConversation } from "../../../protocols/canonical/request.ts";
import type { Item } from "../../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import { cueGroups, cueWords } from "./cue_words.ts";
import { type GramTable, HashTable } from "./hash_table.ts";
import { requestTraits, requestTraitsOf, toolNames } from "./request_traits.ts";
import { cueHash, scanText } from "./scan_text.ts";
import { textTraits, textTraitsOf } from "./text_traits.ts";

/** Where a cue stands: at the start, at the end of a long text, anywhere in it, in the system's text, in a tool's name. */
const places = ["start", "end", "text", "system", "tool"] as const;
type Place = (typeof places)[number];

/** Names of the features that are not n-grams. */
export const featureNames: readonly string[] = [
  ...cueGroups.flatMap((group) => places.map((place) => `${group} in ${place}`)),
  ...textTraits,
  ...requestTraits,
];

const traitPositions: ReadonlyMap<string, number> = new Map(featureNames.map((name, at) => [name, at]));
const cueHashes = cueWords.map((cues) => cues.map(cueHash));
const cueTable = new HashTable(cueHashes.flat());
/** The group of each position of the table. */
const cueGroupsAt = cueHashes.flatMap((hashes, group) => hashes.map(() => group));

/** Characters that are read of the user's text, at its beginning and at its end. */
const PREFIX_CHARS = 1_200;
const SUFFIX_CHARS = 600;
/** Characters at both ends that most likely say what is asked for; the rest is likely material. */
const HEAD_CHARS = 400;
const TAIL_CHARS = 250;
const START_CHARS = 60;
/** Characters of the system's text, and of the user's message before. */
const CONTEXT_CHARS = 600;
const MOST_TOOLS = 32;
/** Characters that a first or last paragraph has at least. */
const LEAST_CHARS = 12;
/** Value of what stands in the message before. */
const ASIDE = 0.6;
/** Value of what stands between the ends of a long text. */
const MATERIAL = 0.3;
/** Length of the n-grams' vector, beside cues and traits of 1. */
const GRAMS_LENGTH = 4;

export interface TaskFeatures {
  /** Values by the positions of `featureNames`. */
  readonly named: Float32Array;
  /** Positions of n-grams in the table, each once, and their values. */
  readonly grams: readonly number[];
  readonly gramValues: readonly number[];
}

/** Factor of the n-grams' values: a long text says no more by them than a short one. */
export const gramFactor = ({ gramValues }: TaskFeatures): number =>
  GRAMS_LENGTH / Math.sqrt(gramValues.reduce((sum, value) => sum + value * value, 1));

/** Undefined where there is nothing to classify: no conversation, or neither text nor picture. */
export function taskFeaturesOf(request: ModelRequest, table: GramTable): TaskFeatures | undefined {
  if (!isConversation(request)) return undefined;
  const users = request.input.filter(isOfUser);
  const last = users.at(-1);
  const text = textOf(last).trim();
  const systemText = systemTextOf(request).trim();
  const names = request.tools.slice(0, MOST_TOOLS).flatMap(toolNames);
  const traits = requestTraitsOf({ request, last, systemText, names });
  if (text === "" && systemText === "" && !traits.includes("picture")) return undefined;
  const collector = new FeatureCollector(table);
  collector.readText(text);
  collector.readAside(systemText, "system");
  collector.readAside(textOf(users.at(-2)), "text");
  for (const name of names) collector.readName(name);
  for (const trait of [...textTraitsOf(shortened(text), text.length), ...traits]) collector.addTrait(trait);
  return collector;
}

const isOfUser = (item: Item): boolean => item.type === "message" && item.role === "user";

/** Parts of a message that are read, at its beginning and at its end. */
const MOST_PARTS = 8;

/** A text, each part of several shortened first: joining copies them. */
function textOf(item: Item | undefined): string {
  if (item?.type !== "message") return "";
  const texts = item.parts.flatMap((part) => part.type === "text" ? [part.text] : []);
  if (texts.length === 1) return texts[0] ?? "";
  const read = texts.length > 2 * MOST_PARTS
    ? [...texts.slice(0, MOST_PARTS), ...texts.slice(-MOST_PARTS)]
    : texts;
  return read.map(shortened).join("\n");
}

function systemTextOf({ instructions = "", input }: ModelRequest): string {
  const systems = input.filter((item) =>
    item.type === "message" && (item.role === "system" || item.role === "developer")
  );
  const texts = [instructions, ...systems.slice(0, MOST_PARTS).map(textOf)];
  return texts.map((text) => text.trimStart().slice(0, CONTEXT_CHARS)).join("\n");
}

const shortened = (text: string): string =>
  text.length <= PREFIX_CHARS + SUFFIX_CHARS ? text : text.slice(0, PREFIX_CHARS) + text.slice(-SUFFIX_CHARS);

/** End of a long text's first paragraph, else line: what is asked for mostly stands there, or at the end. */
function endOfFirst(text: string): number {
  const head = text.slice(0, HEAD_CHARS);
  const ends = ["\n\n", "\n"].map((sign) => head.indexOf(sign, LEAST_CHARS));
  return ends.find((at) => at !== -1) ?? HEAD_CHARS;
}

/** Start of its last paragraph, else line. */
function startOfLast(text: string): number {
  const from = text.length - TAIL_CHARS;
  const starts = ["\n\n", "\n"].map((sign) => text.lastIndexOf(sign, text.length - LEAST_CHARS));
  return starts.find((at) => at >= from) ?? from;
}

class FeatureCollector implements TaskFeatures {
  readonly named = new Float32Array(featureNames.length);
  readonly grams: number[] = [];
  readonly gramValues: number[] = [];
  readonly #table: GramTable;
  /** A bit for each position of the table. */
  readonly #seen: Uint8Array;

  constructor(table: GramTable) {
    this.#table = table;
    this.#seen = new Uint8Array((table.size >> 3) + 1);
  }

  addTrait(trait: string): void {
    this.#raise(traitPositions.get(trait), trait === "picture" ? 3 : 1);
  }

  /** The ends first: what stands in several places counts by its most telling one. */
  readText(text: string): void {
    const { length } = text;
    if (length <= HEAD_CHARS) {
      this.#read(text, { place: "text", value: 1, start: START_CHARS });
      return;
    }
    const head = endOfFirst(text);
    const tail = Math.max(head, startOfLast(text));
    this.#read(text.slice(0, head), { place: "text", value: 1, start: START_CHARS });
    this.#read(text.slice(tail), { place: "end", value: 1, continues: true });
    const middle = Math.min(tail, PREFIX_CHARS);
    this.#read(text.slice(head, middle), { place: "text", value: MATERIAL, continues: true });
    const suffix = Math.max(middle, length - SUFFIX_CHARS);
    this.#read(text.slice(suffix, tail), { place: "text", value: MATERIAL, continues: true });
  }

  /** The system's text, or the user's message before the last. */
  readAside(text: string, place: Place): void {
    this.#read(text.slice(0, CONTEXT_CHARS), {
      place,
      value: place === "system" ? 1 : ASIDE,
      continues: true,
    });
  }

  /** A tool's name, in words: `getWeather` and `get_weather` alike. */
  readName(name: string): void {
    const words = name.slice(0, 64).replaceAll(/[A-Z]/g, " $&");
    this.#read(words, { place: "tool", value: 1, grams: false });
  }

  #read(
    text: string,
    { place, value, start = -1, grams = true, continues }: {
      readonly place: Place;
      readonly value: number;
      /** Cues up to there stand at the start too. */
      readonly start?: number;
      readonly grams?: boolean;
      readonly continues?: boolean;
    },
  ): void {
    if (text === "") return;
    const offset = places.indexOf(place);
    const sink = {
      gram: (hash: number) => grams ? this.#addGram(hash, value) : undefined,
      cue: (hash: number, at: number) => {
        const found = cueTable.find(hash);
        if (found < 0) return;
        const position = (cueGroupsAt[found] ?? 0) * places.length;
        this.#raise(position + offset, value);
        if (at <= start) this.#raise(position, value);
      },
    };
    scanText(text, { sink, continues });
  }

  #addGram(hash: number, value: number): void {
    const position = this.#table.find(hash);
    if (position < 0) return;
    const byte = this.#seen[position >> 3] ?? 0;
    const bit = 1 << (position & 7);
    if ((byte & bit) !== 0) return;
    this.#seen[position >> 3] = byte | bit;
    this.grams.push(position);
    this.gramValues.push(value);
  }

  #raise(position: number | undefined, value: number): void {
    if (position !== undefined && value > (this.named[position] ?? 0)) this.named[position] = value;
  }
}
