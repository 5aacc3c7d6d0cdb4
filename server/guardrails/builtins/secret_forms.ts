/** What the keys of known issuers look like. */

interface Form {
  readonly issuer: string;
  /** How it begins. Where empty, `first` has the characters with which it can begin. */
  readonly prefix: string;
  readonly first?: string;
  /** What follows, as a regular expression with bounded repetitions. */
  readonly rest: string;
}

const DIGITS = "0123456789";

/** Letters and digits, so many; nothing of the kind may follow. */
const alnum = (min: number, max = min): string => `[A-Za-z0-9]{${min},${max}}(?![A-Za-z0-9])`;
const hex = (count: number): string => `[0-9a-f]{${count}}(?![0-9A-Za-z])`;
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
  form("AWS Bedrock", "ABSK", { rest: "[A-Za-z0-9+/]{100,160}={0,2}" }),
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((prefix) =>
    form("GitHub", prefix, { rest: alnum(36, 255) })
  ),
  form("GitHub", "github_pat_", { rest: "[A-Za-z0-9]{22}_[A-Za-z0-9]{59}(?![A-Za-z0-9])" }),
  ...["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-"].map((prefix) =>
    form("GitLab", prefix, { rest: `[\\w.-]{20,128}` })
  ),
  form("Google", "AIza", { rest: "[\\w-]{35}(?![\\w-])" }),
  form("Google", "GOCSPX-", { rest: "[\\w-]{28}(?![\\w-])" }),
  form("Google", "ya29.", { rest: word(30) }),
  ...["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.xoxp-", "xoxc-", "xoxd-"].map((prefix) =>
    form("Slack", prefix, { rest: "[\\w%-]{20,250}" })
  ),
  form("Slack", "xapp-", { rest: "\\d-[A-Z0-9]{8,16}-\\d{8,16}-[0-9a-f]{32,80}" }),
  form("Slack", "https://hooks.slack.com/services/", { rest: "T\\w{8,12}/B\\w{8,12}/\\w{20,32}" }),
  form("Slack", "https://hooks.slack.com/workflows/", {
    rest: "T\\w{8,12}/A\\w{8,12}/\\d{10,20}/\\w{20,32}",
  }),
  ...["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"].map((prefix) =>
    form("Stripe", prefix, { rest: alnum(16, 247) })
  ),
  form("Twilio", "AC", { rest: hex(32) }),
  form("Twilio", "SK", { rest: hex(32) }),
  form("SendGrid", "SG.", { rest: "[\\w-]{16,32}\\.[\\w-]{32,64}" }),
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
  form("PlanetScale", "pscale_", { rest: "(?:tkn|pw|oauth)_[\\w.-]{32,64}" }),
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
  form("age", "AGE-SECRET-KEY-1", { rest: "[A-Z0-9]{58}(?![A-Za-z0-9])" }),
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
