# What something costs the verify path: with and without it in turn, so that a machine that is slow for a
# while is slow for both. Sourced by run.
turns=${BENCH_TURNS:-8}

# ask NAME PORT PID KEY LINES: one run; adds "decisions-a-second CPU-microseconds" to $work/NAME.turns.
ask() {
  local cpu result
  cpu=$(cpu_us "$3")
  result=$(key=$4 && load "$2" 64 3 "$5")
  cpu=$(($(cpu_us "$3") - cpu))
  # shellcheck disable=SC2086
  set -- "$1" "$cpu" $result
  [ "$8" = 0 ] || die "errors: $result"
  awk -v n="$3" -v us="$4" -v cpu="$2" 'BEGIN { print n * 1e6 / us, cpu / n }' >>"$work/$1.turns"
}

turns_median() { # file, column
  cut -d' ' -f"$2" "$work/$1.turns" | sort -n | awk '{a[NR] = $1} END {print (a[int((NR + 1) / 2)] + a[int(NR / 2) + 1]) / 2}'
}

told() { # what, name without it, name with it
  awk -v what="$1" -v n="$turns" -v a="$(turns_median "$2" 1)" -v b="$(turns_median "$3" 1)" \
    -v c="$(turns_median "$2" 2)" -v d="$(turns_median "$3" 2)" 'BEGIN {
      printf "%s: %.0f a second without, %.0f with (%+.1f %%); CPU %.1f and %.1f us (%+.1f %%); medians of %d turns\n",
        what, a, b, 100 * (b / a - 1), c, d, 100 * (d / c - 1), n }'
}

explain_in_turn() {
  port=$(free_port)
  start_server "$work/turns"
  uncounted_lines >"$work/turns-plain"
  uncounted_lines '?explain=true' >"$work/turns-explained"
  warm "$port" 64 "$work/turns-plain"
  warm "$port" 64 "$work/turns-explained"
  for _ in $(seq "$turns"); do
    ask plain "$port" "$server" "$key" "$work/turns-plain"
    ask explained "$port" "$server" "$key" "$work/turns-explained"
  done
  told "explain=true" plain explained
  stop_server
}

# The service as it is beside one built from the same jar that neither commits to records nor keeps a tree.
log_in_turn() {
  local root=$here on_server on_port on_key off=$work/log-off
  mkdir -p "$off/target" "$off/classes"
  cp -r "$here/bin" "$off/"
  cp "$here/target/safeconduct.jar" "$off/target/"
  "$java_home/bin/javac" -cp "$here/target/safeconduct.jar" -d "$off/classes" \
    "$here"/bench/log-off/dev/safeconduct/*/*.java || die "the service without a log does not compile"
  "$java_home/bin/jar" uf "$off/target/safeconduct.jar" -C "$off/classes" dev || die "no jar without a log"
  port=$(free_port)
  start_server "$work/log-on-data" JAVA_OPTS=-XX:AOTMode=off
  on_server=$server on_port=$port on_key=$key
  uncounted_lines >"$work/log-on-lines"
  port=$(free_port)
  here=$off
  start_server "$work/log-off-data" JAVA_OPTS=-XX:AOTMode=off
  here=$root
  uncounted_lines >"$work/log-off-lines"
  warm "$port" 64 "$work/log-off-lines"
  (key=$on_key && warm "$on_port" 64 "$work/log-on-lines")
  for _ in $(seq "$turns"); do
    ask log-off "$port" "$server" "$key" "$work/log-off-lines"
    ask log-on "$on_port" "$on_server" "$on_key" "$work/log-on-lines"
  done
  told "the Merkle log" log-off log-on
  stop_server
  server=$on_server
  stop_server
}

is_wanted explain-cost && explain_in_turn
is_wanted log-cost && log_in_turn
