import assert from "node:assert/strict";
import { attemptWarnings } from "./alias_warnings.ts";

const members = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `acme/m${at}`);

Deno.test("attemptWarnings tells of aliases with more models than a request makes attempts, and of no other", () => {
  for (let attempts = 1; attempts <= 16; attempts++) {
    for (let count = 1; count <= 16; count++) {
      const warnings = attemptWarnings({ aliases: { wide: members(count) }, limits: { attempts } });
      const words =
        `aliases.wide has ${count} models, and a request makes ${attempts} attempts: acme/m${attempts} `;
      assert.equal(warnings.length, count > attempts ? 1 : 0);
      for (const warning of warnings) assert.ok(warning.startsWith(words), warning);
    }
  }
});
