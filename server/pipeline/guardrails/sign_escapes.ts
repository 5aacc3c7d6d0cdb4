/** Signs as addresses and HTML escape them: `%40`, `&#64;`, `&commat;`. An escape may be escaped itself: `%2540`. */

const names: ReadonlyMap<string, string> = new Map(Object.entries({
  "commat": "@",
  "period": ".",
  "hyphen": "-",
  "dash": "-",
  "ndash": "-",
  "minus": "-",
  "colon": ":",
  "lowbar": "_",
  "sol": "/",
  "plus": "+",
  "nbsp": " ",
  "ensp": " ",
  "emsp": " ",
  "thinsp": " ",
  "Tab": " ",
  "shy": "",
  "zwj": "",
  "zwnj": "",
}));

const percent = "%(?:25){0,2}";
const entity = "&(?:amp;){0,2}";
const numbered = "#(?:0{0,4}[1-9]\\d{1,2}(?!\\d)|[xX]0{0,4}[2-7][\\dA-Fa-f](?![\\dA-Fa-f]));?";
/** Source of an expression for all of them. */
export const signEscape = `${percent}[2-7][\\dA-Fa-f]|${entity}(?:${numbered}|(?:${
  [...names.keys()].join("|")
});)`;

/** Source of an expression for the beginning of one, or for one that may go on. */
export const begunSign =
  `${percent}[2-7]?|${entity}(?:#(?:0{0,4}(?:[1-9]\\d{0,2})?|[xX]0{0,4}(?:[2-7][\\dA-Fa-f]?)?)|[A-Za-z]{0,6})`;

const [FIRST_PRINTED, LAST_PRINTED] = [32, 126];
const isPrinted = (code: number) => code >= FIRST_PRINTED && code <= LAST_PRINTED;

/** The character that `%40` or `&#64;` stands for; itself where that is none that is printed. */
export function unmark(escape: string): string {
  const [, hexadecimal, decimal, name] =
    /(?:%(?:25)*|#0*[xX]0*)([\dA-Fa-f]{2});?$|#0*(\d+);?$|([A-Za-z]+);$/.exec(escape) ?? [];
  if (name !== undefined) return names.get(name) ?? escape;
  const code = hexadecimal === undefined ? Number(decimal) : parseInt(hexadecimal, 16);
  return isPrinted(code) ? String.fromCharCode(code) : escape;
}
