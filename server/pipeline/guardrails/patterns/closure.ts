/** The nodes of an automaton that read a character, behind branches and assertions, in the order of their priority. */

import { ASSERT, BRANCH, holdsBetween, type LinearProgram, MATCH, READ } from "./linear_program.ts";

/** Where the automaton stands. */
interface Place {
  /** The kinds of the characters on both sides. */
  before: number;
  after: number;
  /** State of each node that is added. */
  origin: number;
  /** A match that begins here would be empty, and is none. */
  isFresh: boolean;
}

/** Used again for every place. */
export class Closure {
  readonly #program: LinearProgram;
  readonly #seen: Uint32Array;
  readonly #stack: Int32Array;
  #round = 0;
  readonly reads: Int32Array;
  /** Origin of each node, as its place had it when it was added. */
  readonly origins: Float64Array;
  count = 0;
  /** Nodes that were looked at in this place. */
  work = 0;

  constructor(program: LinearProgram) {
    this.#program = program;
    const { length } = program.kinds;
    this.#seen = new Uint32Array(length);
    // A branch takes one node and puts two.
    this.#stack = new Int32Array(length + 2);
    this.reads = new Int32Array(length);
    this.origins = new Float64Array(length);
  }

  begin(): void {
    this.count = 0;
    this.work = 0;
    if (++this.#round < 0xffffffff) return;
    this.#seen.fill(0);
    this.#round = 1;
  }

  /** Adds what a node leads to. True where that is the end of a match: then the ways behind it do not count. */
  add(node: number, place: Place): boolean {
    const { kinds, next, other, isLongest } = this.#program;
    let isMatch = false;
    const [seen, stack, round] = [this.#seen, this.#stack, this.#round];
    let height = 0;
    stack[height++] = node;
    while (height > 0) {
      const top = stack[--height] ?? 0;
      if (seen[top] === round) continue;
      seen[top] = round;
      this.work++;
      const kind = kinds[top];
      if (kind === READ) {
        this.reads[this.count] = top;
        this.origins[this.count++] = place.origin;
      } else if (kind === BRANCH) {
        stack[height++] = other[top] ?? 0;
        stack[height++] = next[top] ?? 0;
      } else if (kind === ASSERT) {
        if (holdsBetween(other[top] ?? 0, place)) stack[height++] = next[top] ?? 0;
      } else if (kind === MATCH && !place.isFresh) {
        if (!isLongest) return true;
        isMatch = true;
      }
    }
    return isMatch;
  }
}
