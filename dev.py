"""All that a clone needs: `python dev.py lab` opens the course, `python dev.py test` runs the tests.

Each command makes what it needs, and finds it again the next time. Two folders, both git-ignored, hold all of it:

    .venv   the Python environment: the packages of requirements.txt (the lock), each file checked by its hash
    .home   what Jupyter, IPython, matplotlib and pip would else write to your home directory, and the set-up's log

Deleting both is always safe. Only the standard library is used here, and only what Python 2.7 can parse, so that an
old Python gets as far as the sentence that turns it away.
"""

import errno
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

USAGE = """usage: python dev.py COMMAND

  lab        open the course in JupyterLab; --no-browser, --port=N and other options of jupyter lab may follow
  test       run all the tests; -k WORD, paths and other options of pytest may follow, and --quick leaves out those
             that take long (a browser's, whole chapters), says which, and ends in about two minutes
  student    write the chapters without their solutions into the folder course/, where your answers stay when the
             chapters are updated; from then on `lab` opens these; with --nbgrader COURSE as assignments of nbgrader
  class      the table of a class from its students' folders: who passed what, who is stuck where, on which mistakes:
             python dev.py class FOLDER...; --csv=FILE and --html=FILE write it to files
  hub        a class on this machine: JupyterHub for its students' accounts, with --ip=ADDRESS and other options of
             jupyterhub; deploy/README.md leads through it
  page       make a notebook one HTML page that steps without a kernel: python dev.py page notebooks/NAME.ipynb;
             --execute runs it first, --output-dir=FOLDER and other options of nbconvert may follow
  site       write the whole course as a site into the folder site/: a front page, the chapters as a book, a gallery;
             any server of files shows it; --address=URL says where it will stand, so that link previews have pictures;
             --pyodide=FOLDER, a release of Pyodide, has the course in the browser load Python from the site itself

for those who change minigrad:
  notebooks  run the committed notebooks again and store what they show; names of single ones may follow
  check      ruff, mypy, codespell, and biome and tsc for the scripts and style sheets
  lock       make requirements.txt anew from pyproject.toml with uv; --upgrade takes the newest versions"""

OLDEST, NEWEST = (3, 11), (3, 13)
HERE = os.path.dirname(os.path.abspath(__file__))
LOCK = os.path.join(HERE, "requirements.txt")
SITE_LOCK = os.path.join(HERE, "tools", "site", "requirements.txt")
HUB_LOCK = os.path.join(HERE, "deploy", "requirements.txt")
PROXY_LOCK = os.path.join(HERE, "deploy", "package-lock.json")
HOME = os.path.join(HERE, ".home")
LOG = os.path.join(HOME, "setup.log")
PIP_CACHE = os.path.join(HOME, "pip")
VENV = os.path.join(HERE, ".venv")
SCRIPTS = os.path.join(VENV, "Scripts" if os.name == "nt" else "bin")
PYTHON = os.path.join(SCRIPTS, "python.exe" if os.name == "nt" else "python")
STAMP = os.path.join(VENV, "made-by-dev.py")  # holds the hash of the lock that is installed
NPM_PACKAGES = os.path.join(HERE, "tests", "js", "node_modules")
NPM_LOCK = os.path.join(HERE, "tests", "js", "package-lock.json")
BIOME = os.path.join(NPM_PACKAGES, "@biomejs", "biome", "bin", "biome")  # formatter and linter
TSC = os.path.join(NPM_PACKAGES, "typescript", "bin", "tsc")
NPM_STAMP = os.path.join(NPM_PACKAGES, ".installed-lock")
SITE_PACKAGES = os.path.join(HOME, "site")  # what makes the site, and nothing else needs
SITE_STAMP = os.path.join(SITE_PACKAGES, ".installed-lock")
HUB_PACKAGES = os.path.join(HOME, "hub")  # what serves a class, and nothing else needs
HUB_STAMP = os.path.join(HUB_PACKAGES, ".installed-lock")
PROXY = os.path.join(HUB_PACKAGES, "proxy")
PIP_OPTIONS = ["--require-hashes", "--only-binary=:all:", "--no-input", "--progress-bar=off"]
PIP_OPTIONS += ["--disable-pip-version-check"]
UNFINISHED = "unfinished"
# JupyterLab writes what a kernel says of its language into each notebook that it opens, and counts it as changed where
# that is new. So kernels say what the shipped notebooks hold: all but Python's version, which differs between machines.
LANGUAGE = """\
if hasattr(get_ipython(), "kernel"):
    get_ipython().kernel.language_info = {
        key: value for key, value in get_ipython().kernel.language_info.items() if key != "version"
    }
"""
FIRST_NOTEBOOK = "notebooks/00_start_here.ipynb"
FIRST_WITHOUT_SOLUTIONS = "course/00_start_here.ipynb"  # what `student` writes
FIRST_PORT, LAST_PORT = 8888, 8988
DISK_NEEDED = 1500 * 1000 * 1000  # bytes; half of it stays in use

