/** Objects that Helm makes of the chart: they hold what docs/install.md promises. */

import assert from "node:assert/strict";
import * as z from "zod";
import { parseConfigFile } from "../../server/config/config_file.ts";
import { stopMs } from "../../server/app/start.ts";
import { pairsOf, readStages } from "../deploy/dockerfile.ts";
import { root } from "../support/task.ts";
import { embedded, exampleConfig, postgres, releases, secretTexts, shownValues } from "./chart_releases.ts";
import { chartFile, chartFolder, type Values } from "./chart_folder.ts";
import { defaultConfig } from "./default_config.ts";
import { hasHelm, helm, type Manifest, NAMESPACE, RELEASE, render } from "./helm.ts";
import { jobOf, podOf, podTemplateOf, settingsOfPod } from "./pods.ts";

const NAME = `${RELEASE}-tollgate`;

/** A test of the chart; without Helm it is left out. */
const chartTest = (name: string, fn: (t: Deno.TestContext) => Promise<void>) =>
  Deno.test({ name, ignore: !hasHelm, fn });

/** The only object of a kind. */
function only(manifests: readonly Manifest[], kind: string): Manifest {
  const [first, ...others] = manifests.filter((one) => one.kind === kind);
  assert(first !== undefined && others.length === 0, kind);
  return first;
}

chartTest("helm lint finds nothing", async (t) => {
  for (const [name, { values }] of Object.entries(releases)) {
    await t.step(name, async () => {
      const { code, words } = await helm(["lint", "--strict"], { values });
      assert.equal(code, 0, words);
      assert.doesNotMatch(words, /\[(?:WARNING|ERROR)\]/);
    });
  }
});

chartTest("each release has its objects, named and labelled after it", async (t) => {
  for (const [name, { values, kinds }] of Object.entries(releases)) {
    await t.step(name, async () => {
      const { manifests } = await render(values);
      assert.deepEqual(manifests.map(({ kind }) => kind).toSorted(), kinds);
      for (const { kind, metadata } of manifests) {
        assert([NAME, `${NAME}-migrate`].includes(metadata.name), `${kind} ${metadata.name}`);
        assert.equal(metadata.labels["app.kubernetes.io/instance"], RELEASE, kind);
        assert.equal(metadata.labels["app.kubernetes.io/managed-by"], "Helm", kind);
      }
    });
  }
});

chartTest(
  "the values of docs/install.md make several gateways that share a database and a bucket",
  async () => {
    const { manifests } = await render(await shownValues());
    const deployment = z.looseObject({ replicas: z.number() }).parse(only(manifests, "Deployment").spec);
    assert.equal(deployment.replicas, 3);
    const { config } = settingsOfPod(manifests, {
      tollgate: {
        store: "postgres://gate:word@db:5432/gate",
        master: btoa("k".repeat(32)),
        management: "m".repeat(32),
      },
      providers: { OPENAI_API_KEY: secretTexts.OPENAI_API_KEY },
      bucket: { AWS_ACCESS_KEY_ID: "AKIA0123456789", AWS_SECRET_ACCESS_KEY: "word-of-the-bucket" },
    });
    assert.equal(config.store?.database, "gate");
    assert.equal(Object(config.blobs).bucket, "files");
    assert.equal(config.limits.drainMs, 60_000);
    assert.equal(config.instanceUrl, "http://10.0.0.7:8787");
    assert.deepEqual(config.warnings, []);
  },
);

chartTest("names are those of the release and fit into a label, whatever is set", async () => {
  const long = "a".repeat(60);
  for (
    const [values, name] of [
      [{ nameOverride: "gate" }, "gate"],
      [{ nameOverride: "llm" }, "gate-llm"],
      [{ fullnameOverride: "models" }, "models"],
      [{ fullnameOverride: long }, long.slice(0, 50)],
      [{ nameOverride: long }, `gate-${long}`.slice(0, 50)],
    ] as const
  ) {
    const { manifests } = await render({ ...embedded, ...values });
    assert.equal(only(manifests, "StatefulSet").metadata.name, name);
  }
});

