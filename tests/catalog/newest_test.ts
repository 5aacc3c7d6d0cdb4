import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";
import { newerVersions, packages, pinnedVersions, type Place, runDeno, takeNewest } from "./newest.ts";

const versions = ["1.0.0", "2.0.0"] as const;
const time = { "1.0.0": "2026-01-02T03:04:05.000Z", "2.0.0": "2026-11-20T23:00:00.000Z" };

/** A package without anything in it. */
async function packed(
  folder: string,
  { name, version }: { readonly name: string; readonly version: string },
) {
  const root = await Deno.makeTempDir({ dir: folder });
  await Deno.mkdir(`${root}/package`);
  await Deno.writeTextFile(`${root}/package/package.json`, JSON.stringify({ name, version }));
  const { stdout } = await new Deno.Command("tar", { args: ["-czf", "-", "package"], cwd: root }).output();
  return stdout;
}

/** A registry on the loopback that has both packages in two versions. */
async function registry(folder: string) {
  const tarballs = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const name of Object.values(packages)) {
    for (const version of versions) {
      tarballs.set(`${name}/${version}`, await packed(folder, { name, version }));
    }
  }
  const manifestOf = (name: string, origin: string) => {
    const all = versions.map((version) => {
      const tarball = `${origin}/${name}/${version}.tgz`;
      const bytes = tarballs.get(`${name}/${version}`) ?? new Uint8Array();
      const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
      return [version, { name, version, dist: { tarball, integrity } }] as const;
    });
    return { name, "dist-tags": { latest: "2.0.0" }, versions: Object.fromEntries(all), time };
  };
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const { pathname, origin } = new URL(request.url);
    const path = decodeURIComponent(pathname).slice(1);
    const bytes = tarballs.get(path.replace(/\.tgz$/, ""));
    if (bytes !== undefined) return new Response(bytes);
    return Object.values<string>(packages).includes(path)
      ? Response.json(manifestOf(path, origin))
      : new Response(null, { status: 404 });
  });
}

Deno.test("takeNewest pins what was published last, and pinnedVersions says of which day it is", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await using server = await registry(folder);
    const dependencies = Object.fromEntries(Object.values(packages).map((name) => [name, "1.0.0"]));
    await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify({ private: true, dependencies }));
    const config = { nodeModulesDir: "none", lock: { path: "./deno.lock", frozen: true } };
    await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify(config));
    const place: Place = {
      folder: pathToFileURL(`${folder}/`),
      env: {
        DENO_DIR: `${folder}/cache`,
        NPM_CONFIG_REGISTRY: `http://127.0.0.1:${server.addr.port}/`,
      },
    };
    assert.ok((await runDeno(["install", "--frozen=false"], place)).success);
    const before = await newerVersions(place);
    for (const name of Object.values(packages)) {
      assert.match(before, new RegExp(`${name}.*1\\.0\\.0.*2\\.0\\.0`));
    }
    await takeNewest(place);
    assert.deepEqual(await pinnedVersions(place), {
      limits: { name: `${packages.limits} 2.0.0`, date: "2026-11-20" },
      prices: { name: `${packages.prices} 2.0.0`, date: "2026-11-20" },
    });
    assert.equal(await newerVersions(place), "");
    assert.match(await Deno.readTextFile(`${folder}/deno.lock`), /@2\.0\.0/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("takeNewest fails where the registry does not answer, instead of keeping old prices", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const dependencies = Object.fromEntries(Object.values(packages).map((name) => [name, "1.0.0"]));
    await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify({ private: true, dependencies }));
    const gone = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = gone.addr;
    gone.close();
    const env = { DENO_DIR: `${folder}/cache`, NPM_CONFIG_REGISTRY: `http://127.0.0.1:${port}/` };
    const place: Place = { folder: pathToFileURL(`${folder}/`), env };
    await assert.rejects(takeNewest(place), /Cannot update the catalog's packages/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
