"""SkyRL uses typing.TypedDict, which pydantic rejects before Python 3.12. Loaded through PYTHONPATH, only in servers under test."""

import sys
import typing

if sys.version_info < (3, 12):
    try:
        import typing_extensions

        typing.TypedDict = typing_extensions.TypedDict
    except ImportError:  # an installer, not a server
        pass
