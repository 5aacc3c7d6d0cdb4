import assert from "node:assert/strict";
import { copyAs, languages } from "./copy_as.ts";

const hostile = {
  model: "local/echo",
  input: [{
    role: "user",
    content: 'It\'s "quoted" $API_KEY `x` \\ \n</script> END_OF_BODY\nEND_OF_BODY é 漢 \u2028 😀',
  }],
  stream: false,
  temperature: 0.5,
  metadata: null,
  tools: [],
};

Deno.test("copyAs names the key by a variable only, and each text stands where no shell and no language reads it", () => {
  for (const language of languages) {
    const text = copyAs(language, { origin: "http://127.0.0.1:8787", api: "responses", body: hostile });
    assert.match(text, /API_KEY/);
    assert.match(text, /http:\/\/127\.0\.0\.1:8787\/v1\/responses/);
    assert.doesNotMatch(text, /tg-(?:api|mgmt)-/);
  }
  const curl = copyAs("curl", { origin: "http://a", api: "responses", body: hostile }).split("\n");
  const from = curl.findIndex((line) => line.endsWith("<<'END_OF_BODY'"));
  const until = curl.indexOf("END_OF_BODY");
  assert.deepEqual(JSON.parse(curl.slice(from + 1, until).join("\n")), hostile);
});

Deno.test("copyAs writes values as Python has them", () => {
  const text = copyAs("Python", { origin: "http://a", api: "responses", body: hostile });
  assert.match(text, /"stream": False,/);
  assert.match(text, /"metadata": None,/);
  assert.match(text, /"tools": \[\],/);
});

Deno.test("copyAs writes TypeScript that any file of JavaScript may be, and that asks what was asked", async () => {
  for (const api of ["responses", "audio/speech"] as const) {
    const asked: unknown[] = [];
    const fetch = (address: string, { body }: { readonly body: string }) => {
      asked.push(address, JSON.parse(body));
      return Promise.resolve(new Response("{}", { status: 400 }));
    };
    const text = copyAs("TypeScript", { origin: "http://a", api, body: hostile });
    // The body of a plain function has neither types nor static imports nor an await of its own.
    const run = new Function("fetch", "process", text.replace(/main\(\);\n$/, "return main();"));
    await assert.rejects(() => run(fetch, { env: { API_KEY: "k" } }), { message: "{}" });
    assert.deepEqual(asked, [`http://a/v1/${api}`, hostile]);
  }
});
