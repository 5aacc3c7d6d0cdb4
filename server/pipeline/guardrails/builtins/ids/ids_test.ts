import assert from "node:assert/strict";
import { type NationalIdSlug, nationalIdSlugs } from "../../../../../shared/guardrails.ts";
import { findAll, negatives } from "../../../../../tests/support/filter_corpus.ts";
import { isMonthAndDay, passesLuhn, passesVerhoeff, restOf, weigh } from "./check_digits.ts";
import { nationalIds } from "./mod.ts";

const found = (slug: NationalIdSlug, text: string) =>
  findAll(nationalIds[slug], text).map(({ start, end }) => text.slice(start, end));

interface Cases {
  /** Needed before a number that nothing else makes certain. */
  readonly word: string;
  /** Found with the word before them. */
  readonly announced: readonly string[];
  /** Found by themselves. */
  readonly certain: readonly string[];
}

/** Numbers that the issuers publish as examples, and others with right check digits. */
const cases: { readonly [S in NationalIdSlug]: Cases } = {
  "iban": {
    word: "",
    announced: [],
    certain: [
      "DE89370400440532013000",
      "DE89 3704 0044 0532 0130 00",
      "GB33BUKB20201555555555",
      "FR14 2004 1010 0505 0001 3M02 606",
      "NL91 ABNA 0417 1643 00",
      "MT84MALT011000012345MTLCAST001S",
      "RO49 AAAA 1B31 0075 9384 0000",
      "NO93 8601 1117 947",
    ],
  },
  "in-aadhaar": { word: "Aadhaar", announced: ["2345 6789 0124", "234567890124"], certain: [] },
  "uk-nhs": { word: "NHS number", announced: ["943 476 5919", "9434765919", "401-023-2137"], certain: [] },
  "br-cpf": { word: "CPF", announced: ["52998224725"], certain: ["529.982.247-25", "111.444.777-35"] },
  "br-cnpj": { word: "cnpj", announced: ["11222333000181"], certain: ["11.222.333/0001-81"] },
  "pl-pesel": { word: "pesel", announced: ["44051401359", "02070803628"], certain: [] },
  "pl-nip": { word: "NIP", announced: ["123-456-32-18", "1234563218"], certain: [] },
  "ca-sin": { word: "SIN", announced: ["130 692 544", "130-692-544", "130692544"], certain: [] },
  "nl-bsn": { word: "BSN", announced: ["111222333", "1112.22.333"], certain: [] },
  "es-dni": { word: "DNI", announced: ["12345678Z", "12345678-Z", "X1234567L", "Y-1234567-X"], certain: [] },
  "it-codice-fiscale": { word: "", announced: [], certain: ["RSSMRA85T10A562S", "MRTMTT91D08F205J"] },
  "fr-nir": {
    word: "numéro de sécurité sociale",
    announced: ["255081416802538"],
    certain: ["2 55 08 14 168 025 38"],
  },
  "be-national-number": {
    word: "rijksregisternummer",
    announced: ["85073003328", "850730-033.28"],
    certain: ["85.07.30-033.28"],
  },
  "se-personnummer": {
    word: "personnummer",
    announced: ["811218-9876", "8112189876"],
    certain: ["19811218-9876"],
  },
  "fi-hetu": { word: "", announced: [], certain: ["131052-308T"] },
  "tr-tckn": { word: "TC Kimlik No", announced: ["10000000146"], certain: [] },
  "au-tfn": { word: "TFN", announced: ["123 456 782", "123456782"], certain: [] },
  "au-abn": { word: "ABN", announced: ["51 824 753 556", "51824753556"], certain: [] },
  "au-medicare": { word: "Medicare", announced: ["2123 45670 1", "2123456701"], certain: [] },
  "sg-nric": { word: "", announced: [], certain: ["S1234567D", "T0123456G", "F1234567N"] },
};

/** Another digit in the last place, or another letter. */
const spoil = (number: string): string =>
  number.replace(
    /\w(?=\W*$)/,
    (last) => /\d/.test(last) ? `${(Number(last) + 1) % 10}` : last === "A" ? "B" : "A",
  );

Deno.test("each filter finds its numbers, and none with another check digit", () => {
  for (const slug of nationalIdSlugs) {
    const { word, announced, certain } = cases[slug];
    for (const number of certain) assert.deepEqual(found(slug, `x (${number}), y.`), [number], slug);
    for (const number of announced) {
      assert.deepEqual(found(slug, `x ${word}: ${number}, y.`), [number], `${slug} ${number}`);
      assert.deepEqual(
        found(slug, `"${word.replaceAll(" ", "_")}": "${number}"`),
        [number],
        `${slug} ${number}`,
      );
      assert.deepEqual(found(slug, `x (${number}), y.`), [], `${slug} ${number}`);
    }
    for (const number of [...certain, ...announced]) {
      // Medicare's last digit is a person's place on the card.
      if (slug === "au-medicare") continue;
      assert.deepEqual(found(slug, `${word}: ${spoil(number)}`), [], `${slug} ${spoil(number)}`);
    }
  }
});

Deno.test("no filter finds a part of a longer number, or a repeated digit", () => {
  for (const slug of nationalIdSlugs) {
    const { word, announced, certain } = cases[slug];
    for (const number of [...announced, ...certain]) {
      for (const text of [`A${number}`, `${number}7`, `${number}-77`, `1.${number}`, `7-${number}`]) {
        assert.equal(found(slug, `${word} ${text}`).includes(number), false, `${slug} ${text}`);
      }
    }
    for (const length of [8, 9, 10, 11, 12, 14]) {
      const text = `${word}: ${"1".repeat(length)}`;
      assert.deepEqual(found(slug, text), [], text);
    }
  }
});

Deno.test("no filter finds anything in prose, in code, in a log or in its own placeholder", () => {
  const log = Array.from({ length: 2_000 }, (_, n) => {
    const id = 1_000_000_000 + n * 7_919_111;
    return `2026-11-26T10:${n % 60}:07.${n}Z INFO order=${id} took=${n}ms trace=${id}${n} user-${id * 7}`;
  });
  const lines = [...[...negatives.values()].flat(), ...log];
  for (const slug of nationalIdSlugs) {
    for (const line of lines) assert.deepEqual(found(slug, line), [], `${slug} ${line}`);
    assert.deepEqual(found(slug, nationalIds[slug].placeholder), []);
  }
});

Deno.test("sums of check digits", () => {
  assert.ok(passesLuhn([7, 9, 9, 2, 7, 3, 9, 8, 7, 1, 3]));
  assert.ok(!passesLuhn([7, 9, 9, 2, 7, 3, 9, 8, 7, 1, 4]));
  assert.ok(passesVerhoeff([2, 3, 6, 3]));
  assert.ok(!passesVerhoeff([2, 6, 3, 3]));
  assert.equal(restOf("123456789012345678901234567890", 97), Number(123456789012345678901234567890n % 97n));
  assert.equal(weigh([1, 2, 3], [3, 2]), 7);
  assert.ok(isMonthAndDay(2, 29) && !isMonthAndDay(2, 30) && !isMonthAndDay(13, 1));
});
