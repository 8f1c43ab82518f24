"""murmur:runtime/inference."""

import json
import threading

import pytest

from inspector.contract.contract import load
from inspector.contract.value import complete, default
from inspector.manifest.grant import Grant
from inspector.runtime.host import inference, tokens
from inspector.runtime.host.inference import (
    DriverError,
    DriverUsage,
    Inference,
    NoDriver,
    RealDriver,
    ScriptedError,
    ScriptedReply,
    build_payload,
)
from inspector.runtime.host.ledger import GrantKind, GrantLedger

_RUN = load("0.8.0").interfaces["murmur:runtime/inference@0.3.0"].functions["run-inference"]
_TOOL_RESULT = load("0.8.0").interfaces["murmur:tool/run@0.1.0"].functions["run"].result
_ANSWER = '{"stop_reason":"end_turn","content":[{"type":"text","text":"hello from driver"}]}'


def _request(**fields):
    given = {name.replace("_", "-"): value for name, value in fields.items()}
    return complete(_RUN.parameters[0].type, given)


class FakeDriver:
    """A driver that gives one result, and remembers its payloads."""

    name = "mock-driver"

    def __init__(self, error=None, **result):
        self.error = error
        self.result = default(_TOOL_RESULT) | result
        self.payloads = []
        self.interrupts = 0

    def run(self, payload):
        self.payloads.append(payload)
        if self.error is not None:
            raise self.error
        return self.result

    def interrupt(self):
        self.interrupts += 1


def _driven(driver, model="manifest-model"):
    return Inference(RealDriver(driver), model)


class TestPayload:
    """The request to the driver."""

    def test_full_request__is_one_compact_object_with_sorted_keys(self):
        """Ids stay here, content is raw text, nothing beyond ASCII is escaped."""
        driver = FakeDriver(data=_ANSWER)
        messages = [
            {"role": "user", "content": '[{"type":"text"}] é\n', "id": "msg_1", "source-id": "s"},
            {"role": "tool", "content": '{"__murmur_tool_msg__":true}'},
        ]
        _driven(driver).run("h", _request(messages=messages, system_prompt="be brief", model="m2"))
        assert driver.payloads == [
            '{"max_tokens":8192,"messages":['
            '{"content":[{"text":"[{\\"type\\":\\"text\\"}] é\\n","type":"text"}],"role":"user"},'
            '{"content":[{"text":"{\\"__murmur_tool_msg__\\":true}","type":"text"}],"role":"tool"}'
            '],"model":"m2","params":{},"system":"be brief","tools":[]}'
        ]

    def test_empty_request__takes_the_manifests_model_and_an_empty_system(self):
        """The system key is always there; continuation and cache keys never are."""
        driver = FakeDriver(data=_ANSWER)
        _driven(driver).run("h", _request())
        assert driver.payloads == [
            '{"max_tokens":8192,"messages":[],"model":"manifest-model","params":{},"system":"",'
            '"tools":[]}'
        ]

    def test_empty_model__is_sent_as_it_is(self):
        """Only a missing model is replaced."""
        driver = FakeDriver(data=_ANSWER)
        answer = _driven(driver).run("h", _request(model=""))
        assert json.loads(driver.payloads[0])["model"] == ""
        assert answer["ok"]["model-used"] == ""

    def test_message_of_0_9_0__loses_its_mark(self):
        """inserted-by is not sent."""
        message = {"role": "user", "content": "x", "inserted-by": "seed-context"}
        request = {"messages": [message], "system-prompt": None, "model": None}
        assert build_payload(request, "m")["messages"] == [
            {"role": "user", "content": [{"text": "x", "type": "text"}]}
        ]


