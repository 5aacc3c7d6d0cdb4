/** The reverse proxies of docs/behind-a-proxy.md as programs of Debian, with the blocks of the page as their settings. */

import assert from "node:assert/strict";
import { codeBlocks } from "../docs/commands.ts";
import { freePort } from "./free_port.ts";
import { need } from "./need.ts";
import { until } from "./until.ts";
import type { Certificate } from "./upstream_certificates.ts";

export const frontProxyNames = ["nginx", "caddy"] as const;
export type FrontProxyName = typeof frontProxyNames[number];

export const FRONT_PAGE = "docs/behind-a-proxy.md";

export interface FrontProxyOptions {
  /** The gateway's. */
  readonly port: number;
  /** For localhost. */
  readonly certificate: Certificate;
  /** Leaves lines out of the block, to see what they are for. */
  readonly without?: RegExp;
}

export interface FrontProxy extends AsyncDisposable {
  /** Without a trailing slash. */
  readonly url: string;
}

/** Whether it is installed; see `need` for where it is not. Debian keeps nginx where only root looks. */
export function hasFrontProxy(name: FrontProxyName): boolean {
  if (programOf(name) !== undefined) return true;
  return need(false, { what: `the program ${name}`, for: "Tests of proxies in front" });
}

const versionFlag: Readonly<Record<FrontProxyName, string>> = { nginx: "-v", caddy: "version" };

function programOf(name: FrontProxyName): string | undefined {
  return [name, `/usr/sbin/${name}`, `/usr/bin/${name}`].find((program) => {
    try {
      return new Deno.Command(program, { args: [versionFlag[name]], stdout: "null", stderr: "null" })
        .outputSync().success;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return false;
      throw error;
    }
  });
}

/** The page's only block in the proxy's own language. */
export async function pageBlock(name: FrontProxyName): Promise<string> {
  const blocks = (await codeBlocks(FRONT_PAGE)).filter(({ language }) => language === name);
  assert.equal(blocks.length, 1, `${FRONT_PAGE} has one block for ${name}`);
  return blocks[0]?.text ?? "";
}

interface Place extends FrontProxyOptions {
  readonly folder: string;
  /** The proxy's own. */
  readonly listen: number;
}

/** Replaces what belongs to the reader's machine: each of these must stand in the block. */
function placed(block: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((text, [from, to]) => {
    assert(text.includes(from), `the block has ${from}`);
    return text.replaceAll(from, to);
  }, block);
}

function nginxSettings(block: string, { folder, listen, port }: Place): string {
  const own = placed(block, {
    "127.0.0.1:8787": `127.0.0.1:${port}`,
    "listen 443": `listen 127.0.0.1:${listen}`,
    "/etc/ssl/llm.example.com.pem": `${folder}/cert.pem`,
    "/etc/ssl/llm.example.com.key": `${folder}/cert.key`,
    "llm.example.com": "localhost",
  });
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((what) => `${what}_temp_path ${folder}/${what};`);
  const http = ["access_log off;", ...temporary, own].join("\n");
  return `daemon off;\npid ${folder}/pid;\nevents {}\nhttp {\n${http}\n}\n`;
}

function caddySettings(block: string, { folder, listen, port }: Place): string {
  const own = placed(block, {
    "127.0.0.1:8787": `127.0.0.1:${port}`,
    "llm.example.com {": `https://localhost:${listen} {\n\ttls ${folder}/cert.pem ${folder}/cert.key`,
  });
  return `{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system ${folder}\n}\n\n${own}`;
}

const programs = {
  nginx: { settings: nginxSettings, args: ["-e", "stderr", "-c"] },
  caddy: { settings: caddySettings, args: ["run", "--adapter", "caddyfile", "--config"] },
} as const;

export async function startFrontProxy(name: FrontProxyName, options: FrontProxyOptions): Promise<FrontProxy> {
  const { certificate, without } = options;
  const folder = await Deno.makeTempDir({ prefix: `${name}-` });
  const listen = freePort();
  const { settings, args } = programs[name];
  const block = await pageBlock(name);
  const lines = block.split("\n");
  const kept = without === undefined ? lines : lines.filter((line) => !without.test(line));
  assert.equal(kept.length < lines.length, without !== undefined, "a line is left out where one is to be");
  await Deno.writeTextFile(`${folder}/settings`, settings(kept.join("\n"), { ...options, folder, listen }));
  await Deno.writeTextFile(`${folder}/cert.pem`, certificate.cert);
  await Deno.writeTextFile(`${folder}/cert.key`, certificate.key);
  const child = new Deno.Command(programOf(name) ?? name, {
    args: [...args, `${folder}/settings`],
    env: { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const said = new Response(child.stderr).text();
  let ended = false;
  const status = child.status.then(() => ended = true);
  const close = async () => {
    if (!ended) child.kill("SIGTERM");
    await status;
    await Deno.remove(folder, { recursive: true });
  };
  await until(async () => ended || await isListening(listen), { what: `the start of ${name}` });
  if (ended) {
    await close();
    throw new Error(`${name} did not start: ${await said}`);
  }
  return {
    url: `https://localhost:${listen}`,
    [Symbol.asyncDispose]: async () => void await Promise.all([close(), said]),
  };
}

async function isListening(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionRefused) return false;
    throw error;
  }
}
