import assert from "node:assert/strict";
import { oldDenoSentence } from "./deno_version.ts";

Deno.test("a Deno older than 2.9 is told in one sentence, and a newer one is taken", () => {
  for (const old of ["2.5.7", "2.8.99", "1.46.3", "2.0.0-rc.1"]) {
    assert.match(oldDenoSentence(old) ?? "", new RegExp(`^Deno 2\\.9 or newer is needed; this is ${old}\\.`));
  }
  for (
    const version of ["2.9.0", "2.9.6", "2.10.0", "3.0.0", "2.9.0-rc.1+abc", "canary", Deno.version.deno]
  ) {
    assert.equal(oldDenoSentence(version), undefined, version);
  }
});
