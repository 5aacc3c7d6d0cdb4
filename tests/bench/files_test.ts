import assert from "node:assert/strict";
import { aimsOf } from "./aims.ts";
import { filesFailures } from "./aims_files.ts";
import { BESIDE_UPLOAD } from "./beside_upload.ts";
import { download, type GatewayPlace, MIB, storeDownload, upload, uploadedId } from "./file_servers.ts";
import type { FilesReport } from "./files.ts";
import { benchGateway } from "./gateway.ts";
import { startServer } from "./process.ts";
import { reportText } from "./report.ts";
import { spread } from "./stats.ts";

Deno.test("the load generator sends files to the bare handler and fetches them", async () => {
  const folder = await Deno.makeTempDir();
  const server = await startServer("files_bare.ts", [folder]);
  try {
    const bytes = MIB / 2;
    for (const content of ["text", "binary"] as const) {
      const sent = await upload(server, { count: 2, bytes, content });
      assert.deepEqual([sent.ids.length, sent.bytes, sent.failures], [2, 2 * bytes, 0]);
    }
    assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);
    const id = await uploadedId(server, bytes);
    const bytesPerSecond = 2 * MIB;
    const read = await download(server, { id, bytes, count: 2, slow: 1, bytesPerSecond });
    assert.deepEqual([read.bytes, read.failures], [2 * bytes, 0]);
    assert.ok(read.ms > 200, "the slow reader keeps to its pace");
    const paced = await upload(server, { count: 1, bytes, content: "text", bytesPerSecond });
    assert.ok(paced.ms > 100);
  } finally {
    await server.stop();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("storeDownload stores a file that a gateway lets be downloaded", async () => {
  const place: GatewayPlace = { upstream: 1, folder: await Deno.makeTempDir() };
  try {
    const id = await storeDownload(place, MIB);
    const gateway = await benchGateway(place.upstream, place.folder);
    try {
      const { failures, bytes } = await download(gateway, { id, bytes: MIB, count: 2, slow: 0 });
      assert.deepEqual([failures, bytes], [0, 2 * MIB]);
      assert.equal((await upload(gateway, { count: 1, bytes: MIB, content: "binary" })).failures, 0);
    } finally {
      await gateway.stop();
    }
  } finally {
    await Deno.remove(place.folder, { recursive: true });
  }
});

const transfer = {
  name: "upload, text",
  mib: 100,
  bare: spread([400]),
  gateway: spread([120]),
  ratio: spread([0.3]),
  bareCpuMs: spread([2]),
  cpuMs: spread([8]),
  cpuRatio: spread([4]),
  failures: 0,
};
const beside = {
  name: BESIDE_UPLOAD,
  mibPerSecond: spread([20]),
  connections: 50,
  perSecond: spread([2_000]),
  ratio: spread([0.8]),
  streams: 100,
  everyMs: 20,
  gapP99: spread([80]),
  gapBeyond: spread([21]),
  lost: 1,
  failures: 1,
};
const files: FilesReport = {
  transfers: [transfer, { ...transfer, name: "download", ratio: spread([0.6]) }],
  memory: [{
    name: "downloads",
    count: 8,
    mib: 64,
    before: spread([200]),
    growth: spread([48]),
    failures: 2,
  }],
  beside: [{ ...beside, name: "no upload", lost: 0, failures: 0 }, beside],
};
const report = {
  at: "",
  deno: "2.9",
  cores: 2,
  quick: true,
  requests: [],
  streams: [],
  translate: spread([]),
  files,
};

Deno.test("aimsOf holds files against their aims", () => {
  assert.deepEqual(aimsOf(report).map(({ what, met }) => [what, met]), [
    ["upload, text, 100 MiB: bytes/s, × bare", false],
    ["download, 100 MiB: bytes/s, × bare", true],
    ["8 downloads at once: growth of memory, MiB", true],
    ["beside an upload: requests/s at 50 connections, × without", true],
    ["100 streams beside an upload: gap p99 beyond 2 × without, ms", false],
    ["100 streams beside an upload: lost frames", false],
  ]);
  assert.equal(filesFailures(files), 4);
  assert.equal(filesFailures(undefined), 0);
});

Deno.test("reportText has a table for each part of files", () => {
  const text = reportText({ ...report, aims: [] });
  assert.match(text, /upload, text +100 +400 +120 +0.30 +2.00 +8.00 +4.00 +0/);
  assert.match(text, /downloads +8 +64 +200 +48.0 +2/);
  assert.match(text, /upload to the gateway +20.0 +50 +2,000 +0.80 +100 +20 ms +80.0 +1 +1/);
});
