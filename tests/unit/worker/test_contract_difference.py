"""What separates a hook of any version from the contract in force."""

import re

import pytest

from inspector.contract import wit
from inspector.contract.contract import EVENTS, load, versions
from inspector.contract.profile import PROFILES
from inspector.contract.type import BOOL, STRING, Field, Function, Parameter, Record, TupleOf
from inspector.runtime.component import ComponentShape, InterfaceShape
from inspector.worker import contract_difference
from inspector.worker.contract_difference import MOST, changes, report
from inspector.worker.doctor import rejection_hint

CURRENT = PROFILES["0.3"]
LIFECYCLE = "murmur:hook/lifecycle@0.8.0"


def interface(name, functions, **more):
    """An interface with functions."""
    return InterfaceShape(name, functions, more.pop("types", {}), **more)


def shape(version="0.8.0", imports=(), functions=None, name=None, **more):
    """A component with the types of an accepted version."""
    contract = load(version)
    exported = name or contract.interface
    own = contract.lifecycle.functions if functions is None else functions
    return ComponentShape(
        {exported: interface(exported, own)},
        {each: interface(each, contract.interfaces[each].functions) for each in imports},
        **more,
    )


_OUTCOME = "stdout: string, stderr: string, stdout-bytes: u64, stderr-bytes: u64, duration-ms: u64"
_AT_0_5_0 = {
    "record message": "role: string, content: string",
    "record task-start-event": "task-id: string, context-id: string, source: string, "
    "input-bytes: u64",
    "record tool-event": "turn: u32, tool-name: string, input-bytes: u64, output-bytes: u64, "
    "duration-ms: u64, status: string",
    "record shell-event": f"turn: u32, binary: string, command: string, exit-code: s32, {_OUTCOME}",
    "variant hook-output": "none, replace-context(list<message>), "
    "write-manifests(list<tool-manifest>), artifact(string), reopen-task(string)",
}


def retired():
    """A hook of lifecycle 0.5.0, as spec/contract.md 3 and 4 describe that version."""
    contract = load("0.8.0")
    text = contract.texts["hook.wit"].partition("/// What a hook may import")[0]
    for head, body in _AT_0_5_0.items():
        text, count = re.subn(rf"{head} \{{.*?\}}", f"{head} {{ {body} }}", text, flags=re.DOTALL)
        assert count == 1
    runtime = contract.texts["runtime.wit"].replace("@0.3.0", "@0.2.0")
    parsed = wit.parse(each.replace("0.8.0", "0.5.0") for each in (text, runtime))
    name, asked = "murmur:hook/lifecycle@0.5.0", "murmur:runtime/inference@0.2.0"
    return ComponentShape(
        {name: interface(name, parsed.interfaces[name].functions)},
        {asked: interface(asked, parsed.interfaces[asked].functions)},
    )


