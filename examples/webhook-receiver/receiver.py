"""Receives status changes from Safeconduct. Needs Python 3.8 or newer and no packages.

    WEBHOOK_SECRET=… PORT=9000 python3 receiver.py

While a secret is being changed, give both with a space between.
"""

import hashlib
import hmac
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_BODY = 64 * 1024
SECRETS = os.environ.get("WEBHOOK_SECRET", "").split()
SEEN = set()  # keep these where they outlive the process


def is_signed(body, signature):
    """Whether one of our secrets made the signature over exactly these bytes."""
    found = False
    for secret in SECRETS:
        expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        found |= hmac.compare_digest(expected.encode(), signature.encode("latin-1"))
    return found


def handle(event):
    print(f"{event['agent_id']}: {event['previous_status']} -> {event['status']}", flush=True)


class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        length = int(self.headers.get("Content-Length", "0"))
        if not 0 <= length <= MAX_BODY:
            return self.answer(413)
        body = self.rfile.read(length)
        if not is_signed(body, self.headers.get("X-Webhook-Signature", "")):
            return self.answer(401)
        event_id = self.headers.get("X-Webhook-Id")
        if event_id not in SEEN:
            SEEN.add(event_id)  # a retry may bring an event a second time
            handle(json.loads(body))
        return self.answer(204)

    def answer(self, status):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format, *args):
        pass


if __name__ == "__main__":
    if not SECRETS:
        sys.exit("Set WEBHOOK_SECRET.")
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
    print(f"listening on {server.server_address[1]}", flush=True)
    server.serve_forever()
