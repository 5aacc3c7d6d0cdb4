/**
 * Each wall of the engine `virtual` is taken away by a change of its source: what is refused while all of them stand
 * succeeds then. No command does harm where it succeeds: it reads, or meets what the test has made.
 */

import assert from "node:assert/strict";
import { runIn, type SandboxRig, shown } from "../support/sandbox.ts";
import { seeded } from "../fuzz/random.ts";
import { seed } from "../support/seed.ts";
import { type Change, withChanges } from "./changed_engine.ts";
import { js, tries, withModule } from "./javascript_tries.ts";

/** Parts of a machine, made for one test: a command may meet them. */
interface Surroundings {
  /** A folder of the machine, with the file `machine`. */
  readonly folder: string;
  /** A port of the machine that answers. */
  readonly port: number;
  /** A program of the machine that waits. */
  readonly pid: number;
}

/** A command, and what it shows where it succeeds. */
type Success = readonly [code: string, shows: RegExp];

const SOME = 3;

interface TakenWall {
  readonly without: readonly Change[];
  readonly lets: (surroundings: Surroundings) => Readonly<Record<string, Success>>;
  /** Tries that do no harm without it: the number of those that then succeed, or fail in another way, is printed. */
  readonly kind?: keyof typeof tries;
  /** A wall behind it, with which alone nothing succeeds either: both have to be taken away. */
  readonly behind?: readonly Change[];
}

/** Line of the child's arguments at which it gets a right. */
const RIGHTS = '...readsPyodide(denoDir),\n    sandboxConfig,\n    path("../child/main.ts")';
const withRights = (rights: string): Change => [
  "keeper/programs.ts",
  RIGHTS,
  RIGHTS.replace("...readsPyodide(denoDir)", () => rights),
];
const right = (name: string) => withRights(`...readsPyodide(denoDir),\n    "--allow-${name}"`);
const classesStay: Change = ["child/main.ts", 'import "./remove_globals.ts";\n', ""];

const MACHINE = "the machine's";
const isMachine = new RegExp(`^${MACHINE}\n$`);

const walls: Readonly<Record<string, TakenWall>> = {
  "files can be read": {
    // All of them, instead of Pyodide's.
    without: [withRights('"--allow-read"')],
    lets: ({ folder }) => ({
      "a file": [js(`Deno.readTextFileSync(\`${folder}/machine\`)`), isMachine],
      "a file, as Node reads it": [
        withModule("fs", `m.readFileSync(\`${folder}/machine\`, \`utf8\`)`),
        isMachine,
      ],
      "names in a folder": [js(`[...Deno.readDirSync(\`${folder}\`)][0].name`), /^machine\n$/],
    }),
  },
  "files can be written": {
    without: [right("write")],
    lets: ({ folder }) => ({
      "a file": [js(`Deno.writeTextFileSync(\`${folder}/new\`, \`x\`) || \`written\``), /^written\n$/],
    }),
  },
  "programs can be run": {
    without: [right("run")],
    lets: ({ pid }) => ({
      "a program": [js("new Deno.Command(`/bin/true`).outputSync().code"), /^0\n$/],
      "a signal to a program": [js(`Deno.kill(${pid}, \`SIGTERM\`) || \`sent\``), /^sent\n$/],
    }),
  },
  "the environment can be read": {
    without: [right("env")],
    lets: () => ({ "a variable": [js("Deno.env.get(`DENO_DIR`)"), /\/cache\/tollgate-programs\n$/] }),
  },
  "the network can be reached": {
    without: [right("net")],
    lets: ({ port }) => ({
      "a port": [js(`Deno.connect({ port: ${port} }).then(() => \`connected\`)`), /^connected\n$/],
      "a page": [js(`fetch(\`http://127.0.0.1:${port}/\`).then((page) => page.text())`), isMachine],
    }),
    kind: "network",
  },
  "the system can be asked": {
    without: [right("sys")],
    lets: () => ({ "the machine's name": [js("Deno.hostname()"), new RegExp(`^${Deno.hostname()}\n$`)] }),
    kind: "system",
  },
  "libraries can be loaded": {
    without: [right("ffi")],
    lets: () => ({
      "a call of the system": [
        js("Deno.dlopen(`libc.so.6`, { getppid: { parameters: [], result: `i32` } }).symbols.getppid() > 0"),
        /^True\n$/,
      ],
    }),
  },
  "classes stay that need no right": {
    without: [classesStay],
    lets: () => ({
      "a thread": [
        js(
          "new Promise((done) => { new Worker(`data:text/javascript,postMessage(1)`, { type: `module` }).onmessage = (event) => done(event.data) })",
        ),
        /^1\n$/,
      ],
    }),
    kind: "stores",
  },
  "Deno stores what a program keeps": {
    without: [classesStay],
    lets: () => ({
      "a cache of answers": [
        js("caches.open(`x`).then((c) => c.put(`http://x/`, new Response(`kept`))).then(() => `kept`)"),
        /^kept\n$/,
      ],
      "storage of pages": [js("localStorage.setItem(`a`, `kept`) || localStorage.getItem(`a`)"), /^kept\n$/],
    }),
    behind: [["keeper/program_cache.ts", "  block(`${folder}/${STORED}`);\n", ""]],
  },
  "what tells of the machine stays": {
    without: [[
      "child/conceal_host.ts",
      'replace(Deno, { mainModule: "file:///", execPath: () => NOWHERE, cwd: () => NOWHERE });\n',
      "",
    ]],
    lets: () => ({
      "the program's path": [js("Deno.execPath()"), new RegExp(`^${Deno.execPath()}\n$`)],
      "the module's path": [
        js("Deno.mainModule"),
        /tollgate-changed-\w+\/server\/sandbox\/child\/main\.ts\n$/,
      ],
    }),
  },
  "memory is not watched": {
    without: [[
      "keeper/child_session.ts",
      "memoryKib: memoryMib * KIB_PER_MIB * MEMORY_REACH",
      "memoryKib: Infinity",
    ]],
    lets: () => ({
      "typed arrays beside the heap": [
        js("Array.from({ length: 60 }, () => new Uint8Array(1e7).fill(1)).length"),
        /^60\n$/,
      ],
    }),
  },
};

