/** The engine `bubblewrap` under test, where this system has what it needs. */

import { fileURLToPath } from "node:url";
import type { HostLayout } from "../../server/sandbox/bubblewrap/chains.ts";
import { need } from "./need.ts";

const BWRAP = "/usr/bin/bwrap";
const PURPOSE = "Tests of the engine bubblewrap";

/**
 * True where sandboxes can be made. Where bubblewrap is missing see `need`; a system that lets no program make
 * namespaces is named, and there is nothing to install for it.
 */
export function hasBubblewrap(): boolean {
  if (Deno.build.os !== "linux") return false;
  if (!isFile(BWRAP)) return need(false, { what: "the program bwrap", for: PURPOSE });
  const args = ["--user", "--map-root-user", "--mount", "--propagation", "private", "true"];
  const { success, stderr } = new Deno.Command("unshare", { args, stdout: "null" }).outputSync();
  if (!success) {
    console.warn(`${PURPOSE} cannot run on this system: ${new TextDecoder().decode(stderr).trim()}`);
  }
  return success;
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** As the keeper finds it: `/proc` is not for tests to read. */
export async function hostLayout(): Promise<HostLayout> {
  return toLayout(JSON.parse(await evaluate("host_layout.ts", "JSON.stringify(findHostLayout({}))")));
}

const toLayout = (value: unknown) => value as HostLayout;

/** Input of the self-test, with the namespaces of this process, as the keeper reads its own. */
export function wallsInput(bytes: number): Promise<string> {
  return evaluate("walls.ts", `wallsInput(${bytes})`);
}

async function evaluate(module: string, expression: string): Promise<string> {
  const url = new URL(`../../server/sandbox/bubblewrap/${module}`, import.meta.url).href;
  const [name = ""] = expression.match(/\w+(?=\((?:\{\}|\d*)\))/) ?? [];
  const code = `import { ${name} } from ${JSON.stringify(url)}; console.log(${expression});`;
  const config = fileURLToPath(new URL("../../deno.json", import.meta.url));
  const args = ["eval", "--no-check", `--config=${config}`, code];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim();
}
