import assert from "node:assert/strict";
import { healJson } from "../../server/pipeline/plugins/healing/heal_json.ts";
import { runNow } from "../../shared/util/run_work.ts";
import type { JsonObject } from "../../server/protocols/canonical/item.ts";
import broken from "./cases/broken_answers.json" with { type: "json" };
import odd from "./cases/odd_answers.json" with { type: "json" };

/** An answer with what its model meant, or why nothing is made of it. */
interface BrokenAnswer {
  readonly schema: string;
  readonly text: string;
  readonly meant?: unknown;
  readonly unhealed?: string;
}

interface Cases {
  readonly schemas: Readonly<Record<string, JsonObject>>;
  readonly kinds: Readonly<Record<string, readonly BrokenAnswer[]>>;
}

function assertCase({ schema: name, text, meant, unhealed }: BrokenAnswer, { schemas }: Cases): void {
  const schema = schemas[name];
  assert(schema !== undefined, name);
  const healing = runNow(healJson(text, { type: "json_schema", name, schema }));
  if (unhealed !== undefined) {
    assert.deepEqual(healing, { type: "unhealed", reason: unhealed }, text);
    return;
  }
  assert(healing.type === "healed", `${JSON.stringify(healing)}: ${text}`);
  assert.deepEqual(JSON.parse(healing.text), meant, text);
}

function testCases(title: string, cases: Cases): void {
  Deno.test(`${title}: an answer is healed to what was meant, or stays as it came`, async (t) => {
    for (const [kind, answers] of Object.entries(cases.kinds)) {
      await t.step(kind, () => answers.forEach((answer) => assertCase(answer, cases)));
    }
  });
}

testCases("broken answers", broken);
testCases("odd answers", odd);

Deno.test("the cases are at least 500", () => {
  assert(Object.values(broken.kinds).flat().length >= 500);
});
