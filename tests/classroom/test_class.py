"""A class of two on JupyterHub, served as deploy/README.md says: benchmarks/class_of.py does the same with more."""

from __future__ import annotations

import asyncio
import copy
import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from classroom.lesson import CHAPTER, Facts, hold_lesson, unexpected
from classroom.machine import Machine, machine, python
from conftest import missing, under_ci

import dev

NAMES = ["anna", "ben"]
LONGEST = 840  # seconds of a lesson


@pytest.fixture(scope="module")
def inside() -> Iterator[Machine]:
    """A machine within this one, which has JupyterHub beside the course."""
    may = os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"]).returncode == 0
    if not may and not under_ci():
        pytest.skip("only root can make accounts and namespaces")
    try:
        dev.install_hub_packages()
    except SystemExit:  # it has said why
        missing("JupyterHub")
    with machine() as made:
        yield made


@pytest.fixture(scope="module")
def facts(inside: Machine, chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Facts:
    chapter = inside.notebooks / f"{CHAPTER}.ipynb"
    text = chapter.read_text(encoding="utf-8")
    assert text.count("epochs = 200") == 1
    chapter.write_text(text.replace("epochs = 200", "epochs = 10"), encoding="utf-8")  # test_chapters.py does it, too
    log = tmp_path_factory.mktemp("hub") / "log"
    with ThreadPoolExecutor(1) as beside:  # here, a loop of playwright's may be running
        try:
            # A limit of its own: pytest's ends the wait for the lesson, and then the pool waits for it for ever.
            lesson = asyncio.wait_for(hold_lesson(inside, NAMES, log, chromium), LONGEST)
            return beside.submit(asyncio.run, lesson).result()
        except Exception as error:
            if log.exists():
                error.add_note(log.read_text()[-4000:])
            raise


@pytest.mark.timeout(900)
def test_a_lesson_is_as_it_should_be(facts: Facts) -> None:
    assert unexpected(facts) == []


SPOILED: dict[str, tuple[tuple[str, ...], Any]] = {
    "anna steps": (("students", "anna", "step"), "0 0"),
    "ben's wrong answer": (("students", "ben", "wrong"), "✓ slope_of_w: passed"),
    "ben's right answer": (("students", "ben", "right"), "✗ slope_of_w: not yet"),
    "anna's progress": (("students", "anna", "progress"), None),
    "anna's home": (("students", "anna", "home"), "0o755"),
    "MB of anna's kernel": (("students", "anna", "MB of the kernel"), 200.0),
    "anna's answer after the update": (("students", "anna", "answer after the update"), "raise NotImplementedError"),
    "anna's text after the update": (("students", "anna", "text after the update"), [True, False]),
    "anna's requests to strangers": (("students", "anna", "requests to strangers"), ["https://example.org"]),
    "the rows of the class table": (("class table",), ["00 all", "anna 1/1", ""]),
    "another's kernel during os._exit": (("meanwhile", "os._exit"), "dead"),
    "after the loop": (("after the loop",), ""),
    "2 GB": (("2 GB",), "given 2147483648"),
    "a fork bomb": (("fork bomb",), "allowed"),
    "a spy found": (("found by a spy",), "[('/home/ben', 12)]"),
    "heard from another's kernel": (("heard",), "[[b'stream', b'a secret']]"),
    "another's /user/ben/lab": (("with the cookies", "/user/ben/lab"), 200),
    "under the host evil.example": (("under strange hosts", "evil.example"), 200),
    "without an account": (("without an account",), [403, 200]),
}


@pytest.mark.parametrize("what", SPOILED)
def test_what_should_not_be_so_is_noticed(facts: Facts, what: str) -> None:
    (*places, last), value = SPOILED[what]
    spoiled = seen = copy.deepcopy(facts)
    for place in places:
        seen = seen[place]
    assert last in seen
    seen[last] = value
    (told,) = unexpected(spoiled)
    assert told.startswith(what)


def test_the_page_of_the_class_is_written(facts: Facts, inside: Machine) -> None:
    assert facts["class table"][0].split()[0] == "00"
    made = inside.run(python(), "dev.py", "class", "/home", "--html=/tmp/class.html", "--csv=/tmp/class.csv")
    assert made.returncode == 0, made.stderr
    written = inside.run("cat", "/tmp/class.html", "/tmp/class.csv").stdout
    assert "anna" in written
    assert "ben,00_start_here,slope_of_w,passed" in written.replace('"', "")


# --- accounts ---


def accounts(inside: Machine, names: str, *options: str) -> subprocess.CompletedProcess[str]:
    words = " ".join(options or ["/tmp/given"])
    return inside.run("bash", "-c", f"printf '{names}' >/tmp/given; exec {python()} deploy/accounts.py {words}")


def shadow(inside: Machine, name: str) -> str:
    return inside.run("getent", "shadow", name).stdout.split(":")[1]


def test_each_name_becomes_an_account_with_a_password_of_its_own(inside: Machine) -> None:
    made = accounts(inside, "carla\\r\\n\\ndora-2\\ncarla\\n")
    assert (made.returncode, made.stderr) == (0, "")
    lines = [line.split(",") for line in made.stdout.splitlines()]
    assert [name for name, _ in lines] == ["carla", "dora-2"]
    assert len({password for _, password in lines}) == 2
    assert all(len(password) == 12 for _, password in lines)
    assert all((inside.homes / name).stat().st_mode & 0o777 == 0o700 for name, _ in lines)
    assert inside.run("getent", "passwd", "carla").stdout.strip().endswith(":/usr/sbin/nologin")
    assert "minigrad-class" in inside.run("id", "carla").stdout


def test_a_list_that_has_grown_gives_no_other_password_to_those_who_have_one(inside: Machine) -> None:
    assert accounts(inside, "emil\\n").stdout.startswith("emil,")
    before = shadow(inside, "emil")
    grown = accounts(inside, "emil\\nfritz\\n")
    assert [line.split(",")[0] for line in grown.stdout.splitlines()] == ["fritz"]
    assert shadow(inside, "emil") == before
    again = accounts(inside, "", "--new-password", "emil")
    assert again.stdout.startswith("emil,")
    assert shadow(inside, "emil") != before


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ("gerd\\nroot\\n", "'root' is an account of this machine that is not of the class"),
        ("gerd\\nAnna\\n", "'Anna' is no name of an account"),
        ("gerd\\n-x\\n", "'-x' is no name of an account"),
        ("gerd\\nx:y\\n", "'x:y' is no name of an account"),
    ],
)
def test_a_list_with_a_name_that_cannot_be_changes_nothing(inside: Machine, names: str, told: str) -> None:
    root = shadow(inside, "root")
    refused = accounts(inside, names)
    assert refused.returncode == 1
    assert refused.stderr.startswith(told)
    assert refused.stdout == ""
    assert inside.run("id", "gerd").returncode != 0
    assert shadow(inside, "root") == root


def test_a_password_for_nobody_is_refused(inside: Machine) -> None:
    refused = accounts(inside, "", "--new-password", "nobody")
    assert refused.returncode == 1
    assert "not of the class" in refused.stderr
    assert accounts(inside, "", "--new-password", "hans").stderr.startswith("'hans' has no account in the class")
