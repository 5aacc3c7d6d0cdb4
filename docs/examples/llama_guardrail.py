"""An external guardrail of Tollgate's with Llama Guard behind any server that speaks chat completions.

URL is that server's (http://127.0.0.1:11434/v1 for Ollama), MODEL its name of the model, KEY its key, if it has one.
"""
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import Request, urlopen

url = os.environ.get("URL", "http://127.0.0.1:11434/v1") + "/chat/completions"
model = os.environ.get("MODEL", "llama-guard3")
headers = {"content-type": "application/json", "authorization": f"Bearer {os.environ.get('KEY', 'none')}"}


def judge(side, texts):
    role = "user" if side == "input" else "assistant"
    question = {"role": "user", "content": "(what the user asked is not known)"}
    text = "\n\n".join(one["text"] for one in texts)
    said = [{"role": role, "content": text}]
    body = {"model": model, "temperature": 0, "messages": said if role == "user" else [question, *said]}
    with urlopen(Request(url, json.dumps(body).encode(), headers), timeout=30) as reply:
        verdict = json.load(reply)["choices"][0]["message"]["content"].split()
    if verdict[0] == "safe":
        return {"action": "allow"}
    kinds = "".join(verdict[1:]).split(",") if len(verdict) > 1 else []
    return {"action": "block", "patterns": [f"llama-guard {kind}".strip() for kind in kinds] or ["llama-guard"]}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        reply = json.dumps(judge(asked["side"], asked["texts"])).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "0"))), Handler)
print(server.server_port, flush=True)
server.serve_forever()
