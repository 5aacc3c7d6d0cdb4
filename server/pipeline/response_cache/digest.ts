/** One text for all values that are the same, whatever the order of their fields. */

import { createHash, type Hash, hash } from "node:crypto";
import type { Work } from "../../../shared/util/run_work.ts";

/** Characters that are hashed at once: most requests have fewer. */
const AT_ONCE = 16_384;

/** Makes the SHA-256 of a value of JSON, in hex; undefined where something in it is none. Absent is as undefined. */
export function* digestOf(value: unknown): Work<string | undefined> {
  const digest = new Digest();
  return (yield* digest.add(value)) ? digest.end() : undefined;
}

/** Each text stands behind its length, each list and each object behind its size: no two values are written alike. */
class Digest {
  #hash: Hash | undefined;
  #waiting = "";

  /** False where it cannot be told from others. */
  *add(value: unknown): Work<boolean> {
    if (this.#addShort(value)) return true;
    if (typeof value === "string") return yield* this.#addLong(value);
    if (Array.isArray(value)) return yield* this.#addList(value);
    return isPlain(value) && (yield* this.#addObject(value));
  }

  end(): string {
    if (this.#hash === undefined) return hash("sha256", this.#waiting);
    return this.#hash.update(this.#waiting).digest("hex");
  }

  /** False for what takes more than a moment, or is no JSON. */
  #addShort(value: unknown): boolean {
    switch (typeof value) {
      case "string":
        if (value.length > AT_ONCE || !value.isWellFormed()) return false;
        this.#write(`"${value.length} ${value}`);
        return true;
      case "number":
      case "boolean":
      case "undefined":
        this.#write(`${value};`);
        return true;
      default:
        if (value !== null) return false;
        this.#write("null;");
        return true;
    }
  }

  /** Half a surrogate pair has no bytes of its own in UTF-8: texts with one are written as JSON, which has words for it. */
  *#addLong(text: string): Work<boolean> {
    const written = text.isWellFormed() ? text : JSON.stringify(text);
    this.#write(written === text ? `"${text.length} ` : `'${written.length} `);
    for (let start = 0; start < written.length;) {
      if (start > 0) yield;
      const end = wholeUntil(written, start + AT_ONCE);
      this.#write(written.slice(start, end));
      start = end;
    }
    return true;
  }

  *#addList(list: readonly unknown[]): Work<boolean> {
    this.#write(`[${list.length} `);
    for (const one of list) {
      if (!this.#addShort(one) && !(yield* this.add(one))) return false;
    }
    return true;
  }

  *#addObject(value: object): Work<boolean> {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    this.#write(`{${fields.length} `);
    for (const [name, field] of fields.sort(([one], [other]) => one < other ? -1 : 1)) {
      if (!this.#addShort(name) && !(yield* this.add(name))) return false;
      if (!this.#addShort(field) && !(yield* this.add(field))) return false;
    }
    return true;
  }

  #write(text: string): void {
    this.#waiting += text;
    if (this.#waiting.length < AT_ONCE) return;
    this.#hash = (this.#hash ?? createHash("sha256")).update(this.#waiting);
    this.#waiting = "";
  }
}

/** An object of JSON, and not one of a class. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The same place, or the one behind, where a surrogate pair would be cut. */
function wholeUntil(text: string, end: number): number {
  return end < text.length && (text.charCodeAt(end) & 0xfc00) === 0xdc00 ? end + 1 : end;
}