NO_PROXY = "The proxy in front of a class needs node 20 or newer, and npm, which comes with it: install them."
NO_NODE = "The scripts and style sheets were not checked: install node 20 or newer, and npm, which comes with it."
DISK_FULL = "The disk is full: the set-up needs 1.5 GB, half of it only for a while. Make room, then start again."
NOT_WRITABLE = "This folder cannot be written to. Move it to a place of your own, then start again."
CAUSES = [  # a sign in the log of a step that failed, and what to do. pip names a missing package last, whatever it was
    ("No space left on device|not enough space on the disk|Disk quota exceeded", DISK_FULL),
    (
        "ensurepip|No module named '?venv",
        "This Python cannot make environments: its venv module is incomplete. On Debian and Ubuntu, install it with\n"
        "  sudo apt install python3-venv\nthen start again.",
    ),
    (
        "DO NOT MATCH THE HASHES",
        "A downloaded file is not the one that the lock names, so nothing was installed. The download may be\n"
        "damaged, or changed by a mirror. Start again; if it comes back, try another network.",
    ),
    (
        "CERTIFICATE_VERIFY_FAILED",
        "The connection's certificate was not accepted. On a network that inspects traffic, set the variable PIP_CERT\n"
        "to your organisation's certificate file, then start again.",
    ),
    ("Permission denied|Read-only file system", NOT_WRITABLE),
    (
        "Retrying|NewConnectionError|Max retries exceeded|ReadTimeout|ConnectionError|name resolution|unreachable"
        "|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN",
        "No network: the packages could not be downloaded. Check the connection, then start again. Behind a proxy,\n"
        "set the variable HTTPS_PROXY first.",
    ),
    (
        "No matching distribution found",
        "A package has no ready-made file for this Python on this machine. minigrad is tested on Python 3.11 to 3.13,\n"
        "64-bit, on Linux, macOS and Windows.",
    ),
]


def main(arguments):
    commands = {
        "lab": lab,
        "test": test,
        "student": student,
        "class": class_table,
        "hub": hub,
        "page": page,
        "site": site,
        "notebooks": notebooks,
        "check": check,
        "lock": lock,
    }
    if not arguments or arguments[0] not in commands:
        asked = arguments[:1] in (["help"], ["-h"], ["--help"])
        (sys.stdout if asked else sys.stderr).write(USAGE + "\n")
        return 0 if asked else 2
    if sys.version_info[:2] < OLDEST:
        stop(describe_old_python())
    os.chdir(HERE)
    try:
        return commands[arguments[0]](arguments[1:])
    except KeyboardInterrupt:
        stop("Stopped. What is unfinished is made again at the next start.", code=130)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            stop(DISK_FULL)
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            stop("%s\n%s" % (error, NOT_WRITABLE))
        raise


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def stop(text, code=1):
    sys.stderr.write("\n%s\n" % text)
    sys.exit(code)


def describe_old_python():
    versions = OLDEST + tuple(sys.version_info[:2])
    text = "minigrad needs Python %d.%d or newer, and this is Python %d.%d." % versions
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        python = "python%d.%d" % (NEWEST[0], minor)
        try:
            with open(os.devnull, "w") as nowhere:
                works = subprocess.call([python, "-c", ""], stdout=nowhere, stderr=nowhere) == 0
        except OSError:
            continue
        if works:
            return "%s This machine has a newer one. Run:\n  %s %s" % (text, python, " ".join(sys.argv))
    return "%s Install Python %d.%d and use that." % ((text,) + NEWEST)


