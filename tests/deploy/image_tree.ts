/**
 * Builds the file tree of the image without a daemon: each instruction of deploy/Dockerfile is carried out in a root
 * folder, as root, in namespaces of bubblewrap. Debian's base is made by debootstrap, Deno's by the one that runs here.
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { root as projectUrl } from "../support/task.ts";
import { type Instruction, pairsOf, readStages, type Stage, wordsOf } from "./dockerfile.ts";

const project = fileURLToPath(projectUrl).replace(/\/$/, "");
const DEBIAN = /^debian:([a-z]+)-slim$/;

/** A root folder, and how a container of it is started. */
export interface Image {
  readonly root: string;
  readonly env: ReadonlyMap<string, string>;
  readonly workdir: string;
  readonly user: string;
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

interface Build {
  readonly folder: string;
  /** Root folders of stages, by name. */
  readonly stages: Map<string, string>;
}

/** Certificates that this machine trusts beside the public ones: steps reach the network as the machine does. */
const CERTIFICATES = ["DENO_CERT", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"];

/** Arguments that bring them into a step. */
function certificateArguments(): readonly string[] {
  return CERTIFICATES.flatMap((name) => {
    const path = Deno.env.get(name) ?? "";
    return path === "" ? [] : ["--ro-bind", path, `/tmp/${name}`, "--setenv", name, `/tmp/${name}`];
  });
}

async function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const command = new Deno.Command(program, {
    args: [...args],
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  const { success, stdout, stderr } = await command.output();
  const text = new TextDecoder().decode(stdout);
  if (!success) {
    const words = `${text}\n${new TextDecoder().decode(stderr)}`.slice(-3_000);
    throw new Error(`${[program, ...args].join(" ")} failed:\n${words}`);
  }
  return text;
}

/** Address of the packages of Debian that this machine uses. */
async function debianMirror(): Promise<string> {
  const words = await run("apt-get", [
    "indextargets",
    "--format",
    "$(SITE) $(REPO_URI)",
    "Created-By: Packages",
  ]);
  const [, mirror] = /\S+ (\S*\/debian)\/?$/m.exec(words) ?? [];
  return mirror ?? "http://deb.debian.org/debian";
}

/** Folders that the slim images leave out. */
const SLIM = [
  "usr/share/doc",
  "usr/share/man",
  "usr/share/locale",
  "usr/share/info",
  "var/cache/apt",
  "var/lib/apt/lists",
];

async function debianBase(release: string, folder: string): Promise<void> {
  // What it mounts for a while would be seen by the tests of sandboxes that run beside it.
  const apart = ["--mount", "--propagation", "private", "debootstrap"];
  await run("unshare", [...apart, "--variant=minbase", release, folder, await debianMirror()]);
  for (const path of SLIM) await Deno.remove(`${folder}/${path}`, { recursive: true });
  await Deno.mkdir(`${folder}/var/cache/apt/archives/partial`, { recursive: true });
  await Deno.mkdir(`${folder}/var/lib/apt/lists/partial`, { recursive: true });
}

async function baseOf({ image }: Stage, { folder, stages }: Build): Promise<string> {
  const made = stages.get(image);
  const target = `${folder}/${crypto.randomUUID()}`;
  const [, release] = DEBIAN.exec(image) ?? [];
  if (made === undefined && release !== undefined) {
    const base = `${folder}/debian`;
    await debianBase(release, base);
    stages.set(image, base);
    return await baseOf({ image, as: undefined, instructions: [] }, { folder, stages });
  }
  if (made !== undefined) {
    await run("cp", ["-a", made, target]);
    return target;
  }
  assert.equal(
    image,
    `denoland/deno:bin-${Deno.version.deno}`,
    "the image has the Deno that the tests run on",
  );
  await Deno.mkdir(target, { recursive: true });
  await Deno.copyFile(Deno.execPath(), `${target}/deno`);
  await Deno.chmod(`${target}/deno`, 0o755);
  return target;
}

/** Root of a stage, with what the instructions before have set. */
class StageState {
  readonly env = new Map<string, string>([[
    "PATH",
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  ]]);
  readonly args = new Map<string, string>();
  workdir = "/";
  user = "0";
  entrypoint: readonly string[] = [];
  cmd: readonly string[] = [];
  healthcheck: readonly string[] = [];

  constructor(readonly root: string, readonly build: Build) {}

  async take({ name, text }: Instruction): Promise<void> {
    if (name === "RUN") await this.#run(text);
    else if (name === "COPY") await this.#copy(text.split(/\s+/));
    else if (name === "ENV") { for (const [key, value] of pairsOf(text)) this.env.set(key, value); }
    else if (name === "ARG") { for (const [key, value] of pairsOf(text)) this.args.set(key, value); }
    else if (name === "WORKDIR") {
      this.workdir = text;
      await Deno.mkdir(`${this.root}${text}`, { recursive: true });
    } else if (name === "USER") this.user = text;
    else if (name === "ENTRYPOINT") this.entrypoint = wordsOf(text);
    else if (name === "CMD") this.cmd = wordsOf(text);
    else if (name === "HEALTHCHECK") this.healthcheck = wordsOf(text.slice(text.indexOf("[")));
  }

  async #run(line: string): Promise<void> {
    const env = new Map([...this.args, ...this.env]);
    await run("bwrap", [
      ...[
        "--bind",
        this.root,
        "/",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--perms",
        "1777",
        "--tmpfs",
        "/tmp",
        "--unshare-pid",
      ],
      ...["--ro-bind", "/etc/resolv.conf", "/etc/resolv.conf", "--ro-bind", "/etc/hosts", "/etc/hosts"],
      ...["--cap-add", "ALL", "--die-with-parent", "--clearenv", "--chdir", this.workdir],
      ...[...env].flatMap(([name, value]) => ["--setenv", name, value]),
      ...certificateArguments(),
      ...["/bin/sh", "-c", line],
    ]);
  }

  async #copy(words: readonly string[]): Promise<void> {
    const from = words.find((word) => word.startsWith("--from="))?.slice("--from=".length);
    const [source = "", target = ""] = words.filter((word) => !word.startsWith("--"));
    const absolute = target.startsWith("/") ? target : `${this.workdir}/${target}`;
    if (from === undefined) {
      assert.equal(source, ".", "the whole project is copied");
      await copyProject(`${this.root}${absolute}`);
      return;
    }
    await Deno.mkdir(`${this.root}${absolute}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await run("cp", ["-a", "-T", `${this.build.stages.get(from)}${source}`, `${this.root}${absolute}`]);
  }
}

/** Files that git has, without those that .dockerignore leaves out. */
async function copyProject(target: string): Promise<void> {
  const ignored = (await Deno.readTextFile(`${project}/.dockerignore`)).split("\n").filter(Boolean);
  await run("sh", [
    "-c",
    `git -C "$1" ls-files -z --cached --others --exclude-standard | tar -C "$1" --null -T - -cf - ${
      ignored.map((name) => `--exclude='./${name}' --exclude='${name}'`).join(" ")
    } | tar -C "$2" -xf -`,
    "sh",
    project,
    target,
  ]);
}

/** Carries out the whole Dockerfile below `folder`. */
export async function buildImage(folder: string): Promise<Image> {
  const build: Build = { folder, stages: new Map() };
  let state: StageState | undefined;
  for (const stage of readStages(await Deno.readTextFile(`${project}/deploy/Dockerfile`))) {
    state = new StageState(await baseOf(stage, build), build);
    for (const instruction of stage.instructions) await state.take(instruction);
    if (stage.as !== undefined) build.stages.set(stage.as, state.root);
  }
  assert(state !== undefined, "the Dockerfile has a stage");
  const { root, env: own, workdir, user, entrypoint, cmd, healthcheck } = state;
  return { root, env: own, workdir, user, command: [...entrypoint, ...cmd], healthcheck };
}
