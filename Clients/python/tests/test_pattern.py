"""The reader of AHAP. `make test-clients` compares the results of the reader with the results of `bridge`."""

import unittest
from pathlib import Path

from haptic_bridge import HapticErrorCode as Code
from haptic_bridge import (
    HapticDynamicParameter, HapticEvent, HapticParameterCurve, HapticPattern, InvalidPatternError,
)


class PatternTests(unittest.TestCase):
    def code(self, ahap):
        with self.assertRaises(InvalidPatternError) as raised:
            list(HapticPattern.from_ahap(ahap).messages())
        return raised.exception.code

    def test_invalid_patterns_have_core_haptics_codes(self):
        event = {"EventType": "HapticTransient", "Time": 0}
        self.assertEqual(self.code("{"), Code.INVALID_PATTERN_DATA)
        self.assertEqual(self.code("[]"), Code.INVALID_PATTERN_DICTIONARY)
        self.assertEqual(self.code({"Pattern": []}), Code.INVALID_PATTERN_DICTIONARY)
        self.assertEqual(self.code({"Pattern": [3]}), Code.INVALID_PATTERN_DICTIONARY)
        self.assertEqual(self.code({"Pattern": [{"Event": {}}]}), Code.INVALID_EVENT_TYPE)
        self.assertEqual(self.code({"Pattern": [{"Event": {**event, "Time": -1}}]}), Code.INVALID_EVENT_TIME)
        event_codes = {"EventDuration": (-1, Code.INVALID_EVENT_DURATION), "EventParameters": (3, Code.BAD_EVENT_ENTRY)}
        for key, (value, code) in event_codes.items():
            self.assertEqual(self.code({"Pattern": [{"Event": {**event, key: value}}]}), code)
        with self.assertRaises(InvalidPatternError) as raised:
            HapticPattern.from_file("missing.ahap")
        self.assertEqual(raised.exception.code, Code.FILE_NOT_FOUND)
        self.assertIn("success", str(self.raised(lambda: HapticPattern.named("sing"))))

    def raised(self, call):
        with self.assertRaises(InvalidPatternError) as raised:
            call()
        return raised.exception

    def test_files_that_cannot_be_read_are_named(self):
        self.assertEqual(self.code('{"Pattern": ' + "[" * 100_000), Code.INVALID_PATTERN_DATA)
        for path in (Path(__file__).parent, "a\0b"):
            error = self.raised(lambda path=path: HapticPattern.from_file(path))
            self.assertEqual(error.code, Code.FILE_NOT_FOUND)
            self.assertIn(str(path), error.reason)

    def test_events_in_code_are_checked_when_they_are_sent(self):
        self.assertEqual(self.raised(HapticEvent("Haptic").entry).code, Code.INVALID_EVENT_TYPE)
        self.assertEqual(self.raised(HapticEvent("HapticTransient", -1).entry).code, Code.INVALID_TIME)
        self.assertEqual(self.raised(HapticEvent("HapticTransient", float("nan")).entry).code, Code.INVALID_TIME)
        self.assertEqual(self.raised(HapticDynamicParameter("Volume", 1).entry).code, Code.INVALID_PARAMETER_TYPE)
        self.assertEqual(HapticDynamicParameter("HapticSharpnessControl", -2).entry()[1:], [0, -1])

    def test_defaults_are_those_of_the_library(self):
        self.assertEqual(HapticEvent("HapticTransient").entry(), [0, 0, 0.75, 0.5])
        self.assertEqual(HapticEvent("HapticContinuous").entry(), [1, 0, -1, 0.6, 0.422601])

    def test_long_patterns_and_curves_are_divided(self):
        events = [HapticEvent("HapticTransient", index / 100) for index in range(501)]
        points = [(index / 100, 1) for index in range(251)]
        pattern = HapticPattern(events, (), [HapticParameterCurve("HapticIntensityControl", points)])
        counts = [len(message["curves"][0][2] if "curves" in message else message.get("events") or message["points"])
                  for message in pattern.messages()]
        self.assertEqual(counts, [250, 250, 1, 250, 1])

    def test_every_named_pattern_can_be_read(self):
        folder = Path(__file__).resolve().parents[3] / "Sources/HapticBridge/Feedback/Patterns"
        self.assertEqual(set(HapticPattern.names()), {path.stem for path in folder.glob("*.ahap")})
        for path in folder.glob("*.ahap"):
            named, read = HapticPattern.named(path.stem), HapticPattern.from_file(path)
            self.assertEqual(list(named.messages()), list(read.messages()))
