/** Which addresses a list of domains names. Lists are held by the gateway, whatever an engine made of them. */

/** `example.com` with all below it, `*.example.com` for those below only, either with a path: `example.com/docs`. */
export interface DomainRule {
  readonly host: string;
  readonly onlyBelow: boolean;
  /** Decoded and normalised, begins with a slash; empty for every path. */
  readonly path: string;
}

/** Undefined for what is no domain. */
export function parseDomainRule(text: string): DomainRule | undefined {
  const [, stars = "", rest = ""] = /^(?:https?:\/\/)?(\*\.)?(.*)$/i.exec(text.trim()) ?? [];
  const url = URL.parse(`http://${rest}`);
  if (url === null || url.username !== "" || url.port !== "" || url.search !== "" || url.hash !== "") {
    return undefined;
  }
  const host = hostOf(url);
  const path = comparedPath(decodeEscapes(url.pathname.replace(/\/\*$/, "/")));
  if (host === "" || host.includes("*") || path.includes("*")) return undefined;
  return { host, onlyBelow: stars !== "", path: path === "/" ? "" : path.replace(/\/$/, "") };
}

/** A dot at the end makes a name absolute and no other one. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/\.$/, "");

function matchesHost({ host, onlyBelow }: DomainRule, url: URL): boolean {
  const hostname = hostOf(url);
  return hostname.endsWith(`.${host}`) || (!onlyBelow && hostname === host);
}

const matchesPath = ({ path }: DomainRule, reading: string): boolean =>
  path === "" || reading === path || reading.startsWith(`${path}/`);

/** Escapes of escapes that are decoded; what has more is taken for no path at all. */
const MAX_DECODINGS = 4;

/**
 * The paths that servers may take an address for. Whether `%2F` and `\` divide a path, and whether an escape in an
 * escape is decoded, is up to the server. Undefined where there is no end of them.
 */
function pathReadings({ pathname }: URL): readonly string[] | undefined {
  const readings = [comparedPath(decodeEscapes(pathname.replaceAll(/%(?=2f|5c)/gi, "%25")))];
  let decoded = pathname;
  for (let times = 0; times < MAX_DECODINGS; times++) {
    const next = decodeEscapes(decoded);
    readings.push(resolveDots(comparedPath(next.replaceAll("\\", "/"))));
    if (next === decoded) return [...new Set(readings)];
    decoded = next;
  }
  return undefined;
}

/** A character for each byte: a URL has nothing but ASCII in its path. */
const decodeEscapes = (path: string): string =>
  path.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));

/** Several slashes are one, and characters have one spelling. */
const comparedPath = (bytes: string): string =>
  bytes.replaceAll(/\/{2,}/g, "/").split("/").map(comparedSegment).join("/");

function comparedSegment(bytes: string): string {
  try {
    const utf8 = Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(utf8).normalize("NFC");
  } catch (_error) {
    // A path may be in any encoding: its bytes are compared, as halves of characters, which no text has.
    return bytes.replaceAll(/[\x80-\xff]/g, (byte) => String.fromCharCode(0xdc00 + byte.charCodeAt(0)));
  }
}

function resolveDots(path: string): string {
  const kept: string[] = [];
  const segments = path.split("/").slice(1);
  for (const [index, segment] of segments.entries()) {
    const isDots = segment === "." || segment === "..";
    if (segment === "..") kept.pop();
    if (!isDots) kept.push(segment);
    else if (index === segments.length - 1) kept.push("");
  }
  return `/${kept.join("/")}`;
}

export interface DomainRules {
  /** Empty: every domain. */
  readonly allowed: readonly DomainRule[];
  readonly excluded: readonly DomainRule[];
}

/**
 * False for what is no address of the web. An address is allowed where every reading of its path is, and excluded
 * where one of them is.
 */
export function isAllowedUrl(address: string | URL, { allowed, excluded }: DomainRules): boolean {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  const ofHost = (rules: readonly DomainRule[]) => rules.filter((rule) => matchesHost(rule, url));
  const [wanted, barred] = [ofHost(allowed), ofHost(excluded)];
  const isWhole = ({ path }: DomainRule) => path === "";
  const isFree = allowed.length === 0 || wanted.some(isWhole);
  if ((!isFree && wanted.length === 0) || barred.some(isWhole)) return false;
  if (isFree && barred.length === 0) return true;
  const readings = pathReadings(url);
  const isNamed = (rules: readonly DomainRule[]) => (reading: string) =>
    rules.some((rule) => matchesPath(rule, reading));
  return readings !== undefined && (isFree || readings.every(isNamed(wanted))) &&
    !readings.some(isNamed(barred));
}

/**
 * The hosts of rules, for engines that know neither wildcards nor paths: what they find beyond the rules is taken out
 * afterwards. A rule that is narrower than its host is no reason to exclude all of the host.
 */
export const allowedHosts = ({ allowed }: DomainRules): readonly string[] => [
  ...new Set(allowed.map(({ host }) => host)),
];

export const excludedHosts = ({ excluded }: DomainRules): readonly string[] => [
  ...new Set(excluded.filter(({ onlyBelow, path }) => !onlyBelow && path === "").map(({ host }) => host)),
];
