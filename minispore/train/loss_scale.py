"""Loss scale managers: the factor that keeps small float16 gradients from vanishing."""

from __future__ import annotations

from minispore import checks
from minispore.nn.cell import Cell
from minispore.nn.wrap.loss_scale import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell

MAX_OVERFLOWS = 1000  # in a row, as MindSpore allows


class LossScaleManager:
    """Base of the managers."""

    def get_loss_scale(self) -> float:
        """The factor now."""
        return 1.0

    def update_loss_scale(self, overflow: bool) -> None:
        """Note whether the last step's gradients overflowed."""

    def get_drop_overflow_update(self) -> bool:
        """Whether a step whose gradients overflowed leaves the weights as they are."""
        return False

    def get_update_cell(self) -> Cell | None:
        """The Cell that changes the factor within a training step, if there is one."""
        return None


class FixedLossScaleManager(LossScaleManager):
    """A factor that stays.

    Args:
        loss_scale: the factor.
        drop_overflow_update: skip a step whose gradients overflowed.

    Raises:
        ValueError: ``loss_scale`` is less than 1.
    """

    def __init__(self, loss_scale: float = 128.0, drop_overflow_update: bool = True) -> None:
        who = "FixedLossScaleManager"
        if checks.number(who, "loss_scale", loss_scale) < 1:
            raise ValueError(f"{who}: loss_scale must be >= 1, got {loss_scale}.")
        self._loss_scale = loss_scale
        self._drop = checks.boolean(who, "drop_overflow_update", drop_overflow_update)

    def get_loss_scale(self) -> float:
        return self._loss_scale

    def get_drop_overflow_update(self) -> bool:
        return self._drop

    def get_update_cell(self) -> Cell | None:
        return FixedLossScaleUpdateCell(self._loss_scale) if self._drop else None


class DynamicLossScaleManager(LossScaleManager):
    """A factor that falls on an overflow and rises after ``scale_window`` good steps.

    Args:
        init_loss_scale: the first factor.
        scale_factor: what it is divided or multiplied by.
        scale_window: steps without overflow until it rises.

    Raises:
        TypeError: ``scale_window`` is no int.
        ValueError: an argument is out of range.
        RuntimeError: later: more than 1000 overflows in a row.

    >>> manager = DynamicLossScaleManager(init_loss_scale=4, scale_window=2)
    >>> manager.update_loss_scale(True)
    >>> manager.get_loss_scale()
    2.0
    """

    def __init__(
        self, init_loss_scale: float = 2**24, scale_factor: float = 2, scale_window: int = 2000
    ) -> None:
        who = "DynamicLossScaleManager"
        if checks.number(who, "init_loss_scale", init_loss_scale) < 1:
            raise ValueError(f"{who}: init_loss_scale must be >= 1, got {init_loss_scale}.")
        if checks.number(who, "scale_factor", scale_factor) <= 0:
            raise ValueError(f"{who}: scale_factor must be > 0, got {scale_factor}.")
        self.loss_scale = init_loss_scale
        self.scale_window = checks.integer(who, "scale_window", scale_window, 1)
        self.scale_factor = scale_factor
        self.cur_iter = 1
        self.last_overflow_iter = 0
        self.bad_step = 0

    def get_loss_scale(self) -> float:
        return self.loss_scale

    def update_loss_scale(self, overflow: bool) -> None:
        if overflow:
            self.loss_scale = max(self.loss_scale / self.scale_factor, 1)
            self.last_overflow_iter = self.cur_iter
            self.bad_step += 1
        else:
            if (self.cur_iter - self.last_overflow_iter) % self.scale_window == 0:
                self.loss_scale *= self.scale_factor
            self.bad_step = 0
        if self.bad_step > MAX_OVERFLOWS:
            raise RuntimeError(
                f"DynamicLossScaleManager: {self.bad_step} steps in a row have overflowed. The "
                "training does not converge; lower the learning rate."
            )
        self.cur_iter += 1

    def get_drop_overflow_update(self) -> bool:
        return True

    def get_update_cell(self) -> Cell | None:
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)
