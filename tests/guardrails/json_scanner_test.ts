/** Answers that a client takes for JSON: read as arguments are, and the same wherever a stream is cut. */

import assert from "node:assert/strict";
import * as fc from "fast-check";
import {
  type ActiveFilter,
  compileContentFilters,
} from "../../server/pipeline/guardrails/content_filters.ts";
import type { FilterAction } from "../../server/pipeline/guardrails/filter_strength.ts";
import { JsonScanner } from "../../server/pipeline/guardrails/scanners/json_scanner.ts";
import { OUTPUT_WINDOW } from "../../server/pipeline/guardrails/scanners/scan_windows.ts";
import { scanValue } from "../../server/pipeline/guardrails/scanners/scan_slots.ts";
import { json } from "../../server/pipeline/guardrails/text_slots/shape.ts";
import { BlockedContent } from "../../server/pipeline/guardrails/scanners/text_scanner.ts";
import { runNow } from "../../shared/util/run_work.ts";
import { assertProperty } from "../support/property.ts";

function viewOf(action: FilterAction) {
  const filters = compileContentFilters([{
    id: "11111111-1111-4111-8111-111111111111",
    scope: "workspace",
    content_filters: [{ pattern: "id-\\d{4}-[a-z]", action, label: 'A"B\\' }],
    content_filter_builtins: (["email", "phone", "secrets", "credit-card"] as const).map((slug) => ({
      slug,
      action,
    })),
    words: ["blue bird"],
    words_action: action,
  }]);
  assert.ok(filters);
  return filters.outputs;
}

const views = { redact: viewOf("redact"), block: viewOf("block"), flag: viewOf("flag") };

interface Read {
  readonly text: string;
  readonly found: readonly string[];
  readonly mostHeld: number;
}

function read(view: typeof views.redact, pieces: readonly string[]): Read {
  const found: string[] = [];
  const report = ({ members }: ActiveFilter) => found.push(`${members[0]?.label}`);
  const scanner = new JsonScanner({ view, window: OUTPUT_WINDOW, report, isJson: true });
  let [text, come, gone, mostHeld] = ["", 0, 0, 0];
  for (const [at, piece] of pieces.entries()) {
    come += piece.length;
    for (const one of runNow(scanner.scanLong(piece, at === pieces.length - 1))) {
      assert.ok(one.start >= gone && one.end >= one.start && one.end <= come);
      text += one.text;
      gone = one.end;
    }
    mostHeld = Math.max(mostHeld, come - gone);
  }
  return { text, found: found.toSorted(), mostHeld };
}

/** As arguments of a function. */
function readAsArguments(view: typeof views.redact, text: string): Omit<Read, "mostHeld"> {
  const found: string[] = [];
  const report = ({ members }: ActiveFilter) => found.push(`${members[0]?.label}`);
  const { value } = runNow(
    scanValue(text, { shape: json, options: { view, window: OUTPUT_WINDOW, report } }),
  );
  return { text: value, found: found.toSorted() };
}

const said: readonly (readonly [text: string, goesOn: string])[] = [
  [
    '{"mail": "ann\\u0040example.com", "n": [1.50, true, null]}',
    '{"mail": "[EMAIL]", "n": [1.50, true, null]}',
  ],
  ['{"mail":"ann\\u0040example\\u002Ecom"}', '{"mail":"[EMAIL]"}'],
  ['{"a": "line\\nann@example.com \\u00e9"}', '{"a": "line\\n[EMAIL] é"}'],
  ['{"phone": 4155552671}', '{"phone": "[PHONE]"}'],
  ['{"phone": ["4155552671", "no"]}', '{"phone": ["[PHONE]", "no"]}'],
  ['{"db_password": "Xk9fQ2mLp7vR4tZ8"}', '{"db_password": "[SECRET]"}'],
  ['[4111111111111111, "\\u0034111 1111 1111 1111"]', '["[CREDIT_CARD]", "[CREDIT_CARD]"]'],
  ['{"id-4711-x": "i\\u0064-4711-x"}', '{"[A\\"B\\\\]": "[A\\"B\\\\]"}'],
  ['{"a": "{\\"b\\": \\"ann\\\\u0040example.com\\"}"}', '{"a": "{\\"b\\": \\"[EMAIL]\\"}"}'],
  ['{"a": "blue\\tbird"}', '{"a": "[REDACTED]"}'],
  ['Sorry: "ann\\u0040example.com"', 'Sorry: "[EMAIL]"'],
  ['```json\n{"a": "ann\\u0040example.com"}\n```', '```json\n{"a": "[EMAIL]"}\n```'],
  ['{"a": 1} ann@example.com', '{"a": 1} [EMAIL]'],
  ['{"a": "ann\\u0040example.com', '{"a": "[EMAIL]'],
  ['{"phone": 4155552671', '{"phone": [PHONE]'],
  ['"ann\\u0040example.com"', '"[EMAIL]"'],
  ["", ""],
];

