"""Patterns: events, parameters and curves, and the reader of AHAP files."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

from .errors import HapticErrorCode, InvalidPatternError

Number = Union[int, float]
Message = dict[str, Any]

# The maximum number of entries or control points in a message.
ENTRIES_OF_MESSAGE = 250
# The maximum time in a file, in seconds: one day. A duration of at least ENDLESS is endless.
LATEST_SECOND = 86_400.0
ENDLESS = 3.4028234663852886e38

# The default intensity and sharpness of each type of haptic event.
_DEFAULTS = {"HapticTransient": (0.75, 0.5), "HapticContinuous": (0.6, 0.422601)}
_AUDIO = ("AudioContinuous", "AudioCustom")
# The dynamic parameters whose values are factors from 0 to 1. The values of all other parameters are summands from -1
# to 1.
_FACTORS = ("HapticIntensityControl", "AudioVolumeControl")
_ADJUSTERS = ("AttackTime", "DecayTime", "ReleaseTime")
DYNAMIC_PARAMETERS = _FACTORS + (
    "HapticSharpnessControl", "HapticAttackTimeControl", "HapticDecayTimeControl",
    "HapticReleaseTimeControl", "AudioPanControl", "AudioBrightnessControl", "AudioPitchControl",
    "AudioAttackTimeControl", "AudioDecayTimeControl", "AudioReleaseTimeControl",
)


def microseconds(seconds: float) -> int:
    """Returns a time as the nearest number of microseconds, the form used in messages."""
    if not 0 <= seconds < 1e12:
        raise InvalidPatternError(
            HapticErrorCode.INVALID_TIME, f"a time of {seconds} s; expected 0 s to 1e12 s")
    return math.floor(seconds * 1e6 + 0.5)


def number(value: float) -> Number:
    """Returns a number in the form used in messages: without a fraction if the fraction is 0."""
    return int(value) if value == int(value) else value


def _clamped(value: float, low: float = 0, high: float = 1) -> Number:
    if math.isnan(value):
        raise InvalidPatternError(HapticErrorCode.BAD_PARAMETER_ENTRY, "a value is not a number")
    return number(min(max(value, low), high))


@dataclass(frozen=True)
class HapticEvent:
    """An event of a pattern. Times are in seconds from the start of the pattern.

    A sustained continuous event without a duration plays until it is stopped.
    """

    event_type: str
    time: float = 0
    duration: Optional[float] = None
    intensity: Optional[float] = None
    sharpness: Optional[float] = None
    attack_time: float = 0
    decay_time: float = 0
    release_time: float = 0
    sustained: bool = True

    def entry(self) -> list[Number]:
        """Returns the event in the form in which it is sent."""
        time = microseconds(self.time)
        length = -1 if self.duration is None else microseconds(self.duration)
        if self.event_type in _AUDIO:
            return [2, time] if length < 0 else [2, time, length]
        if self.event_type not in _DEFAULTS:
            raise InvalidPatternError(
                HapticErrorCode.INVALID_EVENT_TYPE,
                f'"{self.event_type}" is not an event type; use {", ".join([*_DEFAULTS, *_AUDIO])}')
        intensity, sharpness = _DEFAULTS[self.event_type]
        values = [
            _clamped(intensity if self.intensity is None else self.intensity),
            _clamped(sharpness if self.sharpness is None else self.sharpness),
        ]
        if self.event_type == "HapticTransient":
            return [0, time, *values] if length < 0 else [0, time, *values, length]
        envelope = [_clamped(self.attack_time), _clamped(self.decay_time), _clamped(self.release_time)]
        entry = [1, time, length, *values]
        return entry if self.sustained and not any(envelope) else [*entry, *envelope, int(self.sustained)]


def _value(parameter_id: str, value: float) -> Number:
    if parameter_id not in DYNAMIC_PARAMETERS:
        raise InvalidPatternError(
            HapticErrorCode.INVALID_PARAMETER_TYPE,
            f'"{parameter_id}" is not a dynamic parameter; use {", ".join(DYNAMIC_PARAMETERS)}')
    return _clamped(value, 0 if parameter_id in _FACTORS else -1)


@dataclass(frozen=True)
class HapticDynamicParameter:
    """A change of a parameter, such as HapticIntensityControl, at a time in seconds."""

    parameter_id: str
    value: float
    time: float = 0

    def entry(self) -> list[Any]:
        """Returns the parameter in the form in which it is sent."""
        return [self.parameter_id, microseconds(self.time), _value(self.parameter_id, self.value)]


@dataclass(frozen=True)
class HapticParameterCurve:
    """A change of a parameter along line segments between control points.

    A control point consists of its time in seconds from the start of the curve, and its value.
    """

    parameter_id: str
    control_points: Sequence[tuple[float, float]]
    time: float = 0

    def messages(self, last_type: str = "pattern") -> Iterator[Message]:
        """Returns the messages that transfer the curve. The last message has the given type."""
        points = [[microseconds(time), _value(self.parameter_id, value)]
                  for time, value in sorted(self.control_points, key=lambda point: point[0])]
        *first, last = _parts(points)
        for part in first:
            yield {"type": "points", "points": part}
        yield {"type": last_type, "curves": [[self.parameter_id, microseconds(self.time), last]]}


def _parts(entries: Sequence[Any]) -> list[Sequence[Any]]:
    return [entries[index:index + ENTRIES_OF_MESSAGE] for index in range(0, len(entries), ENTRIES_OF_MESSAGE)]


def parameter_messages(parameters: Sequence[HapticDynamicParameter], message_type: str) -> Iterator[Message]:
    """Returns the messages that transfer parameters."""
    for part in _parts([parameter.entry() for parameter in parameters]):
        yield {"type": message_type, "parameters": part}


@dataclass(frozen=True)
class HapticPattern:
    """A pattern: events, parameters and curves on one timeline."""

    events: Sequence[HapticEvent] = ()
    parameters: Sequence[HapticDynamicParameter] = ()
    curves: Sequence[HapticParameterCurve] = ()

    @classmethod
    def from_file(cls, path: Union[str, os.PathLike[str]]) -> HapticPattern:
        """Reads an AHAP file."""
        try:
            data = Path(path).read_bytes()
        except FileNotFoundError as error:
            raise InvalidPatternError(
                HapticErrorCode.FILE_NOT_FOUND, f"{path}: there is no such file") from error
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InvalidPatternError(
                HapticErrorCode.FILE_NOT_FOUND, f"{path}: cannot be read: {reason}") from error
        try:
            return cls.from_ahap(data)
        except InvalidPatternError as error:
            raise InvalidPatternError(
                error.code, f"{path}: {error.reason}", advice=error.advice) from error

    @classmethod
    def from_ahap(cls, ahap: Union[str, bytes, Mapping[str, Any]]) -> HapticPattern:
        """Reads an AHAP file's text, or the dictionary that the text contains.

        Values outside their ranges are clamped, and unknown keys and parameters are ignored.
        """
        if isinstance(ahap, (str, bytes)):
            try:
                ahap = json.loads(ahap)
            except ValueError as error:
                raise InvalidPatternError(
                    HapticErrorCode.INVALID_PATTERN_DATA, f"not JSON: {error}",
                    advice=["run `bridge lint --fix` on the file, which repairs minor errors"]) from error
            except RecursionError as error:
                raise InvalidPatternError(
                    HapticErrorCode.INVALID_PATTERN_DATA, "not AHAP: too many nested containers") from error
        return _AHAPReader().pattern(ahap)

    @classmethod
    def named(cls, name: str) -> HapticPattern:
        """Returns a named pattern, such as `success`. `HapticPattern.names()` returns all names."""
        try:
            entries = _named()[name]
        except KeyError:
            raise InvalidPatternError(
                HapticErrorCode.FILE_NOT_FOUND,
                f'"{name}" is not a named pattern; use {", ".join(cls.names())}') from None
        return cls.from_ahap({"Pattern": entries})

    @staticmethod
    def names() -> tuple[str, ...]:
        """Returns the names of the named patterns."""
        return tuple(_named())

    def messages(self) -> Iterator[Message]:
        """Returns the messages that transfer the pattern; they do not yet contain the number of the player."""
        for part in _parts([event.entry() for event in self.events]):
            yield {"type": "pattern", "events": part}
        yield from parameter_messages(self.parameters, "pattern")
        for curve in self.curves:
            if curve.control_points:
                yield from curve.messages()


def _named() -> dict[str, list[Any]]:
    text = (Path(__file__).parent / "named.json").read_text(encoding="utf-8")
    named: dict[str, list[Any]] = json.loads(text)
    return named


class _AHAPReader:
    """Converts AHAP's dictionaries. An error names the entry of `Pattern`, counted from 0."""

    def __init__(self) -> None:
        self.where = "Pattern"

    def error(self, code: HapticErrorCode, reason: str) -> InvalidPatternError:
        return InvalidPatternError(code, f"{self.where}: {reason}",
                                   advice=["to list all errors, run `bridge lint` on the file"])

    def pattern(self, root: Any) -> HapticPattern:
        code = HapticErrorCode.INVALID_PATTERN_DICTIONARY
        entries = root.get("Pattern") if isinstance(root, Mapping) else None
        if not isinstance(entries, Sequence) or not entries or isinstance(entries, str):
            raise self.error(code, "expected an object with a list of entries under this key")
        events: list[HapticEvent] = []
        parameters: list[HapticDynamicParameter] = []
        curves: list[HapticParameterCurve] = []
        for index, entry in enumerate(entries):
            self.where = f"Pattern[{index}]"
            for key, body in self.object(entry, code).items():
                if key == "Event":
                    events.append(self.event(self.object(body, HapticErrorCode.BAD_EVENT_ENTRY)))
                elif key == "Parameter":
                    parameters += self.parameter(self.object(body, HapticErrorCode.BAD_PARAMETER_ENTRY))
                elif key == "ParameterCurve":
                    curves += self.curve(self.object(body, HapticErrorCode.BAD_PARAMETER_ENTRY))
        return HapticPattern(events, parameters, curves)

    def object(self, value: Any, code: HapticErrorCode) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            raise self.error(code, "expected an object")
        return value

    def list(self, owner: Mapping[str, Any], key: str, code: HapticErrorCode) -> Sequence[Any]:
        value = owner.get(key, [])
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise self.error(code, f"{key} must be a list")
        return value

    def number(self, owner: Mapping[str, Any], key: str, code: HapticErrorCode, default: float) -> float:
        value = owner.get(key, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
            raise self.error(code, f"{key} must be a number")
        return float(value)

    def time(self, owner: Mapping[str, Any], key: str, code: HapticErrorCode) -> float:
        value = self.number(owner, key, code, 0)
        if not 0 <= value <= LATEST_SECOND:
            raise self.error(code, f"{key} is {value} s; expected 0 to {LATEST_SECOND:.0f}")
        return value

    def event(self, body: Mapping[str, Any]) -> HapticEvent:
        kind = body.get("EventType")
        if not isinstance(kind, str) or kind not in (*_DEFAULTS, *_AUDIO):
            raise self.error(HapticErrorCode.INVALID_EVENT_TYPE, f"{kind!r} is not an EventType")
        code = HapticErrorCode.INVALID_EVENT_DURATION
        duration: Optional[float] = None
        if "EventDuration" in body and self.number(body, "EventDuration", code, 0) < ENDLESS:
            duration = self.time(body, "EventDuration", code)
        values: dict[str, float] = {}
        bad = HapticErrorCode.BAD_PARAMETER_ENTRY
        for parameter in self.list(body, "EventParameters", HapticErrorCode.BAD_EVENT_ENTRY):
            parameter = self.object(parameter, bad)
            if "ParameterValue" in parameter:
                values[str(parameter.get("ParameterID"))] = self.number(parameter, "ParameterValue", bad, 0)
        ramps = kind != "HapticTransient"
        attack, decay, release = (values.get(name, 0) if ramps else 0 for name in _ADJUSTERS)
        return HapticEvent(
            kind, self.time(body, "Time", HapticErrorCode.INVALID_EVENT_TIME), duration,
            values.get("HapticIntensity"), values.get("HapticSharpness"), attack, decay, release,
            values.get("Sustained", 1) >= 0.5 if ramps else True)

    def parameter(self, body: Mapping[str, Any]) -> Iterator[HapticDynamicParameter]:
        name, code = str(body.get("ParameterID")), HapticErrorCode.BAD_PARAMETER_ENTRY
        if name in DYNAMIC_PARAMETERS:
            default = 1 if name in _FACTORS else 0
            yield HapticDynamicParameter(
                name, self.number(body, "ParameterValue", code, default),
                self.time(body, "Time", HapticErrorCode.INVALID_TIME))

    def curve(self, body: Mapping[str, Any]) -> Iterator[HapticParameterCurve]:
        name, code = str(body.get("ParameterID")), HapticErrorCode.BAD_PARAMETER_ENTRY
        points = []
        for point in self.list(body, "ParameterCurveControlPoints", code):
            point = self.object(point, code)
            # Omits a point at the greatest possible time, because playback never reaches it.
            if self.number(point, "Time", HapticErrorCode.INVALID_TIME, 0) <= LATEST_SECOND:
                default = 1 if name in _FACTORS else 0
                points.append((self.time(point, "Time", HapticErrorCode.INVALID_TIME),
                               self.number(point, "ParameterValue", code, default)))
        if name in DYNAMIC_PARAMETERS and points:
            yield HapticParameterCurve(name, points, self.time(body, "Time", HapticErrorCode.INVALID_TIME))
