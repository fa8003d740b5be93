"""Fencepost's API for Python: the clients Fencepost and AsyncFencepost."""
from . import types
from ._client import AsyncFencepost, Fencepost
from ._core import Response
from ._errors import FencepostError
from ._times import at
from ._version import VERSION as __version__
from ._webhooks import verify_webhook

__all__ = ["AsyncFencepost", "Fencepost", "FencepostError", "Response", "__version__", "at", "types", "verify_webhook"]
