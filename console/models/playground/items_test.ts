import assert from "node:assert/strict";
import { itemsOf, type RunItem } from "./items.ts";
import type { Json } from "./json.ts";

const stepOf = (item: Json) => {
  const [shown] = itemsOf([item]);
  assert(shown?.type === "tool");
  const { name, input, output, state, images } = shown;
  return {
    name,
    input: input.value,
    output: output.value,
    state: state.value,
    images: images.value.length,
  };
};

const PNG = "iVBORw0KGgo=";

const steps: readonly (readonly [what: string, item: Json, expected: Partial<ReturnType<typeof stepOf>>])[] =
  [
    [
      "a server tool",
      { type: "service:datetime", status: "completed", datetime: "2026", timezone: "UTC" },
      {
        name: "datetime",
        input: "",
        output: '{\n  "datetime": "2026",\n  "timezone": "UTC"\n}',
        state: "completed",
      },
    ],
    [
      "arguments that are JSON",
      { type: "function_call", name: "look", arguments: '{"a":1}', status: "completed" },
      { name: "look", input: '{\n  "a": 1\n}', output: "" },
    ],
    [
      "arguments that are none",
      { type: "function_call", name: "look", arguments: '{"a":' },
      { input: '{"a":' },
    ],
    [
      "code with its logs",
      {
        type: "code_interpreter_call",
        code: "print(1)",
        outputs: [{ type: "logs", logs: "1" }],
        status: "completed",
      },
      { name: "code interpreter", input: "print(1)", output: "1" },
    ],
    [
      "a picture",
      { type: "image_generation_call", result: PNG, prompt: "a cat", status: "completed" },
      { name: "image generation", input: "a cat", output: "", images: 1 },
    ],
    [
      "an address in the place of a picture",
      { type: "service:image_generation", imageUrl: "https://evil.example/a.png", prompt: "a cat" },
      { images: 0 },
    ],
    [
      "a script in the place of a picture",
      { type: "image_generation_call", result: "data:image/svg+xml;base64,PHN2Zy8+" },
      { images: 0 },
    ],
    ["an error", { type: "service:web_fetch", url: "https://a.example", error: "gone" }, {
      name: "web fetch",
      state: "failed",
    }],
    ["names that every object inherits", { type: "constructor", __proto__: "x", toString: "y" }, {
      name: "constructor",
    }],
  ];

Deno.test("itemsOf shows what a tool was given and what came of it", () => {
  for (const [what, item, expected] of steps) {
    const shown = stepOf(item);
    assert.deepEqual({ ...shown, ...expected }, shown, what);
  }
});

Deno.test("itemsOf joins a call with the output that is an item of its own", () => {
  const shown: readonly RunItem[] = itemsOf([
    { type: "shell_call", call_id: "c1", action: { commands: ["ls"] }, status: "completed" },
    {
      type: "shell_call_output",
      call_id: "c1",
      output: [{ stdout: "a.txt", stderr: "" }],
      status: "completed",
    },
  ]);
  assert.equal(shown.length, 1);
  assert(shown[0]?.type === "tool");
  assert.deepEqual([shown[0].name, shown[0].output.value], ["shell", "a.txt"]);
});

Deno.test("itemsOf puts a source's number where the text names it, each source once", () => {
  const cite = (url: string, end_index: number) => ({ type: "url_citation", url, title: url, end_index });
  const [shown] = itemsOf([{
    type: "message",
    content: [{
      type: "output_text",
      text: "One. Two. One again.",
      annotations: [cite("https://a", 4), cite("https://b", 9), cite("https://a", 20)],
    }],
  }]);
  assert(shown?.type === "message");
  assert.deepEqual(shown.citations.value.map(({ number, url }) => [number, url]), [
    [1, "https://a"],
    [2, "https://b"],
  ]);
  const [[block] = []] = shown.text.groups.value;
  assert.equal(block?.text, "One.\uE0001\uE001 Two.\uE0002\uE001 One again.\uE0001\uE001");
});
