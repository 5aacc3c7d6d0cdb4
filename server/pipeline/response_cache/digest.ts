/** One text for all values that are the same, whatever the order of their fields. */

import { createHash } from "node:crypto";
import type { Work } from "../../../shared/util/run_work.ts";

/** Characters that are hashed at once. */
const AT_ONCE = 16_384;

/** Makes the SHA-256 of a value of JSON, in hex; undefined where something in it is none. Absent is as undefined. */
export function* digestOf(value: unknown): Work<string | undefined> {
  const digest = new Digest();
  return (yield* digest.add(value)) ? digest.end() : undefined;
}

/** Each text stands behind its length, each list and each object behind its size: no two values are written alike. */
class Digest {
  readonly #hash = createHash("sha256");
  #waiting = "";

  /** False where it cannot be told from others. */
  *add(value: unknown): Work<boolean> {
    if (typeof value === "string") return yield* this.#addText(value);
    if (typeof value !== "object" || value === null) {
      this.#write(`${typeof value} ${value};`);
      return typeof value !== "function" && typeof value !== "symbol";
    }
    if (Array.isArray(value)) return yield* this.#addList(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) return false;
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    this.#write(`{${fields.length} `);
    for (const [name, field] of fields.sort(([one], [other]) => one < other ? -1 : 1)) {
      yield* this.#addText(name);
      if (!(yield* this.add(field))) return false;
    }
    return true;
  }

  end(): string {
    this.#flush();
    return this.#hash.digest("hex");
  }

  *#addList(list: readonly unknown[]): Work<boolean> {
    this.#write(`[${list.length} `);
    for (const one of list) {
      if (!(yield* this.add(one))) return false;
    }
    return true;
  }

  *#addText(text: string): Work<boolean> {
    this.#write(`"${text.length} `);
    for (let start = 0; start < text.length; start += AT_ONCE) {
      if (start > 0) yield;
      this.#write(text.slice(start, start + AT_ONCE));
    }
    return true;
  }

  #write(text: string): void {
    this.#waiting += text;
    if (this.#waiting.length >= AT_ONCE) this.#flush();
  }

  /** Every code unit counts, also halves of surrogate pairs, which UTF-8 has no bytes for. */
  #flush(): void {
    this.#hash.update(this.#waiting, "utf16le");
    this.#waiting = "";
  }
}
