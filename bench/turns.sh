# Services that are measured in turn. A service is a name: what is known of it stands in the arrays
# below, and what its turns gave in $work/turns, a file for each scenario. Sourced by run.
declare -A port_of pid_of key_of database_of gc_log_of
mkdir -p "$work/turns" "$work/classes"

# Names the service that start_server has just started, or another one.
named() { # name, port, pid, key, GC log, [postgres pid]
  port_of[$1]=$2 pid_of[$1]=$3 key_of[$1]=$4 gc_log_of[$1]=$5 database_of[$1]=${6:-}
}

compile() { # files of bench/
  local files=("${@/#/$here/bench/}")
  "$java_home/bin/javac" -cp "$here/target/safeconduct.jar:$here/bench/target/lib/*" -d "$work/classes" \
    "${files[@]}" || die "$* cannot be compiled"
}

fetch_libraries() {
  local maven=(mvn -B -ntp -q -f "$here/bench/pom.xml" dependency:copy-dependencies)
  need mvn maven
  JAVA_HOME=$java_home "${maven[@]}" -o >/dev/null 2>&1 || JAVA_HOME=$java_home "${maven[@]}" ||
    die "the libraries of bench/pom.xml cannot be fetched"
}

# The service as it is packaged, which also writes down what its collector finds. Sets port and key.
serve() { # name, environment...
  local name=$1
  shift
  port=$(free_port)
  start_server "$work/$name" JAVA_OPTS="$(gc_logging "$name") ${JAVA_OPTS:-}" "$@"
  named "$name" "$port" "$server" "$key" "$work/$name.gc"
}

gc_logging() { echo "-Xlog:gc+heap=info:file=$work/$1.gc::filecount=0"; }

# What the least of it costs: Bare.java says what it does. Its answers are none of the service's.
serve_bare() { # name, JDBC URL, [postgres pid]
  local bare_port bare
  [ -f "$work/classes/Bare.class" ] || compile Bare.java
  bare_port=$(free_port)
  "$java_home/bin/java" -Dcom.amazon.corretto.crypto.provider.registerEdKeyFactory=true \
    --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -XX:+UseCompactObjectHeaders \
    -XX:+UseTransparentHugePages -Xms96m -Xmn48m "$(gc_logging "$1")" \
    -cp "$work/classes:$here/target/safeconduct.jar" Bare "$bare_port" "$2" >"$work/$1.log" 2>&1 &
  bare=$!
  started+=("$bare")
  answers "$bare_port" "$bare" / "$work/$1.log"
  named "$1" "$bare_port" "$bare" none "$work/$1.gc" "${3:-}"
}

answers() { # port, pid, path, log
  until curl -s -o /dev/null "http://127.0.0.1:$1$3"; do
    kill -0 "$2" 2>/dev/null || die "the server ended: $(tail -n 5 "$4")"
    sleep 0.1
  done
}

# PostgreSQL with a database for the service and one for the bare path.
serve_on_postgres() { # environment...
  local at
  ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || need initdb postgresql
  start_postgres
  at=${database##*:}
  as_postgres "$postgres_bin/psql" -q -h 127.0.0.1 -p "${at%/*}" -U postgres -c 'CREATE DATABASE bare'
  serve ours_postgres DATABASE_URL="$database" \
    SAFECONDUCT_MASTER_KEY=0123456789abcdef0123456789abcdef0123456789abcdef "$@"
  database_of[ours_postgres]=$postgres
  serve_bare bare_postgres "jdbc:postgresql://127.0.0.1:${at%/*}/bare?user=postgres" "$postgres"
}

# A load that is denied early would measure something else.
all_allowed() { # name, lines
  local path body
  while IFS=$'\t' read -r path body; do
    curl -s "http://127.0.0.1:${port_of[$1]}$path" -H "X-API-Key: ${key_of[$1]}" \
      -H 'Content-Type: application/json' -d "$body" | grep -qE '"(allow|decision)":true' ||
      die "$1 denies a question of the load: $path $body"
  done <"$2"
}

warm_service() { # name, connections, lines
  key=${key_of[$1]}
  warm "${port_of[$1]}" "$2" "$3"
}

# What the service has allocated up to its last collection, in KB: not exact where few requests came.
allocated_kb() { # name
  [ -n "${gc_log_of[$1]}" ] || { echo 0 && return; }
  awk '/ DefNew: / {
      split(substr($0, index($0, "DefNew: ") + 8), size, /K[^>]*>|K\(/)
      all += size[1] - left
      left = size[2]
    } END { print all + 0 }' "${gc_log_of[$1]}"
}

# One run: adds a line to the scenario's turns.
turn() { # scenario, name, connections, lines, [seconds]
  local pid=${pid_of[$2]} postmaster=${database_of[$2]} cpu database_cpu=0 garbage result
  key=${key_of[$2]}
  settle
  garbage=$(allocated_kb "$2")
  cpu=$(cpu_us "$pid")
  [ -z "$postmaster" ] || database_cpu=$(cpu_us "$postmaster" children)
  result=$(load "${port_of[$2]}" "$3" "${5:-$seconds}" "$4")
  cpu=$(($(cpu_us "$pid") - cpu))
  [ -z "$postmaster" ] || database_cpu=$(($(cpu_us "$postmaster" children) - database_cpu))
  garbage=$(($(allocated_kb "$2") - garbage))
  # shellcheck disable=SC2086
  set -- "$1" "$2" $result
  kill -0 "$pid" 2>/dev/null || die "the service $2 ended"
  [ "$8" = 0 ] || echo "ERRORS in a turn of $1: $8 of $3 requests" >&2
  awk -v n="$3" -v us="$4" -v p50="$5" -v p99="$6" -v max="$7" -v cpu="$cpu" -v db="$database_cpu" \
    -v rss="$(memory_mb VmRSS "$pid")" -v garbage="$garbage" \
    -v database="$postmaster" -v collected="${gc_log_of[$2]}" 'BEGIN {
      n = n ? n : 1
      printf "%.0f %.2f %.2f %.1f %.1f %s %d %s\n", n * 1e6 / us, p50 / 1000, p99 / 1000, max / 1000, cpu / n,
        database ? sprintf("%.1f", db / n) : "-", rss, collected ? sprintf("%.1f", garbage / n) : "-" }' \
    >>"$work/turns/$1"
}