const split = (text: string, cuts: readonly number[]): readonly string[] => {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b), text.length];
  return places.slice(1).map((to, at) => text.slice(places[at], to));
};

Deno.test("values are read as they are meant, whole and wherever they are cut, and stay JSON", () => {
  for (const [text, goesOn] of said) {
    const whole = read(views.redact, [text]);
    assert.equal(whole.text, goesOn);
    for (let cut = 0; cut <= text.length; cut++) {
      const { text: streamed, found } = read(views.redact, [text.slice(0, cut), text.slice(cut)]);
      assert.deepEqual([streamed, found], [whole.text, whole.found], `${cut} ${text}`);
    }
    assert.equal(read(views.redact, [...text, ""]).text, goesOn);
    if (whole.found.length > 0) assert.throws(() => read(views.block, [...text, ""]), BlockedContent);
  }
});

Deno.test("a value goes on with the mark behind it, a long one while it comes, and all at once where matches are flagged", () => {
  const short = `{"a": ["${"x".repeat(100)}", "${"y".repeat(100)}"]}`;
  assert.ok(read(views.redact, [...short]).mostHeld < 110);
  const long = `{"a": "${"Lorem ipsum \\u0041 dolor. ".repeat(400)}ann\\u0040example.com"}`;
  const { text, mostHeld } = read(views.redact, [...long]);
  assert.ok(mostHeld <= OUTPUT_WINDOW + 1, String(mostHeld));
  assert.equal(text, long.replace("ann\\u0040example.com", "[EMAIL]"));
  const flagged = read(views.flag, [...long]);
  assert.deepEqual([flagged.text, flagged.mostHeld, flagged.found], [long, 0, ["email"]]);
});

Deno.test("a long value is read behind the name of its field", () => {
  const rest = " and more".repeat(200);
  const text =
    `{"db_password": "Xk9fQ2mLp7vR4tZ8${rest}", "b": "{\\"phone\\": \\"4155552671\\", \\"c\\": \\"${rest}\\"}"}`;
  const goesOn =
    `{"db_password": "[SECRET]${rest}", "b": "{\\"phone\\": \\"[PHONE]\\", \\"c\\": \\"${rest}\\"}"}`;
  assert.equal(read(views.redact, [text]).text, goesOn);
  assert.equal(read(views.redact, [...text]).text, goesOn);
});

const fragments = fc.constantFrom(
  "ann@example.com",
  "id-4711-x",
  "4111 1111 1111 1111",
  "+1 415 555 2671",
  "blue bird",
  "😀",
  "é",
  "\n",
  '"',
  "\\",
  "/",
  " ",
  "word ",
  "{",
  "x".repeat(600),
);
const strings = fc.array(fragments, { maxLength: 4 }).map((parts) => parts.join(""));
const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    strings,
    fc.constantFrom(4155552671, 4111111111111111, 1.5, true, null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "phone", "password", "id-4711-x", "ann@example.com"), tie("value"), {
      maxKeys: 3,
    }),
    fc.array(tie("value"), { maxLength: 2 }).map((list) => JSON.stringify(list)),
  ),
}));

/** With some characters as escapes, and white space. */
const texts = fc.tuple(
  fc.oneof(fc.array(values, { maxLength: 4 }), fc.dictionary(strings, values, { maxKeys: 4 })),
  fc.nat(7),
).map(([value, every]) =>
  JSON.stringify(value, undefined, every % 3).replaceAll(
    /"(?:[^"\\]|\\.)*"/g,
    (literal) =>
      literal.replaceAll(
        /(?<!\\)[a-z@.-]/g,
        (one, at: number) => at % (every + 1) === 0 ? `\\u00${one.charCodeAt(0).toString(16)}` : one,
      ),
  )
);

Deno.test("JSON is read as arguments are, and wherever it is cut or damaged a stream says the same as the whole", () => {
  const cuts = fc.array(fc.nat(5_000), { maxLength: 6 });
  assertProperty(
    fc.property(
      texts,
      cuts,
      fc.option(fc.tuple(fc.nat(5_000), fc.constantFrom("", "x", '"', "}", ",", "\\")), {
        freq: 2,
      }),
      (text, places, damage) => {
        const [at = 0, instead = ""] = damage ?? [];
        const place = at % (text.length + 1);
        const said = damage === null ? text : text.slice(0, place) + instead + text.slice(place + 1);
        const whole = read(views.redact, [said]);
        const cut = read(views.redact, split(said, places));
        assert.deepEqual([cut.text, cut.found], [whole.text, whole.found]);
        const letters = read(views.redact, [...said.split(""), ""]);
        assert.deepEqual([letters.text, letters.found], [whole.text, whole.found]);
        if (damage !== null || /"(?:[^"\\]|\\.){700,}"/.test(text)) return;
        assert.deepEqual([whole.text, whole.found], Object.values(readAsArguments(views.redact, said)));
        JSON.parse(whole.text);
      },
    ),
    { numRuns: 500 },
  );
});
