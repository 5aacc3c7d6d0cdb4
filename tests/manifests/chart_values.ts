/** Values of the Helm chart: the gateway's own settings, and what Kubernetes has to know besides. */

import * as z from "zod";
import { configFileSchema } from "../../server/config/config_file.ts";
import { type EnvSetting, envSettings } from "../../server/config/env_settings.ts";
import { variableName } from "../../server/config/keys/provider_keys.ts";
import { serviceSettings } from "../../server/config/search_settings.ts";
import { parseSwitch } from "../../server/config/setting_parsers.ts";
import { providerSettings } from "../../server/providers/mod.ts";

/** Settings that the chart makes itself, and the one for `deno task admin reencrypt`. */
const ofChart: ReadonlySet<string> = new Set(
  ["dataFolder", "configFile", "port", "newMasterKey"] satisfies readonly (keyof typeof envSettings)[],
);

const own = Object.entries<EnvSetting<unknown>>(envSettings)
  .filter(([key, { display }]) => display !== undefined && !ofChart.has(key))
  .map(([, setting]) => setting);
const ofServices = [...providerSettings, ...serviceSettings];
const isSecret = ({ kind }: (typeof ofServices)[number]) => kind === "key" || kind === "document";

/** YAML reads on and off without quotes as truth values; the chart writes them as words again. */
const switched = z.union([z.enum(["on", "off"]), z.boolean()]);
const written = z.union([z.string(), z.number(), z.boolean()]);

const plainSettings = Object.fromEntries([
  ...own.filter(({ secret }) => secret !== true).map(({ name, description, parse }) =>
    [name, (parse === parseSwitch ? switched : written).describe(description)] as const
  ),
  ...ofServices.filter((one) => !isSecret(one)).map(({ name, description }) =>
    [name, written.describe(description)] as const
  ),
]);

/** Set by the image: the gateway takes a variable or its file, not both. */
const ofImage = ["HOST", "PORT"];

/** A name of the gateway's own that it does not have is misspelled; the configuration file may name any other one. */
const secretName = z.union([
  z.enum([...own, ...ofServices].map(({ name }) => name).filter((name) => !ofImage.includes(name))),
  variableName.meta({ not: { anyOf: [{ pattern: "^TOLLGATE_" }, { enum: ofImage }] } }),
]);

/** Every value may be left out: values.yaml has the usual one. */
const part = <const S extends z.core.$ZodLooseShape>(shape: S) => z.strictObject(shape).partial();

/** Parts of Kubernetes' own objects, which Kubernetes checks. */
const kubernetesObject = z.record(z.string(), z.unknown());
const kubernetesList = z.array(kubernetesObject);
const words = z.record(z.string(), z.string());
const enabled = z.boolean();
const seconds = z.int().min(0).max(86_400);
const portNumber = z.int().min(1).max(65_535);
/** As Kubernetes writes sizes: 10Gi. */
const size = z.string().regex(/^[0-9]+([.][0-9]+)?([KMGTPE]i?)?$/);
const pods = z.int().min(0).max(10_000);
const podsAtLeast1 = z.int().min(1).max(10_000);

export const chartValues = part({
  /** Values for every chart of a larger one. */
  global: kubernetesObject,
  image: part({
    repository: z.string(),
    tag: z.string(),
    pullPolicy: z.enum(["Always", "IfNotPresent", "Never"]),
  }),
  imagePullSecrets: kubernetesList,
  nameOverride: z.string(),
  fullnameOverride: z.string(),
  store: z.enum(["embedded", "postgres"]),
  replicas: pods,
  config: configFileSchema,
  settings: part(plainSettings),
  secrets: part({
    existing: z.record(
      secretName,
      z.strictObject({ name: z.string().min(1), key: z.string().min(1).optional() }),
    ),
    values: z.record(secretName, z.string().min(1)),
  }),
  persistence: part({
    size,
    storageClass: z.string(),
    accessMode: z.enum(["ReadWriteOnce", "ReadWriteOncePod"]),
    existingClaim: z.string(),
    annotations: words,
  }),
  service: part({
    type: z.enum(["ClusterIP", "NodePort", "LoadBalancer"]),
    port: portNumber,
    annotations: words,
  }),
  serviceAccount: part({ create: z.boolean(), name: z.string(), annotations: words }),
  terminationGracePeriodSeconds: seconds,
  preStopSeconds: seconds,
  startupSeconds: z.int().min(5).max(86_400),
  resources: kubernetesObject,
  podSecurityContext: kubernetesObject,
  securityContext: kubernetesObject,
  podAnnotations: words,
  podLabels: words,
  nodeSelector: words,
  tolerations: kubernetesList,
  affinity: kubernetesObject,
  topologySpreadConstraints: kubernetesList,
  priorityClassName: z.string(),
  extraEnv: kubernetesList,
  extraVolumes: kubernetesList,
  extraVolumeMounts: kubernetesList,
  podDisruptionBudget: part({ enabled, maxUnavailable: podsAtLeast1 }),
  autoscaling: part({
    enabled,
    minReplicas: podsAtLeast1,
    maxReplicas: podsAtLeast1,
    targetCPUUtilizationPercentage: z.int().min(1).max(1_000),
  }),
  serviceMonitor: part({
    enabled,
    interval: z.string().regex(/^[0-9]+(ms|s|m|h)$/),
    labels: words,
  }),
  networkPolicy: part({ enabled, from: kubernetesList }),
  ingress: part({
    enabled,
    className: z.string(),
    annotations: words,
    hosts: z.array(z.string().min(1)),
    tls: kubernetesList,
  }),
  httpRoute: part({
    enabled,
    annotations: words,
    parentRefs: kubernetesList,
    hostnames: z.array(z.string().min(1)),
  }),
});

/** Text of values.schema.json. Helm before 3.18 reads no newer draft. */
export function valuesSchemaText(): string {
  const schema = z.toJSONSchema(chartValues, {
    target: "draft-07",
    io: "input",
    unrepresentable: "any",
    reused: "ref",
  });
  return `${JSON.stringify({ title: "Values of the chart tollgate", ...schema }, null, 2)}\n`;
}
