// RumbleOptions: the option for games that make a gamepad vibrate.

import ArgumentParser

struct RumbleOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Make the board a gamepad, and play the vibrations that games send to it (Linux).",
            discussion: """
                Games and other programs find a gamepad without pressed buttons, and upload \
                effects to it (force feedback through uinput). The option needs permission to open \
                /dev/uinput, which the installed udev rule gives to the user at the computer.
                """))
    var rumble = false
}
