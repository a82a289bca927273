#!/usr/bin/env bash
# What one organization notices of another's flood: B asks over one connection, a request each 10 ms,
# alone, then beside 64 connections of A that ask as fast as they can, then beside the same where an
# organization may ask for so many decisions a minute only.
#
# usage: bench/fairness.sh    FAIR_SECONDS=8 FAIR_ROUNDS=3 FAIR_FLOOD=64 FAIR_LIMIT=6000 FAIR_LEAD=3
set -u
seconds=${FAIR_SECONDS:-8}
rounds=${FAIR_ROUNDS:-3}
flood=${FAIR_FLOOD:-64}
lead=${FAIR_LEAD:-3}
limit=${FAIR_LIMIT:-6000}
warm_up=5
warm_requests=60000
token=bench-admin-token-of-the-load-run
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"
# shellcheck source=passports.sh
. "$here/bench/passports.sh"
[ -f "$here/target/safeconduct.jar" ] || die "target/safeconduct.jar is missing; run: make build"
need wrk wrk
need curl curl

admin() { curl -sf "http://127.0.0.1:$port$1" -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -d "$2"; }

# A service with two organizations. Sets NAME_port, NAME_a and NAME_b: the keys of A and B.
serve() { # name, more environment
  local name=$1 org
  shift
  port=$(free_port)
  start_server "$work/$name" ADMIN_TOKEN=$token "$@"
  printf -v "${name}_port" %s "$port"
  printf -v "${name}_a" %s "$key"
  uncounted_lines >"$work/$name-a"
  org=$(admin /api/orgs '{"name": "B"}' | sed -n 's/.*"org_id":"\([^"]*\)".*/\1/p')
  key=$(admin "/api/orgs/$org/keys" '{"name": "B", "scopes": ["read", "issue"]}' | grep -o 'sck_[A-Za-z0-9_]*' | head -n 1)
  [ -n "$key" ] || die "B has no key"
  printf -v "${name}_b" %s "$key"
  uncounted_lines >"$work/$name-b"
}

# One run of B against the service NAME, beside A's flood when there is one.
beside() { # name, connections of A
  local at=$1_port a=$1_a b=$1_b flooding='' result
  if [ "$2" -gt 0 ]; then
    (key=${!a} && load "${!at}" "$2" $((seconds + lead + 1)) "$work/$1-a" >"$work/flood") &
    flooding=$!
    sleep "$lead" # what A has saved up while it was quiet is used up when B is measured
  fi
  key=${!b}
  result=$(load "${!at}" 1 "$seconds" "$work/$1-b" '' 10)
  [ -z "$flooding" ] || wait "$flooding"
  # shellcheck disable=SC2086
  set -- "$1" "$2" $result
  [ "$8" = 0 ] || die "errors of B: $result"
  echo "$(($3 * 1000000 / $4)) $5 $6 $7 $([ "$2" = 0 ] || awk '{print int($1 * 1e6 / $2), $6}' "$work/flood")"
}

median() { # column, lines
  printf '%s\n' "${@:2}" | awk -v column="$1" '{print $column}' | sort -n | sed -n "$(($# / 2))p"
}

show() { # what, runs
  local what=$1
  shift
  awk -v what="$what" -v rate="$(median 1 "$@")" -v p50="$(median 2 "$@")" -v p99="$(median 3 "$@")" \
    -v max="$(median 4 "$@")" -v a="$(median 5 "$@")" -v alone50="$alone50" -v alone99="$alone99" 'BEGIN {
      printf "%-44s %6d %8.2f %8.2f %8.1f %8.1f %8.1f %10s\n", what, rate, p50 / 1000, p99 / 1000, max / 1000,
        p50 / alone50, p99 / alone99, a }'
}

echo "$(date -u +%FT%TZ), $(nproc) cores, load average $(cut -d' ' -f1 /proc/loadavg), runs ${seconds}s, medians of $rounds"
serve open
serve limited RATE_VERIFY_PER_ORG_PER_MINUTE="$limit"
for each in open limited; do
  at=${each}_port a=${each}_a
  key=${!a}
  warm "${!at}" 64 "$work/$each-a"
done
alone=() flooded=() limited=()
for _ in $(seq "$rounds"); do
  alone+=("$(beside open 0)")
  flooded+=("$(beside open "$flood")")
  limited+=("$(beside limited "$flood")")
done
alone50=$(median 2 "${alone[@]}") alone99=$(median 3 "${alone[@]}")
printf '%-44s %6s %8s %8s %8s %8s %8s %10s\n' "B, one connection" per_s p50_ms p99_ms max_ms p50_x p99_x "A_per_s"
show "alone" "${alone[@]}"
show "beside $flood connections of A" "${flooded[@]}"
show "the same, at most $limit a minute each" "${limited[@]}"
echo "load average at the end: $(cut -d' ' -f1 /proc/loadavg)"
