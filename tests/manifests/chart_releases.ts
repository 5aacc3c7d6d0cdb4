/** Values of releases that the tests render, and the objects that each has. */

import { parse } from "yaml";
import * as z from "zod";
import { parseJsonc } from "../../server/config/config_file.ts";
import { codeBlocks } from "../docs/commands.ts";
import { root } from "../support/task.ts";
import type { Values } from "./chart_folder.ts";

const example = await Deno.readTextFile(new URL("tollgate.example.jsonc", root));

/** The configuration file that the project shows, without its comments. */
export const exampleConfig: unknown = parseJsonc("tollgate.example.jsonc", example);

/** Values that docs/install.md shows. */
export async function shownValues(): Promise<Values> {
  const shown = (await codeBlocks("docs/install.md")).filter(({ language }) => language === "yaml");
  return z.record(z.string(), z.unknown()).parse(parse(shown[0]?.text ?? ""));
}

const image = { repository: "registry.example.com/llm/tollgate" };

/** Texts that must stand in no object but a Secret. */
export const secretTexts = {
  OPENAI_API_KEY: "sk-openai-0123456789",
  ACME_API_KEY: "acme-key-0123456789",
  SECOND_API_KEY: "second-key-0123456789",
  TOLLGATE_METRICS_TOKEN: "metrics-token-0123456789-0123456789",
} as const;

export const embedded: Values = { image };

/** Everything that one gateway may have. */
export const embeddedWhole: Values = {
  image: { ...image, tag: "0.1.0-7", pullPolicy: "Always" },
  imagePullSecrets: [{ name: "registry" }],
  config: exampleConfig,
  settings: {
    TOLLGATE_TRUST_PROXY: 1,
    TOLLGATE_FAULT_LAB: true,
    TOLLGATE_LOCAL: "on",
    TOLLGATE_ACCESS_LOG: false,
    OLLAMA_BASE_URL: "http://ollama:11434/v1",
    TOLLGATE_METRICS_LIMITS: 1000,
  },
  secrets: {
    existing: { ANTHROPIC_API_KEY: { name: "providers", key: "anthropic" } },
    values: secretTexts,
  },
  persistence: {
    size: "20Gi",
    storageClass: "fast",
    accessMode: "ReadWriteOncePod",
    annotations: { keep: "yes" },
  },
  service: { type: "LoadBalancer", port: 80, annotations: { internal: "true" } },
  serviceAccount: { annotations: { role: "none" } },
  podAnnotations: { team: "platform" },
  podLabels: { team: "platform" },
  nodeSelector: { disk: "ssd" },
  tolerations: [{ key: "llm", operator: "Exists" }],
  affinity: { nodeAffinity: {} },
  priorityClassName: "high",
  extraEnv: [{ name: "DENO_CERT", value: "/etc/authority/ca.pem" }],
  extraVolumes: [{ name: "authority", configMap: { name: "authority" } }],
  extraVolumeMounts: [{ name: "authority", mountPath: "/etc/authority", readOnly: true }],
  serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
  networkPolicy: { enabled: true, from: [{ podSelector: {} }] },
  ingress: {
    enabled: true,
    className: "nginx",
    hosts: ["llm.example.com"],
    tls: [{ secretName: "llm-tls", hosts: ["llm.example.com"] }],
  },
  httpRoute: { enabled: true, parentRefs: [{ name: "public" }], hostnames: ["llm.example.com"] },
};

const sharedSecrets = {
  TOLLGATE_STORE: { name: "gateway", key: "store" },
  TOLLGATE_MASTER_KEY: { name: "gateway", key: "master" },
  TOLLGATE_MANAGEMENT_KEY: { name: "gateway", key: "management" },
};

export const postgres: Values = { image, store: "postgres", secrets: { existing: sharedSecrets } };

/** Everything that several gateways may have. */
export const postgresWhole: Values = {
  ...embeddedWhole,
  store: "postgres",
  secrets: {
    existing: { TOLLGATE_MASTER_KEY: sharedSecrets.TOLLGATE_MASTER_KEY },
    values: {
      ...secretTexts,
      TOLLGATE_STORE: "postgres://gate:word-of-the-database@db:5432/gate",
      TOLLGATE_MANAGEMENT_KEY: "management-key-0123456789-0123456789",
    },
  },
  topologySpreadConstraints: [{
    maxSkew: 1,
    topologyKey: "kubernetes.io/hostname",
    whenUnsatisfiable: "ScheduleAnyway",
  }],
  autoscaling: { enabled: true },
};

/** Each release with the kinds of its objects. */
export const releases = {
  embedded: { values: embedded, kinds: ["Service", "ServiceAccount", "StatefulSet"] },
  embeddedWhole: {
    values: embeddedWhole,
    kinds: [
      "ConfigMap",
      "HTTPRoute",
      "Ingress",
      "NetworkPolicy",
      "Secret",
      "Service",
      "ServiceAccount",
      "ServiceMonitor",
      "StatefulSet",
    ],
  },
  postgres: {
    values: postgres,
    kinds: ["Deployment", "Job", "PodDisruptionBudget", "Service", "ServiceAccount"],
  },
  postgresWhole: {
    values: postgresWhole,
    kinds: [
      "ConfigMap",
      "Deployment",
      "HTTPRoute",
      "HorizontalPodAutoscaler",
      "Ingress",
      "Job",
      "NetworkPolicy",
      "PodDisruptionBudget",
      "Secret",
      "Secret",
      "Service",
      "ServiceAccount",
      "ServiceMonitor",
    ],
  },
} as const;
