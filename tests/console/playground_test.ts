/** Playground: answers as they come, their steps and costs, and what is done with them. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { managed } from "../support/manage.ts";
import { mockModel } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { says } from "../support/scripted.ts";
import { sound, speaker, speakerAt, tone } from "../speech/rig.ts";
import { consoleStory } from "./support/console_story.ts";
import { answers, chooseModel, heldStory, message, scriptedStory, send } from "./support/playground_story.ts";
import { clocks, SOURCE } from "./support/playground_upstream.ts";
import { assertAccessible } from "./support/accessibility.ts";
import { screenshots } from "./support/screenshots.ts";

/** Plays the sound to its end, and tells its seconds. */
const played = `new Promise((done, failed) => {
  const audio = document.querySelector("audio");
  audio.onended = () => done(audio.duration);
  audio.onerror = () => failed(audio.error.message);
  audio.muted = true;
  audio.play().catch(failed);
})`;

const pricing = { prompt: "0.001", completion: "0.002" };

scriptedStory(
  {
    name: "an answer comes with reasoning, two tool steps with input and output, a source and its cost",
    session: "manager",
    script: clocks,
  },
  async ({ page, open, upstream }) => {
    await open("/playground");
    await page.getByRole("switch", { name: "Date and time" }).check();
    await send(page, "How far apart are Rome and Lima?");
    const answer = answers(page).first();
    await answer.getByText("Completed").waitFor();
    await answer.getByText("Rome is six hours ahead of Lima").waitFor();
    assert.equal(await answer.getByRole("listitem").filter({ hasText: "evening" }).count(), 1);
    await answer.getByRole("cell", { name: "Lima" }).waitFor();
    await answer.getByText("const hours = 6;").waitFor();
    await answer.getByText("Reasoning").click();
    await answer.getByText("Both clocks have to be read").waitFor();
    const steps = answer.locator("details.step");
    assert.equal(await steps.count(), 3);
    await steps.nth(1).locator("summary").click();
    await steps.nth(1).getByRole("region", { name: "Input" }).getByText("Europe/Rome").waitFor();
    await steps.nth(1).getByRole("region", { name: "Output" }).getByText("datetime").waitFor();
    const source = answer.getByRole("link", { name: "Clocks of the world" });
    const read = (name: string) => source.getAttribute(name);
    assert.deepEqual([await read("href"), await read("rel"), await read("target")], [
      SOURCE,
      "noopener noreferrer",
      "_blank",
    ]);
    await answer.getByText("clocks.example/rome-and-lima").waitFor();
    await answer.getByRole("link", { name: "Source 1" }).waitFor();
    await answer.getByText(/\$0\.\d{4}/).waitFor();
    await screenshots(page, "playground-answer");
    await send(page, "And which is the later one?");
    await answers(page).nth(1).getByText("Completed").waitFor();
    const again = JSON.stringify(upstream.requested.at(-1)?.body.input);
    for (const text of ["How far apart", "Europe/Rome", "six hours", "the later one"]) {
      assert(again.includes(text), `${text} in ${again}`);
    }
    await page.reload();
    await answers(page).first().getByText("Rome is six hours ahead of Lima").waitFor();
    await answers(page).first().getByRole("link", { name: "Receipt" }).click();
    const panel = page.getByRole("complementary");
    await panel.getByText("Console playground").first().waitFor();
    await panel.getByRole("region", { name: "About" }).getByText("First management key").waitFor();
    await panel.getByRole("link", { name: "Open in playground" }).click();
    await page.getByText("The settings are those of a request").waitFor();
    assert.equal(await page.getByLabel("Model", { exact: true }).inputValue(), "mock/model");
  },
);

heldStory(
  { name: "stop ends the answer, keeps what has come, and shows what was charged", session: "manager" },
  async ({ page, open, held }) => {
    await open("/playground");
    await send(page, "Tell me a long story");
    await held.say("Once upon a time, ");
    const answer = answers(page).first();
    await answer.getByText("Once upon a time,").waitFor();
    await answer.getByText(/^About \$\d/).waitFor();
    await screenshots(page, "playground-answering");
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await answer.getByText("Stopped").waitFor();
    await answer.getByText(/^\$0\.\d{4} charged$/).waitFor();
    await send(page, "Go on");
    await held.say("there was a gateway.");
    await held.end();
    await answers(page).nth(1).getByText("Completed").waitFor();
    const texts = JSON.stringify(held.requested().at(-1)?.body.input);
    for (const text of ["Tell me a long story", "Once upon a time,", "Go on"]) {
      assert(texts.includes(text), text);
    }
  },
);

