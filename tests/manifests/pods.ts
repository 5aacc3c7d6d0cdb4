/** Pods of rendered objects, and the settings that the gateway in one would read. */

import assert from "node:assert/strict";
import * as z from "zod";
import { type Config, readConfig } from "../../server/config/config.ts";
import { providerSettings } from "../../server/providers/mod.ts";
import type { Manifest } from "./helm.ts";

const probe = z.looseObject({
  httpGet: z.object({ path: z.string(), port: z.literal("http") }),
  periodSeconds: z.number(),
  failureThreshold: z.number(),
});

const items = z.array(z.object({ key: z.string(), path: z.string() }));

const volume = z.looseObject({
  name: z.string(),
  configMap: z.object({ name: z.string() }).optional(),
  secret: z.looseObject({ secretName: z.string(), items }).optional(),
  projected: z.looseObject({
    sources: z.array(z.object({ secret: z.object({ name: z.string(), items }) })),
  }).optional(),
});

const container = z.looseObject({
  args: z.array(z.string()).optional(),
  env: z.array(z.object({ name: z.string(), value: z.string().optional() })),
  ports: z.array(z.looseObject({ containerPort: z.number() })).default([]),
  startupProbe: probe.optional(),
  readinessProbe: probe.optional(),
  livenessProbe: probe.optional(),
  lifecycle: z.unknown().optional(),
  securityContext: z.unknown(),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })),
});

const podSpec = z.looseObject({
  securityContext: z.looseObject({ runAsUser: z.number() }),
  automountServiceAccountToken: z.boolean(),
  enableServiceLinks: z.boolean(),
  terminationGracePeriodSeconds: z.number().optional(),
  containers: z.array(container).length(1),
  volumes: z.array(volume),
});

type PodSpec = z.output<typeof podSpec>;

const podTemplate = z.looseObject({
  metadata: z.object({
    labels: z.record(z.string(), z.string()),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
  spec: podSpec,
});

/** The pods of a StatefulSet, a Deployment or a Job. */
export const podTemplateOf = ({ spec }: Manifest) => podTemplate.parse(Object(spec).template);

const podsOf = (manifests: readonly Manifest[], kinds: readonly string[]): readonly PodSpec[] =>
  manifests.filter(({ kind }) => kinds.includes(kind)).map((one) => podTemplateOf(one).spec);

/** The gateway's. */
export function podOf(manifests: readonly Manifest[]): PodSpec {
  const [spec, ...others] = podsOf(manifests, ["StatefulSet", "Deployment"]);
  assert(spec !== undefined && others.length === 0);
  return spec;
}

/** The migration's, where there is one. */
export const jobOf = (manifests: readonly Manifest[]): readonly PodSpec[] => podsOf(manifests, ["Job"]);

type Secrets = Readonly<Record<string, Readonly<Record<string, string>>>>;

const texts = z.record(z.string(), z.string());

/** Files in a pod by their paths, as far as volumes of ConfigMaps and Secrets bring them. */
function filesOf(manifests: readonly Manifest[], secrets: Secrets): ReadonlyMap<string, string> {
  const dataOf = (kind: string, name: string) =>
    texts.optional().parse(manifests.find((one) => one.kind === kind && one.metadata.name === name)?.data);
  const { containers: [first], volumes } = podOf(manifests);
  const files = new Map<string, string>();
  for (const { name, mountPath } of first?.volumeMounts ?? []) {
    const { configMap, projected } = volumes.find((one) => one.name === name) ?? {};
    const config = configMap === undefined ? {} : dataOf("ConfigMap", configMap.name) ?? {};
    for (const [key, text] of Object.entries(config)) files.set(`${mountPath}/${key}`, text);
    for (const { secret } of projected?.sources ?? []) {
      const own = Object.entries(dataOf("Secret", secret.name) ?? {}).map(([key, text]) => [key, atob(text)]);
      const data = { ...Object.fromEntries(own), ...secrets[secret.name] };
      for (const { key, path } of secret.items) {
        files.set(`${mountPath}/${path}`, z.string().parse(data[key]));
      }
    }
  }
  return files;
}

/** Address of the pod: the only variable that names a field of it. */
const POD_IP = "10.0.0.7";

interface PodSettings {
  readonly config: Config;
  readonly files: ReadonlyMap<string, string>;
}

/** The settings of the gateway in a pod. `secrets`: what Secrets outside of the release have, by their names. */
export function settingsOfPod(manifests: readonly Manifest[], secrets: Secrets): PodSettings {
  const files = filesOf(manifests, secrets);
  const env = new Map(
    podOf(manifests).containers[0]?.env.map((
      { name, value = POD_IP },
    ) => [name, value.replace("$(POD_IP)", POD_IP)]),
  );
  const config = readConfig({
    env: (name) => env.get(name),
    names: () => [...env.keys()],
    readFile: (path) => z.string().parse(files.get(path)),
    terminal: false,
  }, providerSettings);
  return { config, files };
}
