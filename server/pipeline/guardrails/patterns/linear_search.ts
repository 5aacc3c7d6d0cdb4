/** Runs an automaton over a text in linear time, and in stretches: other work may run between any two characters. */

import { EDGE } from "./alphabet.ts";
import { Closure } from "./closure.ts";
import type { LinearProgram } from "./linear_program.ts";
import {
  DEAD,
  hasClass,
  isIdle,
  isMatchStep,
  type KeptState,
  LinearStates,
  stateAfter,
} from "./linear_states.ts";
import type { TextMatch, TextSearch, WorkMeter } from "../text_filter.ts";

export class LinearMatcher {
  readonly program: LinearProgram;
  readonly maxMatch: number | null;
  readonly states: LinearStates;
  readonly closure: Closure;

  constructor(program: LinearProgram, maxMatch: number | null) {
    this.program = program;
    this.maxMatch = maxMatch;
    this.states = new LinearStates(program);
    this.closure = new Closure(program);
  }

  search(text: string, from: number): TextSearch {
    const scan = new MatchScan(this, { text, from });
    let locate: MatchLocation | undefined;
    return {
      run: (meter) => {
        if (locate === undefined) {
          const found = scan.run(meter);
          if (found === "more" || found === "none") return found;
          locate = new MatchLocation(this, { text, ...found });
        }
        return locate.run(meter);
      },
    };
  }
}

const END = -1;

interface Longest extends Start {
  readonly meter: WorkMeter;
}

/** Where the longest match ends that begins there; undefined where none does. */
export function longestEnd(matcher: LinearMatcher, { text, from, meter }: Longest): number | undefined {
  const { states, program: { alphabet } } = matcher;
  let end: number | undefined;
  let state = states.fixed(kindBefore(matcher, { text, from }));
  for (let at = from; at <= text.length && state !== DEAD; meter.left--) {
    const codePoint = text.codePointAt(at);
    const codeClass = codePoint === undefined ? states.end : alphabet.classOf(codePoint);
    let step = states.peek(state, codeClass);
    if (step < 0) {
      step = states.step(state, codeClass);
      meter.left -= states.work;
    }
    if (isMatchStep(step)) end = at;
    state = stateAfter(step);
    at += codePoint !== undefined && codePoint > 0xffff ? 2 : 1;
  }
  return end;
}

interface Start {
  readonly text: string;
  readonly from: number;
}

/** The kind of the character before a place. */
function kindBefore({ program: { alphabet } }: LinearMatcher, { text, from }: Start): number {
  if (from === 0) return EDGE;
  const isPair = (text.codePointAt(from - 2) ?? 0) > 0xffff;
  const codePoint = isPair ? text.codePointAt(from - 2) : text.charCodeAt(from - 1);
  return alphabet.kinds[alphabet.classOf(codePoint ?? 0)] ?? 0;
}

/** A stretch that begins where the first match begins or before, and ends where it ends. */
interface MatchStretch {
  readonly from: number;
  readonly end: number;
}

/** Tells where the first match ends. */
class MatchScan {
  readonly #matcher: LinearMatcher;
  readonly #text: string;
  #kept: KeptState | undefined;
  #at: number;
  /** No match begins before it. */
  #idle: number;
  #end = -1;

  constructor(matcher: LinearMatcher, { text, from }: Start) {
    this.#matcher = matcher;
    this.#text = text;
    this.#at = this.#idle = from;
  }

  run(meter: WorkMeter): MatchStretch | "none" | "more" {
    const { states, program: { alphabet } } = this.#matcher;
    const text = this.#text;
    let state = this.#state;
    let at = this.#at;
    let { left } = meter;
    for (; state !== DEAD && at <= text.length && left > 0; left--) {
      const codePoint = at < text.length ? text.codePointAt(at) ?? 0 : END;
      const codeClass = codePoint === END ? states.end : alphabet.classOf(codePoint);
      let step = states.peek(state, codeClass);
      if (step < 0) {
        step = states.step(state, codeClass);
        left -= states.work;
      }
      if (isMatchStep(step)) this.#end = at;
      state = stateAfter(step);
      at += codePoint > 0xffff ? 2 : 1;
      if (isIdle(state)) this.#idle = at;
    }
    meter.left = left;
    this.#at = at;
    if (state !== DEAD && at <= text.length) {
      this.#kept = states.keep(state);
      return "more";
    }
    return this.#end < 0 ? "none" : this.#stretch;
  }

  get #state(): number {
    const { states } = this.#matcher;
    if (this.#kept !== undefined) return states.restore(this.#kept);
    return states.idle(kindBefore(this.#matcher, { text: this.#text, from: this.#at }));
  }

  get #stretch(): MatchStretch {
    const earliest = Math.max(this.#idle, this.#end - (this.#matcher.maxMatch ?? Infinity));
    return { from: Math.max(earliest - 1, this.#idle), end: this.#end };
  }
}

/** Tells where a match begins of which the end is known. */
class MatchLocation {
  readonly #matcher: LinearMatcher;
  readonly #text: string;
  readonly #end: number;
  readonly #place = { before: 0, after: 0, origin: 0, isFresh: false };
  #at: number;
  #nodes: number[] = [];
  #starts: number[] = [];
  #start: number | undefined;

  constructor(matcher: LinearMatcher, { text, from, end }: MatchStretch & Start) {
    this.#matcher = matcher;
    this.#text = text;
    this.#end = end;
    this.#at = from;
    this.#place.before = kindBefore(matcher, { text, from });
  }

  run(meter: WorkMeter): TextMatch | "more" {
    const { program: { alphabet }, closure } = this.#matcher;
    for (;;) {
      if (meter.left <= 0) return "more";
      const codePoint = this.#text.codePointAt(this.#at);
      const codeClass = codePoint === undefined ? -1 : alphabet.classOf(codePoint);
      this.#place.after = codeClass < 0 ? EDGE : alphabet.kinds[codeClass] ?? 0;
      this.#close();
      meter.left -= closure.work + 1;
      if (this.#at >= this.#end) break;
      this.#read(codeClass);
      this.#place.before = this.#place.after;
      this.#at += codePoint !== undefined && codePoint > 0xffff ? 2 : 1;
    }
    if (this.#start === undefined) throw new Error("A match has no beginning");
    return { start: this.#start, end: this.#end };
  }

  #close(): void {
    const { closure, program } = this.#matcher;
    const place = this.#place;
    closure.begin();
    place.isFresh = false;
    for (const [position, node] of this.#nodes.entries()) {
      place.origin = this.#starts[position] ?? 0;
      if (!closure.add(node, place)) continue;
      this.#start = place.origin;
      return;
    }
    if (this.#start !== undefined) return;
    place.isFresh = true;
    place.origin = this.#at;
    closure.add(program.start, place);
  }

  #read(codeClass: number): void {
    const { closure: { reads, origins, count }, program: { next, other, sets } } = this.#matcher;
    const [nodes, starts]: [number[], number[]] = [[], []];
    for (let at = 0; at < count; at++) {
      const node = reads[at] ?? 0;
      if (!hasClass(sets[other[node] ?? 0] ?? [], codeClass)) continue;
      nodes.push(next[node] ?? 0);
      starts.push(origins[at] ?? 0);
    }
    [this.#nodes, this.#starts] = [nodes, starts];
  }
}
