"""The accounts of a class: `sudo python3 deploy/accounts.py NAMES`, with a file that has a name on each line.

Each name becomes an account of this machine in the group `minigrad-class`, with a home that nobody else reads, and
without a shell: its password opens JupyterHub, and nothing else. Printed is a line for each account that was made,

    name,password

to be kept, and handed out to each student alone: passwords are stored as hashes, and cannot be shown again. A name that
has such an account stays as it is, so that the file can grow and be given again.

    --new-password NAME    another password for one who has lost it
"""

import grp
import pwd
import re
import secrets
import subprocess
import sys
from pathlib import Path

GROUP = "minigrad-class"
NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that is taken for another
NO_NAME = "is no name of an account: small letters without accents, digits, - and _, a letter first, at most 32"
NOT_OURS = "is an account of this machine that is not of the class: choose another name"


def main(arguments: list[str]) -> int:
    again = arguments[:1] == ["--new-password"]
    if len(arguments) != 1 + again or arguments[0] in ("-h", "--help"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        names = arguments[1:] if again else read_names(Path(arguments[0]))
        members = members_of_the_class()
        problems = [f"{name!r} {problem}" for name in names if (problem := problem_of(name, members, again))]
        if problems:
            print("\n".join([*problems, "Nothing was done."]), file=sys.stderr)
            return 1
        for name in names:
            if name not in members:
                make_account(name)
            elif not again:
                continue
            print(f"{name},{give_password(name)}", flush=True)
    except (OSError, UnicodeDecodeError, subprocess.CalledProcessError) as error:
        print(f"{error}\nThe lines above are of accounts that were made.", file=sys.stderr)
        return 1
    return 0


def read_names(file: Path) -> list[str]:
    lines = (line.strip() for line in file.read_text(encoding="utf-8-sig").splitlines())
    return list(dict.fromkeys(line for line in lines if line))


def members_of_the_class() -> list[str]:
    """The names in the group, which is made where it is not there."""
    subprocess.run(["groupadd", "--force", GROUP], check=True)
    return grp.getgrnam(GROUP).gr_mem


def problem_of(name: str, members: list[str], again: bool) -> str:
    if not NAME.fullmatch(name):
        return NO_NAME
    if name in members:
        return ""
    try:
        pwd.getpwnam(name)
    except KeyError:
        return "has no account in the class" if again else ""
    return NOT_OURS


def make_account(name: str) -> None:
    home = ["--create-home", "--key", "HOME_MODE=0700"]
    subprocess.run(["useradd", *home, "--groups", GROUP, "--shell", "/usr/sbin/nologin", name], check=True)


def give_password(name: str) -> str:
    password = "".join(secrets.choice(LETTERS) for _ in range(12))
    subprocess.run(["chpasswd"], input=f"{name}:{password}\n", text=True, check=True)
    return password


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