# --- what is started from here, and with which variables ---


def environment():
    """The variables that keep the clone to itself: the home directory is neither read nor written."""
    variables = dict(os.environ)
    for name in ("PYTHONPATH", "PYTHONHOME", "JUPYTER_PATH", "JUPYTER_CONFIG_PATH", "PIP_TARGET", "PIP_PREFIX"):
        variables.pop(name, None)  # each would mix in packages or settings from elsewhere
    variables.pop("PYTHONDONTWRITEBYTECODE", None)  # else each kernel, and each test's process, compiles us anew
    variables.update(
        PATH=os.pathsep.join([SCRIPTS, variables.get("PATH", "")]),
        VIRTUAL_ENV=VENV,
        JUPYTER_CONFIG_DIR=os.path.join(HOME, "jupyter", "config"),
        JUPYTER_DATA_DIR=os.path.join(HOME, "jupyter", "data"),
        JUPYTER_RUNTIME_DIR=os.path.join(HOME, "jupyter", "runtime"),
        JUPYTERLAB_SETTINGS_DIR=os.path.join(HOME, "jupyter", "settings"),
        JUPYTERLAB_WORKSPACES_DIR=os.path.join(HOME, "jupyter", "workspaces"),
        IPYTHONDIR=os.path.join(HOME, "ipython"),
        MPLCONFIGDIR=os.path.join(HOME, "matplotlib"),
        PIP_CACHE_DIR=PIP_CACHE,
        PIP_USER="0",
        UV_CACHE_DIR=os.path.join(HOME, "uv"),
        npm_config_cache=os.path.join(HOME, "npm"),
    )
    return variables


def become(command, **more_variables):
    """Let the command take this process's place: Ctrl-C, signals and the exit code are then its own."""
    variables = dict(environment(), **more_variables)
    sys.stdout.flush()
    if os.name == "posix":
        os.execve(command[0], command, variables)
    return subprocess.call(command, env=variables)  # Windows cannot replace a process


def run(title, command, progress=None, folder=HERE):
    """Run one step of the set-up with its output in the log, and show how far it is."""
    started = shown = time.time()
    live = sys.stdout.isatty()  # there, one line that changes; in a file or a pipe, a line every few seconds
    with open(LOG, "wb") as log:
        nothing = subprocess.DEVNULL
        process = subprocess.Popen(command, stdin=nothing, stdout=log, stderr=log, env=environment(), cwd=folder)
        try:
            while process.poll() is None:
                time.sleep(0.1)
                if progress and time.time() - shown > (0.3 if live else 5):
                    shown = time.time()
                    text = "  %s: %s" % (title, progress())
                    sys.stdout.write("\r" + text.ljust(78)[:78] if live else text + "\n")
                    sys.stdout.flush()
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
    if process.returncode:
        stop(describe_failure(title, read(LOG)))
    text = "  %s: done in %d s" % (title, time.time() - started)
    say("\r" + text.ljust(78) if live else text)


def describe_failure(title, log):
    advice = [text for sign, text in CAUSES if re.search(sign, log)] + ["The reason is in the lines below."]
    lines = "\n".join("    " + line[:200] for line in log.strip().splitlines()[-8:])
    return "This step failed: %s.\n%s\n\nThe end of %s:\n%s" % (title, advice[0], os.path.relpath(LOG, HERE), lines)


# --- set-up ---


def set_up():
    """Make .venv hold what the lock says.

    The stamp is spoilt before anything changes and written last. So a spoilt stamp tells of an interrupted set-up,
    which is made again from nothing, and the hash of another lock of a whole environment that only needs an update.
    """
    if is_set_up():
        return
    make_folder(HOME)
    with open(os.path.join(HOME, "setup.lock"), "w") as turn:
        wait_for(turn)
        if not is_set_up():  # another set-up, that was waited for, may have done it
            signal.signal(signal.SIGTERM, signal.default_int_handler)  # end the step that runs, too
            install()


