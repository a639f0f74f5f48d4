# SPDX-License-Identifier: BSD-3-Clause
"""A person before a notebook: Jupyter's server, and its page in a Chromium without a window. The person clicks into a cell, presses
Shift and Enter, reads, and closes dialogs; types nothing. Every wait has a limit."""

import json
import os
import secrets
import shutil
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, TimeoutException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

PROGRAMS = "jupyter-notebook", "chromium", "chromedriver"
TOKEN = secrets.token_hex(16)
SIZE = 900, 760
LOOK_S = 0.05
START_S = 60


class Server:
    """Jupyter's server for the notebooks of a folder, with settings of its own there."""

    def __init__(self, folder, environment):
        self.folder = folder
        homes = {f"JUPYTER_{name}_DIR": str(folder / f"jupyter-{name.lower()}") for name in ("CONFIG", "DATA", "RUNTIME")}
        command = ["jupyter-notebook", "--no-browser", "--allow-root", "--ip=127.0.0.1"]
        command.append("--IOLoopKernelRestarter.restart_limit=1000")  # else it gives up after 5 that live less than 10 s each
        self.log = folder / "server.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                env={**os.environ, **homes, **environment, "JUPYTER_TOKEN": TOKEN},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.url = self._url(Path(homes["JUPYTER_RUNTIME_DIR"]) / f"nbserver-{self.process.pid}.json")

    def _url(self, told):
        end = time.monotonic() + START_S
        while time.monotonic() < end and self.process.poll() is None:
            with suppress(OSError, ValueError):
                return json.loads(told.read_text())["url"]
            time.sleep(LOOK_S)
        raise RuntimeError(f"Jupyter's server did not start:\n{self.log.read_text()}")

    def kernel(self):
        """The process of its only kernel; None while there is none."""
        pid = self.process.pid
        children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        kernels = [child for child in children if _name_of(child) == "gamelan-kernel"]
        return kernels[0] if kernels else None

    def close(self):
        self.process.terminate()  # it ends its kernel
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def _name_of(pid):
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


class Page:
    """A notebook in Jupyter's classic page. Code cells are numbered from 0."""

    def __init__(self, server, name, profile):
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for word in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "hide-scrollbars", f"user-data-dir={profile}"):
            options.add_argument(f"--{word}")
        options.add_argument("--window-size={},{}".format(*SIZE))
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.driver.set_page_load_timeout(START_S)
        self.dialogs = []  # texts of those that were closed
        self.log = lambda: server.log.read_text()[-4000:]
        self.driver.get(f"{server.url}notebooks/{name}?token={TOKEN}")
        self.wait(lambda: self._all("#kernel_indicator_icon.kernel_idle_icon"), START_S, "a kernel that is idle")

    def wait(self, condition, seconds, what):
        """Until the page shows it; closes the dialogs that come meanwhile."""

        def look(_):
            self._close_dialogs()
            return condition()

        try:
            return WebDriverWait(self.driver, seconds, LOOK_S, [StaleElementReferenceException]).until(look)
        except TimeoutException:
            raise TimeoutError(f"not seen within {seconds} s: {what}; the page shows:\n{self.shown()}\n{self.log()}") from None

    def _all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def _cell(self, number):
        return self._all(".code_cell")[number]

    def _close_dialogs(self):
        for button in self._all(".modal.in .modal-footer .btn-primary"):
            dialog = self.driver.find_element(By.CSS_SELECTOR, ".modal.in")
            self.on_dialog()
            self.dialogs.append(" ".join(dialog.text.split()))
            button.click()

    def on_dialog(self):
        """For who takes pictures."""

    def press(self, number):
        """Click into the cell, Shift and Enter."""
        cell = self._cell(number)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", cell)
        cell.find_element(By.CSS_SELECTOR, ".CodeMirror-lines").click()
        webdriver.ActionChains(self.driver).key_down(Keys.SHIFT).send_keys(Keys.ENTER).key_up(Keys.SHIFT).perform()

    def is_running(self, number):
        return "*" in self._cell(number).find_element(By.CSS_SELECTOR, ".input_prompt").text

    def finish(self, number, seconds):
        """Until the cell has ended; an error in it is an error here."""
        self.wait(lambda: not self.is_running(number), seconds, f"the end of cell {number}")
        self.show(number)
        if error := self.text(number, "output_error"):
            raise AssertionError(f"cell {number} shows an error:\n{error}")

    def is_idle(self):
        return bool(self._all("#kernel_indicator_icon.kernel_idle_icon"))

    def show(self, number):
        """Scroll so that the end of the cell and its output are to be seen."""
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", self._cell(number))

    def text(self, number, kind="output_stdout"):
        """What stands below a cell: output_stdout, output_stderr, output_error."""
        parts = self._cell(number).find_elements(By.CSS_SELECTOR, f".{kind}")
        return "".join(part.get_attribute("textContent") for part in parts)

    def shown(self):
        """All of the page's text."""
        return self.driver.find_element(By.TAG_NAME, "body").text

    def close(self):
        self.driver.quit()
