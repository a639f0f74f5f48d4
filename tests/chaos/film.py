# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of a page, each with a line that says what befell, as one small moving picture (WebP) and one that stands still."""

import io
from pathlib import Path

from matplotlib import get_data_path
from PIL import Image, ImageDraw, ImageFont

CAPTION = 34  # points high
WIDTH = 640
QUALITY = 50


class Film:
    """Frames in the order in which they were taken."""

    def __init__(self):
        self.frames = []
        self._font = ImageFont.truetype(str(Path(get_data_path()) / "fonts/ttf/DejaVuSans-Bold.ttf"), 17)

    def take(self, png, caption, seconds=0.8, color="#2b4a6f"):
        """A frame of the bytes of a PNG, shown for so long."""
        page = Image.open(io.BytesIO(png)).convert("RGB")
        frame = Image.new("RGB", (page.width, page.height + CAPTION), color)
        frame.paste(page, (0, CAPTION))
        ImageDraw.Draw(frame).text((10, 7), caption, font=self._font, fill="white")
        self.frames.append((frame, seconds))

    def save(self, path):
        """The moving picture."""
        small = [frame.resize((WIDTH, frame.height * WIDTH // frame.width), Image.LANCZOS) for frame, _ in self.frames]
        times = [int(1000 * seconds) for _, seconds in self.frames]
        first, *others = small
        first.save(
            path, save_all=True, append_images=others, duration=times, loop=0, quality=QUALITY, method=6, minimize_size=True
        )

    def save_still(self, path, number):
        self.frames[number][0].save(path, lossless=True, method=6)