class TestAnswer:
    """What a driver's answer comes to."""

    def test_completion__is_text_model_and_the_hosts_own_counts(self):
        """Counts are of the whole request and of the whole answer."""
        driver = FakeDriver(data=_ANSWER)
        answer = _driven(driver).run("caller", _request(messages=[]))
        assert answer == {
            "ok": {
                "text": "hello from driver",
                "model-used": "manifest-model",
                "input-tokens": tokens.count(driver.payloads[0]),
                "output-tokens": tokens.count(_ANSWER),
            }
        }

    @pytest.mark.parametrize(
        ("raw", "text"),
        [
            ('{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}', "ab"),
            (
                '{"content":[{"type":"tool_call","id":"1","text":"no"},'
                '{"type":"text","text":"yes"},{"type":"text"},{"type":"text","text":5},"odd"]}',
                "yes",
            ),
            ('{"content":"text"}', ""),
            ('{"content":null,"stop_reason":"max_tokens"}', ""),
            ("{}", ""),
            ("[]", ""),
            ('"error"', ""),
            ("null", ""),
            ('{"stop_reason":["error"]}', ""),
            ('{"content":[{"type":"text","text":"cut"}],"stop_reason":"max_tokens"}', "cut"),
        ],
    )
    def test_any_json__is_ok_with_the_text_blocks_it_has(self, raw, text):
        """A truncated answer is still ok; missing parts are no error."""
        answer = _driven(FakeDriver(data=raw)).run("h", _request())
        assert answer["ok"]["text"] == text
        assert answer["ok"]["output-tokens"] == tokens.count(raw)

    def test_summary__stands_in_for_missing_data(self):
        """Data wins when both are there, be it empty."""
        assert "ok" in _driven(FakeDriver(summary=_ANSWER)).run("h", _request())
        both = _driven(FakeDriver(data="", summary=_ANSWER)).run("h", _request())
        assert both["err"].startswith("failed to parse inference driver response: ")

    @pytest.mark.parametrize(
        ("result", "text"),
        [
            ({}, "inference driver returned no data"),
            ({"status": "error"}, "inference driver returned no data"),
            (
                {"status": "failed", "data": "no key"},
                "inference driver returned an error: no key",
            ),
            (
                {"status": "error", "summary": "driver: missing MURMUR_INFERENCE_ENDPOINT"},
                "inference driver returned an error: driver: missing MURMUR_INFERENCE_ENDPOINT",
            ),
            (
                {"data": "not json"},
                "failed to parse inference driver response: expected ident at line 1 column 2",
            ),
            (
                {"data": ""},
                "failed to parse inference driver response: "
                "EOF while parsing a value at line 1 column 0",
            ),
            (
                {"data": '{"stop_reason":"error","error":"overloaded"}'},
                "inference driver returned an error: overloaded",
            ),
            (
                {"data": '{"stop_reason":"error","error":{"code":1}}'},
                "inference driver returned an error: driver returned error",
            ),
            (
                {"data": '{"stop_reason":"error","content":[{"type":"text","text":"x"}]}'},
                "inference driver returned an error: driver returned error",
            ),
        ],
    )
    def test_failure__has_the_runtimes_text(self, result, text):
        """First match of the table wins."""
        assert _driven(FakeDriver(**result)).run("h", _request()) == {"err": text}

    def test_driver_that_fails__is_named(self):
        """Whatever stopped it is told after its name."""
        driver = FakeDriver(error=DriverError("tool 'mock-driver' trapped: boom"))
        assert _driven(driver).run("h", _request()) == {
            "err": "inference driver 'mock-driver' failed: tool 'mock-driver' trapped: boom"
        }

    def test_no_driver__has_its_own_text_and_no_record(self):
        """Nothing was dispatched."""
        none = Inference(NoDriver(), "m")
        assert none.run("h", _request()) == {
            "err": "inference driver is not configured; add inference.driver.artifact to "
            "murmur.yaml"
        }
        assert none.drain() == ()


class TestScript:
    """Scripted answers."""

    def test_reply__is_what_a_driver_would_complete_with(self):
        """Counted like a driver's answer."""
        answer = Inference(ScriptedReply('say "é"'), "m").run("h", _request())
        raw = '{"content":[{"text":"say \\"é\\"","type":"text"}],"stop_reason":"end_turn"}'
        assert answer["ok"]["text"] == 'say "é"'
        assert answer["ok"]["output-tokens"] == tokens.count(raw)

    def test_error__is_what_a_driver_would_report(self):
        """The runtime's own sentence stands before it."""
        answer = Inference(ScriptedError("overloaded"), "m").run("h", _request())
        assert answer == {"err": "inference driver returned an error: overloaded"}

    def test_scripted__records_say_so(self):
        """Nothing invented passes for real."""
        script = Inference(ScriptedReply("x"), "m")
        script.run("h", _request())
        assert [record.scripted for record in script.drain()] == [True]


