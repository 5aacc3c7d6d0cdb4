/** Certificates made for the moment by openssl, for providers that are whom they say they are, or are not. */

export interface Certificate {
  /** Both in PEM. */
  readonly cert: string;
  readonly key: string;
}

export interface Certificates {
  /** Signs `good` and `elsewhere`; trusted by nobody who is not told to. */
  readonly authority: string;
  /** For localhost and 127.0.0.1. */
  readonly good: Certificate;
  /** For other.example. */
  readonly elsewhere: Certificate;
  /** For localhost, ended yesterday. */
  readonly expired: Certificate;
  /** For localhost, signed by itself. */
  readonly selfSigned: Certificate;
}

async function openssl(...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("openssl", { args }).output();
  if (!success) throw new Error(`openssl ${args[0]}: ${new TextDecoder().decode(stderr)}`);
}

interface Signed {
  readonly dir: string;
  readonly name: string;
  readonly names: string;
  readonly days?: readonly string[];
}

const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

async function signed({ dir, name, names, days = ["-days", "2"] }: Signed): Promise<Certificate> {
  const at = (file: string) => `${dir}/${name}.${file}`;
  await openssl("req", ...key, "-keyout", at("key"), "-out", at("csr"), "-subj", `/CN=${name}`);
  await Deno.writeTextFile(at("ext"), `subjectAltName=${names}\n`);
  const authority = ["-CA", `${dir}/authority.pem`, "-CAkey", `${dir}/authority.key`, "-CAcreateserial"];
  await openssl(
    "x509",
    "-req",
    "-in",
    at("csr"),
    ...authority,
    ...days,
    "-extfile",
    at("ext"),
    "-out",
    at("pem"),
  );
  return read(dir, name);
}

async function selfSigned(dir: string, name: string): Promise<Certificate> {
  const files = ["-keyout", `${dir}/${name}.key`, "-out", `${dir}/${name}.pem`];
  const names = ["-subj", `/CN=${name}`, "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  await openssl("req", "-x509", ...key, ...files, "-days", "2", ...names);
  return read(dir, name);
}

async function read(dir: string, name: string): Promise<Certificate> {
  return {
    cert: await Deno.readTextFile(`${dir}/${name}.pem`),
    key: await Deno.readTextFile(`${dir}/${name}.key`),
  };
}

async function make(): Promise<Certificates> {
  const dir = await Deno.makeTempDir();
  try {
    const authority = await selfSigned(dir, "authority");
    const localhost = "DNS:localhost,IP:127.0.0.1";
    return {
      authority: authority.cert,
      good: await signed({ dir, name: "good", names: localhost }),
      elsewhere: await signed({ dir, name: "elsewhere", names: "DNS:other.example" }),
      expired: await signed({ dir, name: "expired", names: localhost, days: ["-days", "-1"] }),
      selfSigned: await selfSigned(dir, "self"),
    };
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** Undefined, said aloud, where there is no openssl; with TOLLGATE_TEST_ALL=1 that is an error. */
export async function makeCertificates(): Promise<Certificates | undefined> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound) || Deno.env.get("TOLLGATE_TEST_ALL") === "1") throw error;
    console.warn("SKIPPED: the tests of secure connections need the program openssl, which is not here");
    return undefined;
  }
}
