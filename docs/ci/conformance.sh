#!/bin/bash
# What the recipes in this folder run: one part of a conformance run, or the verdict on all of its parts.
#
#   conformance.sh part K/N OUT OPTION...       part K of N into the folder OUT; OPTIONs are those of: clconform run
#   conformance.sh verdict KNOWN OUT PART...    the parts' folders merged into OUT, judged by the known deviations
#
# A part that came to its end exits with 0, whatever it has found. The exit codes of the verdict: docs/gate.md
set -euo pipefail

case ${1:-} in
part)
  (($# >= 3)) || { echo "usage: $0 part K/N OUT OPTION..." >&2; exit 2; }
  shard=$2 out=$3
  shift 3
  if [[ -s $out/journal.jsonl || -s $out/journal.jsonl.gz ]]; then # an earlier attempt of this job
    exec clconform run --resume "$out"
  fi
  exec clconform run --shard "$shard" --out "$out" "$@"
  ;;
verdict)
  (($# >= 4)) || { echo "usage: $0 verdict KNOWN OUT PART..." >&2; exit 2; }
  known=$2 out=$3 code=0
  shift 3
  clconform merge "$@" --out "$out" --known "$known" || code=$?
  if [[ -n ${GITHUB_STEP_SUMMARY:-} && -s $out/summary.md ]]; then
    cat "$out/summary.md" >>"$GITHUB_STEP_SUMMARY"
  fi
  echo "conformance: exit code $code"
  exit "$code"
  ;;
*)
  echo "usage: $0 part K/N OUT OPTION... | verdict KNOWN OUT PART..." >&2
  exit 2
  ;;
esac
