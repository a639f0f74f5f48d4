# SPDX-License-Identifier: BSD-3-Clause
"""The options that a notebook has set (np.config), for its next kernel. Not kept are those that say where engines are found: what
is kept of the engines themselves says that."""

import contextlib
import os

from .._checkpoint_folder import MEMORY
from .._config import config

_OF_THE_PLACE = ("connect", "route")


def kept():
    """The options that this program has changed since it began, by name."""
    options = {name: value for name, value in config.changed().items() if name not in _OF_THE_PLACE}
    if options.get("protect", "") not in ("", MEMORY):
        options["protect"] = os.path.abspath(options["protect"])  # the next kernel may work in another folder
    return options


@contextlib.contextmanager
def brought_back(wanted):
    """Sets the options that were kept, but those that this program has set itself. Yields (the values of those that were set, why
    others were not), by name. After an error all are as they were."""
    own, done, why_not = config.changed(), {}, {}
    before = {name: config._given(name) for name in wanted if name in dir(config)}
    try:
        for name, value in wanted.items():
            if name in own:
                continue
            try:
                setattr(config, name, value)
                done[name] = value
            except (AttributeError, TypeError, ValueError) as error:  # of another version, or its folder is gone
                why_not[name] = str(error)
        yield done, why_not
    except BaseException:
        for name in done:
            setattr(config, name, before[name])
        raise