class TestReport:
    """Everything, in order."""

    @pytest.mark.parametrize("name", PROFILES)
    def test_hook_that_matches__has_none(self, name):
        """With every import that there is."""
        contract = PROFILES[name].contract
        imports = [each for each in contract.interfaces if contract.import_rule(each)]
        assert report(PROFILES[name], shape(contract.version, imports), [name]) == ()

    @pytest.mark.parametrize("exports", [{}, {"wasi:cli/run@0.2.0": interface("x", {})}])
    def test_component_without_a_lifecycle__has_none(self, exports):
        """There is nothing to compare."""
        assert report(CURRENT, ComponentShape(exports, {}), []) == ()

    def test_retired_version__is_told_to_the_field(self):
        """Versions, takers, differences of many functions first, imports, what to do."""
        assert report(CURRENT, retired(), []) == (
            "It exports murmur:hook/lifecycle@0.5.0 (of runtime 0.2.0) and imports "
            "murmur:runtime/inference@0.2.0; profile 0.3 takes murmur:hook/lifecycle@0.8.0.",
            "No profile takes it.",
            "Every lifecycle function, run-inference: the hook's record message lacks the fields "
            "id, source-id.",
            "Every lifecycle function: the hook's variant hook-output lacks the cases "
            "seed-context, deny.",
            "on-task-start: the hook's record task-start-event lacks the fields budget-tokens, "
            "context-window, prior-tokens.",
            "on-tool-call: the hook's record tool-event lacks the fields input, outcome and has "
            "the extra fields output-bytes, duration-ms, status.",
            "on-shell: the hook's record shell-event lacks the fields argv, script, recipe, "
            "outcome and has the extra fields exit-code, stdout, stderr, stdout-bytes, "
            "stderr-bytes, duration-ms.",
            "It imports murmur:runtime/inference@0.2.0. Profile 0.3 provides "
            "murmur:runtime/inference@0.3.0 and no other version: rebuild against it.",
            "Rebuild the hook against murmur:hook/lifecycle@0.8.0, murmur:runtime/inference@0.3.0.",
        )

    def test_version_of_another_profile__is_offered(self):
        """Rebuilding is one way, another runtime the other."""
        told = report(CURRENT, shape("0.9.0"), ["0.4"])
        assert told[1] == "Profile 0.4 makes an instance of it."
        assert told[-1] == (
            "Rebuild the hook against murmur:hook/lifecycle@0.8.0, or choose profile 0.4."
        )

    @pytest.mark.parametrize("name", PROFILES)
    @pytest.mark.parametrize("version", versions())
    def test_every_pair_of_versions__differs_unless_it_is_the_same(self, name, version):
        """Nothing is told of a match, and something of everything else."""
        same = PROFILES[name].contract_version == version
        assert (report(PROFILES[name], shape(version), []) == ()) is same

    def test_another_name_over_the_same_types__is_told_though_nothing_else_differs(self):
        """The name alone decides."""
        told = report(CURRENT, shape(name="murmur:hook/lifecycle@0.7.0"), [])
        assert len(told) == 3
        assert "murmur:hook/lifecycle@0.7.0 (of runtime 0.3.0);" in told[0]

    def test_unknown_version__is_told_as_it_is(self):
        """A version of the future has no runtime that we know."""
        told = report(CURRENT, shape(name="murmur:hook/lifecycle@7.0.0"), [])
        assert told[0].startswith("It exports murmur:hook/lifecycle@7.0.0; profile 0.3")

    def test_two_versions__the_contracts_own_counts(self):
        """A component may export both."""
        both = ComponentShape({**shape("0.9.0").exports, **shape("0.8.0").exports}, {})
        assert report(CURRENT, both, ["0.3", "0.4"]) == ()
        told = report(PROFILES["0.1"], both, [])
        assert told[0].startswith(
            "It exports murmur:hook/lifecycle@0.9.0 and murmur:hook/lifecycle@0.8.0;"
        )

    def test_missing_function_alone__is_exported_not_rebuilt(self):
        """Answering none is enough."""
        functions = dict(load("0.8.0").lifecycle.functions)
        del functions["on-shell"], functions["on-task-end"]
        assert report(CURRENT, shape(functions=functions), []) == (
            "It exports murmur:hook/lifecycle@0.8.0; profile 0.3 takes "
            "murmur:hook/lifecycle@0.8.0.",
            "No profile takes it.",
            "It lacks on-shell, without which no instance is made.",
            "Export on-shell too; answering none is enough.",
        )

    def test_many_differences__are_cut_and_counted(self):
        """And every sentence is of bearable length."""
        names = [f"wasi:x/i{number}@0.1.0" for number in range(MOST + 10)]
        imports = {name: interface(name, {"f": Function("f", (), None)}) for name in names}
        exports = dict(shape("0.9.0").exports)
        told = report(CURRENT, ComponentShape(exports, imports), [])
        assert len(told) == MOST + 4
        assert told[-2] == "There are 11 more."

    def test_long_names__are_cut(self):
        """A hostile component's names may be of any number."""
        functions = {f"f{number}": Function("f", (), None) for number in range(1000)}
        told = report(CURRENT, shape(functions=functions), [])
        assert max(map(len, told)) == 300
        assert any(text.endswith("…") for text in told)


