// ConformanceBoard: the boards on which the suite runs, and their availability.

import Foundation
import TestSupport
import Testing

/// A board, simulated or real, that implements the protocol. All boards run the same suite. The
/// properties of a board state which features the board lacks.
enum ConformanceBoard: String, CaseIterable, CustomTestStringConvertible {
    /// The core and the chip model in this process, in virtual time.
    case inProcess
    /// The core and the chip model behind a pseudo-terminal, in real time.
    case virtual
    /// The firmware of the ATmega328P, simulated in lock-step with the test.
    case simulated
    /// The simulated firmware of the ATmega328P behind a pseudo-terminal, in real time.
    case simulatedPort
    /// The firmware of the RP2040 on a Raspberry Pi Pico, simulated in lock-step with the test.
    case simulatedPico
    /// The simulated firmware of the RP2040 behind a pseudo-terminal, in real time.
    case simulatedPicoPort
    /// The Arduino library in a sketch, simulated in lock-step with the test.
    case simulatedSketch
    /// The simulated sketch with the Arduino library behind a pseudo-terminal, in real time.
    case simulatedSketchPort
    /// The board at the port that `BRIDGE_PORT` names. Its actuator moves.
    case real

    var testDescription: String { rawValue }

    // MARK: Properties of a board

    /// True if the board runs in real time.
    var isRealTime: Bool {
        switch self {
        case .virtual, .simulatedPort, .simulatedPicoPort, .simulatedSketchPort, .real: true
        case .inProcess, .simulated, .simulatedPico, .simulatedSketch: false
        }
    }
    /// The simulator of a simulated board.
    var simulator: BoardSimulator? {
        switch self {
        case .simulated, .simulatedPort: .atmega328p
        case .simulatedPico, .simulatedPicoPort: .pico
        case .simulatedSketch, .simulatedSketchPort: .sketch
        case .inProcess, .virtual, .real: nil
        }
    }
    /// True if the test can observe the transfers on the bus.
    var hasTrace: Bool { self != .real }
    /// True if the test can reset the board and inject faults into its parts.
    var isBreakable: Bool { self == .inProcess || isLockStep }
    /// True if the board is simulated and the test steps the board's time.
    var isLockStep: Bool { simulator != nil && !isRealTime }
    /// True if the board can be configured to reset whenever its port is opened.
    var resetsOnOpen: Bool { self == .virtual || self == .simulatedPort }
    /// True if bytes are transmitted one by one at a baud rate; false if they are transmitted in
    /// packets over USB.
    var hasBaudRate: Bool {
        self == .real ? Self.environment["BRIDGE_LINE"] != "usb" : simulator?.line != .usb
    }

    /// The maximum time from the due time of an event to the start of its write, in microseconds. A
    /// simulated sketch does nothing else; a real board must meet the value for its kind
    /// (`Rig.lateness`).
    var lateness: Int64 { self == .inProcess || self == .virtual ? 1 : 60 }
    /// True if the board reports the cause of a reset and has a watchdog. A board that runs the
    /// sketch has no watchdog and does not report the cause of a hardware reset.
    var runsImage: Bool { simulator?.runsImage ?? true }

    /// The maximum time from the end of a message, or from the last event, to the transfer that it
    /// triggers, in microseconds: one round of the main loop and one pending transfer.
    var reaction: Int64 { self == .inProcess || self == .virtual ? 250 : 2_000 }

    // MARK: Lists for tests

    static let available = allCases.filter { $0.absence == nil }
    static let traced = available.filter(\.hasTrace)
    static let breakable = available.filter(\.isBreakable)
    static let inVirtualTime = available.filter { !$0.isRealTime }
    static let lockStep = available.filter(\.isLockStep)
    static let reopenable = available.filter(\.resetsOnOpen)
    static let withBaudRate = available.filter(\.hasBaudRate)

    /// Returns pairs of every available board with every value. A board that runs in real time is
    /// paired with only a few of the values.
    static func pairs<Value>(
        _ values: [Value], inRealTime few: [Value]
    ) -> [(ConformanceBoard, Value)] {
        available.flatMap { board in
            (board.isRealTime ? few : values).map { (board, $0) }
        }
    }

