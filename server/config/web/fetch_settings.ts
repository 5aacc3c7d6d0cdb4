/** Settings of the configuration file for addresses that may be fetched besides public `https:` ones, `fetch`. */

import * as z from "zod";
import { variableName } from "../keys/provider_keys.ts";
import { strictObject } from "../strict_object.ts";

export interface FetchSettings {
  readonly allowHttp: boolean;
  /** `host` or `host:port`. */
  readonly allowedHosts: readonly string[];
}

/** As URLs have it: a name in small letters, an IPv4 address, or an IPv6 address in brackets; perhaps with a port. */
const fetchHost = z.string().max(300).refine(
  (host) => !host.includes("*") && URL.parse(`http://${host}/`)?.host === host.replace(/:80$/, ""),
  "the host of an address, such as wiki.corp, 10.0.0.7:8080 or [fd00::1], in small letters",
);

export const fetchSchema = strictObject({
  allow_http: z.boolean().default(false),
  /** Internal hosts, by either scheme. */
  allowed_hosts: z.array(fetchHost).max(1_000).default([]),
  /** Variables of the environment that guardrails may send to their services, by name. */
  header_env: z.array(variableName).max(100).default([]),
});
