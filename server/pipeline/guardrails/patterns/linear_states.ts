/**
 * The states that an automaton can be in, made when a text first leads to them and kept: a text then costs one look-up
 * a character, however large the pattern is.
 */

import { EDGE } from "./alphabet.ts";
import { Closure } from "./closure.ts";
import type { LinearProgram } from "./linear_program.ts";

/** Numbers that the states of one pattern may take, in their table and in their lists; then they are made anew. */
const MOST_NUMBERS = 65_536;

/** No match is looked for any more. */
export const DEAD = 0;
/** A match may begin, and none has begun. */
export const isIdle = (state: number): boolean => state > DEAD && state <= IDLE_STATES;
/** By the kind of the character before. */
const IDLE_STATES = 16;

/** A step says where it leads, and in its last bit whether a match ends before the character. */
export const isMatchStep = (step: number): boolean => (step & 1) === 1;
export const stateAfter = (step: number): number => step >> 1;
const UNKNOWN = -1;

interface NewState {
  /** Number of nodes in the buffer. */
  readonly count: number;
  readonly before: number;
  readonly isSeeding: boolean;
}

export interface KeptState {
  readonly state: number;
  readonly generation: number;
  readonly nodes: Int32Array;
  readonly before: number;
  readonly isSeeding: boolean;
}

export class LinearStates {
  readonly #program: LinearProgram;
  readonly #closure: Closure;
  readonly #width: number;
  // Numbers in arrays that are used again: a text may lead to a new state with every character, and what is thrown
  // away then has to be collected while everybody waits.
  #table = new Int32Array(0);
  /** Nodes of all states, one state behind the other. */
  #nodes = new Int32Array(0);
  #firsts = new Int32Array(1);
  #befores = new Int32Array(0);
  /** Whether a match may still begin. */
  #seeds = new Int32Array(0);
  #count = 0;
  /** States by their hash, each in the first free place behind it; 0 is a free place. */
  #places = new Int32Array(64);
  #hashes = new Int32Array(0);
  readonly #buffer: Int32Array;
  readonly #place = { before: 0, after: 0, origin: 0, isFresh: false };
  /** Counts how often the states were made anew: numbers of before mean nothing then. */
  #generation = 0;

  constructor(program: LinearProgram) {
    this.#program = program;
    this.#closure = new Closure(program);
    this.#width = program.alphabet.size + 1;
    this.#buffer = new Int32Array(program.kinds.length);
    this.#reset();
  }

  /** The class that stands for the end of the text. */
  get end(): number {
    return this.#width - 1;
  }

