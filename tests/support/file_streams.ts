/** Standard streams for commands under test. */

import type { FileStreams } from "../../server/cli/file_transfer.ts";

/** A command that neither reads nor writes a file. */
export const noStreams: FileStreams = {
  inputIsTerminal: true,
  outputIsTerminal: true,
  readAll: () => Promise.reject(new Error("The standard input is read")),
  write: () => Promise.reject(new Error("The standard output is written to")),
};

/** Redirected streams: what is read, and what was written. */
export function redirected(input: Uint8Array<ArrayBuffer>) {
  const written: Uint8Array<ArrayBuffer>[] = [];
  const streams: FileStreams = {
    inputIsTerminal: false,
    outputIsTerminal: false,
    readAll: () => Promise.resolve(input),
    write: async (bytes) => {
      written.push(new Uint8Array(await new Response(bytes).arrayBuffer()));
    },
  };
  return { streams, written };
}
