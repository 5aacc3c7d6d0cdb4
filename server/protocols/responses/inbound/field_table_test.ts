import assert from "node:assert/strict";
import { inputItem } from "../../../../shared/responses/items.ts";
import { responseRequest } from "../../../../shared/responses/request.ts";
import { tool } from "../../../../shared/responses/tools.ts";

const table = Deno.readTextFileSync(new URL("../../fields.md", import.meta.url));

/** Names in the first column, of one table of the section. */
function rows(what: string): readonly string[] {
  const names = table.split("\n").filter((line) => line.startsWith("| `")).map((line) =>
    line.split(" | ")[0] ?? ""
  );
  return names.flatMap((bucket) => [...bucket.matchAll(/`(\w+) ([\w:]+)`/g)])
    .filter(([, kind]) => kind === what).map(([, , name]) => name ?? "").sort();
}

interface Union {
  readonly options: readonly {
    readonly _zod: { readonly propValues?: Readonly<Record<string, Set<unknown>>> };
  }[];
}

/** The types a union takes, each in its neutral spelling. */
function types({ options }: Union): readonly string[] {
  const all = options.flatMap(({ _zod }) => [..._zod.propValues?.type ?? []]);
  const words = all.filter((type): type is string => typeof type === "string");
  return [
    ...new Set(words.map((type) => type.replace("openrouter:", "service:").replace("experimental__", ""))),
  ].sort();
}

Deno.test("the table of fields has a row for every field", () => {
  assert.deepEqual(rows("field"), Object.keys(responseRequest.shape).sort());
});

Deno.test("the table of fields has every kind of item", () => {
  assert.deepEqual(rows("item"), types(inputItem));
});

Deno.test("the table of fields has every kind of tool", () => {
  assert.deepEqual(rows("tool"), types(tool));
});

/** Names that a test file gives its tests from a table: the keys of the table are checked by its type. */
Deno.test("the rows' tests are there", () => {
  const source = (name: string) => Deno.readTextFileSync(new URL(name, import.meta.url));
  assert.match(source("parse_request_test.ts"), /Deno\.test\(`field \$\{/);
  assert.match(source("parse_input_test.ts"), /Deno\.test\(`item \$\{/);
  assert.match(source("describe_items_test.ts"), /Deno\.test\(`item \$\{/);
  assert.match(source("parse_tools_test.ts"), /Deno\.test\(`tool \$\{/);
});
