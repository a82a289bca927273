# The agents of a load and what they ask for. Sourced by run.

# Issues a passport with the limits $1 and prints its agent_id.
issue() {
  curl -sf "http://127.0.0.1:$port/api/passports" -H "X-API-Key: $key" \
    -H 'Content-Type: application/json' -d '{
      "name": "Bench agent", "description": "An agent of the load run, with limits as a team would set them.",
      "role": "agent", "regions": ["EU", "US"], "framework": ["custom"],
      "capabilities": [{"id": "system.command.execute"}, {"id": "web.fetch"}, {"id": "messaging.send"}],
      "limits": '"$1"'}' | sed -n 's/.*"agent_id":"\([^"]*\)".*/\1/p'
}

# Limits with at most $1 messages a day.
limits() {
  cat <<JSON
{"system.command.execute": {"allowed_commands": ["git", "npm", "mvn", "ls", "cat", "grep"],
   "blocked_patterns": ["--force", "rm -rf"], "max_execution_time": 600},
 "web.fetch": {"allowed_domains": ["example.com", "docs.example.org", "*.example.net"],
   "allowed_methods": ["GET", "POST"], "blocked_domains": ["internal.example.com"]},
 "messaging.send": {"msgs_per_min": 1000000000, "msgs_per_day": $1, "max_recipients": 5,
   "channels_allowlist": ["C024BE91L", "engineering"], "mention_policy": "limited"}}
JSON
}

# Lines "path<TAB>body" for load.lua: fetches and commands of 16 agents, 400 to 900 bytes each.
uncounted_lines() {
  local agent i
  for _ in $(seq 16); do
    agent=$(issue "$(limits 1000000)")
    [ -n "$agent" ] || die "no passport could be issued"
    for i in 1 2; do
      printf '/api/verify/policy/web.fetch.v1%s\t%s\n' "${1:-}" '{"context":{"agent_id":"'"$agent"'","url":"https://api.example.com/v2/projects/'$((RANDOM))'/issues?state=open&labels=bug,regression&page='$i'&per_page=50","method":"POST","headers":{"accept":"application/json","content-type":"application/json","user-agent":"bench-agent/1.4 (+https://example.com/agents)","x-correlation-id":"'$RANDOM-$RANDOM-$RANDOM'"},"body":"{\"title\":\"Flaky build on main\",\"text\":\"The nightly build failed twice in the same step; see the attached log for the stack trace.\",\"assignees\":[\"ada\",\"grace\"],\"milestone\":12}","timeout":15000}}'
      printf '/api/verify/policy/system.command.execute.v1%s\t%s\n' "${1:-}" '{"context":{"agent_id":"'"$agent"'","command":"git log --oneline --since=2.weeks --author=ada -n '$((RANDOM % 90 + 10))' -- src/main/java src/test/java","cwd":"/srv/projects/shop/checkout-service","timeout":120,"env":{"LANG":"C.UTF-8","CI":"true","NO_COLOR":"1"},"shell":"bash","user":"builder","session_label":"nightly-'$RANDOM'","note":"Looks for the change that broke the nightly build and reports it to the channel of the team."}}'
    done
  done
}

# The same questions as OpenID AuthZEN puts them.
as_evaluations() {
  sed -E 's#^/api/verify/policy/([^?\t]*)[^\t]*\t\{"context":\{"agent_id":"([^"]*)",(.*)\}\}$#/access/v1/evaluation\t{"subject":{"type":"agent","id":"\2"},"action":{"name":"\1"},"resource":{"type":"bench","id":"bench"},"context":{\3}}#'
}

# Lines for one agent that sends messages, each of which is counted.
counted_lines() {
  local agent i
  agent=$(issue "$(limits "$1")")
  [ -n "$agent" ] || die "no passport could be issued"
  for i in $(seq 8); do
    printf '/api/verify/policy/messaging.message.send.v1\t%s\n' '{"context":{"agent_id":"'"$agent"'","channel_id":"C024BE91L","message_type":"text","message":"Build '$((RANDOM))' of checkout-service failed in step '$i': the integration test for refunds timed out after 300 seconds. The change that most likely broke it is 4be1d2f (payment retries). I have opened an issue and attached the log; the previous build is still deployed.","mentions":["ada","grace"],"thread_id":"1732176000.00'$RANDOM'"}}'
  done
}