def is_set_up():
    return read(STAMP) == lock_hash() and os.path.exists(PYTHON)


def wait_for(turn):
    """Two set-ups at once would spoil each other's work: hold a lock on the open file until it is closed."""
    try:
        import fcntl
    except ImportError:
        return  # Windows has no such lock
    try:
        fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        say("Another set-up of this folder is running; waiting for it.")
        fcntl.flock(turn, fcntl.LOCK_EX)


def install():
    stamp = read(STAMP)
    if stamp is None and os.path.isdir(VENV) and os.listdir(VENV):
        stop(".venv exists and was not made by dev.py. Move it away or delete it, then start again.")
    if shutil.disk_usage(HERE).free < DISK_NEEDED:
        stop(DISK_FULL)
    if sys.version_info[:2] > NEWEST:
        say("minigrad is tested up to Python %d.%d; this one is newer." % NEWEST)
    started = time.time()
    if stamp in (None, UNFINISHED) or not os.path.exists(PYTHON):
        say("Setting up minigrad in this folder. This is done once and takes about a minute.")
        shutil.rmtree(VENV, ignore_errors=True)
        write(STAMP, UNFINISHED)
        run("environment", [sys.executable, "-m", "venv", VENV])
    else:
        say("requirements.txt has changed: updating the environment.")
        write(STAMP, UNFINISHED)
    run("packages", [PYTHON, "-m", "pip", "install", "-r", LOCK] + PIP_OPTIONS, progress=describe_pip)
    # A line in a .pth file lets Python find minigrad in this folder. It is relative, so the clone may be moved.
    write(os.path.join(site_packages(), "minigrad.pth"), os.path.relpath(HERE, site_packages()) + "\n")
    shutil.rmtree(PIP_CACHE, ignore_errors=True)  # it spared an interrupted set-up the downloads
    write(STAMP, lock_hash())
    say("Ready after %d s." % (time.time() - started))


def describe_pip():
    """How far pip is, in a few words, from its log."""
    log = read(LOG)
    installing = re.search("^Installing collected packages: (.*)", log, re.MULTILINE)
    if installing:
        count = len(installing.group(1).split(","))
        done = sum(name.endswith(".dist-info") for name in os.listdir(site_packages()))
        return "installing %d of %d" % (min(done, count), count)
    if log.rstrip().rpartition("\n")[2].startswith("WARNING: Retrying"):
        return "the network does not answer; trying again"
    pins = re.findall("^[^ ]+==", read(LOCK), re.MULTILINE)
    elsewhere = re.findall("^Ignoring ", log, re.MULTILINE)  # for other systems
    names = re.findall("^Collecting ([^ =]+)", log, re.MULTILINE)
    return "downloading %d of %d  %s" % (len(names), len(pins) - len(elsewhere), "".join(names[-1:]))


def install_npm_packages():
    """Make tests/js/node_modules hold what its lock says: what tests and checks the scripts. Needs npm."""
    make_folder(HOME)
    with open(os.path.join(os.path.dirname(NPM_PACKAGES), ".installing"), "w") as turn:
        wait_for(turn)
        if read(NPM_STAMP) != lock_hash(NPM_LOCK):
            run("npm packages", [shutil.which("npm"), "ci"], folder=os.path.dirname(NPM_PACKAGES))
            write(NPM_STAMP, lock_hash(NPM_LOCK))


def install_site_packages():
    """Make .home/site hold what makes the site. Not in .venv: JupyterLab would load the kernel of JupyterLite there."""
    make_folder(HOME)
    with open(os.path.join(HOME, "site.lock"), "w") as turn:
        wait_for(turn)
        if read(SITE_STAMP) != lock_hash(SITE_LOCK):
            shutil.rmtree(SITE_PACKAGES, ignore_errors=True)
            where = ["--target", SITE_PACKAGES, "--no-deps"]  # what they need besides is in .venv
            run("packages of the site", [PYTHON, "-m", "pip", "install", "-r", SITE_LOCK] + where + PIP_OPTIONS)
            write(SITE_STAMP, lock_hash(SITE_LOCK))


