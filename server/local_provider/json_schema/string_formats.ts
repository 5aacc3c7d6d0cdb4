/** The string formats of JSON Schema: what they look like, and samples of them. */

interface Format {
  readonly check: RegExp;
  /** The n-th sample; different for each n, from 0. */
  readonly sample: (n: number) => string;
}

const two = (n: number) => String(n % 100).padStart(2, "0");
const day = (n: number) => `2025-01-${two(n % 28 + 1)}`;
const ip = (n: number) => `192.0.2.${n % 255 + 1}`;
const page = (n: number) => `https://example.com/${n + 1}`;
const time = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(z|[+-]\d\d:?\d\d)$/i;
const date = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const dateTime =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[t ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(z|[+-]\d\d:?\d\d)$/i;
const email = /^[\w.+-]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i;
const uri = /^[a-z][a-z0-9+.-]*:[^\s<>{}|\\^"`]+$/i;
const uriReference = /^[^\s<>{}|\\^"`]+$/;
const hostname = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/** Every check runs in linear time; texts come from callers. */
const formats: Readonly<Record<string, Format>> = {
  "date-time": { check: dateTime, sample: (n) => `${day(n)}T09:30:00Z` },
  date: { check: date, sample: day },
  time: { check: time, sample: (n) => `09:${two(n % 60)}:00Z` },
  duration: { check: /^P\d+[DWMY]$/, sample: (n) => `P${n + 1}D` },
  email: { check: email, sample: (n) => `user${n + 1}@example.com` },
  "idn-email": { check: email, sample: (n) => `user${n + 1}@example.com` },
  hostname: { check: hostname, sample: (n) => `host${n + 1}.example.com` },
  "idn-hostname": { check: hostname, sample: (n) => `host${n + 1}.example.com` },
  ipv4: { check: /^((25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(25[0-5]|2[0-4]\d|1?\d?\d)$/, sample: ip },
  ipv6: {
    check: /^[0-9a-f]{1,4}(:[0-9a-f]{0,4}){2,7}$/i,
    sample: (n) => `2001:db8::${(n + 1).toString(16)}`,
  },
  uri: { check: uri, sample: page },
  url: { check: uri, sample: page },
  iri: { check: uri, sample: page },
  "uri-reference": { check: uriReference, sample: page },
  "iri-reference": { check: uriReference, sample: page },
  "uri-template": { check: uriReference, sample: (n) => `https://example.com/${n + 1}/{id}` },
  uuid: {
    check: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
    sample: (n) => `123e4567-e89b-42d3-a456-${(n + 0x426614174000).toString(16).padStart(12, "0")}`,
  },
  "json-pointer": { check: /^(\/[^~/]*)*$/, sample: (n) => `/item/${n}` },
  "relative-json-pointer": { check: /^(0|[1-9]\d*)(#|(\/[^~/]*)*)$/, sample: (n) => `${n}` },
  regex: { check: /^[\w^$ -]*$/, sample: (n) => `^[a-z]{${n + 1}}$` },
  byte: {
    check: /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
    sample: (n) => btoa(`data ${n}`),
  },
};

/** Whether `text` has the format; formats that nobody knows are no constraint. */
export function matchesFormat(name: string, text: string): boolean {
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  return format === undefined || format.check.test(text) || isSample(format, text);
}

function isSample(format: Format, text: string): boolean {
  return Array.from({ length: 8 }, (_, n) => format.sample(n)).includes(text);
}

/** Samples of a format, all different; none for a format that nobody knows. */
export function formatSamples(name: string): readonly string[] {
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  return format === undefined ? [] : Array.from({ length: 8 }, (_, n) => format.sample(n));
}
