/** The words by which texts are found: in one form for a text and for the query that looks for it. */

/** Letters, digits and the marks on them. */
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts that put no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** UTF-16 units of such a text that are cut into words at once. */
const RUN = 1_000;
/** UTF-16 units of a word. */
const LONGEST = 64;

const segmenter = new Intl.Segmenter("und", { granularity: "word" });

/** In their order, each as often as it stands there. */
export function* wordsOf(text: string): Generator<string> {
  for (const [found] of text.matchAll(WORD)) {
    if (!UNSPACED.test(found)) {
      yield wordForm(found);
      continue;
    }
    for (let at = 0; at < found.length; at += RUN) {
      for (const { segment } of segmenter.segment(found.slice(at, at + RUN))) yield wordForm(segment);
    }
  }
}

const LATIN = /^[a-z]+$/;
const ACCENTS = /[\u0300-\u036f]+/g;

function wordForm(word: string): string {
  const folded = word.slice(0, LONGEST).normalize("NFKC").toLowerCase().normalize("NFD").replace(ACCENTS, "")
    .replaceAll("ß", "ss").normalize("NFC");
  return LATIN.test(folded) ? stemOf(folded) : folded;
}

/** Endings of English and German words, longer ones first. */
const endings: readonly string[] = [
  "ungen",
  "heit",
  "keit",
  "ings",
  "ung",
  "ing",
  "ern",
  "est",
  "ies",
  "ied",
  "em",
  "en",
  "er",
  "es",
  "ed",
  "ly",
  "te",
  "e",
  "n",
  "s",
  "y",
];
/** Letters that stay of a word. */
const SHORTEST_STEM = 4;
const DOUBLED = /([b-df-hj-np-tv-z])\1$/;

/** Without endings, however many there are: what is cut too short is so in text and query alike. */
function stemOf(word: string): string {
  let stem = word;
  for (;;) {
    const ending = endings.find((one) => stem.endsWith(one) && stem.length - one.length >= SHORTEST_STEM);
    if (ending === undefined) return stem.length > SHORTEST_STEM ? stem.replace(DOUBLED, "$1") : stem;
    stem = stem.slice(0, -ending.length);
  }
}
