import assert from "node:assert/strict";
import { mediaTypeByName, toDataUrl } from "./data_url.ts";

Deno.test("toDataUrl keeps data URLs and tells the type of bare base64", () => {
  assert.equal(toDataUrl("data:text/plain,hi", "a.pdf"), "data:text/plain,hi");
  assert.equal(toDataUrl("JVBERi0xLjQ="), "data:application/pdf;base64,JVBERi0xLjQ=");
  assert.equal(toDataUrl("YSxi", "Table.CSV"), "data:text/csv;base64,YSxi");
  assert.equal(toDataUrl("AAAA", "x.bin"), "data:application/octet-stream;base64,AAAA");
});

Deno.test("mediaTypeByName goes by the ending", () => {
  assert.equal(mediaTypeByName("/a/b.md"), "text/markdown");
  assert.equal(mediaTypeByName("plain"), undefined);
});
