#!/usr/bin/env bash
# The console with much in it: the time of every page with many passports and decisions on SQLite, what
# many who watch cost those who ask.
#
# usage: bench/console-scale.sh    needs target/safeconduct.jar (make build)
#   BENCH_PASSPORTS=100000 BENCH_DECISIONS=1000000 BENCH_VIEWERS=200 BENCH_ROUNDS=4 BENCH_SECONDS=8
set -u
passports=${BENCH_PASSPORTS:-100000}
decisions=${BENCH_DECISIONS:-1000000}
viewers=${BENCH_VIEWERS:-200}
rounds=${BENCH_ROUNDS:-4}
seconds=${BENCH_SECONDS:-8}
warm_up=${BENCH_WARM_UP:-6}
warm_requests=${BENCH_WARM_REQUESTS:-60000}
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"
[ -f "$here/target/safeconduct.jar" ] || die "target/safeconduct.jar is missing; run: make build"
need wrk wrk
need curl curl
token=bench-admin-token-of-the-load-run
email=owner@example.com
path=$work/classes:$here/target/safeconduct.jar
scale() {
  "$java_home/bin/java" -Dcom.amazon.corretto.crypto.provider.registerEdKeyFactory=true \
    --enable-native-access=ALL-UNNAMED -Xmx512m -cp "$path" Log "$@"
}
visit() {
  "$java_home/bin/java" -cp "$work/classes" ConsoleVisit "$@"
}

mkdir "$work/classes"
"$java_home/bin/javac" -d "$work/classes" -cp "$here/target/safeconduct.jar" "$here/bench/Log.java" \
  "$here/bench/ConsoleVisit.java" || die "what measures does not compile"
echo "$(date -u +%FT%TZ), $(nproc) cores, load average $(cut -d' ' -f1 /proc/loadavg)"
port=$(free_port)
base=http://127.0.0.1:$port
start_server "$work/data" ADMIN_TOKEN=$token
began=$(date +%s)
"$java_home/bin/java" "$here/bench/Fill.java" "$base" $token 0 0 "$passports" "$work/lines" ||
  die "the passports could not be made"
org=$(curl -sf -H "Authorization: Bearer $token" "$base/api/orgs?limit=1" | sed -n 's/.*"org_id":"\([^"]*\)".*/\1/p')
echo "$passports passports in $(($(date +%s) - began)) s"
stop_server
scale fill "$work/data" "$org" "$decisions" "$passports" || die "the log could not be filled"
scale count "$work/data" || die "the log could not be counted"
du -h "$work/data/safeconduct.db" | cut -f1 | sed 's/^/database: /'

start_server "$work/data" ADMIN_TOKEN=$token
link=$(grep -o 'http[^ ]*/password/[A-Za-z0-9_-]*' "$work/data/first-run.txt" | head -n 1 | sed "s#^https\?://[^/]*#$base#")
cookies=$(visit session "$base" "$link" "$email") || die "nobody could sign in"
quiet=ap_00000000000000000000000000000003
busy=ap_0000000000000000000000000000000b
policy=system.command.execute.v1
decision=$(curl -sf -H "Cookie: $cookies" "$base/api/audit?kind=decision&limit=1" |
  sed -n 's/.*"record_id":"\([^"]*\)".*/\1/p')
middle=$((decisions / 2))
visit pages "$base" "$cookies" 9 "$server" \
  "of no content=/healthz" \
  "overview=/console" \
  "overview, 24 hours=/console?since=24h" \
  "overview, 7 days=/console?since=7d" \
  "overview, 30 days=/console?since=30d" \
  "passports=/console/passports" \
  "passports, a name=/console/passports?q=Agent%2099999" \
  "passports, no such name=/console/passports?q=nobody-has-this" \
  "passports, suspended=/console/passports?status=suspended" \
  "passport=/console/passports/$quiet" \
  "passport, busy=/console/passports/$busy" \
  "passport, edit=/console/passports/$quiet/edit" \
  "passport, new=/console/passports/new" \
  "passport, narrow=/console/passports/$busy/narrow" \
  "search=/console/search?q=git" \
  "search, an agent=/console/search?q=Agent%2099999" \
  "agents to choose=/console/agents?agent=Agent%2099" \
  "fleet=/console/fleet" \
  "decisions=/console/decisions" \
  "decisions, from the middle=/console/decisions?cursor=$middle" \
  "decisions, of a quiet agent=/console/decisions?agent_id=$quiet" \
  "decisions, of a busy agent=/console/decisions?agent_id=$busy" \
  "decisions, of nobody=/console/decisions?agent_id=ap_ffffffffffffffffffffffffffffffff" \
  "decisions, of an agent by name=/console/decisions?agent=Agent%2099999" \
  "decisions, with a text=/console/decisions?q=nobody-wrote-this" \
  "decisions, of 24 hours=/console/decisions?since=24h" \
  "decisions, denied=/console/decisions?allow=false" \
  "decisions, a rare reason=/console/decisions?code=oap.pii_blocked" \
  "decisions, no such reason=/console/decisions?code=oap.nothing" \
  "decisions, of an agent for a rare reason=/console/decisions?agent_id=$busy&code=oap.pii_blocked" \
  "decisions, by a policy=/console/decisions?policy_id=$policy&allow=false" \
  "decision=/console/decisions/$decision" \
  "approvals=/console/approvals" \
  "policies=/console/policies" \
  "policy=/console/policies/$policy" \
  "policy, edit=/console/policies/edit?from=$policy" \
  "playground=/console/playground" \
  "playground, an agent=/console/playground?agent_id=$quiet" \
  "keys=/console/keys" \
  "operator tokens=/console/tokens" \
  "account=/console/account" \
  "connect=/console/connect" \
  "observe mode=/console/observe" \
  "halt=/console/halt" \
  "bulk status=/console/bulk-status" \
  "webhooks=/console/webhooks" \
  "audit=/console/audit" \
  "audit, logins=/console/audit?kind=login" \
  "audit, erasures=/console/audit?kind=erasure" \
  "audit, passports issued=/console/audit?kind=passport_issued" \
  "exports=/console/exports" \
  "people=/console/people" \
  "organizations=/console/organizations" \
  "outbox=/console/outbox" \
  "settings=/console/settings" \
  "first run=/console/first-run" || die "a page did not answer"

warm "$port" 64 "$work/lines"
plain=()
watched=()
rate() {
  local result
  result=$(load "$port" 64 "$seconds" "$work/lines")
  # shellcheck disable=SC2086
  set -- $result
  [ "$6" = 0 ] || die "errors: $result"
  echo $(($1 * 1000000 / $2))
}
for _ in $(seq "$rounds"); do
  plain+=("$(rate)")
  mkfifo "$work/until"
  visit watch "$base" "$cookies" "$viewers" /console/live <"$work/until" >"$work/watch.out" &
  watcher=$!
  exec 9>"$work/until"
  until grep -q watching "$work/watch.out"; do sleep 0.1; done
  watched+=("$(rate)")
  exec 9>&-
  wait "$watcher"
  rm "$work/until"
  tail -n 1 "$work/watch.out"
done
awk -v plain="$(median "${plain[@]}")" -v watched="$(median "${watched[@]}")" -v n="$viewers" 'BEGIN {
  printf "decisions a second: %d alone, %d with %d who watch: %.1f %%\n", plain, watched, n, 100 * watched / plain }'
stop_server
