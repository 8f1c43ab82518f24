"""The tab Grants of a hook's page: the ledger, and what would grant what was refused.

Lives here: `HookGrants`. Not here: the lines (models.ledger_property), the manifest
(manifest_view). Only hook_page imports it.
"""

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from inspector.gui import icons, theme
from inspector.gui.models.ledger_property import ledger_properties, uses_in_order
from inspector.gui.models.property_model import Property, PropertyModel
from inspector.gui.views.property_view import PropertyView
from inspector.gui.widgets.empty_state import EmptyState
from inspector.gui.widgets.look import Spacing
from inspector.gui.widgets.text_line import ManyLinesEdit
from inspector.protocol.message import GrantUse, LedgerChanged


class HookGrants(QWidget):
    """Grants by what became of them; below, manifest lines to copy.

    Signals:
        target_chosen(Place): a line of the manifest is wanted.
    """

    target_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._uses: dict[str, GrantUse] = {}
        self.ledger = PropertyView("Grants and their use", self)
        self.ledger.target_chosen.connect(self.target_chosen)
        self.ledger.selectionModel().currentChanged.connect(self._on_current_changed)
        self.empty = EmptyState(
            "shield", "No ledger", "A hook without an instance uses nothing.", self
        )
        self._suggestion = QWidget(self)
        self._title = QLabel(self._suggestion)
        self._title.setWordWrap(True)
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._title.setFont(theme.ui_font(small=True))
        self.lines = ManyLinesEdit(self._suggestion)
        self.lines.setReadOnly(True)
        self.lines.setAccessibleName("Manifest lines to add")
        self.copy_button = QToolButton(self._suggestion)
        self.copy_button.setIcon(icons.icon("copy"))
        self.copy_button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        self.copy_button.setToolTip("Copy the manifest lines")
        self.copy_button.setAccessibleName("Copy the manifest lines")
        self.copy_button.clicked.connect(self._copy)
        self._lay_out()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self.copy_button)
        below = QVBoxLayout(self._suggestion)
        below.setContentsMargins(Spacing.S, Spacing.XS, Spacing.S, Spacing.S)
        below.setSpacing(Spacing.XS)
        below.addLayout(head)
        below.addWidget(self.lines)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.ledger, 1)
        layout.addWidget(self.empty, 1)
        layout.addWidget(self._suggestion)
        self.setFocusProxy(self.ledger)

    def show_ledger(self, ledger: LedgerChanged | None) -> None:
        """Show a hook's ledger, or that there is none."""
        self._uses = {} if ledger is None else uses_in_order(ledger)
        self.ledger.setVisible(ledger is not None)
        self.empty.setVisible(ledger is None)
        self.ledger.set_properties(() if ledger is None else ledger_properties(ledger))
        self._show_suggestion()

    @property
    def suggestion(self) -> str:
        """The manifest lines that are shown, or ""."""
        return self.lines.text() if self._suggestion.isVisibleTo(self) else ""

    @Slot(QModelIndex, QModelIndex)
    def _on_current_changed(self, current: QModelIndex, previous: QModelIndex) -> None:
        self._show_suggestion()

    def _show_suggestion(self) -> None:
        """Lines for the current grant; without a choice, for the first that was refused."""
        item = self.ledger.currentIndex().data(PropertyModel.Role.PROPERTY)
        chosen = self._uses.get(item.name) if isinstance(item, Property) else None
        refused = next((use for use in self._uses.values() if use.suggestion), None)
        use = chosen if chosen is not None else refused
        text = use.suggestion if use is not None else ""
        self._suggestion.setVisible(bool(text))
        if use is None or not text:
            return
        where = "the capsule's manifest" if use.kind == "inference" else "the hook's entry"
        self._title.setText(f"These lines in {where} would have allowed what was refused:")
        self.lines.set_text(text)

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.lines.text())
