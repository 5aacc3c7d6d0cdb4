import assert from "node:assert/strict";
import { trueAudioFormat, withTrueType } from "./media_type.ts";

const base64 = (bytes: string) => btoa(bytes);
const png = base64(
  "\x89PNG\r\n\x1a\n and so on, for some more bytes than are looked at in the beginning of a file",
);
const jpeg = base64("\xff\xd8\xff\xe0\x00\x10JFIF and so on");
const webp = base64("RIFF\x10\x00\x00\x00WEBPVP8 ");
const wav = base64("RIFF\x10\x00\x00\x00WAVEfmt ");
const pdf = base64("%PDF-1.7\n");
const mp4 = base64("\x00\x00\x00\x18ftypisom\x00\x00\x02\x00");
const text = base64("name,age\nAda,36\n");

const cases: Readonly<Record<string, readonly [given: string, expected: string]>> = {
  "the right type": [`data:image/png;base64,${png}`, `data:image/png;base64,${png}`],
  "image/jpg": [`data:image/jpg;base64,${jpeg}`, `data:image/jpeg;base64,${jpeg}`],
  "image/jpg of unknown bytes": ["data:image/jpg;base64,AAAA", "data:image/jpeg;base64,AAAA"],
  "capitals": [`DATA:IMAGE/PNG;BASE64,${png}`, `data:image/png;base64,${png}`],
  "a wrong type": [`data:image/png;base64,${jpeg}`, `data:image/jpeg;base64,${jpeg}`],
  "a type of another kind": [`data:image/png;base64,${pdf}`, `data:application/pdf;base64,${pdf}`],
  "no type": [`data:;base64,${png}`, `data:image/png;base64,${png}`],
  "any bytes": [`data:application/octet-stream;base64,${webp}`, `data:image/webp;base64,${webp}`],
  "a parameter": [`data:image/png;name=a.png;base64,${webp}`, `data:image/webp;name=a.png;base64,${webp}`],
  "spaces": [`data:image/png ; base64,${webp}`, `data:image/webp;base64,${webp}`],
  "no head": [jpeg, `data:image/jpeg;base64,${jpeg}`],
  "no head, and lines": [
    png.replace(/.{20}/, "$&\n"),
    `data:image/png;base64,${png.replace(/.{20}/, "$&\n")}`,
  ],
  "the alphabet of addresses": [
    `data:image/png;base64,${jpeg.replaceAll("+", "-").replaceAll("/", "_")}`,
    `data:image/jpeg;base64,${jpeg.replaceAll("+", "-").replaceAll("/", "_")}`,
  ],
  "text": [`data:Text/CSV;base64,${text}`, `data:text/csv;base64,${text}`],
  "text without base64": ["data:text/plain,hi, there", "data:text/plain,hi, there"],
  "a sound of a name of its own": [`data:audio/x-wav;base64,${wav}`, `data:audio/x-wav;base64,${wav}`],
  "a sound in a film's container": [`data:audio/mp4;base64,${mp4}`, `data:audio/mp4;base64,${mp4}`],
  "a film called a picture": [`data:image/png;base64,${mp4}`, `data:video/mp4;base64,${mp4}`],
  "an address": ["https://a.example/b.jpg?data:image/jpg", "https://a.example/b.jpg?data:image/jpg"],
  "an id": ["file-abc123", "file-abc123"],
  "base64 of nothing known": [text, text],
  "nothing": ["", ""],
  "a head without an end": ["data:image/png", "data:image/png"],
  "no base64": ["data:image/png;base64,%%%", "data:image/png;base64,%%%"],
};

Deno.test("withTrueType names what the bytes are", () => {
  for (const [name, [given, expected]] of Object.entries(cases)) {
    assert.equal(withTrueType(given), expected, name);
    assert.equal(withTrueType(expected), expected, `${name}, again`);
  }
});

Deno.test("trueAudioFormat names what the sound is", () => {
  const rows = [
    [wav, "mp3", "wav"],
    [base64("ID3\x04\x00"), "wav", "mp3"],
    [base64("\xff\xfb\x90\x00"), "wav", "mp3"],
    [base64("fLaC\x00\x00\x00\x22"), "mp3", "flac"],
    ["AAAA", "WAV", "wav"],
    ["AAAA", "pcm16", "pcm16"],
  ] as const;
  for (const [data, named, expected] of rows) assert.equal(trueAudioFormat(data, named), expected);
});

Deno.test("withTrueType lets the two bytes of a frame of MP3 make no sound of a picture or a document", () => {
  for (const named of ["image/png", "image/jpeg", "application/pdf", "application/octet-stream", ""]) {
    const data = `data:${named};base64,//MA`;
    assert.equal(withTrueType(data), data);
  }
  assert.equal(withTrueType("//MA"), "//MA");
  assert.equal(withTrueType("data:audio/mp3;base64,//MA"), "data:audio/mp3;base64,//MA");
  assert.equal(trueAudioFormat("//MA", "wav"), "mp3");
});
