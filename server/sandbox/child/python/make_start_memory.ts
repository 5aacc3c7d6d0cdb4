/** Writes the memory of an interpreter that has started to the standard output; nothing of a model's runs here. */

import { startedMemory } from "./interpreters.ts";

const memory = await startedMemory();
for (let offset = 0; offset < memory.length;) offset += Deno.stdout.writeSync(memory.subarray(offset));