heldStory(
  { name: "a block that is complete is drawn once, however much comes behind it", session: "manager" },
  async ({ page, open, held }) => {
    await open("/playground");
    await send(page, "Write");
    await held.say("The **first** block.\n\nThe second.\n\nThe third");
    await page.getByText("The third").waitFor();
    await page.evaluate("document.querySelector('.prose strong').isTheSame = true");
    for (let part = 0; part < 50; part++) await held.say(` word ${part}\n\nnext`);
    await page.getByText("word 49").waitFor();
    await held.end();
    await answers(page).first().getByText("Completed").waitFor();
    assert.equal(await page.evaluate("document.querySelector('.prose strong').isTheSame"), true);
    assert.equal(await page.locator(".prose p").count(), 53);
  },
);

consoleStory(
  {
    name: "two models stand side by side, with cost, first token and total under each",
    session: "manager",
    gateway: { env: { TOLLGATE_LOCAL: "on" } },
  },
  async ({ page, open }) => {
    await open("/playground?mode=compare");
    await chooseModel(page, { id: "local/echo" });
    await chooseModel(page, { id: "local/image", label: "Beside it" });
    await chooseModel(page, { id: "local/echo", label: "Beside it" });
    await send(page, "Say something short.");
    assert.equal(await answers(page).count(), 2);
    for (const at of [0, 1]) {
      const answer = answers(page).nth(at);
      await answer.getByText("Completed").waitFor();
      for (const text of [/^\$0\.0000$/, /^First token/, /^In all/]) await answer.getByText(text).waitFor();
    }
    await screenshots(page, "playground-compared");
  },
);

scriptedStory(
  {
    name: "a message is edited and sent again, and what came behind it goes",
    session: "manager",
    script: says("responses", "Hello."),
  },
  async ({ page, open, upstream }) => {
    await open("/playground");
    for (const [at, text] of ["One", "Two", "Three"].entries()) {
      await send(page, text);
      await answers(page).nth(at).getByText("Completed").waitFor();
    }
    await page.getByRole("button", { name: "Edit" }).nth(1).click();
    await page.getByText("You edit an earlier message").waitFor();
    assert.equal(await message(page).inputValue(), "Two");
    await message(page).fill("Two, otherwise");
    await page.keyboard.press("Enter");
    await answers(page).nth(1).getByText("Completed").waitFor();
    await page.getByText("Two, otherwise").waitFor();
    assert.equal(await answers(page).count(), 2);
    const input = JSON.stringify(upstream.requested.at(-1)?.body.input);
    assert(input.includes("One") && input.includes("Two, otherwise") && !input.includes("Three"), input);
    await page.getByRole("button", { name: "Ask again" }).click();
    await page.getByRole("button", { name: "Send" }).waitFor();
    assert.equal(await answers(page).count(), 2);
    await page.getByRole("button", { name: "New", exact: true }).click();
    await page.getByRole("heading", { name: "Try a model" }).waitFor();
    assert.equal(await page.evaluate("JSON.stringify({ ...sessionStorage }).includes('otherwise')"), false);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Two, otherwise").waitFor();
    await message(page).fill("Not sent yet");
    await message(page).blur();
    await page.reload();
    await page.getByText("Two, otherwise").waitFor();
    assert.equal(await message(page).inputValue(), "Not sent yet");
    await open("/models?model=mock%2Fmodel");
    await page.getByRole("link", { name: "Try in playground" }).click();
    await page.getByText("Two, otherwise").waitFor();
  },
);

scriptedStory(
  {
    name: "settings go along as the API has them, and wrong numbers are said",
    session: "manager",
    script: says("responses", "Hello."),
    models: [
      { ...mockModel, pricing, supported_parameters: ["temperature", "tools", "reasoning"] },
      { ...mockModel, pricing, id: "mock/spare" },
    ],
  },
  async ({ page, open, upstream }) => {
    await open("/playground");
    await page.getByText("$1,000.00 in, $2,000.00 out a million tokens.").waitFor();
    await page.getByText(/^At most \$\d.* is set aside for a turn\.$/).waitFor();
    const next = page.getByLabel("When it fails, then", { exact: true });
    await next.fill("nobody");
    await page.getByText("Nothing here has that in its name.").waitFor();
    await next.fill("SPA");
    await next.press("Enter");
    await page.getByRole("button", { name: "mock/spare" }).waitFor();
    await page.getByLabel("Providers", { exact: true }).selectOption("price");
    await page.getByLabel("Reasoning", { exact: true }).selectOption("low");
    await page.getByLabel("Output, at most").fill("many");
    await page.getByText("A whole number is needed.").waitFor();
    await message(page).fill("Hi");
    assert.equal(await page.getByRole("button", { name: "Send" }).isDisabled(), true);
    await page.getByLabel("Output, at most").fill("1,000");
    await page.getByText("More parameters").click();
    await page.getByLabel("Temperature").fill("0.5");
    assert.equal(await page.getByLabel("Top k").count(), 0, "the model does not take it");
    await page.getByText("Providers and instructions").click();
    await page.getByLabel("Instructions").fill("Be brief.");
    await page.getByRole("button", { name: "Send" }).click();
    await answers(page).first().getByText("Completed").waitFor();
    const body = upstream.requested.at(-1)?.body ?? {};
    assert.deepEqual([body.max_output_tokens, body.temperature, body.instructions], [
      1_000,
      0.5,
      "Be brief.",
    ]);
    assert.equal(Object(body.reasoning).effort, "low");
    await page.reload();
    assert.equal(await page.getByLabel("Output, at most").inputValue(), "1,000");
  },
);

