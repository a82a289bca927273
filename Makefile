# Safeconduct: `make run` and `make test` are all a newcomer needs.
SHELL := /bin/bash
.DEFAULT_GOAL := help

# A JDK 25 or newer: JAVA_HOME when it fits, else the usual places.
JAVA_HOME := $(shell bin/find-jdk)
export JAVA_HOME
MVN := mvn -B -ntp

# `make fuzz` draws another seed at every run, and prints it.
SEED := $(or $(SEED),$(shell date +%s%N))

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 15

.PHONY: jdk
jdk:
	@bin/find-jdk >/dev/null

.PHONY: jars
jars: jdk
	$(MVN) -q -pl server,pkcs11,sdk/java,sdk/java/client,gateway -Dmaven.test.skip=true package

.PHONY: build
build: jars ## build target/safeconduct.jar and target/safeconduct-gateway.jar (and their AOT caches)
	bin/make-aot-cache

.PHONY: run
run: build ## build, then serve on http://127.0.0.1:8080 with SQLite under ./data
	exec bin/safeconduct serve

.PHONY: test
test: jdk ## format check, compile, the tests with fixed seeds; says what it installs before it does
	bin/test-prerequisites
	bin/test

.PHONY: test-slow
test-slow: jdk ## the tests that `make test` leaves out: most of those in a browser or with many processes, and the SDKs
	bin/test-prerequisites test-slow
	bin/test slow

.PHONY: sdk
sdk: ## build the SDKs: dist in sdk/typescript and sdk/python, jars in sdk/java (says what it installs before it does)
	bin/test-prerequisites sdk
	sdk/build

.PHONY: test-sdk
test-sdk: build ## the suites of the SDKs against the packaged service; DECISIONS=10000 checks as many random decisions
	bin/test-prerequisites test-slow
	DECISIONS=$(or $(DECISIONS),1000) sdk/test

.PHONY: test-pkcs11
test-pkcs11: build ## the tests of keys in a security module (installs SoftHSM, OpenSC and a C compiler if missing)
	bin/test-prerequisites pkcs11
	$(MVN) -pl server,pkcs11 -Dmaven.test.skip=true -Dpkcs11.tests.skip=false verify

.PHONY: fuzz
fuzz: jdk ## random tests with a fresh seed, SECONDS=10 each; SEED=n repeats a run
	bin/test-prerequisites
	@echo "SEED=$(SEED)"
	$(MVN) -pl server test -Dgroups=random -Dsafeconduct.seed=$(SEED) -Dsafeconduct.fuzz=$(or $(SECONDS),10)

.PHONY: test-timing
test-timing: jdk ## tests of limits in seconds, held; `make test` and `make test-slow` run them with lax limits
	bin/test-prerequisites
	$(MVN) -pl server test -Dgroups=timing -Dtest.processes=1 -Dsafeconduct.timing=true

.PHONY: test-shells
test-shells: jdk ## 20,000 random command lines that a list allows, in bash, dash, zsh and fish; SEED=n repeats a run
	bin/test-prerequisites
	@echo "SEED=$(SEED)"
	$(MVN) -pl server test -Dtest=RealShellsTest -Dtest.limit='2 h' -Dsafeconduct.shell.lines=20000 -Dsafeconduct.seed=$(SEED)

.PHONY: test-suggest
test-suggest: jdk ## RUNS=10000 random passports and their traffic: suggestions allow what was allowed, no more; SEED=n repeats, FIRST=r begins with run r
	bin/test-prerequisites
	@echo "SEED=$(SEED)"
	$(MVN) -pl server test -Dtest=RandomTrafficTest -Dtest.limit='2 d' -Dsuggest.runs=$(or $(RUNS),10000) -Dsuggest.contexts=1000 -Dsuggest.seed=$(SEED) -Dsuggest.first=$(or $(FIRST),0)

.PHONY: screenshots
screenshots: jdk ## take pictures of every page of the console (target/screenshots); six are kept in docs/console
	bin/test-prerequisites
	$(MVN) -pl server -q test -Dtest=ConsoleScreenshots -Dsafeconduct.screenshots=target/screenshots

.PHONY: release
release: jars ## write archive, image, package and chart of this version to dist/; RELEASE_KEY=file signs
	bin/test-prerequisites release
	packaging/release

.PHONY: test-release
test-release: release ## try the archive on Debian's base and the image as its user; build again in a clone, compare
	bin/test-prerequisites test-release
	packaging/test

.PHONY: bench
bench: build ## beside the bare path in turn: rates, p99, one caller, stalls, garbage, memory, start; the aims (bench/RESULTS.md)
	bench/run aims

.PHONY: bench-peers
bench-peers: build ## OpenID AuthZEN beside Cerbos (from npm) on the same requests under the same rules
	bench/run peers

.PHONY: bench-latency
bench-latency: build ## latencies at constant rates (10, 50, 80 %), beside the bare path and Cerbos
	bench/run latency

.PHONY: bench-scale
bench-scale: build ## rates with 100,000 passports, 200 packs, RECORDS=10000000 in the log, beside few
	SCALE_RECORDS=$(or $(RECORDS),10000000) bench/run scale

