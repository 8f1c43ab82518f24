"""The shipped sample capsules: each hook does what its comments say.

Run with wasmtime's own conversions under a plain linker with WASI, without the
inspector's runtime.
"""

import re
from functools import cache

import pytest
import wasmtime

from inspector import assets
from inspector.contract import contract
from inspector.contract.contract import EVENTS
from inspector.contract.profile import profile
from inspector.manifest import capsule_manifest, hook_manifest
from inspector.workbench import scenario
from tests.helpers.guest import Guest
from tests.helpers.wat import component

SAMPLES = ("faults", "tour")
NONE = {"ok": "none"}
OWN_FRAME = {"retired", "mismatch", "incomplete"}
"""Hooks whose point lies in the frame."""
NOT_STARTING = {"retired", "incomplete", "unlinkable"}
MESSAGE = {"role": "user", "content": "hello", "id": None, "source-id": None}


def folders():
    """Every hook folder of every sample."""
    return [
        p for name in SAMPLES for p in sorted(assets.resource("capsules", name, "hooks").iterdir())
    ]


def hook_id(folder):
    return folder.name


@cache
def source(capsule, name):
    return assets.resource("capsules", capsule, "hooks", name, "hook.wat").read_text("utf-8")


def tour(name, **settings):
    return Guest(component(source("tour", name)), **settings)


def faults(name, **settings):
    return Guest(component(source("faults", name)), **settings)


class TestFolders:
    def test_sample_names__shipped__are_these(self):
        """Both samples are found by name."""
        assert set(SAMPLES) <= set(assets.sample_names())

    @pytest.mark.parametrize("name", SAMPLES)
    def test_manifest__entries__are_the_hook_folders(self, name):
        """No folder without entry, no entry without folder, and versions agree."""
        file = assets.resource("capsules", name, "murmur.yaml")
        manifest = capsule_manifest.read(file.read_text("utf-8"), str(file))
        declared = {(entry.name, entry.version) for entry in manifest.entries}
        found = set()
        for folder in assets.resource("capsules", name, "hooks").iterdir():
            own = hook_manifest.identity((folder / "murmur.yaml").read_text("utf-8"))
            assert (own.name, own.runtime) == (folder.name, "hook")
            found.add((own.name, own.version))
        assert declared == found
        assert manifest.warnings == ()

    @pytest.mark.parametrize("folder", folders(), ids=hook_id)
    def test_hook_manifest__each__is_accepted(self, folder):
        """Binding, mode and policy fit together."""
        text = (folder / "murmur.yaml").read_text("utf-8")
        config = hook_manifest.read(text, profile("0.3"))
        for event in EVENTS:
            if config.commit_policy != "none" and config.reaches(event):
                honored = set(contract.load("0.8.0").rules.observe.items())
                honored |= set(contract.load("0.8.0").rules.decide.items())
                assert (event, config.commit_policy) in honored

    @pytest.mark.parametrize("name", SAMPLES)
    def test_scenario__each__is_read_without_error(self, name):
        """The scenario beside a sample fits the default contract and names its hooks."""
        file = assets.resource("capsules", name, f"{name}.scenario.yaml")
        assert scenario.load(str(file)).runs > 0
        named = set(re.findall(r"\bhook: ([a-z-]+)(?=[,}\n])", file.read_text("utf-8")))
        assert named <= {folder.name for folder in folders()}

    @pytest.mark.parametrize("name", SAMPLES)
    def test_readme__each_hook__is_mentioned(self, name):
        """The README says of every hook what to try."""
        text = assets.resource("capsules", name, "README.md").read_text("utf-8")
        for folder in assets.resource("capsules", name, "hooks").iterdir():
            assert f"`{folder.name}`" in text


class TestFrame:
    @pytest.mark.parametrize("part", ["Base", "Contract"])
    def test_frame__all_hooks__is_the_same_text(self, part):
        """WAT has no include; the copies do not drift apart."""
        end = {"Base": r"\(core instance \$base .*?End of base", "Contract": r"\Z"}[part]
        texts = {}
        for folder in folders():
            if folder.name not in OWN_FRAME or (part == "Base" and folder.name != "retired"):
                text = (folder / "hook.wat").read_text("utf-8")
                found = re.search(rf";; == {part}: .*?{end}", text, re.DOTALL)
                assert found is not None, folder.name
                texts.setdefault(found.group(0), []).append(folder.name)
        assert len(texts) == 1, list(texts.values())

    @pytest.mark.parametrize("folder", folders(), ids=hook_id)
    def test_source__each__fits_the_page(self, folder):
        """Lines are short, and the first one says the name."""
        lines = (folder / "hook.wat").read_text("utf-8").splitlines()
        assert lines[0].startswith(f";; {folder.name}: ")
        assert max(map(len, lines)) <= 100

    @pytest.mark.parametrize(
        "folder", [f for f in folders() if f.name not in OWN_FRAME | NOT_STARTING], ids=hook_id
    )
    def test_hook__each__exports_all_nine_with_the_contract_types(self, folder):
        """Every function takes the contract's record; those that fail do so in the guest."""
        host = {
            "murmur:runtime/tokens@0.3.0": {"count": len},
            "murmur:task-io/read@0.1.0": {"read-output": lambda _o, _m: {"err": "no-task"}},
        }
        failing = {
            ("traps", "on-inference"),
            ("spins", "on-session-end"),
            ("grows", "on-compaction"),
        }
        text = component((folder / "hook.wat").read_text("utf-8"))
        for event in EVENTS:
            with Guest(text, host=host, memory_bytes=1 << 20) as guest:
                assert guest.exports() == EVENTS
                if (folder.name, event) in failing:
                    with pytest.raises(wasmtime.WasmtimeError, match="wasm trap"):
                        guest.call_interrupted(event)
                else:
                    assert {"ok", "err"} & set(guest.call(event))

    def test_hook__large_events_again_and_again__memory_is_given_back(self):
        """The allocator of the base starts anew with each call."""
        with tour("guard", memory_bytes=1 << 20) as guest:
            for _ in range(20):
                assert guest.call("on-shell", binary="/bin/ls", command="x" * 500_000) == NONE


