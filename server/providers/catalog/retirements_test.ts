import assert from "node:assert/strict";
import { readConfig } from "../../config/config.ts";
import { createProviders, providerSettings } from "../mod.ts";
import { reportRetirements } from "./retirements.ts";

function reportAt(day: string, file: object = {}) {
  const env: Readonly<Record<string, string>> = { TOLLGATE_CONFIG: "gate.jsonc", ANTHROPIC_API_KEY: "k" };
  const config = readConfig({
    env: (name) => env[name],
    readFile: () => JSON.stringify(file),
    terminal: false,
  }, providerSettings);
  return reportRetirements({ config, providers: createProviders(config), now: Date.parse(day) });
}

const ended = /^anthropic claude-sonnet-4-5(?:-20250929)? ended on 2026-11-30, claude-sonnet-5-5 follows$/;
const ends = /^anthropic claude-sonnet-4-5(?:-20250929)? ends on 2026-11-30, claude-sonnet-5-5 follows$/;
const told = (texts: readonly string[], form: RegExp) => texts.filter((text) => form.test(text)).length;

Deno.test("reportRetirements tells of ends 60 days ahead, and goes on telling of them", async () => {
  assert.equal(told((await reportAt("2026-09-30")).others, ends), 0);
  for (const [day, form] of [["2026-10-01", ends], ["2026-11-30", ends], ["2026-12-01", ended]] as const) {
    const { named, others } = await reportAt(day);
    assert.deepEqual([named, told(others, form) > 0], [[], true], day);
  }
});

Deno.test("reportRetirements keeps apart what settings name, by any of them", async () => {
  const model = "anthropic/claude-sonnet-4.5";
  const files = [
    { default_model: model },
    { aliases: { fast: model } },
    { aliases: { fast: ["anthropic/claude-opus-5", model] } },
    { auto: { default_models: ["anthropic/claude-opus-5", model] } },
    { auto: { classifier: model } },
  ];
  for (const file of files) {
    const { named } = await reportAt("2026-11-26", file);
    assert.ok(told(named, ends) > 0, JSON.stringify(file));
    assert.equal(told(named, ends), named.length);
  }
});
