/** A container that is ended while its parts are made leaves nothing, at any moment and by any end. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { hasBubblewrap } from "../support/bubblewrap.ts";
import { runningProcesses } from "../support/processes.ts";
import { patiently, until } from "../support/until.ts";
import { isInside, type MadeKind, type Making, makings } from "./making.ts";

const REST = 987_654;
const HOLDER_ROWS = 1;
/** Processes that the mark shows once it runs, its holder's besides. */
const runningRows: Readonly<Record<MadeKind, number>> = { holder: 1, forwarder: 3, command: 4 };

const keeper = fileURLToPath(new URL("making_keeper.ts", import.meta.url));
const config = fileURLToPath(new URL("../../deno.json", import.meta.url));

/** Makes a program the first process of a machine of its own. */
const FIRST = [
  "unshare",
  ...Deno.uid() === 0 ? [] : ["--user", "--map-current-user"],
  ...["--pid", "--fork", "--mount-proc", "--kill-child=KILL"],
] as const;

function startKeeper(making: Making, isFirst: boolean): Deno.ChildProcess {
  const [command = "", ...args] = [
    ...isFirst ? FIRST : [],
    ...[Deno.execPath(), "run", "--allow-all", "--no-check", `--config=${config}`, keeper],
  ];
  return new Deno.Command(command, {
    args,
    env: { MAKING: JSON.stringify(making) },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
}

const marked = async (mark: string) =>
  (await runningProcesses()).map(({ command }) => command).filter((command) => command.includes(mark));

/** A first process of the machine that is none of these takes note of what others have left behind. */
const FIRST_KEEPER = "a keeper that is the machine's first process";
const ends = [
  "the keeper",
  FIRST_KEEPER,
  "the end of a killed keeper",
  "a keeper that is killed meanwhile",
] as const;

/** That the moment has come, by the commands of its processes. */
function isReached({ kind, before }: Making, commands: readonly string[]): boolean {
  if (before !== "runs" && before !== "set up") {
    return commands.some((command) => command.startsWith("/bin/bash -c read -r line; "));
  }
  const rows = before === "runs" ? runningRows[kind] : runningRows.forwarder;
  return commands.length === rows + (kind === "holder" ? 0 : HOLDER_ROWS);
}

if (hasBubblewrap()) {
  for (const by of ends) {
    Deno.test(`what is ended by ${by} at any moment leaves nothing`, async (t) => {
      for (const [index, { kind, before }] of makings.entries()) {
        await t.step(`${kind}: ${before}`, async () => {
          const making = { kind, before, mark: `${REST + index}.${Deno.pid}` };
          const child = startKeeper(making, by === FIRST_KEEPER);
          await until(async () => isReached(making, await marked(making.mark)), { what: "the moment" });
          const [input, output] = [child.stdin.getWriter(), child.stdout.getReader()];
          const endNext = () => input.write(new TextEncoder().encode("end\n"));
          if (by !== "the end of a killed keeper") await endNext();
          if (by === "the keeper" || by === FIRST_KEEPER) {
            const nextEnd = async () => {
              const { value } = await patiently(output.read(), "the end of what was made");
              return new TextDecoder().decode(value);
            };
            // Until something is inside, the end of the input may come before.
            assert.match(await nextEnd(), isInside(making) ? /^false\n$/ : /^(?:true|false)\n$/);
            const left = kind === "holder" ? 0 : HOLDER_ROWS;
            // The kernel may still be ending a sandbox whose first process is gone.
            await until(async () => (await marked(making.mark)).length === left, { what: "the end of it" });
            if (kind !== "holder") {
              await endNext();
              assert.equal(await nextEnd(), "false\n");
            }
          }
          child.kill("SIGKILL");
          await child.status;
          await until(async () => (await marked(making.mark)).length === 0, { what: "the end of all" });
          await Promise.all([output.cancel(), input.abort()]);
        });
      }
    });
  }
}
