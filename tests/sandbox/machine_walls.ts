/** Walls around a process of the engine `virtual`: what it may do, see and take on the machine. */

import type { Change } from "./changed_engine.ts";
import { js, withModule } from "./javascript_tries.ts";
import { MACHINE, type TakenWall } from "./taken_walls.ts";

/** Line of the child's arguments at which it gets a right. */
const RIGHTS = '...readsPyodide(denoDir),\n    sandboxConfig,\n    path("../child/main.ts")';
const withRights = (rights: string): Change => [
  "keeper/programs.ts",
  RIGHTS,
  RIGHTS.replace("...readsPyodide(denoDir)", () => rights),
];
const right = (name: string) => withRights(`...readsPyodide(denoDir),\n    "--allow-${name}"`);
const FLAGS = '"--no-remote",\n  "--deny-import",\n  "--cached-only",\n  "--frozen",';
const classesStay: Change = ["child/main.ts", 'import "./remove_globals.ts";\n', ""];

const isMachine = new RegExp(`^${MACHINE}\n$`);

export const machineWalls: Readonly<Record<string, TakenWall>> = {
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
  "modules of the web can be loaded": {
    without: [["keeper/programs.ts", FLAGS, '"--allow-import",']],
    lets: ({ port }) => ({
      // Node's loader refuses such a module, but not what a module of data loads.
      "a module of a module": [
        js(
          `import(\`data:text/javascript,export { default } from "http://127.0.0.1:${port}/x.js"\`).then((m) => m.default)`,
        ),
        isMachine,
      ],
    }),
    // It knows no hash of such a module.
    behind: [["child/deno.json", '"frozen": true', '"frozen": false']],
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
