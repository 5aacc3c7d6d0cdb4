/** Other ways to write the characters of a text. */

const fullWidth = (text: string) =>
  text.replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0));
const digitsFrom = (zero: number) => (text: string) =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
export const hexOf = (one: string) => one.charCodeAt(0).toString(16);
export const escapeOf = (one: string) => `\\u${hexOf(one).padStart(4, "0")}`;
const between = (mark: string) => (text: string) => [...text].join(mark);
const spaced = (space: string) => (text: string) => text.replaceAll(" ", space);

const digitsOf = (written: string) => (text: string) =>
  text.replace(/\d/g, (digit) => [...written][Number(digit)] ?? digit);
/** Where an alphabet of mathematicians has its A, its a and its 0. */
interface Alphabet {
  readonly upper: number;
  readonly lower: number;
  readonly zero: number;
}

const alphabetFrom = ({ upper, lower, zero }: Alphabet) => (text: string) =>
  text.replace(/[A-Za-z\d]/g, (one) => {
    const from = /\d/.test(one) ? zero - 48 : one < "a" ? upper - 65 : lower - 97;
    return String.fromCodePoint(from + one.charCodeAt(0));
  });

/** Each way to spell, by its name. */
export const spellings: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  "full width": fullWidth,
  "Arabic digits": digitsFrom(0x660),
  "Persian digits": digitsFrom(0x6f0),
  "Devanagari digits": digitsFrom(0x966),
  "zero width spaces": between("\u200b"),
  "word joiners": between("\u2060"),
  "soft hyphens": between("\u00ad"),
  "marks of direction": between("\u200e\u200f"),
  tabs: spaced("\t"),
  "no-break spaces": spaced("\u00a0"),
  "thin spaces": spaced("\u2009"),
  "ideographic spaces": spaced("\u3000"),
  "en dashes": (text) => text.replaceAll("-", "\u2013"),
  "minus signs": (text) => text.replaceAll("-", "\u2212"),
  "non-breaking hyphens": (text) => text.replaceAll("-", "\u2011"),
  "small forms": (text) => text.replaceAll("@", "\ufe6b").replaceAll(".", "\ufe52").replaceAll("-", "\ufe63"),
  "one dot leaders": (text) => text.replaceAll(".", "\u2024"),
  "mathematical letters": alphabetFrom({ upper: 0x1d400, lower: 0x1d41a, zero: 0x1d7ce }),
  "letters of equal width": alphabetFrom({ upper: 0x1d670, lower: 0x1d68a, zero: 0x1d7f6 }),
  "segmented digits": digitsFrom(0x1fbf0),
  "Adlam digits": digitsFrom(0x1e950),
  "digits in circles": (text) =>
    text.replace(
      /[1-9]{3,}/g,
      (digits) => digits.replace(/./g, (one) => String.fromCharCode(0x245f + Number(one))),
    ),
  "raised digits": (text) => text.replace(/\d{3,}/g, digitsOf("⁰¹²³⁴⁵⁶⁷⁸⁹")),
  "lowered digits": (text) => text.replace(/\d{3,}/g, digitsFrom(0x2080)),
  "fillers": between("\u3164"),
  "tags": between("\u{e0061}"),
  "selectors of variants": between("\u{e0100}\ufe0f"),
  "struck through": between("\u0336"),
  "twice percent": (text) =>
    text.replaceAll("@", "%2540").replaceAll(" ", "%2520").replaceAll(".", "%25252e"),
  "entities of entities": (text) => text.replaceAll("@", "&amp;#64;").replaceAll(".", "&amp;amp;#x2E;"),
  "entities without an end": (text) => text.replace(/[@.](?=[a-z])/g, (one) => `&#${one.charCodeAt(0)}`),
  "entities with zeros": (text) => text.replaceAll("@", "&#00064;").replaceAll(".", "&#x0002e;"),
  percent: (text) => text.replaceAll("@", "%40").replaceAll(" ", "%20").replaceAll(".", "%2e"),
  entities: (text) => text.replaceAll("@", "&#64;").replaceAll(".", "&#x2E;").replaceAll("-", "&#45;"),
  "named entities": (text) => text.replaceAll("@", "&commat;").replaceAll(".", "&period;"),
  "escapes of signs": (text) => text.replace(/[^A-Za-z0-9]/g, escapeOf),
  "escapes of digits and letters": (text) => text.replace(/[A-Za-z0-9]/g, escapeOf),
  "escapes in capitals": (text) =>
    text.replace(/[^]/g, (one) => escapeOf(one).toUpperCase().replace("U", "u")),
  "escapes in JSON in JSON": (text) => text.replace(/[^]/g, (one) => `\\${escapeOf(one)}`),
  "escapes in JSON in JSON in JSON": (text) => text.replace(/[^A-Za-z]/g, (one) => `\\\\\\${escapeOf(one)}`),
  "escapes of full width": (text) => fullWidth(text).replace(/[^ ]/g, escapeOf),
  "escapes of zero width spaces": between("\\u200b"),
  mixed: (text) => between("\u200b")(digitsFrom(0xff10)(text)).replaceAll("@", "%40"),
};