chartTest("a pod runs as the image's user, without rights, and without a token of Kubernetes", async (t) => {
  for (const [name, { values }] of Object.entries(releases)) {
    await t.step(name, async () => {
      const { manifests } = await render(values);
      for (const spec of [podOf(manifests), ...jobOf(manifests)]) {
        assert.deepEqual(spec.securityContext, {
          runAsNonRoot: true,
          runAsUser: 1993,
          runAsGroup: 1993,
          fsGroup: 1993,
          fsGroupChangePolicy: "OnRootMismatch",
          seccompProfile: { type: "RuntimeDefault" },
        });
        assert.equal(spec.automountServiceAccountToken, false);
        assert.equal(spec.enableServiceLinks, false);
        for (const { securityContext } of spec.containers) {
          assert.deepEqual(securityContext, {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ["ALL"] },
          });
        }
      }
      assert.equal(only(manifests, "ServiceAccount").automountServiceAccountToken, false);
    });
  }
});

chartTest("port, user, volume and folders are those of the image", async () => {
  const stages = readStages(await Deno.readTextFile(new URL("deploy/Dockerfile", root)));
  const last = stages.at(-1)?.instructions ?? [];
  const textOf = (name: string) => last.find((one) => one.name === name)?.text ?? "";
  const env = new Map(last.filter(({ name }) => name === "ENV").flatMap(({ text }) => pairsOf(text)));
  const spec = podOf((await render(embedded)).manifests);
  const [container] = spec.containers;
  assert.deepEqual(container?.ports.map(({ containerPort }) => String(containerPort)), [env.get("PORT")]);
  assert.equal(String(spec.securityContext.runAsUser), textOf("USER"));
  const places = container?.volumeMounts.map(({ mountPath }) => mountPath) ?? [];
  assert.deepEqual(places, [textOf("VOLUME"), "/tmp"]);
  const folder = container?.env.find(({ name }) => name === "TOLLGATE_DATA")?.value ?? "";
  assert(folder.startsWith(`${env.get("TOLLGATE_DATA")}/`), folder);
  assert.equal(container?.args, undefined);
});

chartTest("a pod is asked by /readyz and /healthz, and has the time that a stop takes", async () => {
  for (const { values } of Object.values(releases)) {
    const { terminationGracePeriodSeconds: grace, containers: [container] } = podOf(
      (await render(values)).manifests,
    );
    assert.equal(container?.startupProbe?.httpGet.path, "/readyz");
    const { periodSeconds = 0, failureThreshold = 0 } = container?.startupProbe ?? {};
    assert.equal(periodSeconds * failureThreshold, 300);
    assert.equal(container?.readinessProbe?.httpGet.path, "/readyz");
    assert.equal(container?.livenessProbe?.httpGet.path, "/healthz");
    assert.deepEqual(container?.lifecycle, { preStop: { sleep: { seconds: 5 } } });
    assert((grace ?? 0) * 1_000 >= 5_000 + stopMs(defaultConfig));
  }
});

chartTest(
  "the embedded store has one pod, a claim of its own, and no pod that is exchanged by itself",
  async () => {
    const shape = z.looseObject({
      replicas: z.number(),
      updateStrategy: z.unknown(),
      volumeClaimTemplates: z.array(z.looseObject({ spec: z.unknown() })).optional(),
    });
    const specOf = async (values: Values) =>
      shape.parse(only((await render(values)).manifests, "StatefulSet").spec);
    const usual = await specOf({ ...embedded, replicas: 5 });
    assert.equal(usual.replicas, 1);
    assert.deepEqual(usual.updateStrategy, { type: "OnDelete" });
    assert.deepEqual(usual.volumeClaimTemplates?.map(({ spec }) => spec), [
      { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "10Gi" } } },
    ]);
    const claimed = { ...embedded, persistence: { existingClaim: "mine" } };
    assert.equal((await specOf(claimed)).volumeClaimTemplates, undefined);
    const { volumes } = podOf((await render(claimed)).manifests);
    assert.deepEqual(volumes.find(({ name }) => name === "data")?.persistentVolumeClaim, {
      claimName: "mine",
    });
  },
);

