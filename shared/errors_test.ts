import assert from "node:assert/strict";
import { type Operation, operationStatuses, refusalKinds, statusFor } from "./errors.ts";

function toOperation(name: string): Operation {
  return name as Operation;
}

function toKind(name: string): keyof typeof refusalKinds {
  return name as keyof typeof refusalKinds;
}

const operations = Object.keys(operationStatuses).map(toOperation);
const kinds = Object.keys(refusalKinds).map(toKind);

Deno.test("refusalKinds says of every kind what routing does with it", () => {
  for (const kind of kinds) {
    const { fallback, hurtsHealth, status } = refusalKinds[kind];
    assert(fallback === "next" || fallback === "unless_request", kind);
    // What is the request's own fault says nothing of the endpoint.
    if (fallback === "unless_request") assert.equal(hurtsHealth, false, kind);
    if (status >= 500) assert.equal(fallback, "next", kind);
  }
});

Deno.test("statusFor keeps to each operation's list, and blames nobody for a client's slow body", () => {
  for (const operation of operations) {
    const listed: readonly number[] = operationStatuses[operation];
    for (const kind of kinds) assert(listed.includes(statusFor(operation, kind)), `${operation} ${kind}`);
    assert.equal(statusFor(operation, "slow_request"), listed.includes(408) ? 408 : 400, operation);
  }
  assert.equal(statusFor("create_speech", "timeout"), 524);
  assert.equal(statusFor("update_key", "timeout"), 500);
  assert.equal(statusFor("create_message", "unprocessable"), 400);
});
