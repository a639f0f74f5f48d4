# SPDX-License-Identifier: BSD-3-Clause
"""Objects to the JSON text that the C++ side and the front end read.

Displays carry what users put in them: bytes, dates, NumPy numbers, NaN. None of it may fail or leave invalid JSON.
"""

import base64
import datetime
import json
import math
import numbers


def encode(value):
    """UTF-8 JSON text of a value."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
    except (ValueError, TypeError):  # NaN, or keys that are not text
        text = json.dumps(_clean(value), ensure_ascii=False, allow_nan=False, default=_plain)
    return text.encode("utf-8", "replace")  # half a surrogate pair has no UTF-8


def _plain(value):
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return _clean(float(value))
    if isinstance(value, (set, frozenset)):
        return list(value)
    if hasattr(value, "tolist"):
        return _clean(value.tolist())
    return repr(value)


def _clean(value):
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, dict):
        return {str(key): _clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(item) for item in value]
    return value
