/** Wheels of the settings: checked, unpacked once, and imported in containers; one that does not fit is named. */

import assert from "node:assert/strict";
import { crc32 } from "node:zlib";
import { WheelFiles } from "../../server/sandbox/python/wheel_files.ts";
import { hasBubblewrap } from "../support/bubblewrap.ts";
import { linesLogger } from "../support/reader.ts";
import { runIn, sandboxRig, shown } from "../support/sandbox.ts";

interface ZipEntry {
  readonly name: string;
  readonly text: string;
  /** Type and permissions of Unix. */
  readonly mode?: number;
}

const encoder = new TextEncoder();
const LINK = 0o120777;

/** An archive whose entries are not compressed. */
function zip(entries: readonly ZipEntry[]): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const index: Uint8Array[] = [];
  let offset = 0;
  for (const { name, text, mode = 0o100644 } of entries) {
    const [path, data] = [encoder.encode(name), encoder.encode(text)];
    // Version, flags, method, time and date, check sum, both sizes, lengths of name and extra field.
    const common = new DataView(new ArrayBuffer(26));
    common.setUint16(0, 20, true);
    common.setUint32(10, crc32(data), true);
    common.setUint32(14, data.length, true);
    common.setUint32(18, data.length, true);
    common.setUint16(22, path.length, true);
    const shared = new Uint8Array(common.buffer);
    parts.push(encoder.encode("PK\x03\x04"), shared, path, data);
    const rest = new DataView(new ArrayBuffer(14));
    rest.setUint32(6, mode << 16 >>> 0, true);
    rest.setUint32(10, offset, true);
    // Made on Unix.
    index.push(encoder.encode("PK\x01\x02"), Uint8Array.of(20, 3), shared, new Uint8Array(rest.buffer), path);
    offset += 30 + path.length + data.length;
  }
  const size = index.reduce((sum, { length }) => sum + length, 0);
  const end = new DataView(new ArrayBuffer(18));
  end.setUint16(4, entries.length, true);
  end.setUint16(6, entries.length, true);
  end.setUint32(8, size, true);
  end.setUint32(12, offset, true);
  return Buffer.concat([...parts, ...index, encoder.encode("PK\x05\x06"), new Uint8Array(end.buffer)]);
}

const pure = (name: string, entries: readonly ZipEntry[] | string) => ({
  file: `${name}-1.0-py3-none-any.whl`,
  entries,
});
const one = (name: string): ZipEntry => ({ name, text: "x = 1\n" });

const files: readonly { readonly file: string; readonly entries: readonly ZipEntry[] | string }[] = [
  pure("good", [
    { name: "good/__init__.py", text: "from good.inner import number\n" },
    { name: "good/inner.py", text: "number = 42\n" },
    { name: "good-1.0.data/purelib/beside.py", text: "place = __file__\n" },
    { name: "good-1.0.data/scripts/run", text: "#!python\n" },
  ]),
  { file: "old-1.0-cp27-cp27m-manylinux1_x86_64.whl", entries: [one("old.py")] },
  { file: "mac-1.0-cp311-cp311-macosx_11_0_arm64.whl", entries: [one("mac.py")] },
  pure("out", [one("../out.py")]),
  pure("root", [one("/root.py")]),
  pure("link", [{ name: "link.py", text: "/etc/passwd", mode: LINK }]),
  pure("broken", "no archive"),
];

/** Each with the reason that the log has. */
const reasons: readonly RegExp[] = [
  /old-1\.0-cp27-cp27m-manylinux1_x86_64\.whl: it is not for this Python, which takes py3-none-any and cp3\d+-cp3/,
  /mac-1\.0-cp311-cp311-macosx_11_0_arm64\.whl: it is not for this Python/,
  /out-1\.0-py3-none-any\.whl: it has a file with the name .*"\.\.\/out\.py/,
  /root-1\.0-py3-none-any\.whl: it has a file with the name .*"\/root\.py/,
  /link-1\.0-py3-none-any\.whl: it has a link/,
  /broken-1\.0-py3-none-any\.whl: it is no wheel/,
  /other-1\.0-py3-none-any\.whl: its SHA-256 is [0-9a-f]{64}, not the one of the settings/,
  /gone-1\.0-py3-none-any\.whl: there is no such file/,
];

async function writeWheels(folder: string) {
  const wheels = [];
  for (const { file, entries } of files) {
    const bytes = typeof entries === "string" ? encoder.encode(entries) : zip(entries);
    const path = `${folder}/${file}`;
    await Deno.writeFile(path, bytes);
    wheels.push({ path, sha256: new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex() });
  }
  const sha256 = "0".repeat(64);
  await Deno.writeFile(`${folder}/other-1.0-py3-none-any.whl`, zip([one("other.py")]));
  return [
    ...wheels,
    { path: `${folder}/other-1.0-py3-none-any.whl`, sha256 },
    { path: `${folder}/gone-1.0-py3-none-any.whl`, sha256 },
  ];
}

if (hasBubblewrap()) {
  Deno.test("wheels are unpacked once and imported in containers, and the log names those that do not fit", async () => {
    // Only its owner may walk there, as in a data folder.
    const data = await Deno.makeTempDir();
    const wheels = await writeWheels(data);
    const code = `python3 -c 'import good, beside; print(good.number, beside.place)'
      ls /opt/python /opt/python/good/__pycache__; touch /opt/python/x; ls ~`;
    for (const isFirst of [true, false]) {
      const lines: string[] = [];
      const folder = `${data}/wheels`;
      await using rig = sandboxRig({
        engine: "bubblewrap",
        folders: { packages: `${folder}/packages` },
        wheels: new WheelFiles({ wheels, folder, log: linesLogger(lines) }),
      });
      const process = await rig.open();
      const output = shown(await runIn(process, code));
      assert.match(output, /^42 \/opt\/python\/beside\.py\n/);
      assert.match(output, /^\/opt\/python:\n__pycache__\nbeside\.py\ngood\n$/m);
      assert.match(output, /^__init__\.cpython-3\d+\.pyc\ninner\.cpython-3\d+\.pyc$/m);
      assert.match(output, /cannot touch .*Read-only file system/);
      process.release(undefined);
      assert.equal(lines.some((line) => line.includes("Unpacking wheels of Python")), isFirst);
      const said = lines.filter((line) => line.includes("cannot be used"));
      assert.equal(said.length, reasons.length, said.join("\n"));
      for (const [index, reason] of reasons.entries()) assert.match(said[index] ?? "", reason);
    }
    await Deno.remove(data, { recursive: true });
  });
}
