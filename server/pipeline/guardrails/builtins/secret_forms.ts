/** Forms of the keys of known issuers. */

interface Form {
  readonly issuer: string;
  /** How it begins. Where empty, `first` has the characters with which it can begin. */
  readonly prefix: string;
  readonly first?: string;
  /** Rest of the key, as a regular expression with bounded repetitions. */
  readonly rest: string;
}

const DIGITS = "0123456789";

/** Letters and digits, so many; nothing of the kind may follow. */
const alnum = (min: number, max = min): string => `[A-Za-z0-9]{${min},${max}}(?![A-Za-z0-9])`;
const hex = (count: number): string => `[0-9a-f]{${count}}(?![0-9A-Za-z])`;
const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
/** Letters, digits, `_` and `-`; what is longer is cut at the bound. */
const word = (min: number, max = 256): string => `[\\w-]{${min},${max}}`;

const form = (issuer: string, prefix: string, { rest }: { readonly rest: string }): Form => ({
  issuer,
  prefix,
  rest,
});

export const secretForms: readonly Form[] = [
  form("OpenRouter", "sk-or-v1-", { rest: hex(64) }),
  form("Anthropic", "sk-ant-", { rest: word(24) }),
  form("OpenAI", "sk-proj-", { rest: word(24) }),
  form("OpenAI", "sk-svcacct-", { rest: word(24) }),
  form("OpenAI", "sk-admin-", { rest: word(24) }),
  form("OpenAI", "sk-", { rest: alnum(20, 128) }),
  form("AWS", "AKIA", { rest: "[A-Z2-7]{16}(?![A-Za-z0-9])" }),
  form("AWS", "ASIA", { rest: "[A-Z2-7]{16}(?![A-Za-z0-9])" }),
  form("AWS", "ABIA", { rest: "[A-Z2-7]{16}(?![A-Za-z0-9])" }),
  form("AWS", "ACCA", { rest: "[A-Z2-7]{16}(?![A-Za-z0-9])" }),
  form("AWS", "A3T", { rest: "[A-Z0-9][A-Z2-7]{16}(?![A-Za-z0-9])" }),
  form("AWS Bedrock", "bedrock-api-key-", { rest: "[A-Za-z0-9+/]{16,1000}={0,2}" }),
  form("AWS Bedrock", "ABSK", { rest: "[A-Za-z0-9+/]{100,270}={0,2}" }),
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((prefix) =>
    form("GitHub", prefix, { rest: alnum(36, 255) })
  ),
  form("GitHub", "github_pat_", { rest: "\\w{82}(?!\\w)" }),
  ...[
    "glpat-",
    "gldt-",
    "glrt-",
    "glcbt-",
    "glptt-",
    "glft-",
    "glsoat-",
    "glffct-",
    "glimt-",
    "glagent-",
    "gloas-",
  ].map((prefix) => form("GitLab", prefix, { rest: `[\\w.-]{20,128}` })),
  form("GitLab", "GR1348941", { rest: "[\\w-]{20}(?![\\w-])" }),
  form("GitLab", "_gitlab_session=", { rest: hex(32) }),
  form("Google", "AIza", { rest: "[\\w-]{35}(?![\\w-])" }),
  form("Google", "GOCSPX-", { rest: "[\\w-]{28}(?![\\w-])" }),
  form("Google", "ya29.", { rest: word(30) }),
  ...["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.xoxp-", "xoxc-", "xoxd-"].map((prefix) =>
    form("Slack", prefix, { rest: "[\\w%+/=-]{20,250}" })
  ),
  form("Slack", "xapp-", { rest: "\\d-[A-Z0-9]{8,16}-\\d{8,16}-[0-9a-f]{32,80}" }),
  ...["https://hooks.slack.com/", "http://hooks.slack.com/", "hooks.slack.com/"].map((prefix) =>
    form("Slack", prefix, { rest: "(?:services|workflows|triggers)/[\\w/+]{40,100}" })
  ),
  ...["sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "whsec_"].map((prefix) =>
    form("Stripe", prefix, { rest: alnum(16, 247) })
  ),
  form("Twilio", "AC", { rest: hex(32) }),
  form("Twilio", "SK", { rest: hex(32) }),
  form("SendGrid", "SG.", { rest: "[\\w-]{16,32}\\.[\\w-]{32,64}|[\\w=.-]{66}(?![\\w=.-])" }),
  form("Brevo", "xkeysib-", { rest: "[0-9a-f]{64}-[A-Za-z0-9]{16}" }),
  form("npm", "npm_", { rest: alnum(36) }),
  form("PyPI", "pypi-AgEIcHlwaS5vcmc", { rest: word(50) }),
  form("RubyGems", "rubygems_", { rest: hex(48) }),
  form("crates.io", "cio", { rest: alnum(32) }),
  form("NuGet", "oy2", { rest: "[a-z0-9]{43}(?![A-Za-z0-9])" }),
  form("Docker", "dckr_pat_", { rest: word(27, 64) }),
  form("Hugging Face", "hf_", { rest: alnum(34) }),
  form("Hugging Face", "api_org_", { rest: alnum(34) }),
  ...["dop_v1_", "doo_v1_", "dor_v1_"].map((prefix) => form("DigitalOcean", prefix, { rest: hex(64) })),
  ...["shpat_", "shpca_", "shppa_", "shpss_"].map((prefix) =>
    form("Shopify", prefix, { rest: "[0-9a-fA-F]{32}(?![0-9A-Za-z])" })
  ),
  form("Square", "sq0atp-", { rest: "[\\w-]{22}(?![\\w-])" }),
  form("Square", "sq0csp-", { rest: "[\\w-]{43}(?![\\w-])" }),
  form("Square", "EAAA", { rest: "[\\w-]{60}(?![\\w-])" }),
  form("Mailgun", "key-", { rest: hex(32) }),
  form("Mailgun", "pubkey-", { rest: hex(32) }),
  { issuer: "Mailchimp", prefix: "", first: `${DIGITS}abcdef`, rest: "[0-9a-f]{32}-us\\d{1,2}(?!\\w)" },
  { issuer: "Telegram", prefix: "", first: DIGITS, rest: "\\d{8,10}:AA[\\w-]{33}(?![\\w-])" },
  {
    issuer: "Discord",
    prefix: "",
    first: "MNO",
    rest: "[MNO][\\w-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,40}(?![\\w-])",
  },
  form("Discord", "https://discord.com/api/webhooks/", { rest: "\\d{17,20}/[\\w-]{50,100}" }),
  form("Discord", "https://discordapp.com/api/webhooks/", { rest: "\\d{17,20}/[\\w-]{50,100}" }),
  form("Databricks", "dapi", { rest: "[0-9a-f]{32}(?:-\\d)?(?![0-9A-Za-z])" }),
  form("Linear", "lin_api_", { rest: alnum(40) }),
  form("Linear", "lin_oauth_", { rest: alnum(40, 64) }),
  form("Notion", "ntn_", { rest: alnum(40, 60) }),
  form("Notion", "secret_", { rest: alnum(43) }),
  form("Postman", "PMAK-", { rest: "[0-9a-f]{24}-[0-9a-f]{34}(?![0-9A-Za-z])" }),
  ...["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim."].map((prefix) =>
    form("Doppler", prefix, { rest: "(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,44}(?![A-Za-z0-9])" })
  ),
  ...["hvs.", "hvb.", "hvr."].map((prefix) => form("Vault", prefix, { rest: word(24, 256) })),
  form("Terraform Cloud", "atlasv1.", { rest: word(60, 80) }),
  form("Groq", "gsk_", { rest: alnum(52) }),
  form("xAI", "xai-", { rest: alnum(60, 90) }),
  form("Replicate", "r8_", { rest: alnum(37) }),
  form("Perplexity", "pplx-", { rest: alnum(40, 64) }),
  form("NVIDIA", "nvapi-", { rest: word(60, 80) }),
  form("Fireworks", "fw_", { rest: alnum(22, 32) }),
  form("Cerebras", "csk-", { rest: alnum(40, 64) }),
  form("LangSmith", "lsv2_", { rest: "[ps][tk]_[0-9a-f]{32}_[0-9a-f]{10}(?![0-9A-Za-z])" }),
  form("Grafana", "glsa_", { rest: "[A-Za-z0-9]{32}_[0-9a-fA-F]{8}(?![0-9A-Za-z])" }),
  form("Grafana", "glc_", { rest: "[A-Za-z0-9+/]{32,200}={0,2}" }),
  form("Sentry", "sntrys_", { rest: "[\\w+/=-]{60,256}" }),
  form("Sentry", "sntryu_", { rest: hex(64) }),
  form("New Relic", "NRAK-", { rest: "[A-Z0-9]{27}(?![A-Za-z0-9])" }),
  form("Tailscale", "tskey-", { rest: "[a-z]{2,12}-[\\w-]{20,80}" }),
  form("Pulumi", "pul-", { rest: hex(40) }),
  form("Supabase", "sbp_", { rest: hex(40) }),
  form("Supabase", "sb_secret_", { rest: word(20, 64) }),
  form("PlanetScale", "pscale_", { rest: "(?:tkn|pw|oauth)_[\\w.=-]{32,64}" }),
  form("Netlify", "nfp_", { rest: alnum(36) }),
  form("Heroku", "HRKU-", { rest: word(36, 64) }),
  form("Fly.io", "fm2_", { rest: "[A-Za-z0-9+/=,_-]{80,512}" }),
  form("Atlassian", "ATATT3", { rest: "[\\w=-]{60,256}" }),
  form("Atlassian", "ATCTT3", { rest: "[\\w=-]{60,256}" }),
  form("Figma", "figd_", { rest: word(36, 64) }),
  { issuer: "Airtable", prefix: "pat", rest: "[A-Za-z0-9]{14}\\.[0-9a-f]{64}(?![0-9A-Za-z])" },
  form("Razorpay", "rzp_live_", { rest: alnum(14, 24) }),
  form("Plaid", "access-", {
    rest: "(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
  }),
  form("Braintree", "access_token$production$", { rest: "[a-z0-9]{16}\\$[0-9a-f]{32}" }),
  form("Buildkite", "bkua_", { rest: hex(40) }),
  form("CircleCI", "CCIPAT_", { rest: "[A-Za-z0-9]{22}_[0-9a-f]{40}(?![0-9A-Za-z])" }),
  ...["sqp_", "squ_", "sqa_"].map((prefix) => form("SonarQube", prefix, { rest: hex(40) })),
  form("Resend", "re_", { rest: "[A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?![A-Za-z0-9])" }),
  form("LaunchDarkly", "sdk-", { rest: "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}" }),
  form("Contentful", "CFPAT-", { rest: "[\\w-]{43}(?![\\w-])" }),
  form("Typeform", "tfp_", { rest: "[\\w-]{40,64}" }),
  form("Alibaba Cloud", "LTAI", { rest: alnum(16, 24) }),
  form("Tencent Cloud", "AKID", { rest: alnum(28, 36) }),
  form("EasyPost", "EZAK", { rest: alnum(54) }),
  form("EasyPost", "EZTK", { rest: alnum(54) }),
  form("1Password", "A3-", {
    rest: "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}(?![A-Za-z0-9])",
  }),
  form("1Password", "ops_eyJ", { rest: "[A-Za-z0-9+/]{200,1600}={0,3}" }),
  form("Adobe", "p8e-", { rest: alnum(32) }),
  form("Artifactory", "AKCp", { rest: alnum(69) }),
  form("Artifactory", "cmVmd", { rest: alnum(59) }),
  ...["sc_", "ext_", "scauth_", "authress_"].map((prefix) =>
    form("Authress", prefix, {
      rest: "[a-z0-9]{5,30}\\.[a-z0-9]{4,6}\\.acc[_-][a-z0-9-]{10,32}\\.[\\w+/=-]{30,120}",
    })
  ),
  form("ClickHouse", "4b1d", { rest: alnum(38) }),
  form("Clojars", "CLOJARS_", { rest: "[a-zA-Z0-9]{60}(?![A-Za-z0-9])" }),
  form("Cloudflare", "v1.0-", { rest: "[0-9a-f]{24}-[0-9a-f]{146}(?![0-9A-Za-z])" }),
  form("Duffel", "duffel_", { rest: "(?:test|live)_[\\w=-]{43}" }),
  form("Dynatrace", "dt0c01.", { rest: "[A-Za-z0-9]{24}\\.[A-Za-z0-9]{64}(?![A-Za-z0-9])" }),
  form("Facebook", "EAA", { rest: "[MC][A-Za-z0-9]{100,250}" }),
  {
    issuer: "Facebook",
    prefix: "",
    first: "123456789",
    rest: "\\d{15,16}(?:\\||%7[Cc])[\\w-]{27}(?![\\w-])",
  },
  form("Flutterwave", "FLWSECK", { rest: "(?:_TEST)?-[0-9a-h]{12,32}(?:-X)?(?![0-9A-Za-z])" }),
  form("Flutterwave", "FLWPUBK", { rest: "(?:_TEST)?-[0-9a-h]{32}-X" }),
  form("Fly.io", "fo1_", { rest: "[\\w-]{43}(?![\\w-])" }),
  ...["fm1a_", "fm1r_"].map((prefix) => form("Fly.io", prefix, { rest: "[A-Za-z0-9+/]{100,1600}={0,3}" })),
  form("Frame.io", "fio-u-", { rest: "[\\w=-]{64}" }),
  form("Grafana", "eyJrIjoi", { rest: "[A-Za-z0-9]{70,400}={0,3}" }),
  ...["pat.", "sat."].map((prefix) =>
    form("Harness", prefix, { rest: "[\\w-]{22}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{20}(?![A-Za-z0-9])" })
  ),
  form("Infracost", "ico-", { rest: alnum(32) }),
  form("Intra 42", "s-s4t2", { rest: "(?:ud|af)-[0-9a-f]{64,68}(?![0-9A-Za-z])" }),
  form("Mapbox", "pk.", { rest: "[A-Za-z0-9]{60}\\.[A-Za-z0-9]{22}(?![A-Za-z0-9])" }),
  ...["webhook.office.com/webhookb2/", "outlook.office.com/webhook/"].map((prefix) =>
    form("Microsoft Teams", prefix, { rest: `${uuid}@${uuid}/IncomingWebhook/[0-9a-f]{32}/${uuid}` })
  ),
  form("New Relic", "NRJS-", { rest: hex(19) }),
  form("New Relic", "NRII-", { rest: "[A-Za-z0-9-]{32}(?![A-Za-z0-9])" }),
  form("Octopus Deploy", "API-", { rest: "[A-Z0-9]{26}(?![A-Za-z0-9])" }),
  form("OpenShift", "sha256~", { rest: "[\\w-]{43}(?![\\w-])" }),
  form("Prefect", "pnu_", { rest: alnum(36) }),
  form("ReadMe", "rdme_", { rest: alnum(70) }),
  form("Scalingo", "tk-us-", { rest: "[\\w-]{48}(?![\\w-])" }),
  ...["sm_aat_", "sm_pat_", "sm_sat_"].map((prefix) => form("SettleMint", prefix, { rest: alnum(16) })),
  form("Shippo", "shippo_", { rest: "(?:live|test)_[0-9a-fA-F]{40}(?![0-9A-Za-z])" }),
  form("Sourcegraph", "sgp_", { rest: "(?:[0-9a-fA-F]{16}_|local_)?[0-9a-fA-F]{40}(?![0-9A-Za-z])" }),
  form("age", "AGE-SECRET-KEY-1", { rest: "[A-Z0-9]{58}(?![A-Za-z0-9])" }),
  form("JWT", "ZXlK", { rest: "[\\w+/-]{80,2400}={0,2}" }),
  form("JWT", "eyJ", { rest: "[\\w-]{8,1200}\\.eyJ[\\w-]{8,1600}\\.[\\w-]{16,1000}" }),
];

interface SecretForm {
  readonly prefix: string;
  /** Sticky: what follows the prefix. */
  readonly rest: RegExp;
}

/** The forms that begin with one character, by the code of the second one. */
type FormsBySecond = readonly (readonly SecretForm[])[];

const CODES = 128;

/** The forms by the code of their first character, then by that of their second. */
export const formsByStart: readonly (FormsBySecond | undefined)[] = byStart();

function byStart(): readonly (FormsBySecond | undefined)[] {
  const starts = new Array<SecretForm[][] | undefined>(CODES).fill(undefined);
  for (const { prefix, first = prefix.charAt(0), rest } of secretForms) {
    const form = { prefix, rest: new RegExp(rest, "y") };
    for (const character of first) {
      const seconds = starts[character.charCodeAt(0)] ??= Array.from({ length: CODES }, () => []);
      if (prefix === "") { for (const forms of seconds) forms.push(form); }
      else seconds[prefix.charCodeAt(1)]?.push(form);
    }
  }
  return starts;
}
