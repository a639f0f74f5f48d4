# SPDX-License-Identifier: BSD-3-Clause
"""Recipes that are seldom cooked (Spack, conda, a container) must not rot: they are held against the build that they drive and
against deploy/packages.txt. Usage: recipes_test.py source_folder build_folder"""

import argparse
import ast
import contextlib
import importlib
import io
import pathlib
import re
import shlex
import subprocess
import sys
import types

SPACK = "deploy/spack/spack_repo/gamelan"
# What Debian's packages are to Spack; None: part of another, or of the compiler.
SPACK_NAMES = {
    "build-essential": "cxx", "cmake": "cmake", "cppzmq-dev": "cppzmq", "libarmci-mpi-dev": "armcimpi", "libblosc-dev": "c-blosc", "libfftw3-dev": "fftw",
    "libgfortran-12-dev": "fortran", "libgfortran-14-dev": "fortran", "libhdf5-dev": "hdf5", "zlib1g-dev": "zlib-api",
    "libglobalarrays-dev": "globalarrays", "libopenblas-dev": "openblas", "libopenmpi-dev": "mpi", "libsodium-dev": "libsodium", "libzmq3-dev": "libzmq",
    "libscalapack-openmpi-dev": "netlib-scalapack", "libxbyak-dev": None, "ninja-build": "ninja", "nlohmann-json3-dev": "nlohmann-json",
    "pkg-config": "pkgconfig", "pybind11-dev": "py-pybind11", "python3-dev": "python", "python3-numpy": "py-numpy",
    "uuid-dev": "util-linux-uuid", "xeus-dev": "xeus", "xtl-dev": "xtl",
}  # fmt: skip

EXTERNALS = {"packages.yaml": "bookworm", "packages-debian13.yaml": "trixie"}  # of deploy/spack: whose versions they name
VIRTUAL = {"openmpi": "mpi"}  # who provides what the recipe asks for


def packages_of(root, section):
    """A section of packages.txt."""
    found, inside = [], False
    for line in (root / "deploy/packages.txt").read_text().splitlines():
        if re.fullmatch(r"# \S+", line):
            inside = line == f"# {section}"
        elif inside and line and not line.startswith("#"):
            found.append(line.partition(" ")[0])
    return found


def calls_of(tree, name):
    """The first arguments of all calls of `name`, bare or as a method."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if called == name:
                yield node.args[0].value


def cmake_text(root):
    folders = [root, root / "kernel", root / "engine"]
    files = [
        file
        for folder in folders
        for file in [*folder.glob("CMakeLists.txt"), *folder.glob("*.cmake"), *folder.glob("*/CMakeLists.txt")]
    ]
    return "\n".join(file.read_text() for file in files)


def faults_of_spack(root):
    recipe = root / SPACK / "packages/gamelan/package.py"
    tree = ast.parse(recipe.read_text())
    compile(tree, str(recipe), "exec")
    if f"namespace: {pathlib.Path(SPACK).name}\n" not in (root / SPACK / "repo.yaml").read_text():
        yield "repo.yaml: the namespace is not the folder's name"
    specs = [*calls_of(tree, "depends_on"), *(spec.rpartition("] ")[2] for spec in calls_of(tree, "requires"))]
    names = {re.split(r"[@~+ ]", spec)[0] for spec in specs}
    for package in packages_of(root, "build"):
        if package not in SPACK_NAMES:
            yield f"{package} is new in packages.txt: say in recipes_test.py what it is to Spack"
        elif SPACK_NAMES[package] and SPACK_NAMES[package] not in names:
            yield f"package.py does not depend on {SPACK_NAMES[package]}, which the build needs as {package}"
    text = cmake_text(root)
    for option in [*calls_of(tree, "define"), *calls_of(tree, "define_from_variant")]:
        if option != "BUILD_TESTING" and not re.search(rf"\b{option}\b", text):
            yield f"package.py sets {option}, which no CMake file reads"
    for file, debian in EXTERNALS.items():
        externals = (root / "deploy/spack" / file).read_text()
        for name, version in re.findall(r"- spec: ([\w-]+)@([\d.]+)", externals):
            if name not in names:
                yield f"{file} has {name}, which package.py does not depend on"
            wanted = next((spec for spec in specs if spec.startswith(f"{name}@")), None)
            if wanted and not is_within(version, wanted):
                yield f"{file} has {name}@{version}, package.py wants {wanted}"
            if debian == debian_here():
                yield from faults_of_version(file, name, version)


def faults_of_conda(root):
    recipe, spack = (root / place for place in ("deploy/conda/recipe.yaml", f"{SPACK}/packages/gamelan/package.py"))
    text, cmake = recipe.read_text(), cmake_text(root)
    for option in re.findall(r"-D(GAMELAN_\w+)=", text):
        if not re.search(rf"\b{option}\b", cmake):
            yield f"recipe.yaml sets {option}, which no CMake file reads"
    archives = re.findall(r"url: (\S+)\n +sha256: (\w{64})\n", text)
    if len(archives) != 2:
        yield "recipe.yaml: expected the archives of Global Arrays and of ARMCI-MPI"
    for url, checksum in archives:
        if f'url="{url}",\n            sha256="{checksum}"' not in spack.read_text():
            yield f"package.py does not have recipe.yaml's {url} with its checksum"
    version = re.search(r"project\(gamelan VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text())[1]
    if f'version: "{version}"' not in text:
        yield f"recipe.yaml is not of version {version}"


def is_within(version, spec):
    """A version and Spack's range of versions, as xeus@2.4:5. The last number of a range stands for all that begin with it."""
    lowest, colon, highest = re.search(r"@([\d.]*)(:?)([\d.]*)", spec).groups()

    def numbers(text):
        return [int(number) for number in text.split(".") if number]

    found, first, last = numbers(version), numbers(lowest), numbers(highest if colon else lowest)
    return found >= first and found[: len(last)] <= last if last else found >= first


