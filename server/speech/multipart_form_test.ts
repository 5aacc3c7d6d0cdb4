import assert from "node:assert/strict";
import { renderMultipart } from "./multipart_form.ts";

Deno.test("renderMultipart makes what a server reads as a form", async () => {
  const data = new Uint8Array([0, 13, 10, 255]);
  const { bytes, contentType } = renderMultipart([
    { type: "field", name: "text", value: "Köln\r\n--tollgate" },
    { type: "file", name: 'a"b', filename: "voice\n.wav", mediaType: "audio/wav", data: data.toBase64() },
  ]);
  const form = await new Response(bytes, { headers: { "content-type": contentType } }).formData();
  assert.equal(form.get("text"), "Köln\r\n--tollgate");
  const file = form.get("a%22b");
  assert(file instanceof File);
  assert.equal(file.type, "audio/wav");
  assert.equal(file.name, "voice%0A.wav");
  assert.deepEqual(await file.bytes(), data);
});

Deno.test("renderMultipart has another boundary for other contents", () => {
  const typeOf = (value: string) => renderMultipart([{ type: "field", name: "a", value }]).contentType;
  assert.notEqual(typeOf("one"), typeOf("two"));
  assert.equal(typeOf("one"), typeOf("one"));
});
