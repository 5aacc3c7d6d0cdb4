/** Run by `deno task setup`: fetches all that the gateway needs while it runs, and says what it has. */

import { fileURLToPath } from "node:url";
import { runSetup } from "./setup_steps.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

Deno.exitCode = await runSetup({
  denoVersion: Deno.version.deno,
  run: async (args) => {
    const command = new Deno.Command(Deno.execPath(), {
      args: [...args],
      cwd: root,
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    });
    const { success, stdout } = await command.output();
    return { success, output: new TextDecoder().decode(stdout) };
  },
  print: (line) => console.log(line),
  args: Deno.args,
});
