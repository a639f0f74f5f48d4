# SPDX-License-Identifier: BSD-3-Clause
"""Subjects of commits are short and imperative. As a hook of pre-commit it reads the message that is being written.
Usage: subjects_test.py source_folder | subjects_test.py --message file"""

import pathlib
import re
import subprocess
import sys

MOST_LETTERS = 72
# Third person, past and -ing forms of the verbs that subjects begin with.
NOT_IMPERATIVE = re.compile(
    r"^(\w+(ed|ing)|(Add|Fix|Move|Split|Make|Mend|Remove|Rename|Change|Update|Use|Write|Draw|Test|Say)s)\b"
)
ALLOWED = re.compile(r"^(Need|Feed|Embed|Speed|Shed|Bring|String)\b")


def fault_of(subject):
    if subject.startswith(("Merge ", "Revert ", "fixup!", "squash!")):
        return ""
    if len(subject) > MOST_LETTERS:
        return f"{len(subject)} letters, at most {MOST_LETTERS}"
    if subject.endswith("."):
        return "ends in a full stop"
    if NOT_IMPERATIVE.match(subject) and not ALLOWED.match(subject):
        return "says what was done, not what to do: begin with an imperative"
    return ""


def git(root, *arguments):
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
    except FileNotFoundError:  # no git here: nobody commits here
        return []
    return done.stdout.splitlines() if done.returncode == 0 else []


def subjects_of(root):
    """Subjects of the commits that are not yet published, which alone can be mended; where nothing says so, the last one."""
    published = git(root, "rev-parse", "--abbrev-ref", "@{upstream}")
    chosen = [f"{published[0]}..HEAD"] if published else ["-1", "HEAD"]
    return git(root, "log", "--no-merges", "--format=%s", *chosen)


def self_check():
    assert fault_of("x" * 73) and fault_of("Added a test") and fault_of("Moves the rooms") and fault_of("Move the rooms.")
    assert not any(
        map(
            fault_of,
            [
                "Move the rooms",
                "Speed up the build",
                "Merge what small arrays show, and what else there is to say about them all",
            ],
        )
    )


def main(arguments):
    self_check()
    if arguments[0] == "--message":
        subjects = pathlib.Path(arguments[1]).read_text().splitlines()[:1]
    else:
        subjects = subjects_of(pathlib.Path(arguments[0]).resolve())
    faults = [f"{subject!r}: {fault}" for subject in subjects if (fault := fault_of(subject))]
    print("\n".join(faults) or f"{len(subjects)} subjects are short and imperative")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
