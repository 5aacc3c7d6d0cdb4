import assert from "node:assert/strict";
import { characterNames } from "./character_names.ts";
import { decodeReferences } from "./character_references.ts";

/** Each name with its code points. */
const rows = characterNames.split(" ").flatMap((entry) => {
  const [names = "", points = ""] = entry.split("=");
  return names.split(",").map((name) => ({
    name,
    text: points.split(".").map((point) => `&#x${point};`).join(""),
  }));
});

Deno.test("decodeReferences knows every name of the HTML standard, and which need no semicolon", () => {
  assert.equal(new Set(rows.map(({ name }) => name)).size, 2_125);
  assert.equal(rows.filter(({ name }) => name.endsWith("*")).length, 106);
  for (const { name: marked, text } of rows) {
    const name = marked.replace("*", "");
    const character = decodeReferences(text, "text");
    for (const place of ["text", "attribute"] as const) {
      assert.equal(decodeReferences(`a &${name}; b`, place), `a ${character} b`, name);
      const open = `a &${name} b`;
      if (marked !== name) assert.equal(decodeReferences(open, place), `a ${character} b`, name);
      else if (place === "attribute") assert.equal(decodeReferences(open, place), open, name);
    }
  }
});

/** Rare names, by the standard's own table. */
const known = {
  rlm: "\u200f",
  lrm: "\u200e",
  zwnj: "\u200c",
  ZeroWidthSpace: "\u200b",
  ThickSpace: "\u205f\u200a",
  CounterClockwiseContourIntegral: "∳",
  NotEqualTilde: "≂\u0338",
  fjlig: "fj",
  bne: "=\u20e5",
  Afr: "𝔄",
  zscr: "𝓏",
  IOcy: "Ё",
  checkmark: "✓",
  NoBreak: "\u2060",
  lang: "\u27e8",
  epsi: "ε",
  epsilon: "ε",
  varepsilon: "ϵ",
  phi: "φ",
  hbar: "ℏ",
  bigstar: "★",
} as const;

Deno.test("decodeReferences reads rare names as browsers do", () => {
  for (const [name, text] of Object.entries(known)) {
    assert.equal(decodeReferences(`&${name};`, "text"), text, name);
    assert.equal(decodeReferences(`&${name}`, "text"), `&${name}`, name);
  }
  for (const name of ["RLM", "constructor", "__proto__", "copY", "counterclockwisecontourintegral"]) {
    assert.equal(decodeReferences(`&${name};`, "text"), `&${name};`);
  }
});

Deno.test("decodeReferences reads a name without its semicolon up to its last letter, in texts alone", () => {
  const cases = {
    "&notit; &notin; &notinva; &ampx &AMPX &copy2026": "¬it; ∉ ∉ &x &X ©2026",
    "&sup1x &sup10 &frac12c &szligg &thornn &ETHER": "¹x ¹0 ½c ßg þn ÐER",
    "&nonbsp; &am; &no &x": "&nonbsp; &am; &no &x",
  };
  for (const [written, text] of Object.entries(cases)) assert.equal(decodeReferences(written, "text"), text);
  for (const written of ["?a&notit;", "?a&ampx", "?a&copy2026", "?a&copy=1"]) {
    assert.equal(decodeReferences(written, "attribute"), written);
  }
});
