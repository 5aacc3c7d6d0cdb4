/** Which addresses a list of domains names. Lists are held by the gateway, whatever an engine made of them. */

/** `example.com` with all below it, `*.example.com` for those below only, either with a path: `example.com/docs`. */
export interface DomainRule {
  readonly host: string;
  readonly onlyBelow: boolean;
  /** Begins with a slash; empty for every path. */
  readonly path: string;
}

/** Undefined for what is no domain. */
export function parseDomainRule(text: string): DomainRule | undefined {
  const [, stars = "", rest = ""] = /^(?:https?:\/\/)?(\*\.)?(.*)$/i.exec(text.trim()) ?? [];
  const url = URL.parse(`http://${rest}`);
  if (url === null || url.username !== "" || url.port !== "" || url.search !== "" || url.hash !== "") {
    return undefined;
  }
  const host = url.hostname.replace(/\.$/, "");
  if (host === "" || host.includes("*")) return undefined;
  return { host, onlyBelow: stars !== "", path: url.pathname === "/" ? "" : url.pathname.replace(/\/$/, "") };
}

export function matchesDomain({ host, onlyBelow, path }: DomainRule, url: URL): boolean {
  const hostname = url.hostname.replace(/\.$/, "");
  const isBelow = hostname.endsWith(`.${host}`);
  if (!isBelow && (onlyBelow || hostname !== host)) return false;
  return path === "" || url.pathname === path || url.pathname.startsWith(`${path}/`);
}

export interface DomainRules {
  /** Empty: every domain. */
  readonly allowed: readonly DomainRule[];
  readonly excluded: readonly DomainRule[];
}

/** False for what is no address. */
export function isAllowedUrl(text: string, { allowed, excluded }: DomainRules): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  const isNamed = (rules: readonly DomainRule[]) => rules.some((rule) => matchesDomain(rule, url));
  return (allowed.length === 0 || isNamed(allowed)) && !isNamed(excluded);
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
