"""What the kernel runs when it starts in a browser, where no threads are, and no font has been looked for before."""

import logging

import tqdm
from pyodide_kernel.display import LiteDisplayPublisher
from pyodide_kernel.jsonutil import json_clean

tqdm.tqdm.monitor_interval = 0  # else it starts a thread that looks after its bars
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # which would say that it makes its list of fonts

_publish = LiteDisplayPublisher.publish


def _publish_as_text(self, data, *rest, **named):
    """Show something. A picture may come as bytes, which other kernels turn into text, as the page needs it."""
    _publish(self, json_clean(data), *rest, **named)


LiteDisplayPublisher.publish = _publish_as_text
