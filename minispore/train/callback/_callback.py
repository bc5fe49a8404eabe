"""Alias module: the base class of callbacks under MindSpore's path."""

from minispore.train.callback.base import Callback as Callback
from minispore.train.callback.base import CallbackManager as CallbackManager
from minispore.train.callback.base import InternalCallbackParam as InternalCallbackParam
from minispore.train.callback.base import RunContext as RunContext
from minispore.train.callback.base import handle_loss as _handle_loss

__all__ = ["Callback", "CallbackManager", "InternalCallbackParam", "RunContext", "_handle_loss"]
