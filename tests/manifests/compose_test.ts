/** The files of Docker Compose in deploy/, and the script by which an image starts, as far as no daemon is needed. */

import assert from "node:assert/strict";
import { parse } from "yaml";
import * as z from "zod";
import { stopMs } from "../../server/app/start.ts";
import { type Config, readConfig } from "../../server/config/config.ts";
import { providerSettings } from "../../server/providers/mod.ts";
import { pairsOf, readStages } from "../deploy/dockerfile.ts";
import { root } from "../support/task.ts";
import { defaultConfig } from "./default_config.ts";

type Variables = Readonly<Record<string, string>>;

const gatewaySchema = z.looseObject({
  environment: z.record(z.string(), z.string()),
  secrets: z.array(z.string()),
  stop_grace_period: z.string().regex(/^\d+s$/),
  deploy: z.object({ replicas: z.int() }).optional(),
});
const composeSchema = z.object({
  services: z.looseObject({ gateway: gatewaySchema }),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});

const readText = (path: string) => Deno.readTextFile(new URL(`deploy/${path}`, root));
const readCompose = async (file: string) => composeSchema.parse(parse(await readText(file)));

/** Texts of the files of secrets. */
const secretTexts: Variables = {
  store: "postgres://tollgate:word@postgres:5432/tollgate",
  master_key: btoa("k".repeat(32)),
  management_key: "m".repeat(64),
  openai: "sk-0123456789abcdef",
};

/** Variables that the image sets. */
async function imageVariables(): Promise<Variables> {
  const last = readStages(await readText("Dockerfile")).at(-1);
  const texts = (last?.instructions ?? []).filter(({ name }) => name === "ENV").map(({ text }) => text);
  return Object.fromEntries(texts.flatMap(pairsOf));
}

/** Writes a program of the shell into a folder. */
const writeProgram = (path: string, lines: string) =>
  Deno.writeTextFile(path, `#!/bin/sh\n${lines}\n`, { mode: 0o755 });

/** Variables with which deploy/start.sh starts the gateway on a machine of this name. */
async function startedWith(variables: Variables, hostname: string): Promise<Variables> {
  const folder = await Deno.makeTempDir();
  try {
    await writeProgram(`${folder}/deno`, `case "$*" in *launch.ts*) ;; *) exec env ;; esac`);
    await writeProgram(`${folder}/uname`, `[ "$1" = -n ] && echo ${hostname}`);
    const command = new Deno.Command("sh", {
      args: [new URL("deploy/start.sh", root).pathname],
      env: { ...variables, PATH: `${folder}:/usr/bin:/bin` },
      clearEnv: true,
    });
    const { code, stdout, stderr } = await command.output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    const lines = new TextDecoder().decode(stdout).split("\n");
    return Object.fromEntries(
      lines.filter((line) => line.includes("=")).map((line) => {
        const at = line.indexOf("=");
        return [line.slice(0, at), line.slice(at + 1)];
      }),
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The settings of a gateway of Compose. */
async function settingsOf(file: string, hostname: string): Promise<Config> {
  const { services: { gateway } } = await readCompose(file);
  const variables = await startedWith({ ...await imageVariables(), ...gateway.environment }, hostname);
  return readConfig({
    env: (name) => variables[name],
    names: () => Object.keys(variables),
    readFile: (path) => {
      const name = path.replace("/run/secrets/", "");
      assert.ok(gateway.secrets.includes(name), `${path} is no secret of the gateway`);
      return secretTexts[name] ?? assert.fail(`${name} has no text`);
    },
    terminal: false,
  }, providerSettings);
}

for (const file of ["compose.yaml", "compose.postgres.yaml"]) {
  Deno.test(`the gateway of ${file} takes its settings without a warning`, async () => {
    const { warnings, providerEnv, host, port } = await settingsOf(file, "0a1b2c3d4e5f");
    assert.deepEqual([...warnings], []);
    assert.equal(providerEnv.get("OPENAI_API_KEY"), secretTexts.openai);
    assert.deepEqual([host, port], ["0.0.0.0", 8787]);
  });

  Deno.test(`the gateway of ${file} has time to end, and every secret a file`, async () => {
    const { services: { gateway }, secrets } = await readCompose(file);
    assert(Number.parseInt(gateway.stop_grace_period) * 1_000 > stopMs(defaultConfig));
    for (const name of gateway.secrets) assert.ok(Object.hasOwn(secrets, name), name);
  });
}

Deno.test("replicas of compose.postgres.yaml call each other, each by its own host name", async () => {
  const { services: { gateway } } = await readCompose("compose.postgres.yaml");
  for (const fixed of ["hostname", "container_name"]) assert.ok(!Object.hasOwn(gateway, fixed), fixed);
  for (const hostname of ["0a1b2c3d4e5f", "5f4e3d2c1b0a"]) {
    const { instanceUrl, store, masterKey, port } = await settingsOf("compose.postgres.yaml", hostname);
    assert.equal(instanceUrl, `http://${hostname}:${port}`);
    assert.ok(store !== undefined && masterKey !== undefined, "without them it would have no effect");
  }
});

Deno.test("the balancer of compose.postgres.yaml has a place for each replica", async () => {
  const { services: { gateway } } = await readCompose("compose.postgres.yaml");
  const [, places, port] =
    /server-template gateway (\d+) gateway:(\d+) /.exec(await readText("haproxy.cfg")) ?? [];
  assert.equal(Number(places), gateway.deploy?.replicas);
  assert.equal(port, (await imageVariables()).PORT);
});

Deno.test("start.sh changes no address but one with {hostname}", async () => {
  for (
    const [variables, expected] of [
      [{}, undefined],
      [{ TOLLGATE_PEER_URL: "" }, ""],
      [{ TOLLGATE_PEER_URL: "http://10.0.0.5:8787" }, "http://10.0.0.5:8787"],
      [{ TOLLGATE_PEER_URL: "http://{hostname}.gateways:8787" }, "http://one.gateways:8787"],
    ] as const
  ) {
    assert.equal((await startedWith(variables, "one")).TOLLGATE_PEER_URL, expected);
  }
});
