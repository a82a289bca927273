# A service, conforming MCP servers and the gateway before them. Sourced by mcp-conformance and mcp-load.
# shellcheck source=../../bench/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../bench/lib.sh"
modules=$here/target/mcp-conformance
node_version=22.23.3 # the suites need 22 or newer

# Installs the suites and Node.js by name and version. No lock file: it would name a registry.
install_suites() {
  local machine
  need npm npm
  case $(uname -m) in aarch64) machine=arm64 ;; *) machine=x64 ;; esac
  if ! cmp -s "$here/e2e/mcp/package.json" "$modules/installed.json"; then
    echo "Installing the npm packages of e2e/mcp/package.json and Node.js $node_version into target/mcp-conformance…" >&2
    mkdir -p "$modules"
    cp "$here/e2e/mcp/package.json" "$modules/package.json"
    (cd "$modules" && npm install --silent --no-package-lock --no-audit --no-fund --ignore-scripts --no-save \
      . "node-linux-$machine@$node_version" 2>/dev/null) || die "npm cannot install the suites"
    cp "$here/e2e/mcp/package.json" "$modules/installed.json"
  fi
  node=$modules/node_modules/node-linux-$machine/bin/node
}

# The conforming server for clients of $1 (both, legacy or modern). Sets url.
start_mcp_server() {
  local waited=0 log=$work/server-$1.log
  : >"$log"
  "$node" "$here/e2e/mcp/server.mjs" 0 "$1" >"$log" 2>&1 &
  started+=("$!")
  until grep -q '^http' "$log"; do
    [ $((waited += 1)) -lt 200 ] || die "the MCP server does not start: $(cat "$log")"
    sleep 0.05
  done
  url=$(head -n 1 "$log")
}

# A passport that allows every tool of the servers $@; prints its agent_id.
issue_for_servers() {
  local servers
  servers=$(printf '"%s",' "$@")
  curl -sf "http://127.0.0.1:$port/api/passports" -H "X-API-Key: $key" -H 'Content-Type: application/json' -d '{
    "name": "MCP client", "capabilities": [{"id": "mcp.tool.execute"}],
    "limits": {"mcp.tool.execute": {"allowed_servers": ['"${servers%,}"'], "allowed_tools": ["*"],
      "max_calls_per_minute": 100000000}}}' | sed -n 's/.*"agent_id":"\([^"]*\)".*/\1/p'
}

# The gateway with the servers $@, each as name=url, for the passport $agent. Sets gateway.
start_gateway() {
  local waited=0 each
  gateway_port=$(free_port)
  {
    printf 'service: http://127.0.0.1:%s\nagent_id: %s\npins: off\n' "$port" "$agent"
    printf 'http: {listen: "127.0.0.1:%s", anonymous: true, limits: {sessions_per_client: 1000}}\nservers:\n' "$gateway_port"
    for each in "$@"; do
      printf '  %s: {url: "%s", server_requests: {sampling: relay}}\n' "${each%%=*}" "${each#*=}"
    done
  } >"$work/gateway.yaml"
  : >"$work/gateway.log"
  SAFECONDUCT_API_KEY=$key "$here/bin/safeconduct" mcp-gateway --http --config "$work/gateway.yaml" \
    >"$work/gateway.log" 2>&1 &
  gateway_pid=$!
  started+=("$gateway_pid")
  until grep -q 'listening' "$work/gateway.log"; do
    kill -0 "$gateway_pid" 2>/dev/null || die "the gateway ended: $(cat "$work/gateway.log")"
    [ $((waited += 1)) -lt 200 ] || die "the gateway does not start: $(cat "$work/gateway.log")"
    sleep 0.05
  done
  gateway=http://127.0.0.1:$gateway_port/mcp
}
