import assert from "node:assert/strict";
import { compilePatternFilter } from "./pattern_filter.ts";
import { MAX_STATES, patternFault } from "./pattern_rules.ts";

/** Patterns of other dialects, and the advice that the fault has to give. */
const foreign: readonly (readonly [pattern: string, advice: RegExp])[] = [
  // Escapes of PCRE, Perl, Python, Java, .NET, Ruby, RE2, Tcl and XML Schema.
  ["\\Aab", /write \^/],
  ["ab\\z", /write \$/],
  ["ab\\Z", /write \$/],
  ["\\Gab", /no place/],
  ["a\\Kb", /match less/],
  ["\\Qa.b\\E", /a backslash before each/],
  ["a\\E", /a backslash before each/],
  ["a\\hb", /write \[ \\t\]/],
  ["a\\Hb", /write \[\^ \\t\]/],
  ["a\\Rb", /write \(\?:\\r\\n/],
  ["a\\Xb", /\\P\{M\}\\p\{M\}\*/],
  ["a\\Nb", /write \./],
  ["\\N{U+41}", /\\u\{/],
  ["a\\Vb", /write \[\^\\n/],
  ["\\C", /write \[\^\]/],
  ["\\e", /\\x1b/],
  ["\\a", /\\x07/],
  ["\\o{101}", /\\x/],
  ["\\x{41}", /write \\u\{41\}/],
  ["\\x4", /without a character's number/],
  ["\\u41", /without a character's number/],
  ["\\U00000041", /\\u\{/],
  ["\\c", /without a character's number/],
  ["\\012", /octal/],
  ["[\\1]", /octal/],
  ["\\y", /\\b/],
  ["\\mab\\M", /\\b/],
  ["\\Lab", /\(\?i:/],
  ["\\iab", /write i for the letter/],
  ["[\\B]", /write B for the letter/],
  ["ab\\", /\\\\ for one/],
  // Properties.
  ["\\p{Han}", /write \\p\{Script=Han\}/],
  ["\\p{IsGreek}", /write \\p\{Script=Greek\}/],
  ["\\p{InGreek}", /write \\p\{Script=Greek\}/],
  ["\\p{^Lu}", /write \\P\{Lu\}/],
  ["\\pL", /write \\p\{L\}/],
  ["\\P{Latin}", /Script=Latin/],
  ["\\p{javaLowerCase}", /there are \\p\{L\}/],
  // Classes within classes.
  ["[[:alpha:]]", /write \[\\p\{L\}\]/],
  ["[a[:digit:]]", /write \[\\d\]/],
  ["[[:^space:]]", /write \[\\s\]/],
  ["[:alpha:]", /write \[\\p\{L\}\]/],
  ["[[.hyphen.]]", /write/],
  ["[[a-z]&&[aeiou]]", /class within a class|list the characters/],
  ["[a-z&&aeiou]", /list the characters/],
  ["[a-z--[aeiou]]", /list the characters/],
  ["[a-z-[aeiou]]", /class within a class/],
  ["[a[bc]]", /class within a class/],
  ["[]", /matches nothing/],
  ["[]ab]", /matches nothing/],
  ["[^]ab]", /class within a class, or a bracket at the beginning/],
  // Quantifiers.
  ["a{,5}", /write \{0,5\}/],
  ["a{1, 5}", /write \{1,5\}/],
  ["a{ 2 }", /write \{2\}/],
  ["a++", /possessive/],
  ["a*+", /possessive/],
  ["a?+", /possessive/],
  ["a{1,2}+", /possessive/],
  // Groups.
  ["(?i)x", /as in \(\?i:x\)/],
  ["(?im-s)x", /as in \(\?i:x\)/],
  ["(?x: a )", /only i, m and s/],
  ["(?U:a)", /only i, m and s/],
  ["(?^:a)", /\(\?-i:/],
  ["(?>a)", /atomic/],
  ["(?P<n>a)", /\(\?<name>/],
  ["(?P=n)", /reference/],
  ["(?P>n)", /once more/],
  ["(?R)", /once more/],
  ["(?1)", /once more/],
  ["(?&n)", /once more/],
  ["(?'n'a)", /\(\?<name>/],
  ["(?#note)a", /leave it out/],
  ["(?|a|b)", /\(\?:/],
  ["(?(1)a|b)", /both cases/],
  ["(*UTF8)a", /leave it out/],
  // References, and groups that look around.
  ["(a)\\1", /reference/],
  ["(a)\\g1", /reference/],
  ["(?<n>a)\\k<n>", /reference/],
  ["(?<n>a)\\k{n}", /reference/],
  ["b(?=a)", /looks around.*leave out the \(\?=, and the match has what stands behind it too/],
  ["(?<=a)b", /looks around.*leave out the \(\?<=, and the match has what stands before it too/],
  ["(?!a)b", /looks around.*except/],
  ["(?<!a)b", /looks around.*except/],
  ["(?<!\\w)b(?!\\w)", /looks around.*write \\b/],
  ["(?<!\\d)b", /looks around.*write \\b/],
  ["b(?![A-Za-z0-9_])", /looks around.*write \\b/],
  ["b(?=\\W|$)", /looks around.*write \\b/],
  ["b(?=\\s|$)", /looks around.*\(\?:\\s\|\$\)/],
  ["(?<=^|\\s)b", /looks around.*\(\?:\^\|\\s\)/],
  // Signs of programs around a pattern: JavaScript, Perl, Ruby, PHP, Python, Go, .NET, Rust.
  ["/x/", /slashes around it.*leave them out; where they are meant, write \\\//],
  ["/PRJ-\\d+/i", /leave them out, and write \(\?i:…\) around the rest/],
  ["/a[/]b\\/c/gims", /\(\?ims:…\)/],
  ["m/x/i", /slashes/],
  ["qr/x/", /slashes/],
  ["s/x/y/g", /slashes/],
  ["%r{x}i", /%r\{ and \}/],
  ["#PRJ-\\d+#i", /the signs #/],
  ["~x~iu", /the signs ~/],
  ['r"PRJ-\\d+"', /quotes.*\\x22/],
  ["r'x'", /quotes.*\\x27/],
  ['@"x"', /quotes/],
  ['r#"x"#', /quotes/],
  // Signs behind a backslash: grep, sed, vi and Emacs.
  ["\\<word", /\\<.*write \\b/],
  ["word\\>", /\\>.*write \\b/],
  ["\\`a", /write \^/],
  ["a\\'", /write \$/],
  ["\\_<word\\_>", /write \\b/],
  ["a\\{3\\}", /without a backslash to count/],
  ["a\\{1,3\\}", /without a backslash to count/],
  ["\\(ab\\|cd\\)", /write \( and \| and \) without a backslash/],
  ["[[:<:]]word[[:>:]]", /write \\b for the edge of a word/],
  // What is no pattern.
  ["(", /no regular expression/],
  ["[", /no regular expression/],
  ["a**", /no regular expression/],
  ["a{2,1}", /no regular expression/],
  ["[b-a]", /no regular expression/],
];

Deno.test("patternFault names what other dialects write, and what to write instead", () => {
  for (const [pattern, advice] of foreign) assert.match(patternFault(pattern) ?? "none", advice, pattern);
});

const impossible = [
  "()",
  "|",
  "a{0}",
  "(?:)",
  "^",
  "$",
  "\\b",
  "^$",
  "$a",
  "a^b",
  "\\b\\B",
  "a\\b\\Bb",
  "x[^\\s\\S]",
  "(?:a{0}|)",
  "[^]{0}",
];

Deno.test("patternFault refuses what can never match a character", () => {
  for (const pattern of impossible) assert.match(patternFault(pattern) ?? "none", /never match/, pattern);
});

/** Accepted patterns, each with a text and the first match in it. */
const taken: readonly (readonly [pattern: string, text: string, match: string | undefined])[] = [
  ["(?i:x)", "aXb", "X"],
  ["(?i:straße)", "STRAẞE", "STRAẞE"],
  ["(?m:^x$)", "a\r\nx\r\nb", "x"],
  ["(?m:^x$)", "a\u2028x\u2029b", "x"],
  ["(?m:^x$)", "a\vx", undefined],
  ["(?-m:^x$)", "a\nx", undefined],
  ["(?s:a.b)", "a\u2028b", "a\u2028b"],
  ["a.b", "a\u2028b", undefined],
  ["|ab", "xab", "ab"],
  ["a*", "baa", "aa"],
  ["a{0,2}", "baaa", "aa"],
  ["\\p{Script=Han}+", "p{Han} 漢字", "漢字"],
  ["\\p{L}\\_", "p{L}_ é_", "é_"],
  ["\\u{1F600}\\-", "u😀-", "😀-"],
  ["{name}", "a {name}", "{name}"],
  ["\\[x]", "a[x]", "[x]"],
  ["[[]", "a[", "["],
  ["[\\w\\-]+", "a-b", "a-b"],
  ["[\\<\\'\\`]b", "<b", "<b"],
  ["<b>", "<b>", "<b>"],
  ["\\_a\\_", "_a_", "_a_"],
  ["\\(a\\)[|]\\|", "(a)||", "(a)||"],
  ["\\{a\\}[{]3[}]", "{a}{3}", "{a}{3}"],
  ["/api/v1/", "/api/v1/", "/api/v1/"],
  ["/etc/passwd", "/etc/passwd", "/etc/passwd"],
  ["\\/x\\/i", "/x/i", "/x/i"],
  ["a/x/i", "a/x/i", "a/x/i"],
  ["#12#", "#12#", "#12#"],
  ['"a"', '"a"', '"a"'],
  ['ar"a"', 'ar"a"', 'ar"a"'],
  ["[^]b", "\nb", "\nb"],
  ["a{2}?", "aaa", "aa"],
  ["a+?b", "aab", "aab"],
  ["\\x41\\u0042\\cJ\\0", "AB\n\0", "AB\n\0"],
  ["[\\b]", "a\b", "\b"],
  ["a&&b", "a&&b", "a&&b"],
  ["(?<name>a)b", "ab", "ab"],
];

Deno.test("patterns that are taken mean what they say, on both engines", () => {
  for (const [pattern, text, match] of taken) {
    assert.equal(patternFault(pattern), undefined, pattern);
    for (const filter of [compilePatternFilter(pattern), compilePatternFilter(pattern, "linear")]) {
      const found = filter.find(text, 0);
      assert.equal(found && text.slice(found.start, found.end), match, `${pattern} on ${filter.engine}`);
    }
  }
});

Deno.test("patternFault tells what a pattern costs that is counted too far", () => {
  const fault = patternFault("([a-z]{1,50}){1,50}\\d");
  assert.match(fault ?? "", /2501 states/);
  assert.match(fault ?? "", new RegExp(`at most ${MAX_STATES}`));
  assert.equal(patternFault("[a-z]{1,1000}\\d"), undefined);
  assert.match(patternFault("a{1,1000000000}") ?? "", /1000000000 states/);
  assert.match(patternFault("(?:(?:a{99}){99}){99}") ?? "", /states/);
  assert.match(patternFault(`${"(".repeat(200)}a${")".repeat(200)}`) ?? "", /groups within groups/);
});
