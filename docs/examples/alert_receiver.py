"""A receiver of Tollgate's alerts with nothing but Python: it takes what was signed with ALERT_SECRET, and each once."""
import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

key = base64.b64decode(os.environ["ALERT_SECRET"].removeprefix("whsec_"))
seen = set()


def is_genuine(headers, body):
    id, sent = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent.isdigit() or abs(time.time() - int(sent)) > 300:
        return False
    wanted = hmac.new(key, f"{id}.{sent}.".encode() + body, hashlib.sha256).digest()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one, "v1," + base64.b64encode(wanted).decode()) for one in given)


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        genuine, id = is_genuine(self.headers, body), self.headers.get("webhook-id")
        reply = b"" if not genuine else b"known" if id in seen else b"new"
        if reply == b"new":
            seen.add(id)
            alert = json.loads(body)
            print(alert["type"], alert["data"], file=sys.stderr)
        self.send_response(200 if genuine else 401)
        self.send_header("content-length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "0"))), Handler)
print(server.server_port, flush=True)
server.serve_forever()