chartTest("with PostgreSQL no pod goes before another one is ready, and few at once", async () => {
  const { manifests } = await render({ ...postgres, replicas: 4 });
  const shape = z.looseObject({ replicas: z.number().optional(), strategy: z.unknown() });
  const spec = shape.parse(only(manifests, "Deployment").spec);
  assert.equal(spec.replicas, 4);
  assert.deepEqual(spec.strategy, {
    type: "RollingUpdate",
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
  });
  const scaled = await render({ ...postgres, autoscaling: { enabled: true } });
  assert.equal(shape.parse(only(scaled.manifests, "Deployment").spec).replicas, undefined);
  const budget = z.looseObject({ maxUnavailable: z.number() });
  assert.equal(budget.parse(only(manifests, "PodDisruptionBudget").spec).maxUnavailable, 1);
});

chartTest("selectors find the gateway's pods, and not the one of the migration", async () => {
  const { manifests } = await render(releases.postgresWhole.values);
  const labels = podTemplateOf(only(manifests, "Deployment")).metadata.labels;
  const migration = podTemplateOf(only(manifests, "Job")).metadata.labels;
  const matching = z.looseObject({ matchLabels: z.record(z.string(), z.string()) });
  const selectors = [
    z.record(z.string(), z.string()).parse(Object(only(manifests, "Service").spec).selector),
    ...["Deployment", "PodDisruptionBudget"].map((kind) =>
      matching.parse(Object(only(manifests, kind).spec).selector).matchLabels
    ),
    matching.parse(Object(only(manifests, "NetworkPolicy").spec).podSelector).matchLabels,
  ];
  for (const selector of selectors) {
    const fits = (some: Readonly<Record<string, string>>) =>
      Object.entries(selector).every(([key, value]) => some[key] === value);
    assert.deepEqual([fits(labels), fits(migration)], [true, false]);
  }
});

chartTest(
  "an upgrade asks for the schema first, by a job with nothing but the address of the database",
  async () => {
    for (const [name, secret] of [["postgres", "gateway"], ["postgresWhole", `${NAME}-migrate`]] as const) {
      const { manifests } = await render(releases[name].values);
      const job = only(manifests, "Job");
      assert.equal(job.metadata.annotations["helm.sh/hook"], "pre-upgrade");
      const [{ containers: [container], volumes } = { containers: [], volumes: [] }] = jobOf(manifests);
      assert.deepEqual(container?.args, ["migrate"]);
      assert.equal(container?.env[0]?.name, "TOLLGATE_STORE_FILE");
      assert.equal(volumes.find((one) => one.name === "store")?.secret?.secretName, secret);
      const own = manifests.filter(({ kind, metadata }) => kind === "Secret" && metadata.name === secret);
      for (const { metadata, data } of own) {
        assert.deepEqual(Object.keys(Object(data)), ["TOLLGATE_STORE"]);
        const weightOf = (some: Manifest["metadata"]) => Number(some.annotations["helm.sh/hook-weight"]);
        assert(weightOf(metadata) < weightOf(job.metadata));
      }
    }
  },
);

chartTest("secrets stand in Secrets only, and reach the gateway as files", async () => {
  const { manifests } = await render(releases.postgresWhole.values);
  const others = JSON.stringify(manifests.filter(({ kind }) => kind !== "Secret"));
  const held = Object.entries(secretTexts);
  for (const text of [...held.map(([, value]) => value), "word-of-the-database", "management-key-"]) {
    assert(!others.includes(text), text);
    assert(!others.includes(btoa(text).slice(0, 16)), text);
  }
  const secret = manifests.find(({ kind, metadata }) => kind === "Secret" && metadata.name === NAME);
  const data = z.record(z.string(), z.string()).parse(secret?.data);
  for (const [variable, text] of held) assert.equal(atob(data[variable] ?? ""), text);
});

