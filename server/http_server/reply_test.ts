import assert from "node:assert/strict";
import { FieldList, HeldReply, toResponse, WholeReply } from "./reply.ts";

Deno.test("FieldList sets a field once, appends as often as asked, and keeps their order", () => {
  const fields = new FieldList(["content-type", "text/plain"]);
  fields.set("x-a", "1");
  fields.append("vary", "Origin");
  fields.append("vary", "Accept");
  fields.set("content-type", "application/json");
  fields.set("x-a", "2");
  assert.deepEqual([...fields], [
    ["content-type", "application/json"],
    ["x-a", "2"],
    ["vary", "Origin"],
    ["vary", "Accept"],
  ]);
});

Deno.test("asResponse makes a Response of whatever a request is answered with", async () => {
  const plain = new WholeReply('{"a":"é"}');
  plain.headers.set("x-request-id", "req_1");
  const response = await toResponse(plain);
  assert.equal(response.status, 200);
  assert.deepEqual([...response.headers], [["content-type", "application/json"], ["x-request-id", "req_1"]]);
  assert.deepEqual(await response.json(), { a: "é" });
  const own = new Response("x");
  assert.equal(await toResponse(own), own);
  assert.equal(await toResponse(new HeldReply(plain, Promise.resolve(own))), own);
  const held = new HeldReply(plain, Promise.resolve(undefined)).finishedBy((reply) => {
    reply.headers.set("x-late", "1");
    return reply;
  });
  assert.equal((await toResponse(held)).headers.get("x-late"), "1");
});
