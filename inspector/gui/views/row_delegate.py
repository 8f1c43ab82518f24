"""Rows of trees in one height.

Lives here: `RowDelegate`. Not here: tables, which fix the height themselves (row_table).
Only views import it.
"""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from inspector.gui.widgets import look
from inspector.gui.widgets.look import Spacing


class RowDelegate(QStyledItemDelegate):
    """Makes every row as high as those of the tables."""

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        hint = super().sizeHint(option, index)
        return QSize(hint.width(), look.zoomed(Spacing.ROW_COMPACT))
