#!/usr/bin/env bash
# Shows that every fuzz target finds a bug that is planted for it, from an empty
# corpus, and in how many seconds. Takes the limit for each in seconds: find.sh 60
#
# A bug is a mutant of the catalog or, in code that the catalog does not reach, a
# file and what sed does to it.
set -euo pipefail
cd "$(dirname "$0")"
limit=${1:-60}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build NAME FLAG... compiles the tests with their coverage instrumented.
build() { go test -c -fuzz . -o "$work/$1" "${@:2}" .; }

build mutants.test -tags mutants

missed=0
targets=
while read -r target bug edit; do
  targets+="$target "
  mkdir -p "$work/$target"
  test=mutants.test
  if [ -n "$edit" ]; then
    sed "$edit" "../$bug" >"$work/planted.go"
    cmp -s "../$bug" "$work/planted.go" && { echo "$target: $edit changes nothing in $bug"; exit 2; }
    printf '{"Replace": {"%s": "%s"}}' "$(realpath "../$bug")" "$work/planted.go" >"$work/overlay.json"
    build planted.test -overlay "$work/overlay.json"
    test=planted.test
  fi
  start=$(date +%s%N)
  # An empty directory has no seeds; the cache of found inputs is new, too.
  if (cd "$work/$target" && PICKLAW_MUTANT=$([ -n "$edit" ] || echo "$bug") "$work/$test" -test.run '^$' -test.fuzz "^$target\$" \
      -test.fuzztime "${limit}s" -test.fuzzminimizetime 100x -test.fuzzcachedir "$work/$target/cache" >"$work/log" 2>&1); then
    printf '%-14s missed  %s within %s s\n' "$target" "$bug" "$limit"
    missed=1
  elif grep -q 'Failing input written to' "$work/log"; then
    ms=$((($(date +%s%N) - start) / 1000000))
    printf '%-14s found   %s in %d.%d s\n' "$target" "$bug" $((ms / 1000)) $((ms % 1000 / 100))
  else
    printf '%-14s broken  %s\n' "$target" "$bug"
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
FuzzProtocol spec/remote/answer.go s/if a.Seq == nil {/if false {/
END
for target in $(grep -ho '^func Fuzz[A-Za-z]*' ./*_test.go | sed 's/func //'); do
  case " $targets" in *" $target "*) ;; *) echo "$target has no planted bug"; missed=1 ;; esac
done
exit $missed
