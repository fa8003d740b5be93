#!/usr/bin/env bash
# Checks the coverage floors against coverage/code.out, which `make test` writes: the percentage of a package's
# statements that its own tests run. The floors cover the packages where missing tests are most costly: domain rules,
# decisions of workflows, the publish protocol. tools/test.sh has the same list (floors).
set -euo pipefail
cd "$(dirname "$0")/.."

profile=coverage/code.out
if [ ! -s "$profile" ]; then
  echo "no $profile: run make test first" >&2
  exit 1
fi

floor() {
  case $1 in
    shared/kernel/failpoint* | *test) echo - ;; # crash points and test helpers
    shared/kernel/* | shared/domain/* | shared/platform/rules*) echo 90 ;;
    shared/infra/ratelimit) echo 90 ;;
    workflows/*) echo 90 ;;
    activities/*) echo 75 ;;
    *) echo - ;;
  esac
}

# A package without tests of its own appears in the profile with all its statements, none of which is covered.
status=0
while read -r package percent; do
  least=$(floor "$package")
  mark=
  if [ "$least" != - ] && awk "BEGIN {exit !($percent < $least)}"; then
    mark="  below the floor of $least %"
    status=1
  fi
  printf '%6.1f %%  %s%s\n' "$percent" "$package" "$mark"
done < <(awk -F'[: ]' '
  NR > 1 {
    package = $1; sub(/^fencepost\.internal\//, "", package); sub(/\/[^\/]*$/, "", package)
    all[package] += $(NF - 1); if ($NF > 0) run[package] += $(NF - 1)
  }
  END { for (package in all) printf "%s %.2f\n", package, 100 * run[package] / all[package] }' "$profile" | sort)
exit "$status"