class TestChanges:
    """Single differences."""

    @staticmethod
    def _with(event, parameter=None, result=None):
        """A hook of which one function has another type."""
        functions = dict(load("0.8.0").lifecycle.functions)
        ours = functions[event]
        wanted = ours.parameters[0].type
        functions[event] = Function(
            event,
            (Parameter("event", wanted if parameter is None else parameter(wanted)),),
            ours.result if result is None else result,
        )
        return shape(functions=functions)

    def test_all_differences_of_a_function__are_told(self):
        """Where the engine stops at the first."""

        def mend(record):
            fields = [field for field in record.fields if field.name != "script"]
            changed = [
                Field(field.name, BOOL) if field.name in ("turn", "command") else field
                for field in fields
            ]
            return Record(record.name, (*changed, Field("more", STRING)))

        assert changes(CURRENT, self._with("on-shell", mend, STRING)) == (
            "on-shell: the hook's record shell-event lacks the field script and has the extra "
            "field more.",
            "on-shell: field shell-event.turn is u32 in the contract and bool in the hook.",
            "on-shell: field shell-event.command is string in the contract and bool in the hook.",
            "on-shell: the result is result<hook-output, string> in the contract and string in "
            "the hook.",
        )

    def test_record_in_another_order__is_one_difference(self):
        """The first place that differs; the types by name are the same."""
        told = changes(
            CURRENT, self._with("on-task-end", lambda r: Record("r", tuple(reversed(r.fields))))
        )
        assert told == (
            "on-task-end: the hook's record task-end-event has field exit-status at position 1, "
            "wanted task-id.",
        )

    def test_function_that_the_contract_lacks__is_told(self):
        """It is never called."""
        functions = {**load("0.8.0").lifecycle.functions, "on-idle": Function("on-idle", (), None)}
        assert changes(CURRENT, shape(functions=functions)) == (
            "It exports on-idle, which the contract does not have.",
        )

    def test_only_some_functions_there__are_not_called_every(self):
        """One function is named."""
        functions = {"on-shell": load("0.9.0").lifecycle.functions["on-shell"]}
        told = changes(CURRENT, shape(functions=functions))
        assert told[1].startswith("on-shell: the hook's record message has the extra field")

    def test_imports__of_another_type_or_unknown__are_told(self):
        """Host functions are part of the contract."""
        name = "murmur:runtime/tokens@0.3.0"
        functions = {
            "count": Function("count", (Parameter("text", TupleOf((STRING,))),), STRING),
            "guess": Function("guess", (), None),
        }
        wanting = ComponentShape(
            shape().exports, {name: interface(name, functions)}, (), ("memory",)
        )
        assert changes(CURRENT, wanting) == (
            "count: parameter text is string in the contract and tuple<string> in the hook.",
            "count: the result is u64 in the contract and string in the hook.",
            f"It imports guess, which {name} does not have.",
            "It imports memory, which is no interface; no runtime provides that.",
        )

    def test_imported_lifecycle__types_are_fine_and_functions_are_not(self):
        """The habit of two tools is named."""
        types = ComponentShape(shape().exports, {LIFECYCLE: interface(LIFECYCLE, {})})
        assert changes(CURRENT, types) == ()
        functions = ComponentShape(shape().exports, dict(shape().exports))
        (told,) = changes(CURRENT, functions)
        assert told.startswith(f"It imports {LIFECYCLE}. The hook imports the lifecycle interface")


class TestHint:
    """The short form for findings."""

    def test_retired_version__first_differences_and_how_many_more(self):
        """One line stays readable."""
        hint = rejection_hint(CURRENT, retired())
        assert hint.startswith(
            "It exports murmur:hook/lifecycle@0.5.0, which no profile takes: rebuild it. Every "
            "lifecycle function, run-inference: the hook's record message lacks the fields id, "
            "source-id. Every lifecycle function: the hook's variant hook-output lacks"
        )
        assert hint.endswith("`inspect` lists 3 more.")

    def test_version_of_another_profile__names_it(self):
        """Then what differs."""
        hint = rejection_hint(CURRENT, shape("0.2.0"))
        assert hint.startswith(
            "It exports murmur:hook/lifecycle@0.2.0: try --profile 0.1, or rebuild it. "
        )

    def test_missing_function__is_exported(self):
        """As the report says."""
        functions = {event: load("0.8.0").function(event) for event in EVENTS[1:]}
        del functions["on-compaction"]
        assert rejection_hint(CURRENT, shape(functions=functions)) == (
            "Export on-compaction too; answering none is enough."
        )

    def test_whole_hook__needs_none(self):
        """It is rejected for something else."""
        assert rejection_hint(CURRENT, shape()) == ""

    def test_no_hook__is_said_to_be_none(self):
        """It exports something else."""
        assert rejection_hint(CURRENT, ComponentShape({}, {})) == (
            f"The component does not export {LIFECYCLE}; it may not be a hook."
        )


def test_retired_versions__are_those_that_no_profile_has():
    """The table and the profiles do not overlap."""
    retired_versions = set(contract_difference._RETIRED)
    assert not retired_versions & {each.contract_version for each in PROFILES.values()}
    assert retired_versions == {"0.3.0", "0.4.0", "0.5.0", "0.6.0", "0.7.0"}
