/** How many pictures of results a model is shown in a request, and which models are. */

import assert from "node:assert/strict";
import { ResultImages } from "./result_images.ts";

const MIB = 1024 * 1024;
const url = (chars: number): string => "data:image/png;base64,".padEnd(chars, "A");

/** Pictures of one result after the other, and how many of each are shown. */
const cases: Readonly<Record<string, readonly (readonly [readonly string[], number])[]>> = {
  "none": [[[], 0]],
  "as many as there are": [[[url(100), url(100)], 2], [[url(100)], 1]],
  "at most 20": [[Array<string>(19).fill(url(100)), 19], [[url(100), url(100)], 1], [[url(100)], 0]],
  "8 MiB of base64 at most": [[[url(5 * MIB), url(4 * MIB), url(3 * MIB)], 2], [[url(100)], 0]],
};

for (const [name, results] of Object.entries(cases)) {
  Deno.test(`a request shows pictures of results: ${name}`, () => {
    const images = new ResultImages();
    for (const [urls, shown] of results) {
      const output = images.outputOf("text", urls);
      const parts = typeof output === "string" ? [] : output.filter(({ type }) => type === "image");
      assert.equal(parts.length, shown);
      if (shown === 0) assert.equal(output, "text");
    }
  });
}
