/**
 * Diffs in the V4A format, as OpenAI's models write them: hunks that begin with `@@` and perhaps a line that stands
 * before the place, and lines that begin with a space, `+` or `-`. There are no line numbers: a hunk goes where its
 * old lines are.
 */

/** A patch does not fit, or is none; the message says where, for the model. */
export class PatchError extends Error {
  override readonly name = "PatchError";
}

interface HunkLine {
  readonly mark: " " | "+" | "-";
  readonly text: string;
}

interface Hunk {
  /** Counted from 1, for errors. */
  readonly number: number;
  /** Lines behind `@@`, which stand in this order before the place. */
  readonly anchors: readonly string[];
  readonly lines: readonly HunkLine[];
  /** Lines that are in the file before. */
  readonly before: readonly string[];
  readonly isAtEnd: boolean;
}

const END_OF_FILE = "*** End of File";
const END = "*** End Patch";
/** Lines that stand around the diff in patches of several files. */
const envelope = /^\*\*\* (?:Begin Patch|(?:Add|Update) File: .*)$/;

/** Ways in which lines count as the same, the strict one first. */
const sameness: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
];

/** Characters of a file that is patched. */
const MAX_TEXT = 4 * 1024 * 1024;
/** Comparisons of lines for one patch, which run at once: beyond them other requests would wait. */
const MAX_COMPARISONS = 5_000_000;
/** Characters of a line that cost as much as one more comparison. */
const CHARS = 32;
/** Characters of a line in an error. */
const SHOWN = 200;

/** The fault in the form of a diff, whichever file it is for: where it is, and why. Undefined for a good one. */
export function checkDiff(type: "create_file" | "update_file", diff: string): string | undefined {
  try {
    if (linesOf(diff).length === 0) return "It is empty.";
    if (type === "create_file") createByPatch(diff);
    else checkHunks(diff);
    return undefined;
  } catch (error) {
    if (error instanceof PatchError) return error.message;
    throw error;
  }
}

/** Throws a PatchError for a diff that changes nothing, or ends in an `@@` with nothing behind it. */
function checkHunks(diff: string): void {
  const hunks = parseHunks(diff);
  if (hunks.length === 0) throw new PatchError("The diff has no hunk.");
  const idle = hunks.find(({ lines }) => lines.every(({ mark }) => mark === " "));
  if (idle !== undefined) {
    throw new PatchError(`Hunk ${idle.number} changes nothing: none of its lines begins with + or -.`);
  }
  const last = linesOf(diff).findLast((line) => line !== END_OF_FILE) ?? "";
  if (last.startsWith("@@")) throw new PatchError(`Hunk ${hunks.length + 1} is empty.`);
}

/** The text of a file that is made. Throws a PatchError. */
export function createByPatch(diff: string): string {
  const lines = linesOf(diff).filter((line) => !line.startsWith("@@"));
  const wrong = lines.findIndex((line) => !line.startsWith("+"));
  if (wrong >= 0) {
    throw new PatchError(
      `Line ${wrong + 1} of the diff does not begin with +, as all lines of a new file do.`,
    );
  }
  return lines.length === 0 ? "" : `${lines.map((line) => line.slice(1)).join("\n")}\n`;
}

/** The text with all hunks applied; line breaks stay as they are. Throws a PatchError where one does not fit. */
export function updateByPatch(text: string, diff: string): string {
  if (text.length > MAX_TEXT) throw new PatchError("A file of more than 4 Mi characters cannot be patched.");
  const hunks = parseHunks(diff);
  if (hunks.length === 0) throw new PatchError("The diff has no hunk.");
  const lineBreak = lineBreakOf(text);
  const isOpen = text !== "" && !text.endsWith(lineBreak);
  const lines = text === "" ? [] : (isOpen ? text : text.slice(0, -lineBreak.length)).split(lineBreak);
  const search = new LineSearch(lines);
  const parts: (readonly string[])[] = [];
  let cursor = 0;
  for (const written of hunks) {
    const { hunk, place } = search.fit(written, cursor);
    parts.push(lines.slice(cursor, place), linesAfter(hunk, lines.slice(place, place + hunk.before.length)));
    cursor = place + hunk.before.length;
  }
  const result = [...parts, lines.slice(cursor)].flat();
  return result.length === 0 ? "" : result.join(lineBreak) + (isOpen ? "" : lineBreak);
}

/** Line break of a file: that of Windows where all of them are. */
function lineBreakOf(text: string): "\r\n" | "\n" {
  return text.includes("\n") && !/(?<!\r)\n/.test(text) ? "\r\n" : "\n";
}

/** Without what may stand around the diff. */
function linesOf(diff: string): readonly string[] {
  const lines = diff.split("\n").map((line) => line.endsWith("\r") ? line.slice(0, -1) : line);
  if (lines.at(-1) === "") lines.pop();
  const start = lines.findIndex((line) => !envelope.test(line));
  const end = lines.indexOf(END);
  return lines.slice(start < 0 ? lines.length : start, end < 0 ? undefined : end);
}

