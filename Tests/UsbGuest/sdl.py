"""The parts of the library SDL 2 that games use to make a gamepad vibrate (SDL_haptic.h, SDL_joystick.h)."""

import ctypes
import os
from ctypes import byref, c_int16, c_int32, c_uint8, c_uint16, c_uint32

from steps import Failure, expect

JOYSTICK, HAPTIC = 0x200, 0x1000
CONSTANT, SINE, LEFT_RIGHT, RAMP, GAIN = 1 << 0, 1 << 1, 1 << 2, 1 << 6, 1 << 12
INFINITE = 0xFFFFFFFF


class Direction(ctypes.Structure):
    _fields_ = [("type", c_uint8), ("dir", c_int32 * 3)]


REPLAY = [("type", c_uint16), ("direction", Direction), ("length", c_uint32), ("delay", c_uint16),
          ("button", c_uint16), ("interval", c_uint16)]
ENVELOPE = [("attack_length", c_uint16), ("attack_level", c_uint16), ("fade_length", c_uint16),
            ("fade_level", c_uint16)]


class Constant(ctypes.Structure):
    _fields_ = [*REPLAY, ("level", c_int16), *ENVELOPE]


class Periodic(ctypes.Structure):
    _fields_ = [*REPLAY, ("period", c_uint16), ("magnitude", c_int16), ("offset", c_int16), ("phase", c_uint16),
                *ENVELOPE]


class Ramp(ctypes.Structure):
    _fields_ = [*REPLAY, ("start", c_int16), ("end", c_int16), *ENVELOPE]


class LeftRight(ctypes.Structure):
    _fields_ = [("type", c_uint16), ("length", c_uint32), ("large", c_uint16), ("small", c_uint16)]


class Effect(ctypes.Union):
    _fields_ = [("constant", Constant), ("periodic", Periodic), ("ramp", Ramp), ("left_right", LeftRight),
                ("size", c_uint8 * 128)]


class Gamepad:
    """The gamepad with a given name, as a game sees it."""

    def __init__(self, name):
        os.environ["SDL_VIDEODRIVER"] = "dummy"
        os.environ["SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS"] = "1"
        self.sdl = sdl = ctypes.CDLL("libSDL2-2.0.so.0")
        for function in (sdl.SDL_JoystickOpen, sdl.SDL_HapticOpenFromJoystick):
            function.restype = ctypes.c_void_p
        for function in (sdl.SDL_JoystickNameForIndex, sdl.SDL_GetError):
            function.restype = ctypes.c_char_p
        self.check(sdl.SDL_Init(JOYSTICK | HAPTIC))
        found = [sdl.SDL_JoystickNameForIndex(n).decode() for n in range(sdl.SDL_NumJoysticks())]
        expect(name in found, f"SDL has found only {found}")
        self.is_controller = bool(sdl.SDL_IsGameController(found.index(name)))
        self.joystick = ctypes.c_void_p(sdl.SDL_JoystickOpen(found.index(name)))
        self.haptic = ctypes.c_void_p(sdl.SDL_HapticOpenFromJoystick(self.joystick))
        expect(self.joystick and self.haptic, self.error())

    def error(self):
        return self.sdl.SDL_GetError().decode()

    def check(self, result):
        if result < 0:
            raise Failure(f"SDL: {self.error()}")
        return result

    def rumble(self, large, small, milliseconds):
        """Makes the motors vibrate as most games do."""
        self.check(self.sdl.SDL_JoystickRumble(self.joystick, large, small, milliseconds))

    def upload(self, effect):
        return self.check(self.sdl.SDL_HapticNewEffect(self.haptic, byref(effect)))

    def run(self, number, count=1):
        self.check(self.sdl.SDL_HapticRunEffect(self.haptic, number, c_uint32(count)))

    def stop(self, number):
        self.check(self.sdl.SDL_HapticStopEffect(self.haptic, number))

    def erase(self, number):
        self.sdl.SDL_HapticDestroyEffect(self.haptic, number)

    def set_gain(self, percent):
        self.check(self.sdl.SDL_HapticSetGain(self.haptic, percent))

    def features(self):
        return self.sdl.SDL_HapticQuery(self.haptic)


def constant(level, length=INFINITE, delay=0, **envelope):
    return Effect(constant=Constant(type=CONSTANT, length=length, delay=delay, level=level, **envelope))


def sine(magnitude, length=INFINITE, delay=0, **envelope):
    return Effect(periodic=Periodic(type=SINE, length=length, delay=delay, period=1000, magnitude=magnitude, **envelope))


def ramp(start, end, length):
    return Effect(ramp=Ramp(type=RAMP, length=length, start=start, end=end))


def left_right(large, small, length=INFINITE):
    return Effect(left_right=LeftRight(type=LEFT_RIGHT, length=length, large=large, small=small))
