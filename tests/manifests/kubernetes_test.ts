/** Objects of the chart against the JSON schemas of Kubernetes, by kubernetes-validate. */

import assert from "node:assert/strict";
import { need } from "../support/need.ts";
import { releases } from "./chart_releases.ts";
import { hasHelm, render } from "./helm.ts";
import { findOnPath } from "./programs.ts";

const PROGRAM = "kubernetes-validate";
/** The oldest one that Chart.yaml takes, and the newest that the package has. */
const VERSIONS = ["1.30", "1.37"];
/** Objects of the Prometheus operator and the Gateway API, which Kubernetes itself does not have. */
const OTHERS = ["HTTPRoute", "ServiceMonitor"];

const canValidate = need(findOnPath(PROGRAM) !== undefined, {
  what: "kubernetes-validate (pip install kubernetes-validate)",
  for: "Tests of the chart against Kubernetes' schemas",
});

/** Its exit status, and its lines. */
async function validate(manifests: string) {
  const file = await Deno.makeTempFile({ suffix: ".yaml" });
  try {
    await Deno.writeTextFile(file, manifests);
    const versions = VERSIONS.flatMap((version) => ["-k", version]);
    const command = new Deno.Command(PROGRAM, { args: ["--strict", ...versions, file] });
    const { code, stdout, stderr } = await command.output();
    const words = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    return { code, lines: words.split("\n").filter((line) => line !== "") };
  } finally {
    await Deno.remove(file);
  }
}

Deno.test({
  name: "Kubernetes' schemas take every object of the chart, strictly",
  ignore: !hasHelm || !canValidate,
  fn: async (t) => {
    for (const [name, { values, kinds }] of Object.entries(releases)) {
      await t.step(name, async () => {
        const { text } = await render(values);
        const { code, lines } = await validate(text);
        assert.equal(code, 0, lines.join("\n"));
        const known = kinds.filter((kind) => !OTHERS.includes(kind));
        const passed = lines.filter((line) => line.startsWith("INFO") && line.includes(" passed "));
        assert.equal(passed.length, known.length * VERSIONS.length, lines.join("\n"));
      });
    }
    await t.step("and find a field that is misspelled", async () => {
      const { text } = await render(releases.embedded.values);
      const { code } = await validate(
        text.replace("terminationGracePeriodSeconds", "terminationGraceSeconds"),
      );
      assert.notEqual(code, 0);
    });
  },
});