class TestRecords:
    """One record for each dispatched call."""

    def test_records__good_and_bad_come_in_call_order_and_once(self):
        """Draining empties the buffer."""
        driver = FakeDriver(data=_ANSWER)
        both = _driven(driver)
        both.run("caller", _request())
        driver.result["data"] = "nonsense"
        both.run("other", _request(model="m2"))
        good, bad = both.drain()
        assert (good.source, good.model, good.decision) == (
            "hook:caller",
            "manifest-model",
            "end_turn",
        )
        assert good.input_tokens == tokens.count(driver.payloads[0])
        assert good.output_tokens == tokens.count(_ANSWER)
        assert not good.scripted
        assert (bad.source, bad.model, bad.decision) == ("hook:other", "m2", "error")
        assert bad.input_tokens == tokens.count(driver.payloads[1])
        assert bad.output_tokens == 0
        assert (good.error, good.detail) == (None, None)
        assert bad.error.startswith("failed to parse inference driver response: ")
        assert both.drain() == ()

    @pytest.mark.parametrize(
        ("usage", "kept"),
        [
            (
                '{"input_tokens":12043,"output_tokens":0,"cached_tokens":7}',
                DriverUsage(12043, 0, 7, None),
            ),
            (
                '{"input_tokens":-1,"output_tokens":"2","cached_tokens":true,'
                '"cache_write_tokens":1.0,"other":4}',
                DriverUsage(),
            ),
            ('{"input_tokens":18446744073709551615}', DriverUsage(2**64 - 1)),
            ("5", None),
            ("null", None),
        ],
    )
    def test_usage__keeps_each_non_negative_integer(self, usage, kept):
        """For the trace alone: the answer has the host's own counts."""
        raw = f'{{"content":[],"usage":{usage}}}'
        session = _driven(FakeDriver(data=raw))
        answer = session.run("h", _request())
        assert session.drain()[0].usage == kept
        assert answer["ok"]["output-tokens"] == tokens.count(raw)

    def test_records__from_many_threads__are_all_kept(self):
        """Async hooks call at once."""
        script = Inference(ScriptedReply("x"), "m")
        threads = [
            threading.Thread(target=lambda: [script.run("h", _request()) for _ in range(20)])
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(script.drain()) == 80


class TestImplementations:
    """The function that a hook calls."""

    def _function(self, settings):
        marks = []
        ledger = GrantLedger("h", Grant(), has_driver=not isinstance(settings, NoDriver))
        functions = inference.implementations(Inference(settings, "m"), "h", ledger, marks.append)
        return functions["run-inference"], ledger, marks

    @pytest.mark.parametrize("settings", [ScriptedReply("x"), ScriptedError("x")])
    def test_scripted__marks_the_call(self, settings):
        """Help of ours is never silent."""
        run, ledger, marks = self._function(settings)
        run(_request())
        assert marks == ["scripted-inference"]
        assert ledger.snapshot().of(GrantKind.INFERENCE)[0].uses == 1

    def test_real_driver__is_not_marked(self):
        """The runtime would do the same."""
        run, ledger, marks = self._function(RealDriver(FakeDriver(data=_ANSWER)))
        assert "ok" in run(_request())
        assert marks == []
        assert ledger.snapshot().of(GrantKind.INFERENCE)[0].uses == 1

    def test_no_driver__counts_as_refused(self):
        """The hook asked for what the capsule does not have."""
        run, ledger, marks = self._function(NoDriver())
        assert run(_request())["err"].startswith("inference driver is not configured")
        assert marks == []
        assert ledger.snapshot().of(GrantKind.INFERENCE)[0].refusals == 1


def test_interrupt__reaches_a_real_driver_only():
    """A script has nothing to interrupt."""
    driver = FakeDriver()
    _driven(driver).interrupt()
    Inference(ScriptedReply("x"), "m").interrupt()
    assert driver.interrupts == 1