chartTest(
  "the gateway reads the configuration, the settings and the secrets that a pod gives it",
  async () => {
    const { manifests } = await render(releases.embeddedWhole.values);
    const { config, files } = settingsOfPod(manifests, { providers: { anthropic: "anthropic-key" } });
    const written = files.get("/etc/tollgate/tollgate.json") ?? "";
    assert.deepEqual(
      parseConfigFile("written", written),
      parseConfigFile("example", JSON.stringify(exampleConfig)),
    );
    assert.equal(config.dataFolder, "/data/tollgate");
    assert.deepEqual(config.trustProxy, { type: "hops", hops: 1 });
    assert.deepEqual([config.local, config.faultLab, config.accessLog], [true, true, false]);
    assert.equal(config.metricsLimits, 1000);
    assert.equal(config.metricsToken, secretTexts.TOLLGATE_METRICS_TOKEN);
    assert.equal(config.providerEnv.get("OPENAI_API_KEY"), secretTexts.OPENAI_API_KEY);
    assert.equal(config.providerEnv.get("ANTHROPIC_API_KEY"), "anthropic-key");
    assert.equal(config.providerEnv.get("OLLAMA_BASE_URL"), "http://ollama:11434/v1");
    assert.deepEqual(config.warnings, []);
  },
);

chartTest("another configuration makes other pods", async () => {
  const sumOf = async (config: Values) => {
    const { metadata } = podTemplateOf(only((await render({ ...postgres, config })).manifests, "Deployment"));
    return metadata.annotations["checksum/config"];
  };
  const first = await sumOf({ auto: {} });
  assert.equal(await sumOf({ auto: {} }), first);
  assert.notEqual(await sumOf({ default_model: "local/echo" }), first);
});

chartTest("the network policy lets the gateway call out, but not the metadata addresses", async () => {
  const { manifests } = await render(releases.embeddedWhole.values);
  const shape = z.looseObject({
    policyTypes: z.array(z.string()),
    ingress: z.array(z.looseObject({ from: z.unknown() })),
    egress: z.array(z.looseObject({
      to: z.array(z.object({ ipBlock: z.object({ cidr: z.string(), except: z.array(z.string()) }) })).default(
        [],
      ),
      ports: z.array(z.object({ port: z.number(), protocol: z.string() })).default([]),
    })),
  });
  const { policyTypes, ingress, egress } = shape.parse(only(manifests, "NetworkPolicy").spec);
  assert.deepEqual(policyTypes, ["Ingress", "Egress"]);
  const { team: _team, ...own } = podTemplateOf(only(manifests, "StatefulSet")).metadata.labels;
  assert.deepEqual(ingress.map(({ from }) => from), [[
    { podSelector: {} },
    { podSelector: { matchLabels: own } },
  ]]);
  assert.deepEqual(egress.flatMap(({ ports }) => ports.map(({ port }) => port)), [53, 53]);
  const blocks = egress.flatMap(({ to }) => to.map(({ ipBlock }) => ipBlock));
  assert.deepEqual(blocks.map(({ cidr }) => cidr), ["0.0.0.0/0", "::/0"]);
  for (const address of ["169.254.0.0/16", "fd00:ec2::254/128", "fe80::/10"]) {
    assert(blocks.some(({ except }) => except.includes(address)), address);
  }
});

chartTest("a scraper is given the token for metrics, and routes lead to the Service's port", async () => {
  const { manifests } = await render(releases.embeddedWhole.values);
  assert.deepEqual(Object(only(manifests, "ServiceMonitor").spec).endpoints, [{
    port: "http",
    path: "/metrics",
    interval: "30s",
    authorization: { type: "Bearer", credentials: { name: NAME, key: "TOLLGATE_METRICS_TOKEN" } },
  }]);
  assert.deepEqual(only(manifests, "HTTPRoute").spec, {
    parentRefs: [{ name: "public" }],
    hostnames: ["llm.example.com"],
    rules: [{ backendRefs: [{ name: NAME, port: 80 }] }],
  });
  assert.equal(Object(only(manifests, "Service").spec).ports[0].port, 80);
});

