import assert from "node:assert/strict";
import { testEndpoint } from "../../../tests/support/endpoint.ts";
import { compressionMode, type ModeInput, trimsItself } from "./compression_mode.ts";

const small = testEndpoint({ model: { contextLength: 8_192 } });
const large = testEndpoint({ model: { contextLength: 8_193 } });
const unknown = testEndpoint({ model: { contextLength: null } });
const painter = testEndpoint({ model: { contextLength: 8_192, outputModalities: ["image"] } });
const plugin = (fields = {}): ModeInput => ({ plugins: [{ id: "context-compression", ...fields }] });
const plain: ModeInput = { plugins: [] };

const cases: Readonly<Record<string, readonly [ModeInput, ...(string | undefined)[]]>> = {
  // For the small context, the large one and an unknown one.
  "nothing is said": [plain, "middle-out", undefined, undefined],
  "another plugin": [{ plugins: [{ id: "web" }] }, "middle-out", undefined, undefined],
  "the plugin is named": [plugin(), "middle-out", "middle-out", "middle-out"],
  "the plugin is on": [plugin({ enabled: true }), "middle-out", "middle-out", "middle-out"],
  "the plugin is off": [plugin({ enabled: false }), undefined, undefined, undefined],
  "auto": [{ ...plain, truncation: "auto" }, "oldest-first", "oldest-first", "oldest-first"],
  "auto and the plugin": [
    { ...plugin(), truncation: "auto" },
    "oldest-first",
    "oldest-first",
    "oldest-first",
  ],
  "auto, the plugin off": [
    { ...plugin({ enabled: false }), truncation: "auto" },
    "oldest-first",
    "oldest-first",
    "oldest-first",
  ],
  "disabled": [{ ...plain, truncation: "disabled" }, undefined, undefined, undefined],
  "disabled and the plugin": [
    { ...plugin(), truncation: "disabled" },
    "middle-out",
    "middle-out",
    "middle-out",
  ],
};

for (const [name, [request, ...expected]] of Object.entries(cases)) {
  Deno.test(`compressionMode is what the request says, else what the context is for: ${name}`, () => {
    assert.deepEqual([small, large, unknown].map((endpoint) => compressionMode(request, endpoint)), expected);
    assert.equal(compressionMode(request, painter), undefined, "images only");
  });
}

Deno.test("trimsItself is true for providers that take truncation themselves", () => {
  const at = (provider = {}) => trimsItself("oldest-first", testEndpoint({ provider }));
  assert.equal(at(), true);
  assert.equal(at({ wire: "chat" }), false);
  assert.equal(at({ builtIn: true }), false);
  assert.equal(at({ quirks: { omit: ["truncation"] } }), false);
  assert.equal(trimsItself("middle-out", testEndpoint()), false);
});
