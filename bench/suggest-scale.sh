#!/usr/bin/env bash
# A suggestion from many decisions of one agent: its time, its processor time and its memory.
# Usage: bench/suggest-scale.sh [decisions] [different contexts]; needs target/safeconduct.jar (make build).
set -u
decisions=${1:-1000000}
contexts=${2:-$decisions}
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"
[ -f "$here/target/safeconduct.jar" ] || die "target/safeconduct.jar is missing; run: make build"
need curl curl
token=bench-admin-token-of-the-load-run
agent=ap_0000000000000000000000000000000b
"$java_home/bin/javac" -d "$work" -cp "$here/target/safeconduct.jar" "$here/bench/Log.java" || exit 1
machine
start_server "$work/data" ADMIN_TOKEN=$token
base=http://127.0.0.1:$port
org=$(curl -sf -H "Authorization: Bearer $token" "$base/api/orgs?limit=1" | sed -n 's/.*"org_id":"\([^"]*\)".*/\1/p')
# Wide open, so that there is much to narrow; nothing uses finance.payment.refund.
curl -sf -o "$work/passport" -H "Authorization: Bearer $token" -H "Content-Type: application/json" \
  "$base/api/passports?org_id=$org" -d @- <<END || die "the passport could not be made"
{"agent_id": "$agent", "name": "Busy", "regions": ["EU", "US"], "mcp": {"servers": ["*"], "tools": ["*"]},
 "capabilities": [{"id": "system.command.execute"}, {"id": "web.fetch"}, {"id": "data.file.read"},
   {"id": "messaging.send"}, {"id": "mcp.tool.execute"}, {"id": "finance.payment.refund"}],
 "limits": {"system.command.execute": {"allowed_commands": ["*"], "max_execution_time": 600},
   "web.fetch": {"allowed_domains": ["*"], "max_requests_per_min": 600},
   "data.file.read": {"allowed_paths": ["*"], "max_file_size_mb": 100},
   "messaging.send": {"msgs_per_min": 600, "msgs_per_day": 100000},
   "mcp.tool.execute": {"allowed_servers": ["*"], "allowed_tools": ["*"], "max_calls_per_minute": 600}}}
END
stop_server
"$java_home/bin/java" -Dcom.amazon.corretto.crypto.provider.registerEdKeyFactory=true \
  --enable-native-access=ALL-UNNAMED -Xmx512m -cp "$work:$here/target/safeconduct.jar" \
  Log evidence "$work/data" "$org" "$agent" "$decisions" "$contexts" || die "the log could not be filled"
du -h "$work/data/safeconduct.db" | cut -f1 | sed 's/^/database: /'
began=$(date +%s%N)
DATA_DIR=$work/data "$here/bin/safeconduct" suggest --agent "$agent" >"$work/suggestion" &
suggest=$!
most=0
cpu=0
while kill -0 $suggest 2>/dev/null; do
  now=$(memory_mb VmHWM $suggest 2>/dev/null)
  [ "${now:-0}" -le "$most" ] || most=$now
  now=$(cpu_us $suggest 2>/dev/null)
  [ "${now:-0}" -le "$cpu" ] || cpu=$now
  sleep 0.2
done
wait $suggest || die "no suggestion"
awk -v ms=$((($(date +%s%N) - began) / 1000000)) -v cpu="$cpu" -v memory="$most" \
  -v evidence="$(grep -o '"decisions":[0-9]*' "$work/suggestion" | head -n 1 | cut -d: -f2)" \
  'BEGIN { printf "%d decisions of evidence: %.1f s, %.1f s of processor time, %d MB at most\n",
    evidence, ms / 1000, cpu / 1e6, memory }'
[ "$most" -le 256 ] || die "it took more than 256 MB"
