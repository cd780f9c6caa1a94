"""Holds values against the schema that the package ships."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

from jsonschema import Draft202012Validator


@cache
def validator(kind: str) -> Draft202012Validator:
    """The validator of one definition; the schema, which is large, is held against its own schema once."""
    schema = json.loads(resources.files("xcsh").joinpath("schemas/output.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator({**schema, "$ref": f"#/$defs/{kind}"})


def check_shape(kind: str, shape: Any) -> None:
    """Raises jsonschema.ValidationError for a value that is not of the definition `kind`."""
    validator(kind).validate(shape)