class TestTour:
    def test_observer__every_event__prints_its_name(self):
        """One line per event, and none as the answer."""
        with tour("observer") as guest:
            for event in EVENTS:
                assert guest.call(event) == NONE
            assert guest.stdout.decode() == "".join(f"{event}\n" for event in EVENTS)

    def test_describer__allowed_binaries__one_manifest_each(self):
        """Names and contents match."""
        with tour("describer") as guest:
            answer = guest.call("on-stage", shell_allow=["git", "ü", ""])
            assert guest.call("on-stage", shell_allow=[]) == {"ok": {"write-manifests": []}}
        head = "description: A shell command that this capsule allows.\nname: "
        assert answer == {
            "ok": {
                "write-manifests": [
                    {"binary-name": name, "content": head + name} for name in ("git", "ü", "")
                ]
            }
        }

    def test_seeder__task_start__seeds_one_message(self):
        """The same seed at each task."""
        seed = {**MESSAGE, "content": "Run the tests before you say that a task is done."}
        with tour("seeder") as guest:
            for _ in range(2):
                assert guest.call("on-task-start", task_id="t") == {"ok": {"seed-context": [seed]}}

    @pytest.mark.parametrize("turn", [0, 7, 10, 4294967295])
    def test_turn_report__turn__is_in_the_json(self, turn):
        """Any turn is written in full."""
        with tour("turn-report") as guest:
            guest.call("on-inference", turn=123456)
            answer = guest.call("on-inference", turn=turn)
        assert answer == {"ok": {"artifact": f'{{"turn": {turn}}}'}}

    def test_meter__output_and_no_output__are_printed(self):
        """It reads from the start, and counts what it read."""
        asked, outputs = [], [{"ok": "four"}, {"err": "not-granted"}]

        def read(offset, max_bytes):
            asked.append((offset, max_bytes))
            return outputs[len(asked) - 1]

        host = {
            "murmur:runtime/tokens@0.3.0": {"count": lambda text: len(text) * 10},
            "murmur:task-io/read@0.1.0": {"read-output": read},
        }
        with tour("meter", host=host) as guest:
            assert [guest.call("on-task-end") for _ in range(2)] == [NONE, NONE]
            assert guest.stdout.decode() == "40 tokens\nno output to be read\n"
        assert asked == [(0, 1000000)] * 2

    @pytest.mark.parametrize(
        ("binary", "denied"),
        [
            ("rm", True),
            ("/bin/rm", True),
            ("/usr/bin/rm", True),
            ("/bin/rmdir", False),
            ("/bin/farm", False),
            ("/rm/x", False),
            ("m", False),
            ("", False),
        ],
    )
    def test_guard__decision__denies_rm_alone(self, binary, denied):
        """The name after the last slash counts."""
        reason = "rm deletes for good; move the file to the folder trash instead"
        with tour("guard") as guest:
            answer = guest.call("on-shell", binary=binary)
        assert answer == ({"ok": {"deny": reason}} if denied else NONE)

    def test_guard__after_the_call__answers_none(self):
        """A denial after the fact would be a fault."""
        with tour("guard") as guest:
            assert guest.call("on-shell", binary="/bin/rm", outcome={}) == NONE

    def test_compactor__messages__summary_and_last(self):
        """The last message comes back with its ids."""
        last = {"role": "tool", "content": "ü", "id": "m12", "source-id": "s"}
        summary = {**MESSAGE, "content": "Earlier messages left out: 11"}
        with tour("compactor") as guest:
            answer = guest.call("on-compaction", messages=[MESSAGE] * 11 + [last])
            assert answer == {"ok": {"replace-context": [summary, last]}}
            for short in ([], [MESSAGE]):
                assert guest.call("on-compaction", messages=short) == NONE

    def test_reopener__failed_twice__asks_once(self):
        """State lasts as long as the instance; other statuses do not count."""
        with tour("reopener") as guest:
            answers = [
                guest.call("on-task-end", exit_status=status)
                for status in ("ok", "failure", "faileD", "failed", "failed")
            ]
        reason = "The attempt failed. Read the last error and try once more."
        assert answers == [NONE, NONE, NONE, {"ok": {"reopen-task": reason}}, NONE]

    def test_counter__events__are_counted_and_told_at_the_end(self):
        """Every event counts, the last one too."""
        with tour("counter") as guest:
            for event in EVENTS[1:]:
                assert guest.call(event) == NONE
            assert guest.stdout.decode() == "8 events\n"


