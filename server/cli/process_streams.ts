/** The standard streams of this process. */

import type { FileStreams } from "./file_transfer.ts";

export const processStreams: FileStreams = {
  inputIsTerminal: Deno.stdin.isTerminal(),
  outputIsTerminal: Deno.stdout.isTerminal(),
  readAll: async () => new Uint8Array(await new Response(Deno.stdin.readable).arrayBuffer()),
  write: (bytes) => bytes.pipeTo(Deno.stdout.writable),
};
