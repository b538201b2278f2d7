// ConformanceBoard: the boards that the suite runs on, and which of them are here.

import Foundation
import TestSupport
import Testing

/// Everything that speaks the protocol. The suite is the same for all; what a board lacks is here.
enum ConformanceBoard: String, CaseIterable, CustomTestStringConvertible {
    /// The core and the chip model in this process, in virtual time.
    case inProcess
    /// The same behind a pseudo-terminal, in real time.
    case virtual
    /// The firmware of the ATmega328P, simulated in lock-step with the test.
    case simulated
    /// The same behind a pseudo-terminal, in real time.
    case simulatedPort
    /// The board at the port that `BRIDGE_PORT` names. Its actuator moves.
    case real

    var testDescription: String { rawValue }

    // MARK: What a board can show

    /// Whether time passes by itself.
    var isRealTime: Bool { self == .virtual || self == .simulatedPort || self == .real }
    /// Whether the test sees what the bus carries.
    var hasTrace: Bool { self != .real }
    /// Whether its parts can be reset and broken.
    var isBreakable: Bool { self == .inProcess || self == .simulated }
    /// Whether an open of its port resets it, if it is asked to.
    var resetsOnOpen: Bool { self == .virtual || self == .simulatedPort }

    /// How late the write of something due may start, in microseconds.
    var lateness: Int64 { self == .inProcess || self == .virtual ? 1 : 60 }

    /// From the end of a message, or of the last event, to what it makes the bus carry at once, in
    /// microseconds: a turn of the main loop and a transfer that is under way.
    var reaction: Int64 { self == .inProcess || self == .virtual ? 250 : 2_000 }

    // MARK: Lists for tests

    static let available = allCases.filter { $0.absence == nil }
    static let traced = available.filter(\.hasTrace)
    static let breakable = available.filter(\.isBreakable)
    static let inVirtualTime = available.filter { !$0.isRealTime }
    static let reopenable = available.filter(\.resetsOnOpen)

    /// Every available board with every value, or, where time takes its time, with a few of them.
    static func pairs<Value>(
        _ values: [Value], inRealTime few: [Value]
    ) -> [(ConformanceBoard, Value)] {
        available.flatMap { board in
            (board.isRealTime ? few : values).map { (board, $0) }
        }
    }

    // MARK: Availability

    /// Why the board is not here; nil if it is.
    var absence: String? {
        switch self {
        case .inProcess, .virtual: nil
        case .simulated, .simulatedPort:
            Self.missing(LockStepBoard.simulator, "the simulator")
                ?? Self.missing(LockStepBoard.image, "its image")
        case .real:
            Self.environment["BRIDGE_PORT"] == nil ? "BRIDGE_PORT names no port" : nil
        }
    }

    /// Whether `BRIDGE_REQUIRE` lists it: then its absence is a failure.
    var isRequired: Bool {
        let names = Self.environment["BRIDGE_REQUIRE"]?.split(separator: ",") ?? []
        return names.contains(rawValue[...])
    }

    static let port = environment["BRIDGE_PORT"] ?? ""

    private static let environment = ProcessInfo.processInfo.environment

    private static func missing(_ file: URL, _ what: String) -> String? {
        FileManager.default.fileExists(atPath: file.path)
            ? nil : "\(what) is not built: \(file.path)"
    }
}

/// Names the boards that the suite did not run on, and why.
@Suite struct BoardTests {
    @Test func theVirtualBoardIsHere() { check(.virtual) }

    @Test(.enabled(if: isExpected(.simulated), reason(.simulated)))
    func theSimulatedBoardIsHere() { check(.simulated) }

    @Test(.enabled(if: isExpected(.simulatedPort), reason(.simulatedPort)))
    func theSimulatedBoardBehindAPortIsHere() { check(.simulatedPort) }

    @Test(.enabled(if: isExpected(.real), reason(.real)))
    func aRealBoardIsHere() { check(.real) }

    @Test func whatIsRequiredIsABoard() {
        let names = ProcessInfo.processInfo.environment["BRIDGE_REQUIRE"] ?? ""
        for name in names.split(separator: ",") {
            #expect(ConformanceBoard(rawValue: String(name)) != nil, "BRIDGE_REQUIRE: \(name)")
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
