"""The signature of classes whose constructor takes the declared fields in order."""

from __future__ import annotations

import inspect
from inspect import Parameter
from typing import Any

_ANY_ARGUMENTS = [Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD]


class FieldSignature:
    """A class's ``__signature__``, made from ``fields`` when ``help`` or an editor reads it.

    A subclass whose constructor names its parameters keeps that signature.
    """

    def __init__(self, required: object) -> None:
        self._required = required  # marks an argument without a default in ``fields``

    def __set_name__(self, owner: type, name: str) -> None:
        """Record the base class, which itself gets no such signature."""
        self._base = owner

    def __get__(self, instance: object, owner: Any) -> inspect.Signature:
        """Return the signature of the class ``owner``.

        Raises:
            AttributeError: there is no such signature, so ``inspect`` uses the constructor.
        """
        _, *parameters = inspect.signature(owner.__init__).parameters.values()
        names_parameters = [p.kind for p in parameters] != _ANY_ARGUMENTS
        if instance is not None or owner is self._base or names_parameters:
            raise AttributeError("__signature__")
        annotations: dict[str, Any] = {}
        for base in reversed(owner.__mro__):
            annotations |= inspect.get_annotations(base)
        return inspect.Signature(
            [
                Parameter(
                    name,
                    Parameter.POSITIONAL_OR_KEYWORD,
                    default=Parameter.empty if default is self._required else default,
                    annotation=annotations.get(name, Parameter.empty),
                )
                for name, default in owner.fields.items()
            ]
        )
