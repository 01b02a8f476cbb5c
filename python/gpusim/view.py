"""Views turn a Result into something to read."""

from ._gpusim.view import derivation, json, json_schema_version, text

__all__ = ["derivation", "json", "json_schema_version", "text"]
