"""Drafts of session settings: there and back, problems, differences."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.protocol.message import SessionSettings
from inspector.workbench import session_draft
from inspector.workbench.session_draft import (
    ENV_KEYS,
    ContextDraft,
    SessionDraft,
    check,
    differences,
    draft_of,
    needs_reopening,
)
from inspector.workbench.value_text import MAX_CHARACTERS, MAX_YAML

MESSAGE = {"role": "user", "content": [{"type": "text", "text": "hello"}], "n": 2**63}
FULL = SessionSettings(
    session_id="ses_x",
    model="",
    capabilities=("network", "shell"),
    env={"otel-endpoint": "http://x", "case-id": ""},
    inference={"reply": "a\nb"},
    conversation={"ctx-1": [MESSAGE], "ctx-2": []},
    held=True,
    lenient_imports=True,
    workdir="/work",
    home="/home/x",
)


def problems(**changes):
    """Fields that cannot be used."""
    settings, found = check(SessionDraft(**changes))
    assert (settings is None) is bool(found)
    return [problem.field for problem in found]


class TestThereAndBack:
    """draft_of, check."""

    @pytest.mark.parametrize(
        "settings",
        [
            SessionSettings(),
            FULL,
            SessionSettings(inference={"error": "down"}),
            SessionSettings(inference={"driver": True}),
            SessionSettings(capabilities=()),
        ],
    )
    def test_settings_come_back_as_they_were(self, settings):
        """None, empty and given are three things."""
        assert check(draft_of(settings)) == (settings, ())

    def test_draft_survives_its_file(self):
        """It is kept between starts."""
        draft = draft_of(FULL)
        assert msgspec.json.decode(msgspec.json.encode(draft), type=SessionDraft) == draft

    def test_what_is_switched_off_stays_and_does_not_count(self):
        """Another switch brings it back."""
        draft = replace(draft_of(FULL), has_model=False, has_capabilities=False, env_used=())
        draft = replace(draft, inference="none")
        settings, _ = check(draft)
        assert (settings.model, settings.capabilities, settings.env) == (None, None, {})
        assert settings.inference is None
        assert check(replace(draft, inference="reply"))[0].inference == {"reply": "a\nb"}

    def test_capability_names(self):
        """Commas, lines, blanks."""
        assert session_draft.capability_names(" a, b\n\n c ,") == ("a", "b", "c")

    @given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
    def test_any_text_is_a_model(self, text):
        """NUL and control characters, too."""
        settings, found = check(SessionDraft(has_model=True, model=text))
        assert not found
        assert settings.model == text


class TestProblems:
    """check."""

    @pytest.mark.parametrize("name", ["a/b", "a\\b", ".", "..", "a\0b"])
    def test_id_that_names_no_folder(self, name):
        """It becomes one."""
        assert problems(session_id=name) == ["session_id"]

    def test_paths(self):
        """Whole ones only: another process uses them."""
        assert problems(workdir="x", home="y/z") == ["workdir", "home"]
        assert problems(workdir="/a\0b") == ["workdir"]
        assert problems(workdir="/a", home="/b c/ü") == []

    def test_half_characters(self):
        """No frame could carry them; unused text does not matter."""
        half = "\ud800"
        assert problems(has_model=True, model=half) == ["model"]
        assert problems(model=half, reply=half, error=half) == []
        assert problems(inference="reply", reply=half) == ["reply"]
        assert problems(inference="error", error=half) == ["error"]
        assert problems(env={"case-id": half}, env_used=("case-id",)) == ["env.case-id"]

    def test_nul_in_a_variable(self):
        """No environment holds one."""
        assert problems(env={"case-id": "a\0"}, env_used=("case-id",)) == ["env.case-id"]

    @pytest.mark.parametrize(
        ("text", "line", "words"),
        [
            ("[", 1, "is not YAML"),
            ("- a\n- {role: user}", 1, "mapping with role and content"),
            ("- {role: user}\n- 7", 2, "mapping with role and content"),
            ("role: user", 1, "are a list"),
            ("- {role: user, role: user}", 1, "twice"),
            ("- {n: 18446744073709551616}", 1, "64 bits"),
        ],
    )
    def test_messages(self, text, line, words):
        """With their place."""
        _, (problem,) = check(SessionDraft(contexts=(ContextDraft("c", text),)))
        assert (problem.field, problem.context, problem.line) == ("contexts", 0, line)
        assert words in problem.sentence

    def test_contexts(self):
        """Each has a name of its own that can be a folder's."""
        one, two = ContextDraft("a", "[]"), ContextDraft("a/b", "")
        _, found = check(SessionDraft(contexts=(one, two, one)))
        assert [problem.context for problem in found] == [1, 2]

    def test_long_messages(self):
        """YAML is slow; JSON has a bound, too."""
        yaml = "- {role: user}\n" * (MAX_YAML // 15 + 1)
        _, (problem,) = check(SessionDraft(contexts=(ContextDraft("c", yaml),)))
        assert "must be JSON" in problem.sentence
        _, (problem,) = check(
            SessionDraft(contexts=(ContextDraft("c", "[" + " " * MAX_CHARACTERS),))
        )
        assert "in a scenario" in problem.sentence

    def test_problem_has_words_for_its_field(self):
        """As the form has them."""
        assert session_draft.label_of("workdir") == "Accessible folder"
        assert session_draft.label_of("env.case-id") == "Case-id"
        assert session_draft.label_of("model") == "Model"


class TestDifferences:
    """differences, needs_reopening."""

    def test_none(self):
        """The same settings differ in nothing."""
        assert differences(FULL, FULL) == ()

    def test_each_setting_is_told(self):
        """Before and after, in words."""
        found = {one.name: (one.before, one.after) for one in differences(SessionSettings(), FULL)}
        assert found["model"] == ("the capsule's own", '""')
        assert found["capabilities"] == ("the capsule's own", "network, shell")
        assert found["model's answer"] == ("an error: no driver", 'the reply "a␊b"')
        assert found["async workers"] == ("eager", "held")
        assert found["conversation ctx-1"] == ("none", "1 message")
        assert found["accessible folder"] == ("a fresh one", "/work")
        fields = set(SessionSettings.__struct_fields__) - {"env", "conversation"}
        assert len(found) == len(fields) + 2 + 2
        assert set(ENV_KEYS) >= {"otel-endpoint", "case-id"} <= set(found)

    def test_other_messages_of_the_same_number(self):
        """They are others all the same."""
        one = SessionSettings(conversation={"c": [{"role": "user"}]})
        two = SessionSettings(conversation={"c": [{"role": "tool"}]})
        (found,) = differences(one, two)
        assert (found.before, found.after) == ("1 message", "1 message, others")
        (gone,) = differences(one, SessionSettings())
        assert gone.after == "none"

    def test_hooks_are_read_anew_for_home_and_imports(self):
        """They are found and linked differently."""
        plain = SessionSettings()
        assert needs_reopening(plain, SessionSettings(home="/h"))
        assert needs_reopening(plain, SessionSettings(lenient_imports=True))
        assert not needs_reopening(plain, SessionSettings(model="m", workdir="/w", held=True))
