# SPDX-License-Identifier: BSD-3-Clause
"""Rich display: results, displays, updates, clearing. IPython makes the bundles, these classes send them."""

import sys

import _gamelan_kernel as front_end
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher

from .jsontext import encode


def send(message_type, content, metadata=None, buffers=()):
    """Publish a message of any type under the running request."""
    front_end.publish(message_type, encode(content), encode(metadata or {}), [bytes(part) for part in buffers])


class Publisher(DisplayPublisher):
    """What ``display()`` and ``clear_output()`` call."""

    def publish(self, data, metadata=None, source=None, *, transient=None, update=False, **_):
        if front_end.is_forked_child():  # no front end of its own: the text still reaches the cell
            sys.stdout.write(data.get("text/plain", "") + "\n")
            return
        content = {"data": data, "metadata": metadata or {}, "transient": transient or {}}
        send("update_display_data" if update else "display_data", content)

    def clear_output(self, wait=False):
        send("clear_output", {"wait": wait})


class ResultHook(DisplayHook):
    """Sends the value of a cell's last expression."""

    def start_displayhook(self):
        self._content = None

    def write_output_prompt(self):
        self._content = {"execution_count": self.prompt_count}

    def write_format_data(self, format_dict, md_dict=None):
        self._content.update(data=format_dict, metadata=md_dict or {})

    def finish_displayhook(self):
        content, self._content = self._content, None
        if content and content.get("data"):
            send("execute_result", content)

    def flush(self):
        """Forgets what was displayed, as by `%reset out`."""
        super().flush()
        self._forget_hidden()

    def cull_cache(self):
        """Forgets the oldest of what was displayed, when it is more than `cache_size`."""
        super().cull_cache()
        self._forget_hidden()

    def _forget_hidden(self):
        """IPython 8.5 keeps a hidden second name of each value, which would hold its array on the engines for ever."""
        hidden, shown = self.shell.user_ns_hidden, self.shell.user_ns.get("_oh", {})
        for name in [each for each in hidden if each[:1] == "_" and each[1:].isdigit() and int(each[1:]) not in shown]:
            del hidden[name]
