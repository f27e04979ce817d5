#!/bin/bash
# What the gate's pod runs on a node, with all of its GPUs. Its log is for people; its verdict, the
# termination message, is for `gpu-cluster node gate`, which alone decides what follows from it.
set -u
set -o pipefail

message=${GATE_MESSAGE:-/dev/termination-log}
report=$(mktemp)
diag=not-run
fabric=none
reason=

say() { printf 'gate: %s\n' "$*"; }

# The distinct values of a field over all GPUs, joined by commas.
field() {
  nvidia-smi --query-gpu="$1" --format=csv,noheader | sed 's/^ *//; s/ *$//; s/[^-0-9A-Za-z.]/_/g' |
    sort -u | paste -sd, -
}

# State of the NVLink fabric: completed, none, or what it is of those that are in neither state.
fabric_state() {
  nvidia-smi -q | awk '
    /^ *Fabric$/ { inside = 1; next }
    inside && /^ *State *:/ {
      sub(/^[^:]*: */, ""); state = tolower($0); gsub(/[^a-z]+/, "-", state)
      if (state == "n-a") state = "none"
      if (worst == "" || worst == "none" || state !~ /^(none|completed)$/) worst = state
      inside = 0
    }
    END { print worst == "" ? "none" : worst }'
}

# A fabric manager that is still at it gets five minutes.
await_fabric() {
  local end=$((SECONDS + ${GATE_FABRIC_SECONDS:-300}))
  fabric=$(fabric_state)
  while [[ $fabric != completed && $fabric != none && $SECONDS -lt $end ]]; do
    say "NVLink fabric: $fabric"
    sleep 5
    fabric=$(fabric_state)
  done
  say "NVLink fabric: $fabric"
}

# How many GPUs passed the test of memory, and how many results there are that failed, of the
# report in JSON. That test runs CUDA on each GPU; one that is skipped everywhere passes nobody.
results() {
  awk '
    /^[ \t]*"name" : / { name = $3; group = "" }
    /^[ \t]*"entity_group" : / { group = $3 }
    /^[ \t]*"test_summary" : / { group = "" }
    /^[ \t]*"status" : / {
      if ($3 ~ /^"Fail"/) failed++
      if (group ~ /^"GPU"/ && name ~ /^"memory"/ && $3 ~ /^"Pass"/) passed++
      group = ""
    }
    END { print passed + 0, failed + 0 }' "$report"
}

run_diag() {
  local code passed failed
  say "starting the host engine"
  nv-hostengine --log-level NONE >/dev/null || { diag=fail; reason="the host engine does not start"; return; }
  for _ in $(seq 30); do dcgmi discovery -l >/dev/null 2>&1 && break; sleep 1; done
  say "dcgmi diag -r 2"
  dcgmi diag -r 2 -j >"$report" 2>&1
  code=$?
  cat "$report"
  read -r passed failed < <(results)
  say "exit code $code; memory: $passed GPUs passed; $failed results failed"
  if [[ $code -eq 0 && $failed -eq 0 && $passed -eq $gpus && $gpus -gt 0 ]]; then
    diag=pass
    return
  fi
  diag=fail
  reason=$(sed -n 's/^[[:space:]]*"warning" : "\(.*\)".*/\1/p' "$report" | head -3 | paste -sd' ' -)
  reason=${reason:-exit code $code, memory passed on $passed of $gpus GPUs, $failed results failed}
}

listed=$(nvidia-smi -L) || say "nvidia-smi -L failed"
gpus=$(grep -c '^GPU ' <<<"$listed")
slices=$(grep -c '^ *MIG ' <<<"$listed")
driver=$(field driver_version)
firmware=$(field vbios_version)
mig=off
[[ $(field mig.mode.current) == *Enabled* ]] && mig=on
say "$gpus GPUs, $slices MIG instances, MIG $mig, driver $driver, firmware $firmware"

if [[ $GATE_MODE == diag && $mig == on ]]; then
  reason="MIG is on"
elif [[ $GATE_MODE == diag ]]; then
  await_fabric
  run_diag
fi

{
  printf 'gpu-cluster-gate 1\n'
  printf 'mode=%s\ngpus=%s\nslices=%s\nmig=%s\n' "$GATE_MODE" "$gpus" "$slices" "$mig"
  printf 'driver=%s\nfirmware=%s\n' "$driver" "$firmware"
  printf 'fabric=%s\ndiag=%s\n' "$fabric" "$diag"
  printf 'reason=%s\n' "$(tr -cd ' -~' <<<"$reason" | cut -c1-600)"
} >"$message"
say "diag $diag${reason:+: $reason}"