/** Values that contradict each other, with words of the refusal; then those that the schema refuses. */
const refused: readonly (readonly [Values, RegExp])[] = [
  [{}, /image\.repository is missing/],
  [{ ...embedded, secrets: { values: { TOLLGATE_STORE: "postgres://a:b@c/d" } } }, /set store to postgres/],
  [{ ...embedded, store: "postgres" }, /secrets lacks TOLLGATE_STORE/],
  [
    { ...postgres, secrets: { existing: { TOLLGATE_STORE: { name: "db" } } } },
    /secrets lacks TOLLGATE_MASTER_KEY/,
  ],
  [{ ...embedded, autoscaling: { enabled: true } }, /autoscaling needs store: postgres/],
  [
    { ...embedded, secrets: { existing: { A_KEY: { name: "a" } }, values: { A_KEY: "b" } } },
    /both have A_KEY/,
  ],
  [{ ...embedded, serviceMonitor: { enabled: true } }, /needs TOLLGATE_METRICS_TOKEN/],
  [{ ...embedded, httpRoute: { enabled: true } }, /httpRoute needs parentRefs/],
  [{ ...embedded, ingress: { enabled: true } }, /ingress needs hosts/],
  [{ ...embedded, config: { limits: { drain_seconds: 120 } } }, /has to be at least 140/],
  [{ ...embedded, preStopSeconds: 30 }, /has to be at least 70/],
  [{ ...embedded, settings: { TOLLGATE_TRUST_PROX: 1 } }, /TOLLGATE_TRUST_PROX/],
  [{ ...embedded, settings: { OPENAI_API_KEY: "sk-1" } }, /OPENAI_API_KEY/],
  [{ ...embedded, config: { limits: { drain_second: 30 } } }, /drain_second/],
  [{ ...embedded, config: { default_model: "no model" } }, /default_model/],
  [{ ...embedded, secrets: { values: { TOLLGATE_MASTERKEY: "x" } } }, /TOLLGATE_MASTERKEY/],
  [{ ...embedded, replicaCount: 2 }, /replicaCount/],
];

chartTest("Helm refuses values that are wrong, with the place or a sentence", async () => {
  for (const [wrong, words] of refused) await assert.rejects(render(wrong), words, JSON.stringify(wrong));
  await assert.rejects(render(embedded, { kubernetes: "1.29.9" }), /requires kubeVersion: >=1\.30/);
});

/** The notes that an installation prints, as a value of an object that Helm renders. */
async function notesOf(values: Values): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    await new Deno.Command("cp", { args: ["-r", chartFolder, `${folder}/chart`] }).output();
    const notes = await chartFile("templates/NOTES.txt");
    const object =
      'apiVersion: v1\nkind: Notes\nmetadata:\n  name: notes\ntext: {{ include "notes" . | quote }}\n';
    await Deno.writeTextFile(
      `${folder}/chart/templates/notes.yaml`,
      `{{ define "notes" }}${notes}{{ end }}${object}`,
    );
    const { manifests } = await render(values, { chart: `${folder}/chart` });
    return z.string().parse(only(manifests, "Notes").text);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

chartTest("the notes say where the first key is, and how long a stream may be when a pod ends", async () => {
  const first = await notesOf(embedded);
  assert.match(
    first,
    new RegExp(`--namespace ${NAMESPACE} exec ${NAME}-0 -- cat /data/tollgate/first-keys\\.txt`),
  );
  assert.match(first, /longer than 25 s are cut when a pod ends/);
  assert.match(first, new RegExp(`delete pod ${NAME}-0`));
  const shared = await notesOf({
    ...postgres,
    config: { limits: { drain_seconds: 100 } },
    terminationGracePeriodSeconds: 150,
  });
  assert.match(shared, /The management key is TOLLGATE_MANAGEMENT_KEY of the secrets/);
  assert.match(shared, /longer than 100 s are cut/);
  assert.match(shared, /\(now 150\)/);
  assert.match(shared, /settings has no TOLLGATE_BLOBS/);
  assert.doesNotMatch(shared, /first-keys|delete pod/);
  const bucket = { TOLLGATE_BLOBS: "s3://files?region=eu-west-1" };
  assert.doesNotMatch(await notesOf({ ...postgres, settings: bucket }), /TOLLGATE_BLOBS/);
});
