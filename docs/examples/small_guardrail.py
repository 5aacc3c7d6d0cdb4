"""An external guardrail of Tollgate's in thirty lines, with nothing but Python: texts with a word in WORDS block."""
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

words = [word.lower() for word in os.environ.get("WORDS", "").split(",") if word]


def judge(texts):
    found = sorted({word for one in texts for word in words if word in one["text"].lower()})
    return {"action": "block", "patterns": found} if found else {"action": "allow"}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        reply = json.dumps(judge(asked["texts"])).encode()
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
