/** The programs that run in a sandbox, each with its limits. All of them are called by these names only. */

import { INTERPRETER_PROGRAM } from "./interpreter/interpreter_program.ts";
import { wallsScript } from "./walls.ts";
import { WHEEL_PROGRAM } from "./wheels/wheel_program.ts";

export const boxProgramNames = ["shell", "python", "load", "list", "read", "walls", "wheel"] as const;
export type BoxProgramName = (typeof boxProgramNames)[number];

interface BoxProgram {
  readonly command: readonly string[];
  /** Bytes of its standard output that are kept. */
  readonly outputBytes: number;
  /** Output beyond the limit is left out in the middle; otherwise it ends the program. */
  readonly cutsMiddle: boolean;
  /** It shares the network of the forwarder, where there is one; others have an empty one. */
  readonly sharesNetwork: boolean;
}

const MIB = 1024 * 1024;

const bash = (script: string): readonly string[] => [
  ...["/bin/bash", "--noprofile", "--norc", "-c", script],
  // Its name in messages.
  "bash",
];

/**
 * Standard input begins with the state of the shell, a NUL behind each part: the number of the parts that follow, the
 * working folder, and `NAME=value` of each exported variable. bash reads it byte by byte, so that the rest is left.
 */
const readState = "__state=(); IFS= read -r -d '' __left; " +
  'while ((__left-- > 0)); do IFS= read -r -d "" __part; __state+=("$__part"); done; ';
const useState = 'cd -- "${__state[0]}" 2>/dev/null || cd; ' +
  'for __part in "${__state[@]:1}"; do export "$__part"; done; unset __state __left __part; ';

/** An earlier command may have left a pipe in the place of the file, on which this one would wait. */
const clearState = "[ -f /run/state ] && [ ! -L /run/state ] || /bin/rm -rf /run/state; ";

/** Written in one line, so that bash counts the lines of the code from its first. */
const SHELL = readState + "__code=$(/bin/cat); exec < /dev/null; " + clearState + useState +
  "__save() { ((BASHPID == $$)) && { { printf '%s\\0' \"$PWD\"; /usr/bin/env -0; } >| /run/state; } 2> /dev/null; }; " +
  'trap __save EXIT; eval "$__code"\n__status=$?; __save; exit "$__status"';

/** Python that stays from call to call: what follows the state are frames. */
const PYTHON = readState + useState + 'exec python3 -c "$1" "$2"';
const pythonArguments = [
  `import sys; exec(compile(sys.argv.pop(), "<runner>", "exec"))`,
  INTERPRETER_PROGRAM,
];

/** The state that a shell has left, in base64, a NUL, and all entries of the home folder. */
const LIST =
  "if [ -f /run/state ] && [ ! -L /run/state ]; then head -c 131072 /run/state | base64 -w 0; fi; " +
  "printf '\\0'; " +
  "exec find . -mindepth 1 -printf '%y\\0%m\\0%s\\0%T@\\0%C@\\0%i\\0%P\\0%l\\0'";

/** An archive of the container's files, with which it begins. */
const LOAD = `tar -x -p -f - --no-same-owner && { ${LIST}; }`;

/** Standard input has the paths, a NUL behind each; the contents come one behind the other. */
const READ = `mapfile -d '' -t paths
locked=()
for path in "\${paths[@]}"; do [ -r "$path" ] || locked+=("$path"); done
[ "\${#locked[@]}" -eq 0 ] || chmod u+r -- "\${locked[@]}"
printf '%s\\0' "\${paths[@]}" | xargs -0 cat --`;

const SHELL_OUTPUT_BYTES = MIB;

export const boxPrograms: Readonly<Record<BoxProgramName, BoxProgram>> = {
  shell: { command: bash(SHELL), outputBytes: SHELL_OUTPUT_BYTES, cutsMiddle: true, sharesNetwork: true },
  python: {
    command: [...bash(PYTHON), ...pythonArguments],
    outputBytes: SHELL_OUTPUT_BYTES,
    cutsMiddle: true,
    sharesNetwork: true,
  },
  load: { command: bash(LOAD), outputBytes: 8 * MIB, cutsMiddle: false, sharesNetwork: false },
  list: { command: bash(LIST), outputBytes: 8 * MIB, cutsMiddle: false, sharesNetwork: false },
  walls: { command: bash(wallsScript), outputBytes: 64 * 1024, cutsMiddle: true, sharesNetwork: true },
  read: { command: bash(READ), outputBytes: 32 * MIB, cutsMiddle: false, sharesNetwork: false },
  wheel: {
    command: ["/usr/bin/env", "python3", "-I", "-c", WHEEL_PROGRAM],
    outputBytes: 400 * MIB,
    cutsMiddle: false,
    sharesNetwork: false,
  },
};
