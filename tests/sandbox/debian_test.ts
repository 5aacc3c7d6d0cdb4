/**
 * Snippets of shell and Python, as coding agents write them, give in a container what they give on Debian 12
 * (`debian/record.ts`): output, status and files, in the first command of a container and in a used one. Where they do
 * not, they fail with words, or docs/containers.md says what differs. Prints the table.
 */

import assert from "node:assert/strict";
import { engines, sandboxRig } from "../support/sandbox.ts";
import { compareAll, type Comparison, workers } from "./debian/compare.ts";
import { listedRows, refusedWords } from "./debian/listed.ts";
import outputs from "./debian/outputs.json" with { type: "json" };
import { allSnippets } from "./debian/snippets.ts";

const snippets = await allSnippets();
const recorded = new Map(Object.entries(outputs));
const docs = await Deno.readTextFile(new URL("../../docs/containers.md", import.meta.url));

/** Least share of equal ones, by engine and language. */
const LEAST = { bubblewrap: { bash: 0.98, python: 0.98 }, virtual: { bash: 0.65, python: 0.75 } };

const states = ["new", "used"] as const;
const languages = ["bash", "python"] as const;

const listedNames = new Set(listedRows.map(([name]) => name));

/** Or it says which of its commands are not there. */
function isListed(engine: string, { snippet: { name }, stderr }: Comparison): boolean {
  if (engine !== "virtual") return false;
  return listedNames.has(name) || refusedWords.get(name)?.every((words) => stderr.includes(words)) === true;
}

function tableOf(engine: string, found: readonly Comparison[]): string {
  const rows = states.flatMap((state) =>
    languages.flatMap((language) => {
      const some = found.filter((one) => one.state === state && one.snippet.language === language);
      if (some.length === 0) return [];
      const count = (verdict: Comparison["verdict"]) => some.filter((one) => one.verdict === verdict).length;
      const listed = some.filter((one) => one.verdict === "different" && isListed(engine, one)).length;
      const cells = [some.length, count("equal"), count("refused"), listed, count("different") - listed];
      const share = `${(count("equal") * 100 / some.length).toFixed(1)} %`;
      return [engine, state, language, ...cells, share].map((cell) => String(cell).padEnd(11)).join("");
    })
  );
  const head = [
    "engine",
    "container",
    "language",
    "snippets",
    "equal",
    "refused",
    "listed",
    "silent",
    "share",
  ];
  return [head.map((name) => name.padEnd(11)).join(""), ...rows].join("\n");
}

/** The words of a failure. */
const shownOf = ({ snippet: { name }, state, given, stderr }: Comparison) =>
  `${name}, ${state}: ${JSON.stringify(given)} instead of ${JSON.stringify(recorded.get(name))}\n${stderr}`;

Deno.test("there are 165 snippets of shell and 60 of Python, with what Debian gave for each", () => {
  assert.deepEqual([...recorded.keys()].sort(), snippets.map(({ name }) => name).sort());
  const count = (language: string) => snippets.filter((one) => one.language === language).length;
  assert.deepEqual({ bash: count("bash"), python: count("python") }, { bash: 165, python: 60 });
});

Deno.test("what differs in the engine virtual is a row of the docs", () => {
  for (const name of refusedWords.keys()) assert(recorded.has(name) && !listedNames.has(name), name);
  for (const [name, row] of listedRows) {
    assert(recorded.has(name), name);
    assert(docs.includes(`\n| ${row} |`), `${name}: ${row}`);
  }
});

async function compareOn(engine: keyof typeof LEAST, language: typeof languages[number]): Promise<void> {
  await using rig = sandboxRig({ engine, processes: 2 * workers[engine] });
  const found = await compareAll(snippets.filter((one) => one.language === language), {
    rig,
    engine,
    recorded,
  });
  console.log(tableOf(engine, found));
  for (const state of states) {
    const inState = found.filter((one) => one.state === state);
    const equal = inState.filter(({ verdict }) => verdict === "equal").length;
    const words = `${equal} of ${inState.length} are equal (${state})`;
    assert(equal / inState.length >= LEAST[engine][language], words);
  }
  const silent = found.filter((one) => one.verdict === "different" && !isListed(engine, one));
  assert.equal(silent.map(shownOf).join("\n"), "", "They differ, and nothing says so.");
}

for (const engine of engines) {
  for (const language of languages) {
    // It takes minutes where other tests run beside it: `TOLLGATE_TEST_SNIPPETS=all` compares it, too.
    const isSlow = engine === "virtual" && language === "python";
    if (isSlow && Deno.env.get("TOLLGATE_TEST_SNIPPETS") !== "all") continue;
    const name =
      `snippets of ${language} give in containers of ${engine} what they give on Debian, or say that they cannot`;
    Deno.test(name, () => compareOn(engine, language));
  }
}
