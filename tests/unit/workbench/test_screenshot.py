"""Screenshots, checked before any window is made; and the small checks beside them."""

import io

import pytest

from inspector import assets
from inspector.errors import ErrorKind, InspectorError
from inspector.protocol.message import Pump
from inspector.workbench import sample, scenario
from inspector.workbench.qt_pair import (
    installed_qt,
    pair_trouble,
    require_screen,
    require_usable_pair,
)
from inspector.workbench.screenshot import make_plan, parse_size
from inspector.workbench.terminal import Terminal, block, table, wants_colour


class TestPlan:
    """make_plan."""

    def test_steps_of_the_scenario_are_its_actions(self, tmp_path):
        """Every round of them, with the session they want."""
        found = scenario.parse(
            'scenario: 1\nprofile: "0.4"\nsession: {model: m}\n'
            "steps: [repeat: {times: 3, steps: [pump]}]"
        )
        plan = make_plan("/c", str(tmp_path / "o.PNG"), "1400x900", "dark", found)
        assert plan.actions == (Pump(), Pump(), Pump())
        assert (plan.size, plan.theme, plan.profile) == ((1400, 900), "dark", "0.4")
        assert plan.settings.model == "m"

    @pytest.mark.parametrize(
        ("name", "kind"),
        [
            ("o.jpg", ErrorKind.USAGE),
            ("o", ErrorKind.USAGE),
            ("none/o.png", ErrorKind.NOT_WRITABLE),
            ("folder.png", ErrorKind.NOT_WRITABLE),
            ("a\0b.png", ErrorKind.NOT_WRITABLE),
        ],
    )
    def test_file_that_cannot_be_written_is_told_before(self, tmp_path, name, kind):
        """No window is made in vain."""
        (tmp_path / "folder.png").mkdir()
        with pytest.raises(InspectorError) as caught:
            make_plan("/c", str(tmp_path / name), "1400x900", "light", None)
        assert caught.value.kind is kind

    def test_long_scenario_is_refused(self, tmp_path):
        """A picture does not show a hundred thousand steps."""
        found = scenario.parse("scenario: 1\nsteps: [repeat: {times: 10001, steps: [pump]}]")
        with pytest.raises(InspectorError, match="10,001 steps"):
            make_plan("/c", str(tmp_path / "o.png"), "1400x900", "light", found)

    @pytest.mark.parametrize("text", ["800x700", "7680x4320", "1400×900"])
    def test_size_in_range(self, text):
        """The bounds themselves are fine."""
        assert parse_size(text) == tuple(map(int, text.replace("×", "x").split("x")))

    @pytest.mark.parametrize(
        "text", ["", "x", "1400", "799x700", "7681x4320", "1400x699", "-1x900", "1e3x900"]
    )
    def test_size_out_of_range_is_refused(self, text):
        """With the range."""
        with pytest.raises(InspectorError, match="800x700 to 7680x4320"):
            parse_size(text)


class TestQtPair:
    """Which PySide6 works with which Python."""

    @pytest.mark.parametrize(
        ("python", "qt", "words"),
        [
            ((3, 11), (6, 11, 3), ""),
            ((3, 11), (6, 10, 3), ""),
            ((3, 12), (6, 12, 0), ""),
            ((3, 13), (6, 13, 1), ""),
            ((3, 11), (6, 12, 0), "aborts on Python 3.11"),
            ((3, 10), (6, 12, 1), "aborts on Python 3.10"),
            ((3, 12), (6, 11, 0), "resizes docks"),
            ((3, 11), (6, 11, 1), "resizes docks"),
            ((3, 13), (6, 10, 2), "too old"),
        ],
    )
    def test_pairs(self, python, qt, words):
        """The bad ones are named."""
        assert words in pair_trouble(python, qt)
        assert bool(words) == bool(pair_trouble(python, qt))

    def test_installed_pair_is_read_without_qt(self):
        """From the package's metadata, three numbers."""
        found = installed_qt()
        assert found is not None
        assert len(found) == 3

    def test_bad_pair_is_refused_with_what_to_install(self, monkeypatch):
        """One sentence, exit code 2."""
        monkeypatch.setattr("inspector.workbench.qt_pair.installed_qt", lambda: (6, 11, 0))
        with pytest.raises(InspectorError) as caught:
            require_usable_pair()
        assert caught.value.exit_code == 2
        assert "Install PySide6-Essentials" in caught.value.hint

    def test_unknown_version_is_let_through(self, monkeypatch):
        """A bundle has no metadata, and was built with a pair that works."""
        monkeypatch.setattr("inspector.workbench.qt_pair.installed_qt", lambda: None)
        require_usable_pair()


