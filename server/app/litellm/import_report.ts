/** Says what became of a file of LiteLLM: taken, changed and why, not possible. */

import type * as z from "zod";

/** A field of some rows that nothing here stands for. */
interface LeftField {
  readonly field: string;
  readonly why: string;
  readonly places: string[];
}

export class ImportReport {
  readonly done: string[] = [];
  readonly changed: string[] = [];
  readonly #impossible: string[] = [];
  readonly #told = new Set<string>();
  /** By the field's name, so that a field of a hundred rows is told once. */
  readonly #left = new Map<string, LeftField>();

  /** Tells a change once, however many rows have it: `what` names it apart from them. */
  changeOnce(place: string, what: string): void {
    if (this.#told.has(what)) return;
    this.#told.add(what);
    this.changed.push(`${place}: ${what}`);
  }

  impossible(line: string): void {
    this.#impossible.push(line);
  }

  /** `place` is one row that has the field. */
  leave(field: string, { place, why }: { readonly place: string; readonly why: string }): void {
    const known = this.#left.get(field);
    if (known === undefined) this.#left.set(field, { field, why, places: [place] });
    else known.places.push(place);
  }

  get fields() {
    const left = [...this.#left.values()].map(describeLeft);
    return { done: this.done, changed: this.changed, not_possible: [...this.#impossible, ...left] };
  }

  get text(): string {
    const group = (title: string, lines: readonly string[]) =>
      lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`), ""];
    return [
      ...group("Done", this.fields.done),
      ...group("Changed", this.fields.changed),
      ...group("Not possible", this.fields.not_possible),
    ].join("\n").trimEnd();
  }
}

function describeLeft({ field, why, places: [first, ...others] }: LeftField): string {
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return `${first}${more}: ${field}: ${why}`;
}

interface RecordKind {
  /** Field without which a record is none of its kind. */
  readonly id: string;
  /** Sentence for one without it. */
  readonly lack: string;
}

/** Says why a record of a list cannot be read: its first field that is wrong, and what it has to be. */
export function recordFault(
  { issues: [issue] }: Pick<z.ZodError, "issues">,
  { id, lack }: RecordKind,
): string {
  const path = issue?.path.join(".") ?? "";
  return path === "" || path === id ? lack : `${path}: ${issue?.message ?? "it does not fit"}`;
}