function parseHunks(diff: string): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let anchors: string[] = [];
  let lines: HunkLine[] = [];
  const close = (isAtEnd: boolean) => {
    if (lines.length === 0) return;
    const before = lines.filter(({ mark }) => mark !== "+").map(({ text }) => text);
    hunks.push({ number: hunks.length + 1, anchors, lines, before, isAtEnd });
    [anchors, lines] = [[], []];
  };
  for (const line of linesOf(diff)) {
    if (line.startsWith("@@")) {
      close(false);
      const anchor = line.replace(/^@@ ?/, "").replace(/ ?@@$/, "");
      if (anchor.trim() !== "") anchors.push(anchor);
    } else if (line === END_OF_FILE) close(true);
    else lines.push(parseLine(line, hunks.length + 1));
  }
  close(false);
  return hunks;
}

function parseLine(line: string, hunk: number): HunkLine {
  // Models leave out the space of an empty line.
  const mark = line === "" ? " " : line.charAt(0);
  if (mark === " " || mark === "+" || mark === "-") return { mark, text: line.slice(1) };
  throw new PatchError(
    line.startsWith("*** ")
      ? `Hunk ${hunk} has the line ${shown(line)}: a diff is of one file.`
      : `Hunk ${hunk} has a line that begins with ${shown(mark)}: a space, + or - is allowed.`,
  );
}

/** Lines that stay are the file's own, which may differ in spaces. */
function linesAfter({ lines }: Hunk, found: readonly string[]): readonly string[] {
  let at = 0;
  return lines.flatMap(({ mark, text }) => {
    if (mark === "+") return [text];
    const own = found[at++] ?? text;
    return mark === "-" ? [] : [own];
  });
}

/** Models count the end of a file as an empty line. Undefined where the last old line is none. */
function withoutLastEmpty({ lines, before, ...hunk }: Hunk): Hunk | undefined {
  const last = lines.findLastIndex(({ mark }) => mark !== "+");
  if (before.length < 2 || lines[last]?.text !== "") return undefined;
  return { ...hunk, lines: lines.toSpliced(last, 1), before: before.slice(0, -1), isAtEnd: true };
}

/** Looks for the places of hunks, for as long as it may take. */
class LineSearch {
  readonly #lines: readonly string[];
  #left = MAX_COMPARISONS;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  /** The line at which the hunk's old lines begin, at `from` or behind it. Throws a PatchError. */
  fit(hunk: Hunk, from: number): { readonly hunk: Hunk; readonly place: number } {
    const { start, missing } = this.#behindAnchors(hunk, from);
    const { before, isAtEnd, number } = hunk;
    if (before.length === 0) {
      if (missing !== undefined) throw anchorError(number, missing);
      // Without old lines it goes behind the anchor, else to the end.
      return { hunk, place: hunk.anchors.length > 0 && !isAtEnd ? start : this.#lines.length };
    }
    const last = Math.max(start, this.#lines.length - before.length);
    const place = (isAtEnd ? this.#place(before, last) : undefined) ?? this.#place(before, start);
    if (place !== undefined) return { hunk, place };
    const shorter = withoutLastEmpty(hunk);
    const end = shorter && Math.max(start, this.#lines.length - shorter.before.length);
    const atEnd = shorter && end !== undefined ? this.#place(shorter.before, end) : undefined;
    if (shorter !== undefined && atEnd !== undefined) return { hunk: shorter, place: atEnd };
    if (missing !== undefined) throw anchorError(number, missing);
    const where = start === 0 ? "" : ` behind line ${start}`;
    throw new PatchError(
      `Hunk ${number} does not fit: its old lines, which begin with ${
        shown(before[0] ?? "")
      }, are not in the file${where}.`,
    );
  }

  /** Models name a line behind a single `@@` inexactly, or one that they have passed: then old lines decide. */
  #behindAnchors({ anchors, number }: Hunk, from: number) {
    let start = from;
    for (const anchor of anchors) {
      const place = this.#place([anchor], start);
      if (place !== undefined) start = place + 1;
      else if (anchors.length > 1) throw anchorError(number, anchor);
      else return { start, missing: this.#place([anchor], 0) === undefined ? anchor : undefined };
    }
    return { start, missing: undefined };
  }

  /** Where lines stand, compared in the strict way first. */
  #place(wanted: readonly string[], from: number): number | undefined {
    for (const normal of sameness) {
      const lines = wanted.map(normal);
      for (let place = from; place <= this.#lines.length - lines.length; place++) {
        if (lines.every((line, at) => this.#isSame(place + at, { line, normal }))) return place;
      }
    }
    return undefined;
  }

  #isSame(
    at: number,
    { line, normal }: { readonly line: string; readonly normal: (line: string) => string },
  ) {
    const own = this.#lines[at] ?? "";
    this.#left -= 1 + own.length / CHARS;
    if (this.#left < 0) {
      throw new PatchError("The places of the hunks take too long to find: use fewer hunks or shorter ones.");
    }
    return normal(own) === line;
  }
}

const anchorError = (hunk: number, anchor: string): PatchError =>
  new PatchError(`Hunk ${hunk} does not fit: the line ${shown(anchor)} behind its @@ is not in the file.`);

const shown = (line: string): string => JSON.stringify(line.slice(0, SHOWN));
