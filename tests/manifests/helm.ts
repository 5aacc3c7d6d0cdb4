/** Helm as a program: what it makes of the chart with some values. */

import { parseAllDocuments } from "yaml";
import * as z from "zod";
import { need } from "../support/need.ts";
import { chartFolder, type Values } from "./chart_folder.ts";
import { findOnPath } from "./programs.ts";

export const hasHelm = need(findOnPath("helm") !== undefined, {
  what: "helm (go install helm.sh/helm/v3/cmd/helm@v3.22.0)",
  for: "Tests that render the chart",
});

/** The release and the namespace of all tests. */
export const RELEASE = "gate";
export const NAMESPACE = "models";

const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
});

export type Manifest = z.output<typeof manifest>;

export interface Rendered {
  readonly text: string;
  readonly manifests: readonly Manifest[];
}

interface HelmEnd {
  readonly code: number;
  readonly out: string;
  /** Everything that it says, on both streams. */
  readonly words: string;
}

/** Runs a command of Helm on a chart, with values. It reads nothing of the machine's own settings. */
export async function helm(
  command: readonly string[],
  { values, chart = chartFolder }: { readonly values: Values; readonly chart?: string },
): Promise<HelmEnd> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/values.json`, JSON.stringify(values));
    const args = [...command, chart, "--namespace", NAMESPACE, "--values", `${folder}/values.json`];
    const env = {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: folder,
      KUBECONFIG: `${folder}/none`,
    };
    const { code, stdout, stderr } = await new Deno.Command("helm", { args, env, clearEnv: true }).output();
    const out = new TextDecoder().decode(stdout);
    return { code, out, words: out + new TextDecoder().decode(stderr) };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

interface RenderOptions {
  readonly chart?: string;
  /** Version of the cluster. */
  readonly kubernetes?: string;
}

/** The objects of a release with these values. Throws what Helm says where it refuses them. */
export async function render(
  values: Values,
  { chart = chartFolder, kubernetes = "1.34.0" }: RenderOptions = {},
): Promise<Rendered> {
  const command = ["template", RELEASE, "--kube-version", kubernetes];
  const { code, out, words } = await helm(command, { values, chart });
  if (code !== 0) throw new Error(words);
  const manifests = parseAllDocuments(out).map((document) => document.toJS()).filter((json) => json !== null);
  return { text: out, manifests: z.array(manifest).parse(manifests) };
}