def install_hub_packages():
    """Make .home/hub hold JupyterHub, and in proxy/ what stands before it. Not in .venv: learners do not need them."""
    npm = shutil.which("npm") if shutil.which("node") else None
    if npm is None:
        stop(NO_PROXY)
    make_folder(HOME)
    with open(os.path.join(HOME, "hub.lock"), "w") as turn:
        wait_for(turn)
        wanted = lock_hash(HUB_LOCK) + lock_hash(PROXY_LOCK)
        if read(HUB_STAMP) != wanted:
            shutil.rmtree(HUB_PACKAGES, ignore_errors=True)
            where = ["--target", HUB_PACKAGES, "--no-deps"]  # what they need besides is in .venv
            run("packages of the hub", [PYTHON, "-m", "pip", "install", "-r", HUB_LOCK] + where + PIP_OPTIONS)
            make_folder(PROXY)
            for name in ("package.json", "package-lock.json", ".npmrc"):
                shutil.copy(os.path.join(os.path.dirname(HUB_LOCK), name), PROXY)
            run("the hub's proxy", [npm, "ci"], folder=PROXY)
            write(HUB_STAMP, wanted)


def lock_hash(path=LOCK):
    return hashlib.sha256(read(path).replace("\r\n", "\n").encode("utf-8")).hexdigest()


def site_packages():
    if os.name == "nt":
        return os.path.join(VENV, "Lib", "site-packages")
    return os.path.join(VENV, "lib", os.listdir(os.path.join(VENV, "lib"))[0], "site-packages")


def read(path):
    """The text of a file, or None where there is none."""
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return file.read().decode("utf-8", "replace")


def write(path, text):
    make_folder(os.path.dirname(path))
    with open(path, "wb") as file:
        file.write(text.encode("utf-8"))


def make_folder(path):
    if not os.path.isdir(path):
        os.makedirs(path)


# --- lab ---