# Columns of a line: 1 rate, 2 p50, 3 p99, 4 longest, 5 CPU, 6 CPU of the database, 7 RSS, 8 garbage.
of_turns() { # scenario, column
  # shellcheck disable=SC2046
  median $(cut -d' ' -f"$2" "$work/turns/$1")
}

show_turns() { # scenarios
  local each line
  printf '%-34s %8s %8s %8s %8s %8s %9s %7s %10s\n' scenario per_s p50_ms p99_ms max_ms cpu_us \
    db_cpu_us rss_mb garbage_kb
  for each in "$@"; do
    while read -r line; do
      # shellcheck disable=SC2086
      printf '%-34s %8s %8s %8s %8s %8s %9s %7s %10s\n' "$each" $line
    done <"$work/turns/$each"
    # shellcheck disable=SC2046
    printf '%-34s %8s %8s %8s %8s %8s %9s %7s %10s\n' "  median" \
      $(for column in 1 2 3 4 5 6 7 8; do of_turns "$each" $column; done)
  done
}

# One line of the table of aims: two scenarios turn by turn. The ratio is the median of the turns' ratios,
# because the two runs of a turn have met the same machine.
aim_ratio() { # what, unit, scenario of the other, ours, column, <= or >=, wanted
  local ratio
  # shellcheck disable=SC2046
  ratio=$(median $(paste -d' ' <(cut -d' ' -f"$5" "$work/turns/$3") <(cut -d' ' -f"$5" "$work/turns/$4") |
    awk '$1 > 0 {printf "%.3f\n", $2 / $1}'))
  aim_line "$1" "$(of_turns "$3" "$5") $2" "$(of_turns "$4" "$5") $2" "$ratio" '' "$6" "$7"
}

# One figure; with another one, how much it is beyond that.
aim_value() { # what, unit, ours, <= or >=, wanted, [the other]
  local value=
  [ -z "$3" ] || [ -z "${6-0}" ] || value=$(awk -v a="$3" -v b="${6-0}" 'BEGIN {print a - b}')
  aim_line "$1" "${6:+$6 $2}" "$3 $2" "$value" " $2" "$4" "$5"
}

aim_line() { # what, the other, ours, value, unit of it, <= or >=, wanted
  awk -v what="$1" -v other="$2" -v ours="$3" -v value="$4" -v unit="$5" -v op="$6" -v wanted="$7" 'BEGIN {
    met = op == "<=" ? value + 0 <= wanted : value + 0 >= wanted
    printf "| %s | %s | %s | %.2f%s | %s %s%s | %s |\n", what, other, ours, value, unit, op, wanted, unit,
      value == "" ? "NOT MEASURED" : met ? "met" : "MISSED" }'
}

aims_heading() { # name of the other
  printf '\n| aim | %s | Safeconduct | compared | wanted | |\n|---|---|---|---|---|---|\n' "$1"
}

# Requests at a constant rate, whatever the answers take: OpenLoop.java says how. Prints its line.
open_loop() { # name, requests a second, seconds, lines
  [ -f "$work/classes/OpenLoop.class" ] || { fetch_libraries && compile OpenLoop.java; }
  settle
  "$java_home/bin/java" -XX:+UseSerialGC -Xms96m -Xmn64m \
    -cp "$work/classes:$here/bench/target/lib/*" OpenLoop "${port_of[$1]}" "$2" "$3" "$4" "${key_of[$1]}" ||
    die "the load at a constant rate failed"
}
