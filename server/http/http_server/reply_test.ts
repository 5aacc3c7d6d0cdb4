import assert from "node:assert/strict";
import { toResponse, WholeReply } from "./reply.ts";

Deno.test("toResponse makes a Response of whatever a request is answered with", async () => {
  const plain = new WholeReply('{"a":"é"}');
  plain.headers.set("x-request-id", "req_1");
  const response = toResponse(plain);
  assert.equal(response.status, 200);
  assert.deepEqual([...response.headers], [
    ["cache-control", "no-store"],
    ["content-type", "application/json"],
    ["x-request-id", "req_1"],
  ]);
  assert.deepEqual(await response.json(), { a: "é" });
  const own = new Response("x");
  assert.equal(toResponse(own), own);
});
