import assert from "node:assert/strict";
import { apiErrorKinds, type Operation, operationStatuses, statusForOperation } from "./errors.ts";

function toOperation(name: string): Operation {
  return name as Operation;
}

function toKind(name: string): keyof typeof apiErrorKinds {
  return name as keyof typeof apiErrorKinds;
}

const operations = Object.keys(operationStatuses).map(toOperation);
const kinds = Object.keys(apiErrorKinds).map(toKind);

Deno.test("apiErrorKinds says of every kind what routing does with it", () => {
  for (const kind of kinds) {
    const { fallback, hurtsHealth, status } = apiErrorKinds[kind];
    assert(fallback === "next" || fallback === "unless_request", kind);
    // What is the request's own fault says nothing of the endpoint.
    if (fallback === "unless_request") assert.equal(hurtsHealth, false, kind);
    if (status >= 500) assert.equal(fallback, "next", kind);
  }
});

Deno.test("statusForOperation keeps to each operation's list, and blames nobody for a client's slow body", () => {
  for (const operation of operations) {
    const listed: readonly number[] = operationStatuses[operation];
    for (const kind of kinds) {
      assert(listed.includes(statusForOperation(operation, kind)), `${operation} ${kind}`);
    }
    assert.equal(statusForOperation(operation, "slow_request"), listed.includes(408) ? 408 : 400, operation);
  }
  assert.equal(statusForOperation("create_speech", "timeout"), 524);
  assert.equal(statusForOperation("update_key", "timeout"), 500);
  assert.equal(statusForOperation("create_message", "unprocessable"), 400);
});
