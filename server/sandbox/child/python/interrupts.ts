/** Ends Python's code at the end of its time, by the signal that it asks for between its instructions. */

import type { PyodideAPI } from "pyodide";
import type { CommandTime } from "../command_time.ts";

type InterruptBuffer = Parameters<PyodideAPI["setInterruptBuffer"]>[0];

const SIGINT = 2;
/** Python asks many times in a millisecond. */
const QUESTIONS = 256;

/** From the end of the time on it gets the signal again and again, because code may catch it. */
export function interruptAt(pyodide: PyodideAPI, time: CommandTime): void {
  let asked = 0;
  pyodide.setInterruptBuffer(toInterruptBuffer({
    get 0() {
      return ++asked % QUESTIONS === 0 && time.isOver ? SIGINT : 0;
    },
    set 0(_value: number) {
      // Python writes that it has got the signal.
    },
  }));
}

/** Python reads and writes its first element, and nothing else. */
function toInterruptBuffer(buffer: { 0: number }): InterruptBuffer {
  return buffer as unknown as InterruptBuffer;
}
