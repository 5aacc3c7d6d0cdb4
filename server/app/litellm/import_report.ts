/** Says what became of a file of LiteLLM: taken, changed and why, not possible. */

export class ImportReport {
  readonly done: string[] = [];
  readonly changed: string[] = [];
  readonly impossible: string[] = [];

  get fields() {
    return { done: this.done, changed: this.changed, not_possible: this.impossible };
  }

  get text(): string {
    const group = (title: string, lines: readonly string[]) =>
      lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`), ""];
    return [
      ...group("Done", this.done),
      ...group("Changed", this.changed),
      ...group("Not possible", this.impossible),
    ].join("\n").trimEnd();
  }
}
