/** Runs the commands of `sed` on lines. */

import { UsageError } from "../options.ts";
import type { Address, AddressEnd, SedCommand, Substitution } from "./script.ts";
import { replaced } from "./replacement.ts";

interface MachineOptions {
  readonly commands: readonly SedCommand[];
  readonly isQuiet: boolean;
  readonly terminator: string;
  /** Content of a file that `r` reads; undefined where there is none. */
  readonly readFile: (path: string) => string | undefined;
  /** Gets what `w` writes. */
  readonly writeFile: (path: string, text: string) => void;
}

/** Lines of one input, or of several as one. */
export interface SedInput {
  readonly lines: readonly string[];
  /** Whether the last line ends as the others do. */
  readonly isTerminated: boolean;
}

/** Status of what ends it at once. */
export const PANIC = 4;

type Step = "next" | "delete" | "restart" | "quit" | "quit silently" | number;

export class Machine {
  readonly #options: MachineOptions;
  readonly #labels: ReadonlyMap<string, number>;
  /** Ranges that have begun, with the line on which they end, if it is known. */
  readonly #ranges = new Map<SedCommand, number | undefined>();
  #hold = "";
  #pattern: RegExp | undefined;
  #line = 0;
  #input: SedInput = { lines: [], isTerminated: true };
  #space = "";
  #appended: string[] = [];
  #out: string[] = [];
  #hasReplaced = false;
  exitCode: number | undefined;

