"""Python before 3.12 has a TypedDict that pydantic does not take, and SkyRL uses it. Found by PYTHONPATH, in servers under test alone."""

import sys
import typing

if sys.version_info < (3, 12):
    try:
        import typing_extensions

        typing.TypedDict = typing_extensions.TypedDict
    except ImportError:  # an installer, not a server
        pass
