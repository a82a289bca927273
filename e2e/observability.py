"""Scrapes a node under load with Prometheus and evaluates the dashboard and the alerts.

usage: observability.py NODE ADMIN_TOKEN KEY AGENT FOLDER SINK_PORT
"""
import http.server
import json
import pathlib
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

NODE, ADMIN, KEY, AGENT, FOLDER, SINK = sys.argv[1:]
FILES = pathlib.Path(__file__).parent.parent / "packaging" / "observability"
# A node exposes them only with TLS.
SOMETIMES = re.compile(r"safeconduct_tls_certificate_")
METRIC = re.compile(r"\b(?:safeconduct|http_server|jvm|process)_[a-z0-9_]+")
MOST_SERIES = 1_000
LEAST_SCRAPES = 15


def call(url, token=None, body=None, accept="*/*"):
    headers = {"Accept": accept, "Content-Type": "application/json"}
    if token:
        headers["Authorization"] = "Bearer " + token
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.read().decode()


def ask_on(stop):
    commands = ["ls -l", "git status", "rm -rf /"]
    count = 0
    while not stop.is_set():
        body = {"agent_id": AGENT, "context": {"command": commands[count % 3]}}
        call(f"{NODE}/api/verify/policy/system.command.execute.v1", KEY, body)
        count += 1
        time.sleep(0.02)


class Sink(http.server.BaseHTTPRequestHandler):
    """The destination of the audit stream."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def check_metrics(accept):
    """promtool lints the text format of a scrape."""
    text = call(f"{NODE}/metrics", ADMIN, accept=accept)
    done = subprocess.run(["promtool", "check", "metrics"], input=text, text=True, capture_output=True)
    if done.returncode or done.stderr or done.stdout:
        sys.exit("promtool check metrics: " + done.stdout + done.stderr)


def queries():
    dashboard = json.loads((FILES / "dashboard.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            expression = target["expr"]
            for name, value in (("$__rate_interval", "30s"), ("$__range", "1m"), ("$instance", ".+"), ("$job", ".+")):
                expression = expression.replace(name, value)
            yield panel["title"], expression


def alerts():
    done = re.findall(r"- alert: (\w+)\n\s+expr: >-\n((?:          .*\n)+)", (FILES / "alerts.yml").read_text())
    for name, text in done:
        yield name, " ".join(text.split())


def main():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = pathlib.Path(FOLDER)
    config = folder / "prometheus.yml"
    config.write_text(
        f"""global: {{scrape_interval: 1s, evaluation_interval: 5s}}
rule_files: [{json.dumps(str((FILES / 'alerts.yml').resolve()))}]
scrape_configs:
  - job_name: safeconduct
    authorization: {{credentials: {json.dumps(ADMIN)}}}
    static_configs: [{{targets: [{json.dumps(NODE.removeprefix('http://'))}]}}]
"""
    )
    prometheus = subprocess.Popen(
        ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder / 'tsdb'}",
         f"--web.listen-address=127.0.0.1:{port}", "--enable-feature=exemplar-storage", "--log.level=warn"])
    base = f"http://127.0.0.1:{port}/api/v1/"
    sink = http.server.ThreadingHTTPServer(("127.0.0.1", int(SINK)), Sink)
    threading.Thread(target=sink.serve_forever, daemon=True).start()
    stop = threading.Event()
    load = threading.Thread(target=ask_on, args=(stop,))
    load.start()

    def query(expression):
        answer = json.loads(call(base + "query?" + urllib.parse.urlencode({"query": expression})))
        if answer["status"] != "success":
            sys.exit(f"{expression}: {answer['error']}")
        found = answer["data"]["result"]
        return found if answer["data"]["resultType"] == "vector" else [found]

    faults = []
    try:
        deadline = time.monotonic() + 120
        scrapes = 0
        while scrapes < LEAST_SCRAPES:
            if time.monotonic() > deadline:
                sys.exit("Prometheus does not scrape the node")
            time.sleep(0.5)
            try:
                found = query('count_over_time(safeconduct_decisions_total{outcome="deny"}[5m])')
                scrapes = float(found[0]["value"][1]) if found else 0
            except (urllib.error.URLError, ConnectionError, json.JSONDecodeError):  # it is starting
                scrapes = 0
        check_metrics("text/plain")
        total = empty = 0
        for title, expression in queries():
            total += 1
            found = query(expression)
            if not found:
                empty += 1
                if not SOMETIMES.search(expression):
                    faults.append(f"dashboard, {title}: no result of {expression}")
        names = {name for name in json.loads(call(base + "label/__name__/values"))["data"]}
        rules = 0
        for name, expression in alerts():
            rules += 1
            query(expression)
            for metric in METRIC.findall(expression):
                if metric not in names and not SOMETIMES.match(metric):
                    faults.append(f"alert {name}: there is no {metric}")
        loaded = json.loads(call(base + "rules"))["data"]["groups"]
        bad = [rule["name"] for group in loaded for rule in group["rules"] if rule["health"] == "err"]
        faults += [f"alert {name} cannot be evaluated" for name in bad]
        firing = {alert["labels"]["alertname"] for alert in json.loads(call(base + "alerts"))["data"]["alerts"]
                  if alert["state"] == "firing"}
        faults += [f"alert {name} fires on a healthy node" for name in firing]
        series = int(float(query('count({job="safeconduct"})')[0]["value"][1]))
        if series > MOST_SERIES:
            faults.append(f"{series} series of one node; at most {MOST_SERIES} are expected")
        if rules < 20 or total < 40:
            faults.append(f"only {rules} alerts and {total} queries were found")
        print(f"{total} queries of the dashboard, {total - empty} with results; {rules} alerts; {series} series")
    finally:
        stop.set()
        load.join()
        sink.shutdown()
        prometheus.terminate()
        prometheus.wait()
    if faults:
        sys.exit("\n".join(faults))


main()
