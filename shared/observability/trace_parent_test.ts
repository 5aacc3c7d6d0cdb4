import assert from "node:assert/strict";
import { parseTraceparent, renderTraceparent, traceFieldsParent } from "./trace_parent.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

Deno.test("parseTraceparent reads what renderTraceparent writes, and nothing else", () => {
  const parent = { traceId, spanId, traceFlags: 1 };
  assert.deepEqual(parseTraceparent(renderTraceparent(parent)), parent);
  const others = [
    undefined,
    "",
    `01-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
  ];
  for (const other of others) assert.equal(parseTraceparent(other), undefined, other);
});

Deno.test("traceFieldsParent takes ids of the standard only", () => {
  const parent = { traceId, spanId, traceFlags: 1 };
  assert.deepEqual(traceFieldsParent({ trace_id: traceId, parent_span_id: spanId }), parent);
  assert.equal(traceFieldsParent({ trace_id: "my trace", parent_span_id: spanId }), undefined);
  assert.equal(traceFieldsParent({ trace_id: traceId }), undefined);
});
