"""Names from PyTorch and Keras, with their MindSpore counterparts.

The errors for missing attributes and unknown keywords end with a hint from these tables.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from minispore.errors import did_you_mean

C = TypeVar("C", bound=type)

_GRADIENTS = "ms.value_and_grad(forward, None, optimizer.parameters) returns loss and gradients"
_TARGET = 'The whole program runs on one target: ms.set_context(device_target="Ascend")'
_SUMMARY = "ms.summary(network, input_shape) prints its layers"
_BATCHES = "A dataset makes its own batches: dataset.shuffle(buffer_size).batch(batch_size)"

_TENSOR = {
    "backward": f"A Tensor keeps no gradient: {_GRADIENTS}",
    "cpu": f"tensor.asnumpy() gives its values to NumPy. {_TARGET}",
    "cuda": _TARGET,
    "detach": "Use ops.stop_gradient(tensor)",
    "grad": f"A Tensor keeps no gradient: {_GRADIENTS}",
    "is_cuda": _TARGET,
    "requires_grad_": "Only a Parameter has requires_grad",
    "retain_grad": f"A Tensor keeps no gradient: {_GRADIENTS}",
    "zero_grad": f"A Tensor keeps no gradient: {_GRADIENTS}",
}
_CELL = {
    "children": "cells() returns the layers directly below",
    "cpu": _TARGET,
    "cuda": _TARGET,
    "eval": "Use set_train(False)",
    "evaluate": "Use Model(network, loss_fn, metrics={...}).eval(dataset)",
    "fit": "Use Model(network, loss_fn, optimizer).fit(epoch, train_dataset)",
    "forward": "The method of a Cell is construct; call the Cell itself",
    "half": 'Mixed precision is an argument of Model: Model(network, loss_fn, amp_level="O2")',
    "modules": "cells_and_names() walks over all layers",
    "named_parameters": "Use parameters_and_names()",
    "param_groups": "An optimizer takes its groups once, as a list of dicts for params",
    "parameters": "Use get_parameters(); an optimizer takes trainable_params()",
    "predict": "Call the Cell itself, or use Model(network).predict(tensor)",
    "requires_grad_": "Only a Parameter has requires_grad",
    "save": "Use ms.save_checkpoint(network, path)",
    "step": "Call the optimizer with the gradients: optimizer(gradients)",
    "summary": _SUMMARY,
    "train": "Use set_train()",
    "zero_grad": f"Nothing is kept that must be reset: {_GRADIENTS}",
}
_MODEL = {
    "compile": "Model(network, loss_fn, optimizer, metrics={...}) takes them when it is created",
    "cuda": _TARGET,
    "evaluate": "Use eval(dataset)",
    "load_weights": "Use ms.load_checkpoint(path, network)",
    "parameters": "The network has them: network.trainable_params()",
    "save": "Use ms.save_checkpoint(network, path), or ms.export for a model file",
    "save_weights": "Use ms.save_checkpoint(network, path)",
    "summary": _SUMMARY,
}
_NN = {
    "AdamW": "It is nn.AdamWeightDecay, and with PyTorch's arguments mint.optim.AdamW",
    "Module": "It is nn.Cell, with construct in place of forward",
    "ModuleDict": "It is nn.CellDict",
    "ModuleList": "It is nn.CellList",
    "Parameter": "It is ms.Parameter",
    "Sequential": "It is nn.SequentialCell",
    "functional": "Its functions are in ops, and with PyTorch's arguments in mint.nn.functional",
    "init": "Initializers are in ms.common.initializer, and passed as weight_init",
}
_TOP = {
    "Module": "It is nn.Cell, with construct in place of forward",
    "Sequential": "It is nn.SequentialCell",
    "autograd": f"Gradients are functions: {_GRADIENTS}",
    "compile": "ms.set_context(mode=ms.GRAPH_MODE) compiles a network and its training step",
    "cuda": _TARGET,
    "keras": "Layers are in nn; ms.Model has train, fit, eval and predict",
    "layers": "Layers are in nn",
    "optim": "Optimizers are in nn (nn.Adam), and with PyTorch's arguments in mint.optim",
    "optimizers": "Optimizers are in nn (nn.Adam)",
    "save": "Use ms.save_checkpoint(network, path), or ms.export for a model file",
}
_ATTRIBUTES = {
    "Cell": _CELL,
    "Model": _MODEL,
    "Tensor": _TENSOR,
    "minispore": _TOP,
    "minispore.dataset": {
        "DataLoader": _BATCHES,
        "Dataset": "For rows of your own use GeneratorDataset(source, column_names)",
        "TensorDataset": "It is NumpySlicesDataset(arrays, column_names)",
    },
    "minispore.dataset.vision": {"Compose": "It is dataset.transforms.Compose"},
    "minispore.nn": _NN,
    "minispore.utils": {"data": _BATCHES},
}

# By foreign keyword: minispore's keyword, or a sentence.
_KEYWORDS = {
    "batch_size": _BATCHES,
    "betas": "Pass beta1 and beta2",
    "bias": "has_bias",
    "data": "train_dataset",
    "dim": "axis",
    "epochs": "epoch",
    "in_features": "in_channels",
    "inplace": "Leave it out: a Cell returns a new tensor",
    "loss": "loss_fn",
    "lr": "learning_rate",
    "out_features": "out_channels",
    "validation_data": "valid_dataset",
    "validation_split": "Pass a second dataset: valid_dataset",
}


def explain_attribute(owner: str, name: str) -> str:
    """Return a space and a sentence on what to use instead of the missing attribute ``name``; "" if
    nothing is known.

    Args:
        owner: "Tensor", "Cell", "Model" or the full name of a module.
        name: the missing attribute.

    >>> explain_attribute("Tensor", "detach")
    ' Use ops.stop_gradient(tensor).'
    >>> explain_attribute("Tensor", "colour")
    ''
    """
    hint = _ATTRIBUTES.get(owner, {}).get(name)
    if hint is None and owner == "minispore" and hasattr(sys.modules.get("minispore.ops"), name):
        hint = f"It is ops.{name}"
    return f" {hint}." if hint else ""


class MissingName:
    """Class attribute for a foreign name: access raises an AttributeError with a hint.

    Unlike ``__getattr__``, it does not slow down every failing lookup, such as NumPy's.
    """

    def __init__(self, owner: str, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, instance: object, cls: type) -> Any:
        """Raise an AttributeError with the hint."""
        hint = explain_attribute(self._owner, self._name)
        raise AttributeError(
            f"{cls.__name__}: has no attribute {self._name!r}.{hint}", name=self._name, obj=instance
        )

    @classmethod
    def add_all(cls, target: type) -> None:
        """Set a ``MissingName`` in class ``target`` for each name of PyTorch or Keras that has a
        hint and that the class lacks.
        """
        for name in _ATTRIBUTES[target.__name__]:
            if not hasattr(target, name):
                setattr(target, name, cls(target.__name__, name))


def explain_keyword(name: str, parameters: Iterable[str]) -> str:
    """Return a space and a sentence on what to pass instead of the unknown keyword ``name``; "" if
    nothing is known.

    >>> explain_keyword("lr", ["params", "learning_rate"])
    " Did you mean 'learning_rate'?"
    """
    hint = _KEYWORDS.get(name, "")
    if hint in parameters:
        return f" Did you mean {hint!r}?"
    if " " in hint:
        return f" {hint}."
    return did_you_mean(name, parameters)


def check_keywords(cls: type, keywords: Iterable[str]) -> None:
    """Raise a TypeError with a hint if ``cls`` gets a PyTorch or Keras keyword that its
    ``__init__`` does not take. Other keywords are left to Python.
    """
    for name in keywords:
        if name in _KEYWORDS:
            parameters = inspect.signature(cls.__init__).parameters  # type: ignore[misc]
            takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
            if name not in parameters and not takes_any:
                hint = explain_keyword(name, parameters)
                raise TypeError(f"{cls.__name__}: has no argument {name!r}.{hint}")


def check_takes_positional(cls: type) -> None:
    """Raise a TypeError with a hint if the ``__init__`` of a layer takes no positional arguments;
    called when it was given a tensor.
    """
    _, *parameters = inspect.signature(cls.__init__).parameters.values()  # type: ignore[misc]
    if all(p.kind in (p.KEYWORD_ONLY, p.VAR_KEYWORD) for p in parameters):
        raise TypeError(
            f"{cls.__name__}: takes no tensor when it is created. "
            f"Create the layer, then call it: {cls.__name__}()(x)."
        )


def suggest_keywords(cls: C) -> C:
    """Wrap a class's public methods so that their TypeErrors say what to pass instead of an unknown
    keyword; return the class.

    >>> @suggest_keywords
    ... class Shop:
    ...     def buy(self, count=1): ...
    >>> try:
    ...     Shop().buy(cuont=2)
    ... except TypeError as error:
    ...     lines = [str(error), *getattr(error, "__notes__", [])]
    >>> print(" ".join(lines).count("Did you mean 'count'?"))
    1
    """
    for name, method in list(vars(cls).items()):
        if inspect.isfunction(method) and name[0] != "_":
            setattr(cls, name, add_keyword_hints(method))
    return cls


def add_keyword_hints(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap ``function`` so that its TypeError for an unknown keyword gets a note with a suggestion.

    The error's message stays the same, and a TypeError from inside the function gets no note.
    """

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        """Call the function; add a hint to its TypeError, unless it was raised inside the
        function.
        """
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            trace = error.__traceback__
            if trace is not None and trace.tb_next is None:  # raised by the call itself
                parameters = inspect.signature(function).parameters
                for unknown in [name for name in kwargs if name not in parameters]:
                    hint = explain_keyword(unknown, parameters).strip()
                    if hint and hint not in str(error):  # Python 3.13 already suggests one
                        error.add_note(hint)
            raise

    return wrapper


__all__ = [
    "MissingName",
    "add_keyword_hints",
    "check_keywords",
    "check_takes_positional",
    "explain_attribute",
    "explain_keyword",
    "suggest_keywords",
]
