/**
 * Ends Python's code at the end of its time or of its `timeout`, by the signals that it asks for between its
 * instructions: the first may be caught, and what goes on then is ended by the second.
 */

import type { PyodideAPI } from "pyodide";
import type { CommandTime } from "../command_time.ts";

type InterruptBuffer = Parameters<PyodideAPI["setInterruptBuffer"]>[0];

const SIGINT = 2;
const SIGKILL = 9;
/** Python asks many times in a millisecond. */
const QUESTIONS = 256;
/** Milliseconds of the processor that the program has for its own end. */
const GRACE_MS = 300;

/** Until it is told to end: one that has exited by itself takes no other buffer. */
export function interruptAt(pyodide: PyodideAPI, time: CommandTime): () => void {
  let asked = 0;
  let hasEnded = false;
  let killAt: number | undefined;
  pyodide.setInterruptBuffer(toInterruptBuffer({
    get 0() {
      if (hasEnded || ++asked % QUESTIONS !== 0 || !time.isPartOver) return 0;
      killAt ??= time.cpuMs + GRACE_MS;
      return time.cpuMs >= killAt ? SIGKILL : SIGINT;
    },
    set 0(_value: number) {
      // Python writes that it has got the signal.
    },
  }));
  return () => {
    hasEnded = true;
  };
}

/** Python reads and writes its first element, and nothing else. */
function toInterruptBuffer(buffer: { 0: number }): InterruptBuffer {
  return buffer as unknown as InterruptBuffer;
}
