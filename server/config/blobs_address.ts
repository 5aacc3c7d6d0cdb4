/** `TOLLGATE_BLOBS`: where the bytes of files are. */

import type { SettingResult } from "./config_error.ts";

/** An S3 bucket; `store`: among the records of the store; `off`: nowhere, and no files are taken. */
export type BlobsPlace = BlobsAddress | "store" | "off";

/** Parts of an `s3://` address. */
export interface BlobsAddress {
  readonly bucket: string;
  /** Beginning of every object's key, without slashes at its ends; empty when there is none. */
  readonly prefix: string;
  readonly region: string;
  /** The origin of another service than AWS that speaks S3, such as `https://minio.example.com:9000`. */
  readonly endpoint?: string;
}

const DEFAULT_REGION = "us-east-1";
/** Bucket, prefix and query. */
const form = /^s3:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const bucketForm = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const segmentForm = /^[A-Za-z0-9._-]+$/;
const regionForm = /^[a-z0-9-]{1,40}$/;
const optionNames: readonly string[] = ["region", "endpoint"];

const allowed = "store, off, or an address such as s3://bucket/prefix?region=eu-west-1 or " +
  "s3://bucket?endpoint=https://minio.example.com, with a bucket of 3 to 63 lower-case letters, digits, dots and " +
  "hyphens, a prefix of letters, digits, dots, underscores, hyphens and single slashes, and no option but region " +
  "and endpoint (http or https, without path, query and user)";

export function parseBlobsPlace(input: string): SettingResult<BlobsPlace> {
  if (input === "store" || input === "off") return { value: input };
  const [match, bucket = "", prefix = "", query = ""] = form.exec(input) ?? [];
  const options = match === undefined ? undefined : parseOptions(query);
  if (options === undefined || !isBucket(bucket) || !isPrefix(prefix)) return { allowed };
  return { value: { bucket, prefix, ...options } };
}

function isBucket(text: string): boolean {
  return bucketForm.test(text) && !text.includes("..");
}

function isPrefix(text: string): boolean {
  if (text === "") return true;
  return text.split("/").every((part) => segmentForm.test(part) && part !== "." && !part.includes(".."));
}

function parseOptions(query: string): Pick<BlobsAddress, "region" | "endpoint"> | undefined {
  const params = new URLSearchParams(query);
  const names = [...params.keys()];
  if (new Set(names).size < names.length || names.some((name) => !optionNames.includes(name))) {
    return undefined;
  }
  const region = params.get("region") ?? DEFAULT_REGION;
  if (!regionForm.test(region)) return undefined;
  const text = params.get("endpoint");
  if (text === null) return { region };
  const endpoint = parseOrigin(text);
  return endpoint === undefined ? undefined : { region, endpoint };
}

/** Undefined for an address that is more than an origin, or none. */
function parseOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) return undefined;
  return url.origin;
}
