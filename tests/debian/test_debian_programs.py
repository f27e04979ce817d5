from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from debian_programs import Unpacked, debian_packages, debian_program

FAKE_APT = """#!/bin/sh
case "$*" in
  *--simulate*)
    echo "Inst libmade (1.0 Debian [amd64])"
    echo "Inst perl [5.36] (5.40 Debian)" ;;
  *--print-uris*)
    shift 7
    for package; do echo "'x' ${package}_1.0_all.deb 1 h"; done ;;
  *)
    shift 6
    for package; do echo "$package" >> "$CALLS"; touch "${package}_1.0_all.deb"; done ;;
esac
"""
FAKE_DPKG = """#!/bin/sh
mkdir -p "$3/usr/bin" "$3/usr/lib/made"
name=$(basename "$2" _1.0_all.deb)
printf '#!/bin/sh\\n' > "$3/usr/bin/$name"; chmod +x "$3/usr/bin/$name"
touch "$3/usr/lib/made/$name.so.1"
"""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with programs in one folder, and a cache of its own."""
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("GPU_CLUSTER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    return programs


def _put(folder: Path, name: str, script: str) -> Path:
    path = folder / name
    path.write_text(script)
    path.chmod(0o755)
    return path


@pytest.fixture
def debian(machine: Path) -> Path:
    """The same machine with an apt-get and a dpkg that know any package."""
    _put(machine, "apt-get", FAKE_APT)
    _put(machine, "dpkg", FAKE_DPKG)
    return machine


def _skipped(names: tuple[str, str]) -> str:
    # Not pytest.raises: a skip is no Exception, and this test itself must not be skipped.
    try:
        debian_program(*names)
    except pytest.skip.Exception as skip:
        return str(skip)
    raise AssertionError("nothing was skipped")


def test_the_machines_own_program_comes_first(machine: Path) -> None:
    own = _put(machine, "made-tool", "#!/bin/sh\n")
    assert debian_program("made-tool", "made") == own


def test_a_program_is_unpacked_once_and_found_again(debian: Path, tmp_path: Path) -> None:
    first = debian_program("made-once", "made-once")
    subprocess.run([first], check=True)
    assert first.is_relative_to(tmp_path / "cache")
    debian_packages("made-once")
    calls = (tmp_path / "calls").read_text().split()
    assert calls == ["made-once", "made-once", "libmade"], "one set more, one download more"


def test_packages_come_with_what_is_missing_and_no_upgrade(debian: Path) -> None:
    tree = debian_packages("made-whole")
    assert {path.name for path in tree.root.rglob("usr/bin/*")} == {"made-whole", "libmade"}
    assert tree.environment()["LD_LIBRARY_PATH"] == str(tree.root / "usr/lib/made")


def test_a_program_that_no_package_has_is_an_error_and_no_skip(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no package unpacked in .* has a program none"):
        Unpacked(tmp_path).program("none")


def test_without_apt_the_skip_says_so(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(machine))
    assert _skipped(("made-never", "made-never")) == (
        "needs the Debian packages made-never: here is no apt-get"
    )


def test_where_apt_fails_the_skip_carries_its_last_word(machine: Path) -> None:
    _put(machine, "apt-get", "#!/bin/sh\necho 'E: Unable to locate package x' >&2\nexit 100\n")
    _put(machine, "dpkg", FAKE_DPKG)
    assert _skipped(("made-lost", "made-lost")).endswith("E: Unable to locate package x")


def test_promtool_and_amtool_run() -> None:
    for name, package in (("promtool", "prometheus"), ("amtool", "prometheus-alertmanager")):
        done = subprocess.run(
            [debian_program(name, package), "--version"], capture_output=True, text=True, check=True
        )
        assert f"{name}, version" in done.stdout + done.stderr
