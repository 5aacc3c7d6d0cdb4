"""An external guardrail of Tollgate's with Microsoft Presidio: pip install presidio-analyzer

PORT is where it listens. MODEL is a model of spaCy's that is installed (en_core_web_lg); without it Presidio
finds what needs no model: numbers, addresses of mail, accounts, but no names. BLOCK lists kinds that block.
"""
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import spacy
from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import SpacyNlpEngine


class Engine(SpacyNlpEngine):
    def __init__(self, nlp):
        super().__init__()
        self.nlp = {"en": nlp}


model = os.environ.get("MODEL")
analyzer = AnalyzerEngine(nlp_engine=Engine(spacy.load(model) if model else spacy.blank("en")))
blocked = set(os.environ.get("BLOCK", "").split(","))


def judge(texts):
    kinds, changed = set(), []
    for one in texts:
        text, left = one["text"], len(one["text"])
        for found in sorted(analyzer.analyze(text, language="en", score_threshold=0.5), key=lambda f: -f.end):
            kinds.add(found.entity_type)
            if found.end <= left:
                text, left = f"{text[:found.start]}[{found.entity_type}]{text[found.end:]}", found.start
        if text != one["text"]:
            changed.append({"path": one["path"], "text": text})
    if kinds & blocked:
        return {"action": "block", "patterns": sorted(kinds & blocked)}
    return {"action": "replace", "patterns": sorted(kinds), "texts": changed} if changed else {"action": "allow"}


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


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "0"))), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