  /** Where a search begins, behind a character of that kind. */
  idle(before: number): number {
    return 1 + (this.#program.hasAssertions ? before : 0);
  }

  /** Where a match may begin in one place only, behind a character of that kind. */
  fixed(before: number): number {
    this.#buffer[0] = this.#program.start;
    return this.#stateOf({ count: 1, before: this.#program.hasAssertions ? before : 0, isSeeding: false });
  }

  /** UNKNOWN is told by a negative number. */
  peek(state: number, codeClass: number): number {
    return this.#table[state * this.#width + codeClass] ?? UNKNOWN;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Nodes that the last new step looked at. */
  get work(): number {
    return this.#closure.work;
  }

  /** Copies a state, for a search that pauses. */
  keep(state: number): KeptState {
    return {
      state,
      generation: this.#generation,
      nodes: this.#nodes.slice(this.#firsts[state], this.#firsts[state + 1]),
      before: this.#befores[state] ?? 0,
      isSeeding: this.#seeds[state] === 1,
    };
  }

  restore({ state, generation, nodes, before, isSeeding }: KeptState): number {
    if (generation === this.#generation) return state;
    this.#buffer.set(nodes);
    return this.#stateOf({ count: nodes.length, before, isSeeding });
  }

  /** May make all states anew, when `generation` changes and the step leads to one of the new ones. */
  step(state: number, codeClass: number): number {
    const { kinds } = this.#program.alphabet;
    const isEnd = codeClass === this.end;
    const after = isEnd ? EDGE : kinds[codeClass] ?? 0;
    const isMatch = this.#close(state, after);
    const isSeeding = this.#seeds[state] === 1 && !isMatch;
    const count = isEnd ? 0 : this.#read(codeClass);
    const before = this.#program.hasAssertions ? after : 0;
    const generation = this.#generation;
    const reached = this.#stateOf({ count, before, isSeeding: isSeeding && !isEnd });
    const step = reached << 1 | (isMatch ? 1 : 0);
    if (generation === this.#generation) this.#table[state * this.#width + codeClass] = step;
    return step;
  }

  /** Whether a match ends here. */
  #close(state: number, after: number): boolean {
    const [closure, place] = [this.#closure, this.#place];
    closure.begin();
    place.before = this.#befores[state] ?? 0;
    place.after = after;
    place.isFresh = false;
    let isMatch = false;
    for (let at = this.#firsts[state] ?? 0; at < (this.#firsts[state + 1] ?? 0); at++) {
      if (!closure.add(this.#nodes[at] ?? 0, place)) continue;
      if (!this.#program.isLongest) return true;
      isMatch = true;
    }
    if (isMatch) return true;
    place.isFresh = true;
    if (this.#seeds[state] === 1) closure.add(this.#program.start, place);
    return false;
  }

  #read(codeClass: number): number {
    const { next, other, sets } = this.#program;
    const { reads, count } = this.#closure;
    let kept = 0;
    for (let at = 0; at < count; at++) {
      const node = reads[at] ?? 0;
      if (hasClass(sets[other[node] ?? 0] ?? [], codeClass)) this.#buffer[kept++] = next[node] ?? 0;
    }
    return kept;
  }

  #stateOf({ count, before, isSeeding }: NewState): number {
    if (count === 0) return isSeeding ? this.idle(before) : DEAD;
    let hash = before * 2 + (isSeeding ? 1 : 0);
    for (let at = 0; at < count; at++) hash = Math.imul(hash, 31) + (this.#buffer[at] ?? 0) | 0;
    const known = this.#known(hash, { count, before, isSeeding });
    if (known > 0) return known;
    const used = (this.#count + 1) * this.#width + (this.#firsts[this.#count] ?? 0);
    if (used + count > this.#mostNumbers) this.#reset();
    const state = this.#add({ count, before, isSeeding });
    this.#hashes = withRoom(this.#hashes, state + 1);
    this.#hashes[state] = hash;
    if (this.#count * 2 <= this.#places.length) this.#put(state);
    else {
      this.#places = new Int32Array(this.#places.length * 2);
      for (let one = IDLE_STATES + 1; one < this.#count; one++) this.#put(one);
    }
    return state;
  }

  #put(state: number): void {
    const mask = this.#places.length - 1;
    let place = (this.#hashes[state] ?? 0) & mask;
    while (this.#places[place] !== 0) place = (place + 1) & mask;
    this.#places[place] = state;
  }

  #known(hash: number, { count, before, isSeeding }: NewState): number {
    const mask = this.#places.length - 1;
    for (let place = hash & mask;; place = (place + 1) & mask) {
      const state = this.#places[place] ?? 0;
      if (state === 0) return 0;
      const isLike = this.#befores[state] === before && this.#seeds[state] === Number(isSeeding);
      if (isLike && this.#isSame(state, count)) return state;
    }
  }

  /** A state and the fixed ones must have room in any case. */
  get #mostNumbers(): number {
    return Math.max(MOST_NUMBERS, (IDLE_STATES + 8) * this.#width + 2 * this.#program.kinds.length);
  }

  #isSame(state: number, count: number): boolean {
    const first = this.#firsts[state] ?? 0;
    if ((this.#firsts[state + 1] ?? 0) - first !== count) return false;
    for (let at = 0; at < count; at++) {
      if (this.#nodes[first + at] !== this.#buffer[at]) return false;
    }
    return true;
  }

  #add({ count, before, isSeeding }: NewState): number {
    const state = this.#count++;
    const first = this.#firsts[state] ?? 0;
    this.#nodes = withRoom(this.#nodes, first + count);
    this.#firsts = withRoom(this.#firsts, state + 2);
    this.#befores = withRoom(this.#befores, state + 1);
    this.#seeds = withRoom(this.#seeds, state + 1);
    this.#nodes.set(this.#buffer.subarray(0, count), first);
    this.#firsts[state + 1] = first + count;
    this.#befores[state] = before;
    this.#seeds[state] = Number(isSeeding);
    this.#table = withRoom(this.#table, (state + 1) * this.#width);
    this.#table.fill(UNKNOWN, state * this.#width, (state + 1) * this.#width);
    return state;
  }

  #reset(): void {
    this.#generation++;
    this.#count = 0;
    this.#places.fill(0);
    this.#add({ count: 0, before: 0, isSeeding: false });
    for (let before = 0; before < IDLE_STATES; before++) this.#add({ count: 0, before, isSeeding: true });
  }
}

/** The same array, or a larger one with the same beginning. */
function withRoom(array: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  if (array.length >= length) return array;
  const larger = new Int32Array(Math.max(length, array.length * 2));
  larger.set(array);
  return larger;
}

export function hasClass(set: readonly (readonly [number, number])[], codeClass: number): boolean {
  for (const [first, last] of set) {
    if (codeClass <= last) return codeClass >= first;
  }
  return false;
}
