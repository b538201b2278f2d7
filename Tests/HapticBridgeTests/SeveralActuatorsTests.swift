// An engine on a board with two actuators: a build of virtual-board of its own, which `make test`
// makes, and names in BRIDGE_BOARD_OF_TWO.

import AHAP
import BridgeLink
import Foundation
import HapticBridge
import TestSupport
import Testing

private let program = ProcessInfo.processInfo.environment["BRIDGE_BOARD_OF_TWO"]

@Suite(.enabled(if: program != nil, "BRIDGE_BOARD_OF_TWO names no program"))
struct SeveralActuatorsTests {
    private func board(_ options: String...) throws -> LiveBoard {
        let url = URL(fileURLWithPath: try #require(program))
        return try options.isEmpty
            ? LiveBoard(program: url) : LiveBoard(program: url, options[0])
    }

    /// The levels above 0 that an actuator's chip was given.
    private func levels(of actuator: Int, on board: LiveBoard) -> [Int] {
        board.transactions.filter { $0.actuator == actuator && $0.write?.register == 2 }
            .compactMap(\.write?.value).filter { $0 > 0 }
    }

    private func play(on board: LiveBoard) async throws {
        let engine = CHHapticEngine(device: .port(board.port))
        try await engine.start()
        let player = try engine.makePlayer(with: .held(0.5))
        try player.start(atTime: CHHapticTimeImmediate)
        #expect(wait { board.hasDriven })
        try player.sendParameters(
            [
                CHHapticDynamicParameter(
                    parameterID: .hapticIntensityControl, value: 0.5, relativeTime: 0)
            ], atTime: CHHapticTimeImmediate)
        #expect(wait { levels(of: 1, on: board).last == 64 })
        try await engine.stop()
        #expect(board.isAtRest)
    }

    @Test func everythingIsFeltOnAllOfThem() async throws {
        let board = try board()
        try await play(on: board)
        #expect(levels(of: 0, on: board) == [128, 64])
        #expect(levels(of: 1, on: board) == [128, 64])
    }

    @Test func oneThatIsNotConfiguredIsLeftOut() async throws {
        let board = try board("--unconfigured")
        let link = try HapticBoard(openPort(board.port))
        try link.configure(1, .coinLRA)
        link.close()
        try await play(on: board)
        #expect(levels(of: 0, on: board) == [])
        #expect(levels(of: 1, on: board) == [128, 64])
    }
}
