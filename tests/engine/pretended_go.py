"""A Go compiler that only pretends, and keeps what it was asked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

SCRIPT = """#!/bin/sh
echo "$*" >> "$FAKE_GO_CALLS"
case "$1 $2" in
"env GOVERSION") echo "go${FAKE_GO_VERSION:-1.26.6}" ;;
"list -m") echo "$FAKE_GO_MODULES" ;;
build*)
  if ! ${FAKE_GO_BUILD:-true}; then
    echo "go: downloading example.org/x"
    echo "main.go:1: broken"
    exit 1
  fi
  while [ "$1" != -o ]; do shift; done
  printf '#!/bin/sh\\necho built by %s\\n' "$PWD" > "$2"
  chmod +x "$2"
  ls > "$FAKE_GO_CALLS.sources" ;;
esac
"""


@dataclass
class FakeGo:
    """What the tests ask of the pretended compiler."""

    calls_file: Path
    modules: Path

    def calls(self, verb: str) -> list[str]:
        if not self.calls_file.exists():
            return []
        return [line for line in self.calls_file.read_text().splitlines() if line.startswith(verb)]
