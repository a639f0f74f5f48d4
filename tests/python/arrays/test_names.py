# SPDX-License-Identifier: BSD-3-Clause
# docs/names.md says of every public name of NumPy what really happens when it is called.
import pytest

import gamelan
import names_page
import names_probe
from gamelan._homes import home_of


@pytest.fixture
def on_page():
    return names_page.states_on_page(names_page.PAGE.read_text())


@pytest.mark.timeout(300)
@pytest.mark.parametrize("title", names_page.TITLES)
@pytest.mark.only_on(3)
def test_the_page_is_up_to_date(engine, on_page, title):
    found = names_probe.section(title)
    # The page is that of the newest NumPy 2: earlier ones still have names of NumPy 1.
    former = names_page.states_on_page(names_page.PAGE.read_text(), "1")[title]
    found = {name: state for name, state in found.items() if name in on_page[title] or name not in former}
    changed = [f"{name}: {found.get(name)}, on the page {on_page[title].get(name)}" for name in sorted({*found, *on_page[title]})
               if found.get(name) != on_page[title].get(name)]  # fmt: skip
    assert not changed, "run tests/python/names_page.py --write:\n" + "\n".join(changed)


def test_every_state_is_explained(on_page):
    for states in on_page.values():
        assert set(states.values()) <= set(names_probe.STATES)


@pytest.mark.parametrize("owner", ["", "linalg", "fft", "random"])
def test_every_name_has_a_home(owner):
    module = getattr(gamelan, owner) if owner else gamelan
    names = [name for name in module.__all__ if getattr(getattr(module, name), "__module__", "").startswith("gamelan")]
    homeless = [name for name in names if home_of(f"{owner}.{name}".removeprefix(".")) is None]
    assert len(names) > 15 and not homeless