def lab(arguments):
    set_up()
    write_lab_settings()
    trust_notebooks()
    asked = re.search(r"--(?:ServerApp\.)?port[= ](\d+)", " ".join(arguments))
    port = choose_port(int(asked.group(1)) if asked else None)
    first = FIRST_WITHOUT_SOLUTIONS if os.path.exists(FIRST_WITHOUT_SOLUTIONS) else FIRST_NOTEBOOK
    notebook = ([word for word in arguments if word.endswith(".ipynb")] + [first])[0].replace(os.sep, "/")
    address = "http://127.0.0.1:%d/lab/tree/%s" % (port, notebook)
    login = {}
    if not re.search("token|password", " ".join(arguments)):
        login["JUPYTER_TOKEN"] = os.environ.get("JUPYTER_TOKEN") or hashlib.sha256(os.urandom(32)).hexdigest()[:40]
        address += "?token=" + login["JUPYTER_TOKEN"]
    say("JupyterLab starts at\n  %s\nCtrl-C in this window ends it." % address)
    port_option = [] if asked else ["--port=%d" % port]
    # Threads of numpy's wait for each other by spinning. On a busy machine a small product takes thirty times as long
    # with two of them, and chapter 16 minutes instead of seconds.
    threads = {name: os.environ.get(name, "1") for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    return become([PYTHON, "-m", "jupyterlab"] + port_option + arguments, **dict(threads, **login))


def choose_port(asked):
    if asked is not None and not is_free(asked):
        stop("Port %d is taken. Name another one, or leave --port out: a free one is then found." % asked)
    free = [asked] if asked is not None else [port for port in range(FIRST_PORT, LAST_PORT) if is_free(port)]
    if not free:
        stop("Ports %d to %d are all taken. Name another one with --port=N." % (FIRST_PORT, LAST_PORT - 1))
    if asked is None and free[0] != FIRST_PORT:
        say("Port %d is taken, perhaps by another JupyterLab; using %d." % (FIRST_PORT, free[0]))
    return free[0]


def is_free(port):
    probe = socket.socket()
    if os.name == "posix":  # else a port that was closed a moment ago seems taken; on Windows the option means more
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        probe.bind(("127.0.0.1", port))
    except (OSError, OverflowError):
        return False
    finally:
        probe.close()
    return True


def write_lab_settings():
    """Defaults, in Jupyter's own files: a learner's choice in JupyterLab, or an option, comes before them."""
    server = {
        "ServerApp": {
            "ip": "127.0.0.1",
            "port_retries": 0,
            "root_dir": HERE,
            "answer_yes": True,  # Ctrl-C ends it without a question
            "allow_root": True,
            "log_level": "WARN",
            # No pings: nothing is between a page and its server here. With the defaults the server warns, and with a
            # timeout as long as the time between two pings it closes every connection to a kernel: clicks are lost.
            "tornado_settings": {"ws_ping_interval": 0},
        },
        "KernelManager": {"transport_encryption": "auto"},  # without it every kernel warns
    }
    lab_app = {
        "default_url": "/lab/tree/" + FIRST_NOTEBOOK,
        "news_url": None,
        "check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        "extension_manager": "readonly",
        "log_level": "WARN",
    }
    settings = {
        "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
        # A guide opens as a page to read, and not as its source. A tab that is lost costs ten seconds, not two minutes.
        "@jupyterlab/docmanager-extension:plugin": {
            "defaultViewers": {"markdown": "Markdown Preview"},
            "autosaveInterval": 10,
        },
    }
    folder = os.path.join(HOME, "jupyter", "config")
    write(os.path.join(folder, "jupyter_server_config.json"), json.dumps(server, indent=2))
    write(os.path.join(folder, "jupyter_lab_config.json"), json.dumps({"LabApp": lab_app}, indent=2))
    write(os.path.join(folder, "labconfig", "default_setting_overrides.json"), json.dumps(settings, indent=2))
    # Else two processes of node look, at each load of the page, whether JupyterLab is to be built anew.
    write(os.path.join(folder, "labconfig", "page_config.json"), json.dumps({"buildCheck": False}, indent=2))
    write(os.path.join(HOME, "ipython", "profile_default", "startup", "language.py"), LANGUAGE)
    workspace = os.path.join(HOME, "jupyter", "workspaces", "default-37a8.jupyterlab-workspace")
    if not os.path.exists(workspace):  # the side bar begins closed, and then stays as the learner left it
        closed = {"collapsed": True, "visible": True, "current": None, "widgets": []}  # with one, it would open there
        data = {"layout-restorer:data": {"main": {"dock": None}, "left": closed}}
        write(workspace, json.dumps({"data": data, "metadata": {"id": "default"}}))


def trust_notebooks():
    """Sign the shipped notebooks where they changed: unsigned, their drawings and widgets would show as text."""
    folder = os.path.join(HERE, "notebooks")
    names = sorted(name for name in os.listdir(folder) if re.match(r"\d\d_\w+\.ipynb$", name))
    hashes = {name: hashlib.sha256(read(os.path.join(folder, name)).encode("utf-8")).hexdigest() for name in names}
    signed = os.path.join(HOME, "signed.json")
    before = json.loads(read(signed) or "{}")
    changed = [os.path.join(folder, name) for name in names if before.get(name) != hashes[name]]
    if changed:
        run("signing the notebooks", [PYTHON, "-m", "nbformat.sign"] + changed)  # that is: jupyter trust
        write(signed, json.dumps(hashes, indent=2))


# --- hub ---


def hub(arguments):
    set_up()
    install_hub_packages()
    settings = os.path.join(HERE, "deploy", "jupyterhub_config.py")
    return become([PYTHON, "-m", "jupyterhub", "--config=" + settings] + arguments, PYTHONPATH=HUB_PACKAGES)


# --- page ---


def page(arguments):
    named = [word for word in arguments if not word.startswith("-")]
    if not any(word.endswith(".ipynb") for word in named):
        stop("Name a notebook, as in:  python dev.py page %s" % FIRST_NOTEBOOK, code=2)
    absent = [word for word in named if word.endswith(".ipynb") and not os.path.isfile(word)]
    if absent:
        stop("There is no notebook %s in %s." % (", ".join(absent), HERE), code=2)
    set_up()
    exporter = "minigrad.viz.page.notebook.PageExporter"
    return become([PYTHON, "-m", "nbconvert", "--log-level=WARN", "--to", exporter] + arguments)


# --- site ---


def site(arguments):
    set_up()
    install_site_packages()
    return become([PYTHON, os.path.join("tools", "site", "build.py")] + arguments, PYTHONPATH=SITE_PACKAGES)


# --- test, and the commands for those who change minigrad ---


def test(arguments):
    set_up()
    # A file's tests stay in one process, so that a notebook's cells run in order, and files begin in the order of
    # tests/conftest.py. An own -n comes before this one.
    parallel = ["-n", "logical", "--maxprocesses=4", "--dist=loadfile", "--no-loadscope-reorder"]
    if "no:xdist" in " ".join(arguments):
        parallel = []
    arguments = [word for given in arguments for word in (["-m", "not slow"] if given == "--quick" else [given])]
    folders = {"XDG_%s_HOME" % kind: os.path.join(HOME, kind.lower()) for kind in ("CACHE", "CONFIG", "DATA")}
    return become([PYTHON, "-m", "pytest"] + parallel + arguments, **folders)


def student(arguments):
    set_up()
    return become([PYTHON, os.path.join("tools", "student.py")] + arguments)


def class_table(arguments):
    set_up()
    return become([PYTHON, os.path.join("tools", "class_table.py")] + arguments)


def notebooks(arguments):
    set_up()
    return become([PYTHON, os.path.join("tools", "refresh.py")] + arguments)


def check(arguments):
    set_up()
    checks = {
        "ruff": [PYTHON, "-m", "ruff", "check"],
        "ruff format": [PYTHON, "-m", "ruff", "format", "--check"],
        "mypy": [PYTHON, "-m", "mypy"],
        "codespell": [PYTHON, "-m", "codespell_lib"],
    }
    node = shutil.which("node") if shutil.which("npm") else None
    if node:
        install_npm_packages()
        checks["biome"] = [node, BIOME, "check", "--error-on-warnings"]
        checks["tsc"] = [node, TSC, "--project", HERE]
        checks["tsc of the tests"] = [node, TSC, "--project", os.path.dirname(NPM_LOCK)]
    failed = [name for name, command in checks.items() if subprocess.call(command, env=environment())]
    if failed:
        say("Not clean: " + ", ".join(failed))
    else:
        say(", ".join(checks) + ": nothing found.")
    if not node:
        say(NO_NODE)
    return 1 if failed or not node else 0


def lock(arguments):
    """Pins with hashes for every system and Python, those that the site and a class need besides, and those of them
    that Binder needs, without the address of the registry that they came from.

    Extras are part of the pins: where `a` alone is pinned and a package asks for `a[b]`, the pip of Python 3.11 takes
    the newest a, finds no hash for it, and ends.
    """
    uv = shutil.which("uv")
    if uv is None:
        stop("uv makes the lock, and is not installed. Run:  pip install uv")
    form = "--no-strip-extras --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links"
    each_system, all_pins = "--universal --python-version 3.11", "requirements.txt"
    code = compile_pins(uv, "%s %s --extra lab --extra dev -o %s" % (form, each_system, all_pins), arguments)
    if code:
        return code
    others = " ".join("--no-emit-package=" + name for name in re.findall(r"^[\w.-]+", read(LOCK), re.MULTILINE))
    form += " --constraints " + all_pins
    for extra, pins in (("site", "tools/site/requirements.txt"), ("hub", "deploy/requirements.txt")):
        options = "%s %s --extra lab --extra dev --extra %s %s -o %s" % (form, each_system, extra, others, pins)
        code = code or compile_pins(uv, options, arguments)
    on_binder = "--python-platform linux --python-version 3.12 --extra lab -o binder/requirements.txt"
    return code or compile_pins(uv, "%s %s" % (form, on_binder), arguments)


def compile_pins(uv, options, arguments):
    return subprocess.call(
        [uv, "pip", "compile", "--quiet", "pyproject.toml"] + options.split() + arguments, env=environment()
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
