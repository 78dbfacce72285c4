#!/usr/bin/env bash
# Shows that every fuzz target finds a bug that is planted for it, from an empty
# corpus, and in how many seconds. Takes the limit for each in seconds: find.sh 60
set -euo pipefail
cd "$(dirname "$0")"
limit=${1:-60}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The tests with their coverage instrumented, and all mutants in them.
go test -c -tags mutants -fuzz . -o "$work/fuzz.test" .

missed=0
while read -r target mutant; do
  mkdir -p "$work/$target"
  start=$(date +%s.%N)
  # An empty directory has no seeds; the cache of found inputs is new, too.
  if (cd "$work/$target" && PICKLAW_MUTANT=$mutant "$work/fuzz.test" -test.run '^$' -test.fuzz "^$target\$" \
      -test.fuzztime "${limit}s" -test.fuzzcachedir "$work/$target/cache" >"$work/log" 2>&1); then
    printf '%-14s missed  %s within %s s\n' "$target" "$mutant" "$limit"
    missed=1
  elif grep -q 'Failing input written to' "$work/log"; then
    printf '%-14s found   %s in %.1f s\n' "$target" "$mutant" "$(echo "$(date +%s.%N) - $start" | bc)"
  else
    printf '%-14s broken  %s\n' "$target" "$mutant"
    tail -20 "$work/log"
    missed=1
  fi
done <<'END'
FuzzPickLaw power_of_d_one_pair_twice
FuzzBalancer lease_releases_by_name
FuzzFIFO fifo_ends_out_of_order
FuzzRotation smooth_weighted_takes_less
FuzzKeys ring_wraps_to_second_point
FuzzParse trace_at_no_time
END
exit $missed
