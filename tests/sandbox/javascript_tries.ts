/**
 * Ways out of the engine `virtual` through the JavaScript that Python can reach: files, programs, the network, the
 * system, threads, and what Deno would store for a program without asking for a permission.
 */

/** A command of a container, and what it shows. */
type Try = readonly [code: string, shows: RegExp];

/** Prints the value of an expression, or of its promise, or how it fails. */
export const js = (code: string): string =>
  `python3 -c 'import js
from pyodide.ffi import run_sync
value = js.eval("""${code}""")
print(run_sync(value) if hasattr(value, "then") else value)' 2>&1 | tail -n 1`;

const py = (code: string): string => `python3 -c '${code}' 2>&1 | tail -n 1`;
export const withModule = (name: string, code: string): string =>
  js(`import(\`node:${name}\`).then((m) => ${code})`);

const needs = (right: string) => new RegExp(`NotCapable: .*${right}`, "i");
const NO_THREAD = /TypeError: A container has no threads\n$/;
const MISSING = /^(?:None|undefined)\n$|is not defined|is not a function|undefined \(reading/;
const thread = "`data:text/javascript,postMessage(Deno.execPath())`, { type: `module` }";

const files: Readonly<Record<string, Try>> = {
  "a link to a folder of the machine": [js("Deno.symlinkSync(`/etc`, `/tmp/out`)"), needs("allow-write")],
  "a second name of a file": [js("Deno.linkSync(`/etc/passwd`, `/tmp/out`)"), needs("(?:read|write) access")],
  "where a link leads": [js("Deno.readLinkSync(`/proc/self/exe`)"), needs("read access")],
  "what a path is": [js("Deno.statSync(`/`)"), needs("read access")],
  "the true path": [js("Deno.realPathSync(`/`)"), needs("read access")],
  "a temporary file": [js("Deno.makeTempFileSync()"), needs("write access")],
  "the terminal": [js("Deno.openSync(`/dev/tty`)"), needs("read access")],
  "its own pipes by name": [js("Deno.openSync(`/proc/self/fd/0`)"), needs("read access")],
  "another folder": [js("Deno.chdir(`/etc`)"), needs("read access")],
  "times of a folder": [js("Deno.utimeSync(`/`, 0, 0)"), needs("write access")],
  "files of the machine as Node reads them": [
    withModule("fs", "m.readFileSync(`/etc/passwd`, `utf8`)"),
    needs("read access"),
  ],
  "a file of the machine as a module": [js("import(`file:///etc/passwd`)"), /Requires read access/],
  "a file of the machine as a required module": [
    withModule("module", "m.createRequire(`file:///x`)(`/etc/passwd`)"),
    needs("read access"),
  ],
  "a database on the machine": [
    withModule("sqlite", "new m.DatabaseSync(`/tmp/out.db`)"),
    needs("(?:read|write) access"),
  ],
  "the machine's root, mounted": [
    py(
      'import pyodide_js as p; p.FS.mkdir("/m"); p.FS.mount(p.FS.filesystems.NODEFS, {"root": "/"}, "/m"); ' +
        'import os; print(os.listdir("/m"))',
    ),
    needs("read access"),
  ],
  "a folder of the machine, mounted": [
    py('import pyodide_js; pyodide_js.mountNodeFS("/n", "/etc")'),
    /does not exist|NotCapable/,
  ],
};

const programs: Readonly<Record<string, Try>> = {
  "a signal to the first process": [js("Deno.kill(1, `SIGTERM`)"), needs("run access")],
  "a signal to who started it": [js("Deno.kill(Deno.ppid, `SIGKILL`)"), needs("run access")],
  "a signal from Python": [py("import os; os.kill(1, 9)"), /PermissionError/],
  "a library of the machine": [js("Deno.dlopen(`libc.so.6`, {})"), needs("ffi access")],
  "a module of machine code": [js("process.dlopen({ exports: {} }, `/x.node`)"), needs("ffi access")],
  "a library as ctypes loads it": [py('import ctypes; ctypes.CDLL("libc.so.6")'), /Error/],
  "a program as Node starts it": [
    withModule("child_process", "m.execFileSync(`/bin/true`)"),
    /NotCapable: Requires (?:env|run|read) access/,
  ],
  "a program of Python's": [py('import subprocess; subprocess.run(["/bin/true"])'), /OSError/],
  "a shell of Python's": [py('import os; os.system("true")'), /OSError/],
  "another process": [py("import os; os.fork()"), /OSError/],
};

const network: Readonly<Record<string, Try>> = {
  "a port that listens": [js("Deno.listen({ port: 0 })"), needs("net access")],
  "a server": [js("Deno.serve({ port: 0 }, () => new Response(``))"), needs("net access")],
  "a socket in a folder": [
    js("Deno.listen({ transport: `unix`, path: `/tmp/s` })"),
    needs("(?:read|write|net) access"),
  ],
  "a connection": [js("Deno.connect({ port: 22 })"), needs("net access")],
  "a connection as Node makes it": [
    withModule(
      "net",
      "new Promise((done) => m.connect(22, `127.0.0.1`).on(`error`, (e) => done(String(e))).on(`connect`, () => done(`out`)))",
    ),
    needs("net access"),
  ],
  "a name of the network": [js("Deno.resolveDns(`localhost`, `A`)"), needs("net access")],
  "a web socket": [
    js("new Promise((done) => { new WebSocket(`ws://127.0.0.1:1/`).onerror = (e) => done(e.message) })"),
    needs("net access"),
  ],
  "a debugger's port": [withModule("inspector", "m.open(0)"), needs("sys access|net access")],
  "a module from the web": [
    js("import(`https://127.0.0.1:1/x.js`)"),
    /UNSUPPORTED_ESM_URL_SCHEME|NotCapable/,
  ],
  "a module from the web that a module of data loads": [
    js(
      'import(`data:text/javascript,import "https://127.0.0.1:1/x.js"`).catch((error) => error.message.slice(0, 40))',
    ),
    /^Requires import access/,
  ],
  "a package": [js("import(`npm:left-pad`)"), /UNSUPPORTED_ESM_URL_SCHEME|NotCapable/],
  "a connection of Python": [
    py('import urllib.request; urllib.request.urlopen("http://127.0.0.1:1/", timeout=5)'),
    /Error|RemoteDisconnected/,
  ],
};

const system: Readonly<Record<string, Try>> = {
  "addresses of the machine": [js("Deno.networkInterfaces()"), needs("sys access")],
  "the machine's name": [js("Deno.hostname()"), needs("sys access")],
  "the machine's user": [withModule("os", "m.userInfo()"), needs("sys access")],
  "the machine's load": [js("Deno.loadavg()"), needs("sys access")],
  "the mask of new files": [js("Deno.umask(0)"), needs("sys access")],
  "a right, asked for": [js("Deno.permissions.request({ name: `read` }).then((s) => s.state)"), /^denied\n$/],
  "a realm of its own": [
    withModule("vm", "m.runInNewContext(`this.constructor.constructor`)(`return Deno`)().hostname()"),
    needs("sys access"),
  ],
  "the graphics processor": [js("navigator.gpu?.requestAdapter()"), MISSING],
};

const threads: Readonly<Record<string, Try>> = {
  "a thread": [js(`new Worker(${thread})`), NO_THREAD],
  "a thread with rights": [
    js("new Worker(`data:text/javascript,1`, { type: `module`, deno: { permissions: { read: true } } })"),
    NO_THREAD,
  ],
  "a thread through Reflect": [js(`Reflect.construct(Worker, [${thread}], Array)`), NO_THREAD],
  "a thread of Node": [withModule("worker_threads", "new m.Worker(`for (;;);`, { eval: true })"), NO_THREAD],
  "a thread of a required module": [
    withModule("module", "new (m.createRequire(`file:///x`)(`worker_threads`).Worker)(`1`, { eval: true })"),
    NO_THREAD,
  ],
  "a thread of a built-in module": [
    js("new (process.getBuiltinModule(`worker_threads`).Worker)(`1`, { eval: true })"),
    NO_THREAD,
  ],
  "a thread whose class is mended": [
    js("Object.setPrototypeOf(Worker, EventTarget)"),
    /TypeError: .*not extensible/,
  ],
};

const stores: Readonly<Record<string, Try>> = {
  "a cache of answers": [
    js("caches.open(`x`).then((c) => c.put(`http://x/`, new Response(`kept`)))"),
    MISSING,
  ],
  "the classes of that cache": [js("CacheStorage.prototype.open.call({}, `x`)"), MISSING],
  "storage of pages": [js("localStorage.setItem(`a`, `kept`)"), MISSING],
  "storage of a session": [js("sessionStorage.setItem(`a`, `kept`)"), MISSING],
  "the class of both": [js("Storage.prototype.setItem.call({}, `a`, `kept`)"), MISSING],
  "a database of keys": [js("Deno.openKv()"), MISSING],
  "a database of pages": [js("indexedDB.open(`x`)"), MISSING],
};

export const tries = { files, programs, network, system, threads, stores };
