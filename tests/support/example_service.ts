/** Runs the services of docs/examples as users run them. */

import { need } from "./need.ts";

export interface ExampleService extends AsyncDisposable {
  readonly port: number;
}

export interface ExampleOptions {
  /** In docs/examples. */
  readonly file: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly python?: string;
}

export async function startExample(
  { file, env = {}, python = "python3" }: ExampleOptions,
): Promise<ExampleService> {
  const path = new URL(`../../docs/examples/${file}`, import.meta.url).pathname;
  const child = new Deno.Command(python, {
    args: [path],
    env: { ...env, PORT: "0" },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.getReader();
  let said = "";
  while (!said.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`${file} does not start`);
    said += new TextDecoder().decode(value);
  }
  return {
    port: Number(said),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await reader.cancel();
      await child.status;
    },
  };
}

const PRESIDIO = "2.2.360";

/** A Python on the PATH that has Presidio, whose parts bring the program `spacy` along. */
function findPresidio(): string | undefined {
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  return folders.map((folder) => `${folder}/python3`).find(hasPresidio);
}

function hasPresidio(python: string): boolean {
  try {
    Deno.statSync(python.replace(/python3$/, "spacy"));
    const args = ["-c", "from importlib.metadata import version; print(version('presidio-analyzer'))"];
    return new Deno.Command(python, { args, stderr: "null" }).outputSync().success;
  } catch {
    // Not there.
    return false;
  }
}

/** Undefined where Presidio is not installed; then the test that needs it is skipped, aloud. */
export function presidioPython(): string | undefined {
  const python = findPresidio();
  need(python !== undefined, {
    what: `Presidio in a Python on the PATH (pip install presidio-analyzer==${PRESIDIO})`,
    for: "The tests of external guardrails with Presidio",
  });
  return python;
}
