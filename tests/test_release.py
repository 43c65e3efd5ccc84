"""What a release rests on: one version everywhere, locked libraries, the checks, and what the workflow calls."""

import re
import runpy
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import kr
from kr.extras import TRAINING

CHECKOUT = Path(__file__).parents[1]
PROJECT = CHECKOUT / "pyproject.toml"
WINDOWS_FOLDER = "packaging/windows/libraries.txt"
"""It does without what only learning needs."""
LOCKS = {
    "requirements.lock": ("plots", "web"),
    "deploy/requirements.lock": ("cluster",),
    WINDOWS_FOLDER: ("web",),
}
"""The extras whose libraries a lock has, beside those that kr always needs."""

pytestmark = pytest.mark.skipif(not PROJECT.exists(), reason="the checkout is not here")


def text(name: str) -> str:
    return (CHECKOUT / name).read_text(encoding="utf-8")


def project() -> dict[str, Any]:
    return tomllib.loads(text("pyproject.toml"))


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("deploy/kubernetes.yaml", r"registry\.example\.org/kr:([\w.]+)"),
        ("docs/guides/cluster.md", r"registry\.example\.org/kr:([\w.]+)"),
    ],
)
def test_one_version_everywhere(name: str, pattern: str) -> None:
    assert {*re.findall(pattern, text(name), re.MULTILINE)} == {kr.__version__}


def test_a_citation_names_releases_alone() -> None:
    named = re.findall(r"^(version|date-released): (\S+)$", text("CITATION.cff"), re.MULTILINE)
    final = not Version(kr.__version__).is_devrelease
    assert [name for name, _ in named] == ["version", "date-released"] * final
    assert not named or named[0][1] == kr.__version__


UNRELEASED = runpy.run_path(str(CHECKOUT / "packaging" / "release.py"))["UNRELEASED"] if PROJECT.exists() else None


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md", "docs/start/install.md"])
def test_pages_say_whether_there_is_a_release(name: str) -> None:
    assert bool(UNRELEASED.search(text(name))) == Version(kr.__version__).is_devrelease


SETUP = {"repository": "https://git.example.org/kr", "page": "https://kr.example.org/", "site": ""}


def test_the_readme_of_the_index_leads_into_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)
    monkeypatch.setattr("setuptools.setup", lambda **_: None)
    names = runpy.run_path("setup.py")
    for repository in (SETUP["repository"], ""):
        readme = names["readme_for_index"](text("README.md"), repository)
        links = re.findall(r"\]\(([^)]*)\)", readme)
        assert [each for each in links if not each.startswith("https://")] == []
        assert f"{repository}/blob/HEAD/docs/start/install.md" in links or not repository
        assert (f"]({repository}/raw/HEAD/docs/assets/web-light.png)" in readme) == bool(repository)
        assert "Install has Windows" in readme or repository
    assert names["addresses"](**SETUP) == {
        "Page": "https://kr.example.org/",
        "Source": "https://git.example.org/kr",
        "Changelog": "https://git.example.org/kr/blob/HEAD/CHANGELOG.md",
        "Issues": "https://git.example.org/kr/issues",
    }
    assert names["addresses"]("", "", "") == {}


def locked(lock: str) -> dict[str, list[Requirement]]:
    """The requirements of a lock by the names of packages; each has hashes."""
    found = defaultdict(list)
    for entry in re.split(r"\n(?=\w)", text(lock).partition("\n#    make lock\n")[2].rstrip("\n")):
        requirement, *hashes = entry.split(" \\\n")
        assert hashes
        assert all(re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}", each) for each in hashes), entry
        found[Requirement(requirement).name].append(Requirement(requirement))
    return found


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_fits_what_kr_needs(lock: str) -> None:
    found = locked(lock)
    content = project()["project"]
    extras = [content["optional-dependencies"][name] for name in LOCKS[lock]]
    for line in (*content["dependencies"], *(line for extra in extras for line in extra)):
        wanted = Requirement(line)
        if lock == WINDOWS_FOLDER and wanted.name in TRAINING:
            assert wanted.name not in found
            continue
        choices = found[wanted.name]
        for minor in range(11, 15):
            # one version for each Python
            (version,) = (
                str(choice.specifier).removeprefix("==")
                for choice in choices
                if choice.marker is None or choice.marker.evaluate({"python_full_version": f"3.{minor}.0"})
            )
            assert Version(version) in wanted.specifier, line


