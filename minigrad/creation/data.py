from minigrad.creation import *  # noqa: F403
from minigrad.creation import constructed as constructed
