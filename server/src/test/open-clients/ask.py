"""Asks as clients on Python do: urllib, one connection a request, a base address with a slash."""

import json
import sys
import urllib.error
import urllib.request

base, key, agent = sys.argv[1:]
POLICY = "/api/verify/policy/system.command.execute.v1"
HEADERS = {"Content-Type": "application/json", "Authorization": "Bearer " + key}


def ask(method, path, body=None):
    data = body.encode() if body is not None else None
    request = urllib.request.Request(base + path, data=data, method=method, headers=HEADERS)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def question(command):
    return json.dumps({"context": {"agent_id": agent, "command": command}}, ensure_ascii=False)


answers = []
for name, method, path, body in [
    ("allow", "POST", POLICY, question("git")),
    ("deny", "POST", POLICY, question("curl")),
    ("utf-8", "POST", POLICY, question("git commit -m '🎉'")),
    ("empty", "POST", POLICY, ""),
    ("view", "GET", "/api/verify/" + agent, None),
    ("keys", "GET", "/jwks.json", None),
    ("unknown", "DELETE", "/api/webhooks/wh_unknown", None),
]:
    status, answer = ask(method, path, body)
    decision = answer.get("decision", answer)
    answers.append([name, status, decision.get("allow"), answer.get("agent_id")])
answers.append(["many", 200, all(ask("POST", POLICY, question("git"))[1]["allow"] for _ in range(50)), None])
print(json.dumps(answers))