@pytest.mark.parametrize("image", ["deploy/Dockerfile", "deploy/web.Dockerfile"])
def test_an_image_is_built_by_versions_that_fit(image: str) -> None:
    pins = [Requirement(pin) for pin in re.findall(r"[\w-]+==[\d.]+", text(image))]
    wanted = {each.name: each for each in map(Requirement, project()["build-system"]["requires"])}
    assert {pin.name for pin in pins} == {*wanted}
    for pin in pins:
        assert Version(str(pin.specifier).removeprefix("==")) in wanted[pin.name].specifier
    assert all((CHECKOUT / lock).is_file() for lock in re.findall(r"source=([\w/.]+\.lock)", text(image)))


WORKFLOWS = [".github/workflows/release.yml", ".github/workflows/test.yml"]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_calls_what_there_is(name: str) -> None:
    workflow = text(name)
    files = re.findall(r" ((?:packaging|tests|deploy)/[\w/]+\.\w+|\.ci/run|[\w.]+\.lock)", workflow)
    assert files
    assert [path for path in files if not (CHECKOUT / path).is_file()] == []
    (phony,) = re.findall(r"^\.PHONY: ((?:.*\\\n)*.*)$", text("Makefile"), re.MULTILINE)
    made = {word for line in re.findall(r"- run: make (.+)", workflow) for word in line.split() if "=" not in word}
    targets = {word for word in made if re.fullmatch(r"[a-z-]+", word)} - {"not", "slow", "and", "soak"}
    assert targets
    assert targets <= {*phony.split()}
    # each action by its commit, and each job with what it may do
    used = re.findall(r"uses: (.+)", workflow)
    assert used
    assert [each for each in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", each)] == []
    assert re.search(r"^permissions: ?(?:\{\}|\n  contents: read)$", workflow, re.MULTILINE)


def test_the_release_takes_what_is_made() -> None:
    workflow = text(".github/workflows/release.yml")
    assert workflow.count("packaging/check.py") == 1
    assert "bash .ci/run" in workflow
    # which makes the wheel that the workflow takes
    assert re.search(r"^make .*\bwindows\b.* SMOKE=1 ", text(".ci/run"), re.MULTILINE)
    assert "-win_amd64.whl" in text("packaging/windows/build.py")
    # the line that a tag is compared with
    assert f'__version__ = "{kr.__version__}"\n' in text("kr/__init__.py")
    # nothing is published but by a tag
    jobs = re.split(r"^  (?=[a-z-]+:\n)", workflow.partition("\njobs:\n")[2], flags=re.MULTILINE)[1:]
    publishing = {job.partition(":")[0]: job for job in jobs if re.search(": write$", job, re.MULTILINE)}
    assert publishing.keys() == {"image", "announce", "pages", "publish"}
    assert all("if: github.ref_type == 'tag'" in job for job in publishing.values())


def test_pushes_are_tested_with_the_oldest_and_the_newest_python() -> None:
    named = [line.rpartition(" ")[2] for line in project()["project"]["classifiers"] if ":: 3." in line]
    workflow = text(".github/workflows/test.yml")
    assert re.search(r"^  push:\n.*^  pull_request:\n", workflow, re.MULTILINE | re.DOTALL)
    for pythons in re.findall(r"python: \[(.*)\]", workflow):
        assert {named[0], named[-1]} <= {*re.findall(r"[\d.]+t?", pythons)}
    assert {*re.findall(r"\b(ubuntu|macos|windows)-\d", workflow)} == {"ubuntu", "macos", "windows"}


def test_wheels_are_tested_with_the_pythons_that_are_named() -> None:
    content = project()
    named = {line.rpartition(" ")[2] for line in content["project"]["classifiers"] if ":: 3." in line}
    built = {f"cp{minor.replace('.', '')}-*" for minor in named} | {"cp314t-*"}
    assert built == {*content["tool"]["cibuildwheel"]["build"].split()}
    (on_windows,) = re.findall(r"python: \[(.*)\]", text(".github/workflows/release.yml"))
    assert {*re.findall(r"[\d.]+", on_windows)} == named
    assert content["tool"]["cibuildwheel"]["test-command"].endswith("/packaging/check.py")


CHECK = CHECKOUT / "packaging" / "check.py"


@pytest.mark.soak
@pytest.mark.posix("an installed command: the Windows Python of the tests has the files of kr alone")
def test_the_check_passes_here() -> None:
    done = subprocess.run([sys.executable, str(CHECK)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "title of the page" in done.stdout


@pytest.mark.parametrize(("found", "wanted"), [(283361, 15075549), (("loss", 108), ("win", 109)), (None, "kr 0.2.0")])
def test_a_difference_ends_the_check(found: object, wanted: object, capsys: pytest.CaptureFixture[str]) -> None:
    same = runpy.run_path(str(CHECK))["same"]
    same("signature", wanted, wanted)
    with pytest.raises(SystemExit, match="kr: signature: expected"):
        same("signature", found, wanted)
    assert capsys.readouterr().out == f"signature: {wanted}\nsignature: {found}\n"


READY = {
    "kr/__init__.py": '__version__ = "1.2.0"\n',
    "README.md": "# kr\n",
    "docs/start/install.md": "# Install\n",
    "pyproject.toml": '[tool.kr]\nrepository = "https://git.example.org/kr"\n',
    "CHANGELOG.md": "# Changelog\n\n## 1.2.0, 2027-01-31\n\n- More.\n\n## 1.1.0, 2026-12-24\n",
    "CITATION.cff": "cff-version: 1.2.0\nversion: 1.2.0\ndate-released: 2027-01-31\n",
}


@pytest.mark.posix("git")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "content", "said"),
    [
        ("README", None, []),
        ("README", "More.\n", ["not committed: README"]),
        (
            "kr/__init__.py",
            '__version__ = "1.2.0.dev1"\n',
            ["1.2.0.dev1 is not a final version: kr/__init__.py", "", ""],
        ),
        (
            "CHANGELOG.md",
            "## Unreleased\n\n## 1.2.0, 2027-01-31\n",
            ['CHANGELOG.md does not begin with "## 1.2.0, YEAR'],
        ),
        ("CHANGELOG.md", "## 1.2.0\n", ['CHANGELOG.md does not begin with "## 1.2.0, YEAR']),
        ("CITATION.cff", "version: 1.2.0\ndate-released: 2027-01-30\n", ["CITATION.cff has {'version': '1.2.0'"]),
        ("tag", "v1.2.0", ["there is a tag v1.2.0"]),
        ("README.md", "Nothing is\nreleased yet.\n", ["README.md says that there is no release"]),
        ("pyproject.toml", '[tool.kr]\nrepository = ""\n', ["pyproject.toml, [tool.kr], does not say where"]),
    ],
)
def test_what_stands_against_a_release(
    changed: str, content: str | None, said: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = runpy.run_path(str(CHECKOUT / "packaging" / "release.py"))
    monkeypatch.setitem(release["version"].__globals__, "ROOT", tmp_path)
    git = ["git", "-c", "user.name=kr", "-c", "user.email=kr@example.org", "-C", str(tmp_path)]
    for name, ready in READY.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(ready)
    commands = [["init", "-q"], ["add", "."], ["commit", "-qm", "Make a release"]]
    if changed == "tag":
        commands.append(["tag", str(content)])
    for command in commands:
        subprocess.run([*git, *command], check=True)
    if content and changed != "tag":
        (tmp_path / changed).write_text(content)
        if changed != "README":
            subprocess.run([*git, "commit", "-qam", "Change a file"], check=True)
    found = release["not_ready"](release["version"]())
    assert len(found) == len(said), found
    for line, start in zip(found, said, strict=True):
        assert line.startswith(start)