class TestScreen:
    """Whether there is anywhere to show a window."""

    @pytest.mark.parametrize(
        ("variables", "platform"),
        [
            ({"DISPLAY": ":0"}, "linux"),
            ({"WAYLAND_DISPLAY": "wayland-0"}, "linux"),
            ({"QT_QPA_PLATFORM": "offscreen"}, "linux"),
            ({}, "win32"),
            ({}, "darwin"),
        ],
    )
    def test_there_is_one(self, variables, platform):
        """Or the platform needs no variable for it."""
        require_screen(variables, platform)

    @pytest.mark.parametrize("variables", [{}, {"DISPLAY": ""}])
    def test_there_is_none(self, variables):
        """One sentence in place of Qt's abort."""
        with pytest.raises(InspectorError, match="no screen") as caught:
            require_screen(variables, "linux")
        assert caught.value.exit_code == 2


class TestSample:
    """Scenarios of samples, by name."""

    def test_path_is_left_alone(self):
        """Only the prefix makes a name."""
        assert sample.scenario_path("a/b.yaml") == "a/b.yaml"

    @pytest.mark.parametrize("name", ["sample:tour", "sample:tour/tour"])
    def test_name_is_the_shipped_file(self, name):
        """With or without the scenario's own name."""
        wanted = assets.resource("capsules", "tour", "tour.scenario.yaml")
        assert sample.scenario_path(name) == str(wanted)

    @pytest.mark.parametrize(
        "name", ["sample:", "sample:none", "sample:tour/none", "sample:../x", "sample:tour/../x"]
    )
    def test_name_of_nothing_lists_what_there_is(self, name):
        """And leaves the samples' folder to nobody."""
        with pytest.raises(InspectorError) as caught:
            sample.scenario_path(name)
        assert "sample:tour/tour" in caught.value.hint

    def test_every_sample_scenario_is_valid(self):
        """What ships can be read."""
        for capsule in assets.sample_names():
            assert sample.scenario_names(capsule)
            for name in sample.scenario_names(capsule):
                found = scenario.load(sample.scenario_path(f"sample:{capsule}/{name}"))
                assert found.runs > 0


class TestTerminal:
    """Colours, columns, safe text."""

    class Tty(io.StringIO):
        """A terminal."""

        def isatty(self):
            """Yes."""
            return True

    @pytest.mark.parametrize(
        ("variables", "answer"),
        [
            ({}, True),
            ({"NO_COLOR": ""}, True),
            ({"NO_COLOR": "1"}, False),
            ({"TERM": "dumb"}, False),
            ({"TERM": "xterm"}, True),
        ],
    )
    def test_colours_for_a_terminal_unless_told_otherwise(self, variables, answer):
        """NO_COLOR is respected; a pipe gets none."""
        assert wants_colour(self.Tty(), variables) is answer
        assert wants_colour(io.StringIO(), variables) is False

    def test_paint_needs_colour_and_a_known_role(self):
        """Else the text stays as it is."""
        assert Terminal(colour=True).paint("a", "negative") == "\x1b[31ma\x1b[0m"
        assert Terminal(colour=True).paint("a", "unknown") == "a"
        assert Terminal().paint("a", "negative") == "a"

    def test_columns_are_aligned(self):
        """Without blanks at the end."""
        assert table([("a", "bb", ""), ("ccc", "d", "e")], "> ") == ["> a    bb", "> ccc  d   e"]

    def test_block_is_safe_lines(self):
        """One line per line, control characters as pictures."""
        assert block("a\x1b\nb\n", "| ") == ["| a␛", "| b"]
