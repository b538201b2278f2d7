// BoardSimulator: the programs that simulate a board and run its firmware image, and the properties
// of the boards.

import Foundation
import VirtualBoard

/// A simulator of a board, and the image that runs on it.
public struct BoardSimulator: Sendable {
    /// The name of the microcontroller.
    public let name: String
    /// The program of the simulator: the program that the build produces, or the program that an
    /// environment variable names.
    public var program: URL
    /// The contents of flash: the committed image, or the image that an environment variable names.
    public var image: URL
    /// The image for several actuators: the committed image, or the image that an environment
    /// variable names.
    public var severalImage: URL
    /// The number of actuators that are connected in tests with several actuators.
    public let severalActuators: Int
    /// The number of cycles per microsecond of the simulator's clock.
    public let cyclesPerMicrosecond: Cycle
    /// The type of the connection to the host.
    public let line: Line
    /// True if asserting DTR resets the board.
    public let isResetByDTR: Bool

    /// The time from power-up until the board answers, in microseconds.
    public let startTime: BoardTime
    /// True if the simulator runs the image of a microcontroller, which reports the cause of a
    /// reset, has a watchdog, and provides access to its memory. A sketch has none of these
    /// features.
    public var runsImage = true

    /// True if the board stores its settings in an EEPROM; false if it stores them in flash.
    public var hasEEPROM: Bool { line == .uart }

    /// The simulator with the image for several actuators.
    public var withSeveralImage: BoardSimulator {
        var several = self
        several.image = severalImage
        return several
    }
    public var severalOptions: [String] { ["--actuators", "\(severalActuators)"] }

    /// A type of connection between a host and a board.
    public enum Line: Sendable {
        /// A serial line, on which the baud rate determines the duration of each byte.
        case uart
        /// A USB connection, on which the host requests packets of bytes.
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

    /// The RP2040 of a Raspberry Pi Pico, with a 48 MHz clock. One image supports any number of
    /// actuators.
    public static let pico = BoardSimulator(
        name: "RP2040",
        program: file("HAPTIC_BRIDGE_PICO_SIMULATOR", ".build/simulator/pico-board"),
        image: file("HAPTIC_BRIDGE_PICO_IMAGE", "Firmware/boards/rp2040/rp2040.uf2"),
        severalImage: file("HAPTIC_BRIDGE_PICO_IMAGE", "Firmware/boards/rp2040/rp2040.uf2"),
        severalActuators: 4, cyclesPerMicrosecond: 48, line: .usb, isResetByDTR: false,
        startTime: 700_000)

    /// A board with the Arduino library: the example sketch, compiled for this computer against a
    /// substitute for the ESP32 core.
    public static let sketch = BoardSimulator(
        name: "Arduino library",
        program: file("HAPTIC_BRIDGE_SKETCH_SIMULATOR", ".build/simulator/sketch-board"),
        image: file("HAPTIC_BRIDGE_SKETCH", ".build/arduino/Bridge-esp32.so"),
        severalImage: file("HAPTIC_BRIDGE_SEVERAL_SKETCH", ".build/arduino/Several-esp32.so"),
        severalActuators: 3, cyclesPerMicrosecond: 16, line: .usb, isResetByDTR: false,
        startTime: 100_000, runsImage: false)

    /// The reason why the simulator cannot run; nil if it can run.
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
    /// Returns the time of a cycle, rounded to microseconds since power-up.
    public func time(of cycle: Cycle) -> BoardTime { cycle / cyclesPerMicrosecond }

    /// Returns the number of cycles in a number of microseconds.
    public func cycles(_ time: BoardTime) -> Cycle { time * cyclesPerMicrosecond }

    /// Returns the duration of a number of cycles, in microseconds.
    public func microseconds(_ cycles: Cycle) -> Double {
        Double(cycles) / Double(cyclesPerMicrosecond)
    }

    /// The largest error of a time stamp, in microseconds. On a UART, the stamp is the time of a
    /// byte's stop bit. On USB, the stamp is the time of the end of a packet, and the error is
    /// larger, because the USB interrupt may have to wait for the timer interrupt and the bus
    /// interrupt (Firmware/Porting.md, Stamps).
    public var stampTolerance: Int { line == .usb ? 30 : 20 }

    /// Returns the number of cycles that the transmission of a byte to the board takes. On USB a
    /// packet of 64 bytes takes about 50 us, and there are gaps between packets.
    func byteCycles(baud: Int) -> Cycle {
        line == .usb ? cyclesPerMicrosecond : 10_000_000 * cyclesPerMicrosecond / Cycle(baud)
    }
}
