# Starts and stops what is measured, and measures it. Sourced by run.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
java_home=$("$here/bin/find-jdk")
work=$(mktemp -d /tmp/safeconduct-bench.XXXXXX)
chmod 755 "$work" # the user postgres must get in
started=()
postgres_data=

die() {
  echo "bench: $*" >&2
  exit 1
}

need() { # program, Debian package
  command -v "$1" >/dev/null && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing $2…" >&2
    { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy "$2"; } >/dev/null ||
      die "$2 cannot be installed"
  else
    die "$1 is missing; install the package $2"
  fi
}

clean_up() {
  local pid
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null; done
  stop_postgres
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

free_port() {
  local candidate
  while candidate=$((${BENCH_FIRST_PORT:-20000} + RANDOM % ${BENCH_PORTS:-12000})); do
    (exec 3<>"/dev/tcp/127.0.0.1/$candidate") 2>/dev/null || break
  done
  echo "$candidate"
}

# The service on data folder $1, the rest as environment. Sets server and port; key on first start.
start_server() {
  local data=$1 waited=0
  shift
  mkdir -p "$data"
  port=${port:-$(free_port)}
  : >"$data/log"
  env DATA_DIR="$data" PORT="$port" DRAIN_SECONDS=0 "$@" "$here/bin/safeconduct" serve >"$data/log" 2>&1 &
  server=$!
  started+=("$server")
  until grep -q 'answers on' "$data/log"; do # said last, when the keys are in their file
    kill -0 "$server" 2>/dev/null || die "the server ended: $(tail -n 5 "$data/log")"
    [ $((waited += 1)) -lt 1200 ] || die "the server is not ready after a minute"
    sleep 0.05
  done
  key=$(grep -o 'sck_[A-Za-z0-9_]*' "$data/first-run.txt" | head -n 1)
}

stop_server() {
  kill "$server"
  wait "$server" 2>/dev/null
}

as_postgres() {
  if [ "$(id -u)" = 0 ]; then (cd / && exec runuser -u postgres -- "$@"); else "$@"; fi
}

# A cluster of its own with fsync on; $1 is preloaded into it. Sets database.
start_postgres() {
  local bin pg_port
  bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
  bin=${bin:-$(dirname "$(command -v initdb)")}
  postgres_bin=$bin
  postgres_data=$work/postgres
  mkdir "$postgres_data"
  [ "$(id -u)" != 0 ] || chown postgres "$postgres_data"
  pg_port=$(free_port)
  as_postgres "$bin/initdb" --pgdata="$postgres_data/data" --auth=trust --username=postgres -E UTF8 >/dev/null
  database=postgresql://postgres:unused@127.0.0.1:$pg_port/postgres
  resume_postgres "$pg_port" "${1:-}"
}

resume_postgres() { # port, what to preload
  as_postgres env LD_PRELOAD="$2" "$postgres_bin/pg_ctl" --pgdata="$postgres_data/data" --wait \
    --log="$postgres_data/log" \
    -o "-p $1 -c listen_addresses=127.0.0.1 -c unix_socket_directories=$postgres_data" start >/dev/null
  postgres=$(head -n 1 "$postgres_data/data/postmaster.pid")
}

# A database that has run for a while writes its log into files it has; a new one makes and fills each
# first, which takes 50 ms.
checkpoint_postgres() {
  local at=${database##*:}
  as_postgres "$postgres_bin/psql" -q -h 127.0.0.1 -p "${at%/*}" -U postgres -c CHECKPOINT
}

# What the turn before has left to write would slow the next one.
settle() {
  [ -z "$postgres_data" ] || checkpoint_postgres
  sync
}

# Stops PostgreSQL as a power cut would, and starts it again.
crash_postgres() {
  local pg_port=${database##*:}
  as_postgres "$postgres_bin/pg_ctl" --pgdata="$postgres_data/data" --wait --mode=immediate stop >/dev/null
  resume_postgres "${pg_port%/*}" ""
}

stop_postgres() {
  [ -n "$postgres_data" ] || return 0
  as_postgres "$postgres_bin/pg_ctl" --pgdata="$postgres_data/data" --wait --mode=fast stop >/dev/null
  rm -rf "$postgres_data"
  postgres_data=
}

# User and system time of a process in microseconds; with its children when $2 is given.
cpu_us() {
  local pid pids=$1 total=0 ticks
  [ -z "${2:-}" ] || pids="$1 $(pgrep -P "$1" | tr '\n' ' ')"
  for pid in $pids; do
    # The name in parentheses may hold spaces: count from behind it.
    ticks=$(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | awk '{print $12 + $13}')
    total=$((total + ${ticks:-0}))
  done
  echo $((total * 1000000 / $(getconf CLK_TCK)))
}

memory_mb() { # field, pid
  awk -v field="$1:" '$1 == field {print int($2 / 1024)}' "/proc/$2/status"
}

# load PORT CONNECTIONS SECONDS LINES [count] [pause in ms]: prints wrk's RESULT line without the word.
load() {
  local threads=2 out=$work/wrk.$BASHPID # two loads may run at once
  [ "$2" -gt 1 ] || threads=1
  wrk -t$threads -c"$2" -d"$3"s --timeout 30s -s "$here/bench/load.lua" "http://127.0.0.1:$1" \
    -- "$4" "$key" "${5:-}" "${6:-}" >"$out" || die "wrk failed: $(cat "$out")"
  sed -n 's/^RESULT //p' "$out"
}

# Until the compiler has had its requests, a busy machine or not; at most six rounds.
warm() { # port, connections, lines
  local served=0 result
  for _ in 1 2 3 4 5 6; do
    result=$(load "$1" "$2" "$warm_up" "$3")
    served=$((served + ${result%% *}))
    [ "$served" -lt "$warm_requests" ] || break
  done
}

median() { printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"; }

machine() {
  echo "$(date -u +%FT%TZ), $(nproc) cores$(sed -n 's/^model name[^:]*: /, /p' /proc/cpuinfo | head -n 1)," \
    "load average $(cut -d' ' -f1 /proc/loadavg), $("$java_home/bin/java" --version | head -n 1)"
}