def debian_here():
    """The codename of this system's Debian; empty where there is none."""
    try:
        return re.search(r"^VERSION_CODENAME=(\w+)$", pathlib.Path("/etc/os-release").read_text(), re.M)[1]
    except (OSError, TypeError):
        return ""


def faults_of_version(file, name, version):
    """Externals are Debian's, as installed here."""
    debian = next(package for package, spack in SPACK_NAMES.items() if spack == VIRTUAL.get(name, name))
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", debian], capture_output=True, text=True, check=False)
    if done.returncode == 0 and not re.sub("^[0-9]+:", "", done.stdout).startswith(version):
        yield f"{file} has {name}@{version}, Debian {done.stdout}"


def dependencies():
    """Installed packages -> names that satisfy their Depends and Pre-Depends."""
    done = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package}\t${Depends}, ${Pre-Depends}\n"], capture_output=True, text=True, check=False
    )
    table = {}
    for line in done.stdout.splitlines():
        name, _, words = line.partition("\t")
        table[name] = {re.split(r"[ :(]", each.strip())[0] for each in re.split(r"[,|]", words) if each.strip()}
    return table


def closure(names, table):
    found, open_ends = set(), list(names)
    while open_ends:
        name = open_ends.pop()
        if name not in found:
            found.add(name)
            open_ends += table.get(name, ())
    return found


def libraries_of(program):
    """Installed packages that hold what the program is linked with."""
    for line in subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout.splitlines():
        match = re.search(r"=> (/\S+)", line)
        if not match:
            continue
        path = str(pathlib.Path(match[1]).resolve())
        for place in (path, path.removeprefix("/usr")):
            done = subprocess.run(["dpkg", "-S", place], capture_output=True, text=True, check=False)
            if done.returncode == 0:
                yield done.stdout.partition(":")[0]
                break


def faults_of_container(root, build):
    text = (root / "deploy/container/Containerfile").read_text()
    stages = text.split("\nFROM ")
    if len(stages) != 3:
        return (yield "Containerfile: expected a stage that builds and one that runs")
    for stage, sections in ((stages[1], "build run"), (stages[2], "run")):
        if f"$(packages_of {sections})" not in stage:
            yield f"Containerfile: a stage does not install the sections '{sections}' of packages.txt"
    for word in re.findall(r"^COPY (?!--from)(?:--\S+ )?(.*) \S+$", text, re.MULTILINE):
        for source in word.split():
            if not (root / source).exists():
                yield f"Containerfile copies {source}, which does not exist"
    if not re.search(r"^USER (?!root)\w+$", stages[2], re.MULTILINE):
        yield "Containerfile: the programs would run as root"
    named = re.search(r"packages_of run\) \\\n\s*(.*?) \\\n", stages[2])
    table = dependencies()
    if "openmpi-bin" not in table or "libxeus6" not in table:
        return  # no Debian, or nothing installed: what programs link with cannot be told
    there = closure([*packages_of(root, "run"), *named[1].split(), "base-files", "libc6", "libstdc++6", "libgcc-s1"], table)
    programs = [
        build / "bin/gamelan-engine",
        build / "lib/gamelan/gamelan-kernel.so",
        *(build / "python/gamelan").glob("_core*.so"),
    ]
    for program in programs:
        for package in sorted(set(libraries_of(program)) - there):
            yield f"Containerfile: {program.name} needs {package}, which the stage that runs does not install"


# How recipes call the command: alone, in a build, or as the words after the name of an image.
CALLS = (
    r"^ +- gamelan (.+)$",
    r'^(?:if ! )?"\$root/build/bin/gamelan" (.+?) >&2',
    r"^#? *podman run .*? gamelan (\S.*)$",
    r"^# .*apptainer run gamelan\.sif (.+)$",
    r"\bgamelan (doctor)\b",
)
WITH_CALLS = ("deploy/conda/recipe.yaml", "deploy/spack/README.md", "deploy/demo", "deploy/container/Containerfile",
              "deploy/container/gamelan.def", "docs/systems.md")  # fmt: skip
READERS_OWN = "script.py"  # what documents call the reader's script


def parser_of(build):
    """The command's own parser, as the command finds it: without _core and engines."""
    package = types.ModuleType("gamelan")
    package.__path__ = [str(build / "python/gamelan")]
    sys.modules["gamelan"] = package
    return importlib.import_module("gamelan.cli")._parser()


def faults_of_commands(root, build):
    parser = parser_of(build)
    for file in WITH_CALLS:
        text = (root / file).read_text()
        called = [words for call in CALLS for words in re.findall(call, text, re.MULTILINE)]
        if not called:
            yield f"{file} calls no `gamelan`: recipes_test.py does not see how it does"
        for words in called:
            words = re.split(r" {2,}", words)[0]  # what follows is said of it
            told = io.StringIO()
            try:
                with contextlib.redirect_stderr(told):
                    options = parser.parse_args(shlex.split(words))
            except (SystemExit, argparse.ArgumentError):
                yield f"{file}: `gamelan {words}`: {told.getvalue().strip().splitlines()[-1]}"
                continue
            script = getattr(options, "script", READERS_OWN)
            if script != READERS_OWN and not (root / file).with_name(script).is_file():
                yield f"{file}: `gamelan {words}`: no such file: {script}"


def main():
    root, build = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    faults = [*faults_of_spack(root), *faults_of_conda(root), *faults_of_container(root, build), *faults_of_commands(root, build)]
    print("\n".join(faults) or "the recipes fit the build")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
