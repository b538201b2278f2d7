// BoardSimulator: the programs that simulate a board and run its image, and what the boards have.

import Foundation
import VirtualBoard

/// A simulator of a board, with the image that runs on it.
public struct BoardSimulator: Sendable {
    /// The microcontroller.
    public let name: String
    /// The simulator: the one that was built, or the one that the environment names.
    public var program: URL
    /// The contents of flash: the committed image, or the one that the environment names.
    public var image: URL
    /// The image for several actuators: the committed one, or the one that the environment names.
    public var severalImage: URL
    /// The number of actuators that the tests of several actuators connect.
    public let severalActuators: Int
    /// The number of cycles in which the simulator counts a microsecond.
    public let cyclesPerMicrosecond: Cycle
    /// The line to the host.
    public let line: Line
    /// True if DTR pulls reset when it comes on.
    public let isResetByDTR: Bool

    /// The time from power-up until the board answers, in microseconds.
    public let startTime: BoardTime
    /// True if it runs the image of a microcontroller, which knows why it was reset, has a watchdog and
    /// memory to look into; a sketch has not.
    public var runsImage = true

    /// True if it keeps what it stores in an EEPROM; otherwise in its flash.
    public var hasEEPROM: Bool { line == .uart }

    /// A line between a host and a board.
    public enum Line: Sendable {
        /// A byte takes its time at the rate of the line.
        case uart
        /// Bytes travel in packets, when the host has them do so.
        case usb
    }

    /// The ATmega328P of an Arduino Uno or Nano, at 16 MHz.
    public static let atmega328p = BoardSimulator(
        name: "ATmega328P",
        program: file("HAPTIC_BRIDGE_SIMULATOR", ".build/simulator/avr-board"),
        image: file("HAPTIC_BRIDGE_IMAGE", "Firmware/boards/atmega328p/atmega328p.hex"),
        severalImage: file(
            "HAPTIC_BRIDGE_SEVERAL_IMAGE", "Firmware/boards/atmega328p/atmega328p-several.hex"),
        severalActuators: 4, cyclesPerMicrosecond: 16, line: .uart, isResetByDTR: true,
        startTime: 100_000)

    /// The RP2040 of a Raspberry Pi Pico, whose cycles are those of 48 MHz. It has one image for
    /// any number of actuators.
    public static let pico = BoardSimulator(
        name: "RP2040",
        program: file("HAPTIC_BRIDGE_PICO_SIMULATOR", ".build/simulator/pico-board"),
        image: file("HAPTIC_BRIDGE_PICO_IMAGE", "Firmware/boards/rp2040/rp2040.uf2"),
        severalImage: file("HAPTIC_BRIDGE_PICO_IMAGE", "Firmware/boards/rp2040/rp2040.uf2"),
        severalActuators: 4, cyclesPerMicrosecond: 48, line: .usb, isResetByDTR: false,
        startTime: 700_000)

    /// A board with the Arduino library, whose example is compiled for this computer with what an
    /// ESP32's core offers.
    public static let sketch = BoardSimulator(
        name: "Arduino library",
        program: file("HAPTIC_BRIDGE_SKETCH_SIMULATOR", ".build/simulator/sketch-board"),
        image: file("HAPTIC_BRIDGE_SKETCH", ".build/arduino/Bridge-esp32.so"),
        severalImage: file("HAPTIC_BRIDGE_SEVERAL_SKETCH", ".build/arduino/Several-esp32.so"),
        severalActuators: 3, cyclesPerMicrosecond: 16, line: .usb, isResetByDTR: false,
        startTime: 100_000, runsImage: false)

    /// The reason why the simulator cannot run; nil if it can.
    public var absence: String? {
        let files = [(program, "the simulator of the \(name)"), (image, "its image")]
        return files.first { !FileManager.default.fileExists(atPath: $0.0.path) }
            .map { "\($0.1) is not built: \($0.0.path)" }
    }

    private static func file(_ variable: String, _ path: String) -> URL {
        ProcessInfo.processInfo.environment[variable].map { URL(fileURLWithPath: $0) }
            ?? PackageFolder.url.appending(path: path)
    }
}

// MARK: Cycles

extension BoardSimulator {
    /// Returns the whole microseconds since power-up.
    public func time(of cycle: Cycle) -> BoardTime { cycle / cyclesPerMicrosecond }

    /// Returns the cycles of a number of microseconds.
    public func cycles(_ time: BoardTime) -> Cycle { time * cyclesPerMicrosecond }

    /// Returns the microseconds of a number of cycles.
    public func microseconds(_ cycles: Cycle) -> Double {
        Double(cycles) / Double(cyclesPerMicrosecond)
    }

    /// The largest error of a stamp, in microseconds: of a byte's stop bit on a UART, and of a packet's
    /// end on USB, whose interrupt waits for those of the timer and the bus (Firmware/Porting.md, Stamps).
    public var stampTolerance: Int { line == .usb ? 30 : 20 }

    /// Returns the cycles that a byte takes on the line to the board. On USB a packet of 64 bytes takes
    /// about 50 us, and the packets are not back to back.
    func byteCycles(baud: Int) -> Cycle {
        line == .usb ? cyclesPerMicrosecond : 10_000_000 * cyclesPerMicrosecond / Cycle(baud)
    }
}