  constructor(options: MachineOptions) {
    this.#options = options;
    this.#labels = new Map(
      options.commands.flatMap(({ name, text }, at) => name === ":" ? [[text, at] as const] : []),
    );
    for (const { name, text } of options.commands) {
      const isJump = "btT".includes(name) && text !== "";
      if (isJump && !this.#labels.has(text)) {
        throw new UsageError(`can't find label for jump to \`${text}'`, PANIC);
      }
    }
  }

  /** Whether it goes on with another input. */
  get isEnded(): boolean {
    return this.exitCode !== undefined;
  }

  run(input: SedInput, { firstLine }: { readonly firstLine: number }): string {
    this.#input = input;
    this.#out = [];
    this.#line = firstLine;
    for (let at = 0; at < input.lines.length && !this.isEnded; at = this.#line - firstLine) {
      this.#line++;
      this.#space = input.lines[at] ?? "";
      this.#first = firstLine;
      this.#cycle();
    }
    return this.#out.join("");
  }

  /** Begins a file: the end of the one before is not its own. */
  beginOutput(): void {
    this.#isOpen = false;
  }

  /** The last line printed had no end in its file: what follows it begins with one. */
  #isOpen = false;

  #first = 0;

  get #isLast(): boolean {
    return this.#line - this.#first >= this.#input.lines.length;
  }

  #write(text: string): void {
    if (text === "") return;
    if (this.#isOpen) this.#out.push(this.#options.terminator);
    this.#out.push(text);
    this.#isOpen = false;
  }

  /** A line of the input, or a part of it. */
  #print(text: string): void {
    const isOpen = this.#isLast && !this.#input.isTerminated;
    if (isOpen && text === "" && this.#isOpen) this.#out.push(this.#options.terminator);
    this.#write(isOpen ? text : text + this.#options.terminator);
    this.#isOpen = isOpen;
  }

  #cycle(): void {
    for (let restarts = true; restarts;) {
      const end = this.#commands();
      restarts = end === "restart";
      const prints = !this.#options.isQuiet && end !== "delete" && end !== "restart" &&
        end !== "quit silently";
      if (prints) this.#print(this.#space);
      for (const text of this.#appended) this.#write(text);
      this.#appended = [];
    }
  }

  #commands(): Step {
    this.#hasReplaced = false;
    const { commands } = this.#options;
    for (let at = 0; at < commands.length; at++) {
      const command = commands[at];
      if (command === undefined) break;
      if (!this.#isSelected(command)) {
        if (command.name === "{") at = command.blockEnd - 1;
        continue;
      }
      const step = this.#execute(command);
      if (typeof step === "number") at = step;
      else if (step !== "next") return step;
    }
    return "next";
  }

  #isSelected(command: SedCommand): boolean {
    const { start, end, isNegated } = command;
    const isIn = start === undefined ||
      (end === undefined ? this.#matches(start) : this.#isInRange(command, start, end));
    return isIn !== isNegated;
  }

  #matches(address: Address): boolean {
    switch (address.type) {
      case "line":
        return address.line === this.#line;
      case "last":
        return this.#isLast;
      case "step":
        return address.step === 0
          ? this.#line === address.first
          : this.#line >= address.first && (this.#line - address.first) % address.step === 0;
      case "match":
        return this.#test(address.pattern);
      default:
        return address satisfies never;
    }
  }

  #test(own: RegExp | undefined): boolean {
    const pattern = this.#patternOf(own);
    pattern.lastIndex = 0;
    return pattern.test(this.#space);
  }

  #patternOf(own: RegExp | undefined): RegExp {
    const pattern = own ?? this.#pattern;
    if (pattern === undefined) throw new UsageError("no previous regular expression");
    this.#pattern = pattern;
    return pattern;
  }

  #isInRange(command: SedCommand, ...[start, end]: readonly [Address, AddressEnd]): boolean {
    const isFromZero = start.type === "line" && start.line === 0;
    if (!this.#ranges.has(command)) {
      if (isFromZero ? this.#line !== 1 : !this.#matches(start)) return false;
      const last = this.#lastOf(end);
      if (!isFromZero && last !== undefined && last <= this.#line) return true;
      this.#ranges.set(command, last);
      if (!isFromZero) return true;
    }
    const last = this.#ranges.get(command);
    const isOver = last === undefined ? this.#endMatches(end) : this.#line >= last;
    if (isOver) this.#ranges.delete(command);
    // A range whose line has passed while the command was not reached has one line.
    return last === undefined || this.#line <= last;
  }

  /** Undefined where it is not known when the range begins. */
  #lastOf(end: AddressEnd): number | undefined {
    if (end.type === "line") return end.line;
    if (end.type === "plus") return this.#line + end.count;
    if (end.type === "multiple") return end.of === 0 ? this.#line : Math.ceil(this.#line / end.of) * end.of;
    return undefined;
  }

  #endMatches(end: AddressEnd): boolean {
    return end.type !== "plus" && end.type !== "multiple" && this.#matches(end);
  }

  #execute(command: SedCommand): Step {
    const { name, text } = command;
    if ("{}:".includes(name)) return "next";
    if ("btT".includes(name)) return this.#jump(command);
    if ("qQ".includes(name)) return this.#quit(name, text);
    if ("gGhHx".includes(name)) return this.#exchange(name);
    if ("nNdD".includes(name)) return this.#advance(name);
    if ("aic".includes(name)) return this.#insert(command);
    return this.#change(command);
  }

  #jump({ name, text }: SedCommand): Step {
    if (name !== "b" && this.#hasReplaced !== (name === "t")) {
      if (name === "T") this.#hasReplaced = false;
      return "next";
    }
    if (name === "t") this.#hasReplaced = false;
    return this.#labels.get(text) ?? this.#options.commands.length;
  }

  #quit(name: string, text: string): Step {
    this.exitCode = Number(text) & 255;
    return name === "q" ? "quit" : "quit silently";
  }

  #exchange(name: string): Step {
    if (name === "g") this.#space = this.#hold;
    else if (name === "G") this.#space += `\n${this.#hold}`;
    else if (name === "h") this.#hold = this.#space;
    else if (name === "H") this.#hold += `\n${this.#space}`;
    else [this.#space, this.#hold] = [this.#hold, this.#space];
    return "next";
  }

  #advance(name: string): Step {
    if (name === "d" || (name === "D" && !this.#space.includes("\n"))) return "delete";
    if (name === "D") {
      this.#space = this.#space.slice(this.#space.indexOf("\n") + 1);
      return "restart";
    }
    // The script ends here; GNU's prints the line.
    if (this.#isLast) return "quit";
    if (name === "n" && !this.#options.isQuiet) this.#print(this.#space);
    for (const appended of this.#appended.splice(0)) this.#write(appended);
    const next = this.#input.lines[this.#line - this.#first] ?? "";
    this.#line++;
    this.#space = name === "n" ? next : `${this.#space}\n${next}`;
    return "next";
  }

  #insert(command: SedCommand): Step {
    const { name, text, end, isNegated } = command;
    const line = text + this.#options.terminator;
    if (name === "a") this.#appended.push(line);
    else if (name === "i") this.#write(line);
    else {
      if (end === undefined || isNegated || !this.#ranges.has(command)) this.#write(line);
      return "delete";
    }
    return "next";
  }

  #change({ name, text, substitution, translation }: SedCommand): Step {
    const { readFile, writeFile, terminator } = this.#options;
    if (name === "p") this.#print(this.#space);
    else if (name === "P") this.#print(this.#space.split("\n", 1)[0] ?? "");
    else if (name === "=") this.#write(`${this.#line}\n`);
    else if (name === "z") this.#space = "";
    else if (name === "l") {
      this.#print(`${this.#space.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n")}$`);
    } else if (name === "r") this.#appended.push(readFile(text) ?? "");
    else if (name === "w") writeFile(text, this.#space + terminator);
    else if (name === "y") {
      this.#space = [...this.#space].map((char) => translation?.get(char) ?? char).join("");
    } else if (substitution !== undefined) this.#substitute(substitution);
    return "next";
  }

  #substitute({ pattern: own, replacement, from, isGlobal, prints, file }: Substitution): void {
    const pattern = this.#patternOf(own);
    pattern.lastIndex = 0;
    let [count, end] = [0, -1];
    const result = this.#space.replace(pattern, (...all: readonly unknown[]) => {
      const offsetAt = all.findIndex((one) => typeof one === "number");
      const [match = "", ...groups] = all.slice(0, offsetAt).map(toGroup);
      // Nothing is no match directly behind one.
      if (match === "" && Number(all[offsetAt]) === end) return "";
      end = Number(all[offsetAt]) + match.length;
      count++;
      const isReplaced = isGlobal ? count >= from : count === from;
      return isReplaced ? replaced(replacement, [match, ...groups]) : match;
    });
    if (count < from) return;
    this.#hasReplaced = true;
    this.#space = result;
    if (prints) this.#print(result);
    if (file !== undefined) this.#options.writeFile(file, result + this.#options.terminator);
  }
}

const toGroup = (value: unknown): string | undefined => typeof value === "string" ? value : undefined;
