import assert from "node:assert/strict";
import { dataUrl, mediaTypeByName } from "./data_url.ts";

Deno.test("dataUrl keeps data URLs and tells the type of bare base64", () => {
  assert.equal(dataUrl("data:text/plain,hi", "a.pdf"), "data:text/plain,hi");
  assert.equal(dataUrl("JVBERi0xLjQ="), "data:application/pdf;base64,JVBERi0xLjQ=");
  assert.equal(dataUrl("YSxi", "Table.CSV"), "data:text/csv;base64,YSxi");
  assert.equal(dataUrl("AAAA", "x.bin"), "data:application/octet-stream;base64,AAAA");
});

Deno.test("mediaTypeByName goes by the ending", () => {
  assert.equal(mediaTypeByName("/a/b.md"), "text/markdown");
  assert.equal(mediaTypeByName("plain"), undefined);
});
