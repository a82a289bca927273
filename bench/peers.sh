# Cerbos beside the service: the same OpenID AuthZEN requests under the same rules. It comes from npm into
# the temporary folder of the run. Sourced by run.
cerbos_package=@cerbos/cerbos-linux-x64@${CERBOS_VERSION:-0.55.0}
purchase_path=/access/v1/evaluation

purchase_agent() { printf 'ap_%032x' "$1"; }

purchase_limits() { # number of the agent
  local currencies='["EUR", "USD"]'
  [ $(($1 % 2)) = 0 ] || currencies='["EUR", "CHF", "SEK"]'
  echo '{"max_amount": '$(($1 * 10000))', "max_quantity": 10, "currencies": '"$currencies"',' \
    '"categories": ["books", "paper", "furniture", "software", "travel", "food"]}'
}

# Ten purchases that are allowed, then six with one member changed, which denies them.
purchase_lines() {
  local i change
  for i in $(seq 16); do
    for change in '' '' '' '' '' '' '' '' '' '' \
      's/"amount":[0-9]*/"amount":'$((i * 10000 + 1))/ 's/"EUR"/"JPY"/' \
      's/"quantity":3/"quantity":11/' 's/normal/express/' 's/example.org/example.net/' 's/"books"/"weapons"/'; do
      printf '%s\t' "$purchase_path"
      sed "$change" <<<'{"subject":{"type":"agent","id":"'"$(purchase_agent "$i")"'"},"action":{"name":"acme.purchase.v1"},"resource":{"type":"purchase","id":"order-'$((RANDOM))'","properties":{"amount":'$((6000 + RANDOM % 4000))',"currency":"EUR","category":"books","vendor":"shop-'$((RANDOM % 90))'.example.org","cost_center":"cc-'$((RANDOM))'","urgency":"normal","items":[{"sku":"978-3-16-148410-0","quantity":3,"price":1250},{"sku":"978-0-13-468599-1","quantity":1,"price":2990},{"sku":"978-1-49-195016-0","quantity":2,"price":440}],"note":"Reading for the team that looks after the checkout service; asked for in the meeting of Monday, to be sent to the second floor."}}}'
    done
  done
}

# The agents and the pack, in the service that serve has started.
fill_purchases() { # admin token
  local i org policies
  api() { curl -sf "http://127.0.0.1:$port$1" -H "Authorization: Bearer $admin_token" -H 'Content-Type: application/json' "${@:2}"; }
  org=$(api '/api/orgs?limit=1' | sed -n 's/.*"org_id":"\([^"]*\)".*/\1/p')
  policies=/api/orgs/$org/policies
  { api "$policies" -d "@$here/bench/peers/policy.json" && api "$policies/acme.purchase.v1/activate" -d '{}'; } \
    >/dev/null || die "the pack of the peers cannot be published"
  for i in $(seq 16); do
    api "/api/passports?org_id=$org" -d '{"agent_id": "'"$(purchase_agent "$i")"'", "name": "Buyer '"$i"'",
      "capabilities": [{"id": "acme.purchase"}], "limits": {"acme.purchase": '"$(purchase_limits "$i")"'}}' \
      >/dev/null || die "no passport could be issued"
  done
}

fetch_cerbos() {
  need npm npm
  [ "$(uname -sm)" = 'Linux x86_64' ] || die "Cerbos is fetched for Linux on x86-64 only"
  npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$work/npm" "$cerbos_package" \
    >/dev/null || die "$cerbos_package cannot be fetched"
  cerbos=$(echo "$work"/npm/node_modules/@cerbos/*/cerbos-linux-x64)
  mkdir "$work/cerbos-policies"
  sed "s/LIMITS/$(for i in $(seq 16); do printf '"%s": %s, ' "$(purchase_agent "$i")" "$(purchase_limits "$i")"; done |
    sed 's/^/{/; s/, $/}/; s/[&/]/\\&/g')/" "$here/bench/peers/purchase.yaml" >"$work/cerbos-policies/purchase.yaml"
  "$cerbos" --version | head -n 1 | sed 's/^/Cerbos /'
}

# As quiet as it can be: it logs errors only, and reports to nobody.
serve_cerbos() { # name, settings...
  local name=$1 cerbos_port pid settings=()
  shift
  cerbos_port=$(free_port)
  for each in "server.httpListenAddr=127.0.0.1:$cerbos_port" "server.grpcListenAddr=127.0.0.1:$(free_port)" \
    storage.driver=disk "storage.disk.directory=$work/cerbos-policies" telemetry.disabled=true "$@"; do
    settings+=(--set "$each")
  done
  : >"$work/$name.yaml"
  "$cerbos" server --config "$work/$name.yaml" --log-level=error --debug-listen-addr= "${settings[@]}" \
    >"$work/$name.log" 2>&1 &
  pid=$!
  started+=("$pid")
  answers "$cerbos_port" "$pid" /_cerbos/health "$work/$name.log"
  named "$name" "$cerbos_port" "$pid" none ''
}

# Every request is put to both; another answer ends the run.
same_answers() { # lines, services...
  local lines=$1 path body name answer first allowed=0 asked=0
  shift
  while IFS=$'\t' read -r path body; do
    first=
    for name in "$@"; do
      answer=$(curl -s "http://127.0.0.1:${port_of[$name]}$path" -H "X-API-Key: ${key_of[$name]}" \
        -H 'Content-Type: application/json' -d "$body")
      case $answer in
      *'"decision":true'*) answer=true ;;
      *'"decision":false'*) answer=false ;;
      *) die "$name does not decide: $answer" ;;
      esac
      [ "${first:=$answer}" = "$answer" ] || die "$1 says $first, $name says $answer: $body"
    done
    asked=$((asked + 1))
    [ "$first" = false ] || allowed=$((allowed + 1))
  done <"$lines"
  [ "$allowed" -gt 0 ] && [ "$allowed" -lt "$asked" ] || die "all $asked answers are the same"
  echo "$* give the same answers to all $asked requests, $allowed of them allowed"
}