    // MARK: Availability

    /// The reason why the board is not available; nil if it is available. If `BRIDGE_BOARDS` is
    /// set, only the boards that it lists are available.
    var absence: String? {
        guard Self.chosen.contains(self) else { return "BRIDGE_BOARDS does not list it" }
        return switch self {
        case .inProcess, .virtual: nil
        case .simulated, .simulatedPort, .simulatedPico, .simulatedPicoPort, .simulatedSketch,
            .simulatedSketchPort:
            simulator?.absence
        case .real:
            Self.environment["BRIDGE_PORT"] == nil ? "BRIDGE_PORT does not specify a port" : nil
        }
    }

    /// The boards that `BRIDGE_BOARDS` lists. If the variable is not set, the list contains the
    /// boards in virtual time, and the real board if its port is specified.
    private static let chosen: [ConformanceBoard] =
        environment["BRIDGE_BOARDS"] == nil
        ? allCases.filter { !$0.isRealTime || $0 == .real }
        : allCases.filter { names(in: "BRIDGE_BOARDS").contains($0.rawValue) }

    /// True if `BRIDGE_REQUIRE` lists the board, so that the tests fail if the board is not
    /// available.
    var isRequired: Bool { Self.names(in: "BRIDGE_REQUIRE").contains(rawValue) }

    static let port = environment["BRIDGE_PORT"] ?? ""

    /// Returns the names that an environment variable lists.
    static func names(in variable: String) -> [String] {
        environment[variable]?.split(separator: ",").map(String.init) ?? []
    }

    private static let environment = ProcessInfo.processInfo.environment
}

extension BoardSimulator: CustomTestStringConvertible {
    public var testDescription: String { name }

    /// The available simulators that run an image in virtual time.
    static let here = [ConformanceBoard.simulated, .simulatedPico].filter { $0.absence == nil }
        .compactMap(\.simulator)
}

/// A suite that lists the boards on which the other suites did not run, and the reasons.
@Suite struct BoardTests {
    @Test(.enabled(if: isExpected(.virtual), reason(.virtual)))
    func theVirtualBoardIsHere() { check(.virtual) }

    @Test(.enabled(if: isExpected(.simulated), reason(.simulated)))
    func theSimulatedBoardIsHere() { check(.simulated) }

    @Test(.enabled(if: isExpected(.simulatedPort), reason(.simulatedPort)))
    func theSimulatedBoardBehindAPortIsHere() { check(.simulatedPort) }

    @Test(.enabled(if: isExpected(.simulatedPico), reason(.simulatedPico)))
    func theSimulatedPicoIsHere() { check(.simulatedPico) }

    @Test(.enabled(if: isExpected(.simulatedPicoPort), reason(.simulatedPicoPort)))
    func theSimulatedPicoBehindAPortIsHere() { check(.simulatedPicoPort) }

    @Test(.enabled(if: isExpected(.simulatedSketch), reason(.simulatedSketch)))
    func theSimulatedSketchIsHere() { check(.simulatedSketch) }

    @Test(.enabled(if: isExpected(.simulatedSketchPort), reason(.simulatedSketchPort)))
    func theSimulatedSketchBehindAPortIsHere() { check(.simulatedSketchPort) }

    @Test(.enabled(if: isExpected(.real), reason(.real)))
    func aRealBoardIsHere() { check(.real) }

    @Test(arguments: ["BRIDGE_REQUIRE", "BRIDGE_BOARDS"])
    func whatIsListedIsABoard(_ variable: String) {
        for name in ConformanceBoard.names(in: variable) {
            #expect(ConformanceBoard(rawValue: name) != nil, "\(variable): \(name)")
        }
    }

    private func check(_ board: ConformanceBoard) {
        #expect(board.absence == nil, "BRIDGE_REQUIRE lists \(board)")
    }

    private static func isExpected(_ board: ConformanceBoard) -> Bool {
        board.absence == nil || board.isRequired
    }

    private static func reason(_ board: ConformanceBoard) -> Comment {
        "\(board.rawValue): \(board.absence ?? "here")"
    }
}