scriptedStory(
  {
    name: "text, an image, a document and sound go along with a message",
    session: "manager",
    script: says("responses", "Seen."),
    models: [{ ...mockModel, pricing: { prompt: "0.000001", completion: "0.000002" } }],
  },
  async ({ page, open, upstream }) => {
    await open("/playground");
    await page.locator("input[type=file]").setInputFiles([
      { name: "notes.csv", mimeType: "text/csv", buffer: Buffer.from("vendor,usd\nOsterby,91") },
      { name: "chart.png", mimeType: "image/png", buffer: Buffer.from("\x89PNG") },
      { name: "paper.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7") },
      { name: "said.wav", mimeType: "audio/wav", buffer: Buffer.from("RIFF") },
    ]);
    await page.getByRole("button", { name: "Remove said.wav" }).waitFor();
    await send(page, "What is in them?");
    await answers(page).first().getByText("Completed").waitFor();
    const sent = JSON.stringify(upstream.requested.at(-1)?.body.input);
    for (const part of ["Osterby,91", "data:image/png;base64,", "paper.pdf", "input_audio"]) {
      assert(sent.includes(part), `${part}: ${sent}`);
    }
    await page.getByRole("region", { name: "Conversation" }).getByText("paper.pdf").waitFor();
  },
);

consoleStory(
  {
    name: "the built-in model reasons and runs a tool, step by step",
    session: "manager",
    gateway: { env: { TOLLGATE_LOCAL: "on" } },
  },
  async ({ page, open }) => {
    await open("/playground");
    await chooseModel(page, { id: "local/echo" });
    await page.getByRole("switch", { name: "Date and time" }).check();
    await page.getByLabel("Reasoning", { exact: true }).selectOption("low");
    await send(page, 'Use the datetime tool with: {"timezone": "Europe/Rome"}');
    const answer = answers(page).first();
    await answer.getByText("Completed").waitFor();
    await answer.getByText("Reasoning").first().waitFor();
    await answer.locator("summary").filter({ hasText: /^Datetime/ }).click();
    await answer.getByRole("region", { name: "Output" }).getByText("Europe/Rome").waitFor();
  },
);

consoleStory(
  {
    name: "the holder of a key tries models with it",
    session: "key holder",
    gateway: { env: { TOLLGATE_LOCAL: "on" } },
  },
  async ({ page, open, gateway }) => {
    await open("");
    await page.getByRole("link", { name: "Playground" }).click();
    await page.getByText("First API key, in all").waitFor();
    await chooseModel(page, { id: "local/echo" });
    await send(page, "Hello");
    await answers(page).first().getByText("Completed").waitFor();
    assert.equal(await answers(page).first().getByRole("link", { name: "Receipt" }).count(), 0);
    const receipts = async () => Object((await managed(gateway, { call: "GET /receipts" })).body.data);
    await until(async () => (await receipts()).length > 0, { what: "the receipt" });
    assert.equal((await receipts())[0].management_key_hash, undefined);
    await screenshots(page, "playground-holder");
  },
);

{
  const upstream = speaker(() => sound(tone(0.5)));
  Deno.test.afterAll(() => upstream[Symbol.asyncDispose]());
  for (const session of ["manager", "key holder"] as const) {
    consoleStory(
      {
        name: `a text is spoken, played and downloaded by a ${session}`,
        session,
        gateway: { providers: [speakerAt(upstream.baseUrl)] },
      },
      async ({ page, open, watch }) => {
        // A holder of a key asks for a receipt that may not be there yet.
        if (session === "key holder") watch.allow(/^console error: .* 404 .*\/generation\?id=/);
        await open("/playground?mode=speech");
        await page.getByLabel("Text", { exact: true }).fill("Good morning");
        await page.getByLabel("Voice", { exact: true }).fill("alloy");
        await page.getByLabel("Speed", { exact: true }).fill("9");
        await page.getByText("A number from 0.25 to 4 is needed.").waitFor();
        await page.getByLabel("Speed", { exact: true }).fill("");
        await page.getByRole("button", { name: "Speak" }).click();
        await page.getByText(/^\$0\.\d{4}$/).waitFor();
        const player = page.locator("audio");
        assert.match(String(await player.getAttribute("src")), /^blob:/);
        const seconds = await page.evaluate<number>(played);
        assert(seconds > 0.4 && seconds < 1, `${seconds} s`);
        const downloading = page.waitForEvent("download");
        await page.getByRole("link", { name: "Download" }).click();
        assert.equal((await downloading).suggestedFilename(), "speech.mp3");
        assert.equal(upstream.requested.at(-1)?.body.voice, "alloy");
        await assertAccessible(page);
        await screenshots(page, "playground-speech");
      },
    );
  }
}
