import assert from "node:assert/strict";
import { parseBlobsPlace } from "./blobs_address.ts";

Deno.test("parseBlobsPlace takes an address apart, and two words", () => {
  const cases = {
    store: "store",
    off: "off",
    "s3://files": { bucket: "files", prefix: "", region: "us-east-1" },
    "s3://files/": { bucket: "files", prefix: "", region: "us-east-1" },
    "s3://my.files-2/gate/a_b.c?region=eu-west-1": {
      bucket: "my.files-2",
      prefix: "gate/a_b.c",
      region: "eu-west-1",
    },
    "s3://files?endpoint=http://127.0.0.1:9000&region=auto": {
      bucket: "files",
      prefix: "",
      region: "auto",
      endpoint: "http://127.0.0.1:9000",
    },
    "s3://files/a?endpoint=https%3A%2F%2FMinio.example.com%2F": {
      bucket: "files",
      prefix: "a",
      region: "us-east-1",
      endpoint: "https://minio.example.com",
    },
  };
  for (const [input, value] of Object.entries(cases)) {
    assert.deepEqual(parseBlobsPlace(input), { value }, input);
  }
});

Deno.test("parseBlobsPlace says what is allowed instead of what is none", () => {
  const wrong = [
    "",
    "./data",
    "Store",
    "store/files",
    "on",
    "https://files.s3.amazonaws.com",
    "s3:files",
    "s3://",
    "s3://ab",
    `s3://${"a".repeat(64)}`,
    "s3://Files",
    "s3://my_files",
    "s3://-files",
    "s3://my..files",
    "s3://key:secret@files",
    "s3://files/a//b",
    "s3://files/a/",
    "s3://files//a",
    "s3://files/../a",
    "s3://files/a..b",
    "s3://files/./a",
    "s3://files/a%20b",
    "s3://files/a b",
    "s3://files/a#b",
    "s3://files?zone=a",
    "s3://files?region=",
    "s3://files?region=eu.example.com",
    "s3://files?region=a&region=b",
    "s3://files?endpoint=",
    "s3://files?endpoint=minio:9000",
    "s3://files?endpoint=ftp://minio",
    "s3://files?endpoint=https://minio/path",
    "s3://files?endpoint=https://minio?x=1",
    "s3://files?endpoint=https://minio/%23x",
    "s3://files?endpoint=https://me:pass@minio",
  ];
  for (const input of wrong) {
    const reading = parseBlobsPlace(input);
    assert.ok("allowed" in reading, input);
    assert.match(reading.allowed, /^store, off, or an address such as s3:/);
  }
});
