/**
 * Gives each test its time limit (`time_limits.ts`); Deno loads this before every file with tests. A test that passes
 * its limit fails by its name, also where it never waits, and those behind it run.
 */

import { isDeployProfile } from "../deno_deploy/profile.ts";
import { limitOf } from "./time_limits.ts";

type Definition = Deno.TestDefinition;

/** By which Deno takes the place of a test that is defined on behalf of another file. */
const PLACE = Symbol.for("Deno.test.location");

const root = new URL("../../", import.meta.url).href;
const define = Deno.test;

/** Where `Deno.test` was called, `file:line:column`: the third line, below this function and the one that calls it. */
function placeOfCall(): string {
  const line = new Error().stack?.split("\n")[3] ?? "";
  return /\(?(file:.+:\d+:\d+)\)?$/.exec(line)?.[1] ?? Deno.mainModule;
}

/** The forms of `Deno.test` that tests use: a name and a function, with options between them or not, or all in one. */
function toDefinition(parts: readonly unknown[]): Definition {
  const [first, second, third] = parts;
  const definition = typeof first !== "string"
    ? first
    : typeof second === "function"
    ? { name: first, fn: second }
    : { ...(second as object), name: first, fn: third };
  return definition as Definition;
}

/** The runtime's own client of KV Connect has timers that outlive a database. */
const unwatched = isDeployProfile ? { sanitizeOps: false, sanitizeResources: false } : {};

function limited(...parts: readonly unknown[]): void {
  const { fn, timeout = Infinity, ...definition } = toDefinition(parts);
  const limit = limitOf(Deno.mainModule.slice(root.length));
  const body = Object.assign((t: Deno.TestContext) => fn(t), { [PLACE]: placeOfCall() });
  define({ ...definition, ...unwatched, timeout: Math.min(timeout, limit), fn: body });
}

Object.defineProperty(Deno, "test", {
  value: Object.assign(limited, define),
  configurable: true,
  writable: true,
});
