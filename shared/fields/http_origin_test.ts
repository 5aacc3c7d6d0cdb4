import assert from "node:assert/strict";
import { httpOrigin } from "./http_origin.ts";

Deno.test("httpOrigin takes addresses of a server, and nothing that says more", () => {
  const taken: Readonly<Record<string, string>> = {
    "http://10.0.0.5:8787": "http://10.0.0.5:8787",
    "http://10.0.0.5:80/": "http://10.0.0.5",
    "https://Gateway-1.internal": "https://gateway-1.internal",
    "http://[fd00::5]:8787": "http://[fd00::5]:8787",
  };
  for (const [text, origin] of Object.entries(taken)) assert.equal(httpOrigin(text), origin, text);
  const refused = [
    "",
    "10.0.0.5:8787",
    "//10.0.0.5:8787",
    "ftp://10.0.0.5",
    "postgres://10.0.0.5",
    "javascript:alert(1)",
    "http://",
    "http://user@10.0.0.5",
    "http://user:password@10.0.0.5",
    "http://@10.0.0.5",
    "http://10.0.0.5/v1",
    "http://10.0.0.5?",
    "http://10.0.0.5/?a=b",
    "http://10.0.0.5#",
    "http:\\\\10.0.0.5",
    "http://10.0.0.5:99999",
  ];
  for (const text of refused) assert.equal(httpOrigin(text), undefined, text);
});