.PHONY: bench-check
bench-check: build ## evaluating, canonicalizing, redacting in process beside bench/baseline.json; fails on a regression
	bench/check

.PHONY: crash
crash: build ## kill -9 under load, restart, find every answered decision; ROUNDS=5
	e2e/crash $(or $(ROUNDS),5)

.PHONY: test-observability
test-observability: build ## the dashboard and the alerts on a node under load, with a real Prometheus (installs Debian's if missing)
	e2e/observability

.PHONY: test-stream
test-stream: build ## kill -9 of nodes and of receivers of the audit stream (rsyslog over TLS, HTTP) under load; ROUNDS=10
	e2e/stream $(or $(ROUNDS),10)

.PHONY: ha
ha: build ## kill -9 of the PostgreSQL primary under load, promotion of its standby, every decision found; ROUNDS=10
	e2e/ha $(or $(ROUNDS),10)

.PHONY: pg-backup
pg-backup: build ## pg_dump and point-in-time recovery under load, with the guide's commands; every decision found
	e2e/pg-backup

.PHONY: suspension
suspension: build ## three nodes on one PostgreSQL: until when the others allow a suspended agent; ROUNDS=200 MODE=halt
	e2e/suspension $(or $(ROUNDS),200) $(MODE)

.PHONY: revocations
revocations: build ## two nodes on one PostgreSQL: how soon the other one tells of a suspension and drops tokens; ROUNDS=100
	e2e/revocations $(or $(ROUNDS),100)

.PHONY: test-mcp-conformance
test-mcp-conformance: build ## the MCP conformance suites (npm) through the gateway, beside the same without it
	e2e/mcp-conformance

.PHONY: mcp-load
mcp-load: build ## what the MCP gateway adds to a call over HTTP; 100 sessions at once; CALLS=5000
	e2e/mcp-load $(or $(CALLS),5000)

.PHONY: mcp-start
mcp-start: build ## the stdio wrapper of the MCP gateway: its start (bar 0.7 s), its memory after calls (bar 90 MiB)
	e2e/mcp-start

.PHONY: hook-load
hook-load: build ## calls a second of the hook program, beside curl alone; CALLS=200
	e2e/hook-load $(or $(CALLS),200)

.PHONY: test-mcp-user
test-mcp-user: build ## a client and a file server from npm through the MCP gateway, with approval in a browser
	e2e/mcp-gateway

.PHONY: e2e-sso
e2e-sso: build ## people sign in with a real Keycloak (Maven Central) in Chromium: roles by group, signing out in both directions
	e2e/sso/run

.PHONY: attack
attack: build ## replay the known attacks, wherever possible on the packaged service (CONTRIBUTING.md); prints a line for each
	bin/test-prerequisites attack
	$(MVN) -pl server -q test -Dgroups=attack -Dtest.processes=1 -Dsafeconduct.packaged=true

.PHONY: test-agents
test-agents: build ## real coding agents from npm with a scripted model, without a network; AGENTS="codex copilot" names some
	bin/test-prerequisites sdk
	sdk/build typescript
	e2e/agents/run $(AGENTS)

.PHONY: soak
soak: build ## a node under constant load for MINUTES=60: memory, threads and files stay level, the log is sound
	e2e/soak $(or $(MINUTES),60)

.PHONY: evidence
evidence: jdk ## run everything that backs a claim and write docs/evidence; RUNS="crash soak" runs some; hours
	$(JAVA_HOME)/bin/java e2e/Evidence.java $(RUNS)

.PHONY: test-charts
test-charts: jdk ## the Helm chart by Helm's own code, its objects against the models of Kubernetes, manifests, compose files
	bin/test-prerequisites charts
	packaging/helm/test/run

.PHONY: test-cells
test-cells: build ## two cells behind nginx: each client reaches its own by one address; three nodes of which two are down
	bin/test-prerequisites cells
	e2e/cells

.PHONY: log-scale
log-scale: build ## a log of RECORDS=1000000 on SQLite: the time of a proof, a check in little memory
	bench/log-scale.sh $(or $(RECORDS),1000000)

.PHONY: suggest-scale
suggest-scale: build ## a suggestion from DECISIONS=1000000 of one agent: time (bar 60 s) and memory (bar 256 MB)
	bench/suggest-scale.sh $(or $(DECISIONS),1000000)

.PHONY: console-scale
console-scale: build ## the time of every page with 100,000 passports and 1,000,000 decisions; what 200 who watch cost
	bench/console-scale.sh

.PHONY: test-deb
test-deb: jars ## install, upgrade and purge the Debian package under a systemd of its own (root; installs mmdebstrap, lintian)
	bin/test-prerequisites deb
	packaging/tree
	packaging/deb/build target/deb
	VERSION=9.9.9 TREE=target/release/safeconduct-$$(packaging/version) packaging/deb/build target/deb
	packaging/deb/test target/deb/safeconduct_$$(packaging/version)_amd64.deb target/deb/safeconduct_9.9.9_amd64.deb

.PHONY: fmt
fmt: jdk ## format the sources
	$(MVN) -q spotless:apply

.PHONY: clean
clean: ## remove what was built
	rm -rf target dist server/target bench/target e2e/target sdk/typescript/dist sdk/python/dist sdk/java/*/target