class TestFaults:
    def test_gives_error__twice__the_same_error(self):
        """An error leaves the instance usable."""
        with faults("gives-error") as guest:
            errors = [guest.call("on-session-start") for _ in range(2)]
        assert errors == [{"err": "the audit log is read-only"}] * 2

    def test_traps__twice__traps_then_is_poisoned(self):
        """Two different texts of the engine."""
        with faults("traps") as guest:
            with pytest.raises(wasmtime.WasmtimeError, match="integer divide by zero"):
                guest.call("on-inference")
            with pytest.raises(wasmtime.WasmtimeError, match="cannot enter component instance"):
                guest.call("on-inference")

    def test_spins__deadline__is_interrupted(self):
        """Only the epoch ends the loop."""
        interrupted = pytest.raises(wasmtime.WasmtimeError, match="interrupt")
        with faults("spins") as guest, interrupted:
            guest.call_interrupted("on-session-end")

    def test_grows__under_a_limit__gives_up(self):
        """The guest stops where the host says no."""
        trapped = pytest.raises(wasmtime.WasmtimeError, match="unreachable")
        with faults("grows", memory_bytes=1 << 20) as guest, trapped:
            guest.call("on-compaction")

    def test_mismatch__its_record__lacks_one_field(self):
        """The other functions can be called, on-shell has another type."""
        with faults("mismatch") as guest:
            assert guest.call("on-tool-call") == NONE
            record = guest.parameter_fields("on-shell")
        wanted = [field.name for field in contract.load("0.8.0").record("on-shell").fields]
        assert record == [name for name in wanted if name != "recipe"]

    def test_wrong_arm__each_event__none_of_the_arms_is_honored(self):
        """Every arm occurs, and never where it counts."""
        found, rules = {}, contract.load("0.8.0").rules
        with faults("wrong-arm") as guest:
            for event in EVENTS:
                answer = guest.call(event)["ok"]
                found[event] = answer if answer == "none" else next(iter(answer))
        given = {event: arm for event, arm in found.items() if arm != "none"}
        assert set(given.values()) == set(contract.load("0.8.0").arms) - {"none"}
        assert all(rules.observe.get(event) != arm for event, arm in given.items())
        assert set(EVENTS) - set(given) == {"on-compaction", "on-session-end"}

    @pytest.mark.parametrize(
        ("tool", "answer"),
        [
            ("blank", {"ok": {"deny": "   "}}),
            ("write", {"ok": {"artifact": "the rules could not be read"}}),
            ("edit", {"err": "the rules could not be read"}),
            ("read", NONE),
            ("", NONE),
        ],
    )
    def test_bad_guard__first_letter__picks_the_answer(self, tool, answer):
        """Before the call as its comment says, after it none."""
        with faults("bad-guard") as guest:
            assert guest.call("on-tool-call", tool_name=tool) == answer
            assert guest.call("on-tool-call", tool_name=tool, outcome={}) == NONE

    def test_bad_guard__t__traps(self):
        """The fourth way."""
        trapped = pytest.raises(wasmtime.WasmtimeError, match="unreachable")
        with faults("bad-guard") as guest, trapped:
            guest.call("on-tool-call", tool_name="test")

    def test_late_error__task_end__is_an_error(self):
        """What nobody waits for."""
        with faults("late-error") as guest:
            assert guest.call("on-task-end") == {"err": "nobody waits for this"}

    def test_incomplete__exports__lack_one_required_function(self):
        """It links, but on-compaction is not there."""
        with faults("incomplete") as guest:
            assert set(EVENTS) - set(guest.exports()) == {"on-compaction"}

    def test_retired__interface__is_the_old_one(self):
        """It has the six functions under another version."""
        with faults("retired", interface="murmur:hook/lifecycle@0.5.0") as guest:
            assert set(guest.exports()) == set(contract.load("0.8.0").rules.required)
        with faults("retired") as guest, pytest.raises(LookupError, match="lifecycle@0"):
            guest.exports()

    def test_unlinkable__import__is_not_found(self):
        """The engine names the interface."""
        with pytest.raises(wasmtime.WasmtimeError, match=r"murmur:runtime/tokens@0\.2\.0"):
            faults("unlinkable")
