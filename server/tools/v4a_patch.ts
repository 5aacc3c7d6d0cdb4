/**
 * Diffs in the V4A format, as OpenAI's models write them: hunks that begin with `@@` and perhaps a line that stands
 * before the place, and lines that begin with a space, `+` or `-`. There are no line numbers: a hunk goes where its
 * old lines are.
 */

/** A patch does not fit, or is none; the message says where, for the model. */
export class PatchError extends Error {
  override readonly name = "PatchError";
}

interface Hunk {
  /** Counted from 1, for errors. */
  readonly number: number;
  /** Lines behind `@@`, which stand in this order before the place. */
  readonly anchors: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly isAtEnd: boolean;
}

const END_OF_FILE = "*** End of File";
/** Ways in which lines count as the same, the strict one first. */
const sameness: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
];

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

/** The text with all hunks applied. Throws a PatchError where one does not fit. */
export function updateByPatch(text: string, diff: string): string {
  const hunks = parseHunks(diff);
  if (hunks.length === 0) throw new PatchError("The diff has no hunk.");
  const endsWithBreak = text === "" || text.endsWith("\n");
  const lines = text === "" ? [] : (endsWithBreak ? text.slice(0, -1) : text).split("\n");
  const result: string[] = [];
  let cursor = 0;
  for (const hunk of hunks) {
    const place = findHunk(lines, { hunk, from: cursor });
    result.push(...lines.slice(cursor, place), ...keepContext(lines, { hunk, place }));
    cursor = place + hunk.before.length;
  }
  result.push(...lines.slice(cursor));
  return result.length === 0 ? "" : result.join("\n") + (endsWithBreak ? "\n" : "");
}

const linesOf = (diff: string): string[] =>
  diff.replace(/\n$/, "").split("\n").filter((line, at, all) => line !== "" || all.length > 1 || at > 0);

function parseHunks(diff: string): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let anchors: string[] = [];
  let lines: string[] = [];
  let isAtEnd = false;
  const close = () => {
    if (lines.length > 0) {
      hunks.push({ number: hunks.length + 1, anchors, ...sidesOf(lines, hunks.length + 1), isAtEnd });
    }
    if (lines.length > 0) anchors = [];
    [lines, isAtEnd] = [[], false];
  };
  for (const line of linesOf(diff)) {
    if (line.startsWith("@@")) {
      close();
      const anchor = line.slice(2).trim().replace(/ ?@@$/, "");
      if (anchor !== "") anchors = [...anchors, anchor];
    } else if (line === END_OF_FILE) isAtEnd = true;
    else lines.push(line);
  }
  close();
  return hunks;
}

function sidesOf(lines: readonly string[], number: number): Pick<Hunk, "before" | "after"> {
  const [before, after]: [string[], string[]] = [[], []];
  for (const line of lines) {
    const [mark, text] = line === "" ? [" ", ""] : [line[0], line.slice(1)];
    if (mark !== " " && mark !== "+" && mark !== "-") {
      throw new PatchError(
        `Hunk ${number} has a line that begins with ${JSON.stringify(mark)}: a space, + or - is allowed.`,
      );
    }
    if (mark !== "+") before.push(text);
    if (mark !== "-") after.push(text);
  }
  return { before, after };
}

interface HunkSearch {
  readonly hunk: Hunk;
  /** The line at which to begin. */
  readonly from: number;
}

/** The line at which the hunk's old lines begin. */
function findHunk(lines: readonly string[], { hunk, from }: HunkSearch): number {
  let start = from;
  for (const anchor of hunk.anchors) {
    start = findAnchor(lines, { anchor, from: start, number: hunk.number }) + 1;
  }
  // Without old lines it goes behind the anchor, else to the end.
  if (hunk.before.length === 0) return hunk.anchors.length > 0 && !hunk.isAtEnd ? start : lines.length;
  for (const normal of sameness) {
    const wanted = hunk.before.map(normal);
    const last = lines.length - wanted.length;
    const first = hunk.isAtEnd ? Math.max(start, last) : start;
    for (let place = first; place <= last; place++) {
      if (wanted.every((line, at) => normal(lines[place + at] ?? "") === line)) return place;
    }
  }
  const [line = ""] = hunk.before;
  const where = start === 0 ? "" : ` behind line ${start}`;
  throw new PatchError(
    `Hunk ${hunk.number} does not fit: its old lines, which begin with ${
      JSON.stringify(line.slice(0, 200))
    }, are not in the file${where}.`,
  );
}

interface AnchorSearch {
  readonly anchor: string;
  readonly from: number;
  readonly number: number;
}

function findAnchor(lines: readonly string[], { anchor, from, number }: AnchorSearch): number {
  const place = lines.findIndex((line, at) => at >= from && line.trim() === anchor);
  if (place >= 0) return place;
  throw new PatchError(
    `Hunk ${number} does not fit: the line ${
      JSON.stringify(anchor.slice(0, 200))
    } behind its @@ is not in the file.`,
  );
}

/** The new lines; those that stay are the file's own, which may differ in spaces. */
function keepContext(
  lines: readonly string[],
  { hunk: { before, after }, place }: { readonly hunk: Hunk; readonly place: number },
): readonly string[] {
  let at = 0;
  return after.map((line) => {
    const found = before.indexOf(line, at);
    if (found < 0) return line;
    at = found + 1;
    return lines[place + found] ?? line;
  });
}
