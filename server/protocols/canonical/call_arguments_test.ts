import assert from "node:assert/strict";
import {
  callArgumentsObject,
  callArgumentsText,
  isDeepJson,
  parseCallArguments,
  writeCallArguments,
} from "./call_arguments.ts";

const deep = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;

Deno.test("parseCallArguments reads JSON objects that are not nested too deep, and blank texts", () => {
  const texts: Readonly<Record<string, boolean>> = {
    "{}": true,
    "": true,
    " \n": true,
    '{"a":{"b":[1]}}': true,
    [deep(64)]: true,
    [deep(65)]: false,
    [deep(50_000)]: false,
    "[1]": false,
    '"a"': false,
    "null": false,
    '{"a":': false,
  };
  for (const [text, isRead] of Object.entries(texts)) {
    assert.equal(parseCallArguments(text) !== undefined, isRead, text.slice(0, 40));
  }
  assert.deepEqual([deep(64), deep(65), deep(50_000), "no JSON"].map(isDeepJson), [false, true, true, false]);
});

Deno.test("callArgumentsText leaves an object's text as it is, and makes an object of all others", () => {
  const spaced = '{ "a" : 1 }';
  assert.equal(callArgumentsText(spaced), spaced);
  assert.equal(callArgumentsText("  "), "{}");
  for (const text of ["[1]", "7", '"a"', "null", '{"a":', deep(65), deep(50_000)]) {
    assert.deepEqual(JSON.parse(callArgumentsText(text)), callArgumentsObject(text));
  }
  assert.deepEqual(callArgumentsObject("[1]"), { arguments: [1] });
  assert.deepEqual(callArgumentsObject("null"), { arguments: null });
  assert.deepEqual(callArgumentsObject('{"a":'), { arguments: '{"a":' });
  assert.deepEqual(callArgumentsObject(deep(65)), { arguments: deep(65) });
});

Deno.test("writeCallArguments writes whatever a provider sends, and what is nested without end as well", () => {
  assert.equal(writeCallArguments({ a: [1, null] }), '{"a":[1,null]}');
  assert.equal(writeCallArguments(JSON.parse(deep(64))), deep(64));
  const others = `{"__proto__":${deep(90)},"b":[null,"\\"",{"c":1.5,"d":true},[]],"e":{}}`;
  for (const text of [deep(65), deep(50_000), others]) {
    assert.equal(writeCallArguments(JSON.parse(text)), text, text.slice(0, 60));
  }
});
