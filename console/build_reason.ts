/** Why a run of Deno has failed, in one line, read from what it wrote. */

const known: readonly (readonly [RegExp, string])[] = [
  [/Read-only file system|os error 30\b/, "its folder is on a read-only file system"],
  [/Permission denied|os error 13\b/, "this user may not write to its folder"],
  [/No space left|os error 28\b/, "the disk is full"],
];

const MOST_LINES = 4;
/** The line of source that has thrown, marked below; the stack follows it. */
const SOURCE_LINE = /^.*\n *\^+\n/m;

/** Without colours, the run-time's stack and the system's numbers. */
export function reasonInOutput(output: string): string {
  // deno-lint-ignore no-control-regex -- the escapes of colours
  const text = output.replace(/\u001b\[[\d;]*m/g, "");
  const reason = known.find(([form]) => form.test(text))?.[1];
  if (reason !== undefined) return reason;
  const [withoutTrace = ""] = text.split(/^Stack backtrace:/m);
  const [message = ""] = withoutTrace.split(SOURCE_LINE);
  const lines = message.split("\n").map((line) => line.trim().replace(/^error: /, "")).filter((line) =>
    line !== ""
  );
  return lines.slice(-MOST_LINES).join(" ").replace(/ \(os error \d+\)/g, "");
}
