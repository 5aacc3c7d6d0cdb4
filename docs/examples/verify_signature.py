"""Says whether a message is genuine: SECRET=whsec_... python3 verify_signature.py "$TOLLGATE_SIGNATURE" < body"""
import base64
import hashlib
import hmac
import os
import sys
import time


def is_genuine(signature, body, secret):
    parts = dict(part.split("=", 1) for part in signature.split(",") if "=" in part)
    sent, given = parts.get("t", ""), parts.get("v1", "")
    if not sent.isdigit() or abs(time.time() - int(sent)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    wanted = hmac.new(key, f"{sent}.".encode() + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(wanted.encode(), given.encode())


genuine = is_genuine(sys.argv[1], sys.stdin.buffer.read(), os.environ["SECRET"])
print("genuine" if genuine else "not genuine")
sys.exit(0 if genuine else 1)
