/** Playground: what "Copy as" gives runs as it is copied, and answers. */

import assert from "node:assert/strict";
import { need } from "../support/need.ts";
import { consoleStory } from "./support/console_story.ts";
import { chooseModel, message } from "./support/playground_story.ts";
import { screenshots } from "./support/screenshots.ts";

interface Runner {
  readonly language: string;
  /** Name of the file that the copied text is written to. */
  readonly file: string;
  readonly command: readonly [program: string, ...args: string[]];
}

const runners: readonly Runner[] = [
  { language: "curl", file: "call.sh", command: ["bash", "call.sh"] },
  {
    language: "TypeScript",
    file: "call.ts",
    command: [Deno.execPath(), "run", "--no-config", "-A", "call.ts"],
  },
  { language: "Python", file: "call.py", command: ["python3", "call.py"] },
];

const TEXT = 'Say "it\'s" $HOME `date` \\n 漢 😀\nEND_OF_BODY';

async function run({ file, command: [program, ...args] }: Runner, input: { text: string; apiKey: string }) {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/${file}`, input.text);
    const { success, stdout, stderr } = await new Deno.Command(program, {
      args,
      cwd: folder,
      env: { API_KEY: input.apiKey, NO_COLOR: "1" },
    }).output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assert(success, `${file}: ${out}${err}`);
    return out ?? "";
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

consoleStory(
  {
    name: "each copy of a run is executed as it is and answers",
    session: "manager",
    gateway: { env: { TOLLGATE_LOCAL: "on" } },
  },
  async ({ page, open, context, gateway }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await open("/playground");
    await chooseModel(page, { id: "local/echo" });
    await page.getByRole("switch", { name: "Date and time" }).check();
    await message(page).fill(TEXT);
    await page.getByRole("button", { name: "Copy as" }).click();
    const dialog = page.getByRole("dialog");
    await screenshots(page, "playground-copy");
    for (const runner of runners) {
      const programs = runner.language === "curl" ? ["bash", "curl"] : [runner.command[0]];
      const there = (await Promise.all(programs.map(isThere))).every(Boolean);
      if (!need(there, { what: programs.join(" and "), for: `Copies of a run for ${runner.language}` })) {
        continue;
      }
      await dialog.getByRole("button", { name: runner.language, exact: true }).click();
      await dialog.getByRole("button", { name: "Copy", exact: true }).click();
      const text = await page.evaluate<string>("navigator.clipboard.readText()");
      assert(!text.includes(gateway.apiKey) && text.includes("API_KEY"));
      const answer = await run(runner, { text, apiKey: gateway.apiKey });
      // The built-in model repeats what it was told.
      const said = runner.language === "curl" ? JSON.stringify(TEXT).slice(1, -1) : TEXT;
      assert(answer.includes(said), `${runner.language}: ${answer}`);
    }
  },
);

async function isThere(program: string): Promise<boolean> {
  try {
    return (await new Deno.Command(program, { args: ["--version"], stdout: "null" }).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
