/**
 * Damaged plugin objects: each request is answered, none is our fault. `SEED` chooses others, and `TOLLGATE_TEST_RUNS`
 * how many.
 */

import assert from "node:assert/strict";
import { everyPlugin } from "../fuzz/covering.ts";
import { mutatedFrom } from "../fuzz/mutate.ts";
import { SEARCH_KEY, startSearchMock } from "../mocks/search_upstream.ts";
import { paths } from "../server_tools/rig.ts";
import { hits } from "../server_tools/web_rig.ts";
import type { Json } from "../support/event_stream.ts";
import { startGateway } from "../support/gateway.ts";
import { runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";
import { apis, requestOn } from "./rig.ts";

const count = runs(2_000);

/** Each plugin alone and beside others, and each of them by its name alone, so that more of them get through. */
const plugins: readonly (readonly Json[])[] = [
  ...everyPlugin.map((plugin) => [plugin]),
  ...everyPlugin.map(({ id }) => [{ id }]),
  everyPlugin,
  [{ id: "web", engine: "exa", max_results: 3 }, { id: "web-fetch", max_uses: 1 }],
  [{ id: "web", search_prompt: "Cite." }, { id: "response-healing" }, { id: "context-compression" }],
];

for (const [at, api] of apis.entries()) {
  Deno.test(`damaged plugins are answered without a fault of ours, on ${api}`, async () => {
    await using engine = startSearchMock("exa", { hits });
    await using gateway = await startGateway({
      env: { TOLLGATE_LOCAL: "on", EXA_API_KEY: SEARCH_KEY },
      file: { search: { exa: { base_url: engine.url } } },
    });
    const corpus = plugins.map((list, index) =>
      JSON.stringify(
        requestOn(api, {
          model: "local/echo",
          text: "See http://127.0.0.1:1/.",
          plugins: list,
          stream: index % 2 === 0,
        }),
      )
    );
    let answered = 0;
    for (
      const { text, done } of mutatedFrom({ seed: seed + at, count: Math.ceil(count / apis.length), corpus })
    ) {
      const response = await fetch(gateway.url + paths[api], {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
        body: text,
      });
      const said = await response.text();
      const what = `seed ${seed}: ${done.join(", ")}: ${said.slice(0, 300)}`;
      assert(response.status < 500, `${response.status}, ${what}`);
      assert.doesNotMatch(said, /"(?:internal|internal_error)"/, what);
      if (response.status === 200) answered++;
    }
    assert.deepEqual(gateway.logged.filter((line) => line.includes('"level":"error"')), []);
    assert(answered > count / apis.length / 50, `${answered} were answered`);
  });
}
