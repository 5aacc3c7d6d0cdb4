/** How an interpreter ends that does not end by itself, in the words and with the status that a shell has for it. */

interface CrashEnd {
  readonly exitCode: number;
  /** For the standard error. */
  readonly words: string;
}

const ABORTED = 134;
const SEGMENTATION_FAULT = 139;

/** Makes the end of a run of the error that it has thrown. */
export function endOf(error: unknown): CrashEnd {
  if (!(error instanceof Error)) return { exitCode: ABORTED, words: "Aborted\n" };
  const { name, message } = error;
  // os._exit, and signals that the code sends to itself.
  if ("status" in error && typeof error.status === "number") return { exitCode: error.status, words: "" };
  if (name === "PythonError") return { exitCode: 1, words: message };
  if (error instanceof RangeError) {
    return {
      exitCode: SEGMENTATION_FAULT,
      words: "Fatal Python error: stack overflow\nSegmentation fault\n",
    };
  }
  if (message.includes("out of bounds")) {
    return { exitCode: SEGMENTATION_FAULT, words: "Segmentation fault\n" };
  }
  return { exitCode: ABORTED, words: "Aborted\n" };
}

const DUMP = "Stack (most recent call first):\n";

interface CrashOutput {
  readonly stdout: Uint8Array;
  /** Where Python's code stood. */
  readonly stack: Uint8Array;
}

/** A crash prints the stack behind what the program has printed; our runner's lines are left out. */
export function splitStack(printed: Uint8Array): CrashOutput {
  const bytes = Buffer.from(printed);
  const at = bytes.lastIndexOf(DUMP);
  if (at === -1) return { stdout: printed, stack: new Uint8Array(0) };
  const stack = bytes.toString("utf8", at).replaceAll(runnerLines, "");
  return { stdout: printed.subarray(0, at), stack: new TextEncoder().encode(stack) };
}

const runnerLines = /^ *File "<runner>", line \d+.*\n/gm;