async function surrounded(test: (surroundings: Surroundings) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-surroundings-" });
  await Deno.writeTextFile(`${folder}/machine`, MACHINE);
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
  await using server = Deno.serve(options, () => new Response(MACHINE));
  await using waiting = new Deno.Command("sleep", { args: ["600"] }).spawn();
  try {
    await test({ folder, port: server.addr.port, pid: waiting.pid });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Runs the commands in one container, and returns what each of them shows. */
async function outputs(rig: SandboxRig, codes: readonly string[]): Promise<readonly string[]> {
  const process = await rig.open();
  const texts: string[] = [];
  for (const code of codes) texts.push(shown(await runIn(process, code, { timeoutMs: 30_000 })));
  process.release(undefined);
  return texts;
}

/** Names of the commands that succeed. */
async function successes(
  rig: SandboxRig,
  commands: Readonly<Record<string, Success>>,
): Promise<readonly string[]> {
  const texts = await outputs(rig, Object.values(commands).map(([code]) => code));
  return Object.entries(commands).flatMap(([name, [, shows]], index) =>
    shows.test(texts[index] ?? "") ? [name] : []
  );
}

/** How many of the tries show something else than where the wall stands. */
async function changed(rig: SandboxRig, kind: keyof typeof tries): Promise<string> {
  const all = Object.values(tries[kind]);
  const texts = await outputs(rig, all.map(([code]) => code));
  const others = all.filter(([, shows], index) => !shows.test(texts[index] ?? ""));
  assert(others.length > 0, kind);
  return `${others.length} of ${all.length} tries of ${kind}`;
}

/** The walls of this run: all of them where long campaigns run, else some that the seed chooses. */
function chosenWalls(): readonly (readonly [name: string, wall: TakenWall])[] {
  const isSet = (name: string) => Deno.env.get(name) === "1";
  // A run for another seed has tried them all before.
  if (isSet("TOLLGATE_TEST_ALL") && !isSet("TOLLGATE_TEST_RANDOM")) return Object.entries(walls);
  const { next } = seeded(seed);
  const inOrder = Object.entries(walls).map((wall) => ({ wall, at: next() })).sort((a, b) => a.at - b.at);
  return inOrder.slice(0, SOME).map(({ wall }) => wall);
}

/** A row of the table: what succeeds without a wall. */
async function row({ without, lets, kind, behind }: TakenWall, surroundings: Surroundings): Promise<string> {
  const commands = lets(surroundings);
  await withChanges([], async (rig) => assert.deepEqual(await successes(rig, commands), []));
  if (behind !== undefined) {
    await withChanges(without, async (rig) => assert.deepEqual(await successes(rig, commands), []));
  }
  let more = "";
  await withChanges([...without, ...behind ?? []], async (rig) => {
    assert.deepEqual(await successes(rig, commands), Object.keys(commands));
    if (kind !== undefined) more = `; ${await changed(rig, kind)}`;
  });
  return Object.keys(commands).join("; ") + more;
}

for (const [name, wall] of chosenWalls()) {
  Deno.test(`what a wall of the engine virtual holds succeeds without it: ${name}`, () =>
    surrounded(async (surroundings) => {
      console.log(`| ${name} | ${await row(wall, surroundings)} |`);
    }));
}
