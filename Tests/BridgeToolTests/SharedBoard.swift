// SharedBoard: a board that several programs use, for suites with the trait `.virtualTool`.

import Foundation
import SerialPorts
import TestSupport
import Testing

@testable import HapticBoards
@testable import HapticBridge

/// A virtual board, and the programs of a user that share it.
final class SharedBoard {
    let board: LiveBoard
    let folder = Folder()
    private var held: (engine: HapticEngine, player: any HapticAdvancedPatternPlayer)?

    init() throws { board = try LiveBoard() }

    func bridge(_ arguments: String...) throws -> Outcome {
        try RunningTool(
            Tool.executable("bridge"), arguments + ["--port", board.port],
            environment: ["XDG_CONFIG_HOME": folder.url.path]
        ).outcome()
    }

    /// Starts a program that serves the board, also to engines in this process.
    func server(_ options: [String] = []) throws -> RunningTool {
        let server = try RunningTool(
            Tool.executable("bridge"), ["serve", "--port", board.port] + options,
            environment: ["XDG_CONFIG_HOME": folder.url.path])
        #expect(wait { server.output.contains("served") || !server.isRunning })
        return server
    }

    /// Starts an engine in this process that plays level 128. The board keeps a reference to the
    /// engine.
    @discardableResult
    func holding() throws -> (engine: HapticEngine, player: any HapticAdvancedPatternPlayer) {
        let engine = HapticEngine(device: .port(board.port))
        try engine.start()
        let file = try folder.write("held.ahap", BoardSamples.held)
        let player = try engine.makeAdvancedPlayer(
            with: CHHapticPattern(contentsOf: URL(fileURLWithPath: file)))
        try player.start(atTime: CHHapticTimeImmediate)
        #expect(wait { self.board.level == 128 })
        held = (engine, player)
        return (engine, player)
    }

    /// The path of the socket on which the board is served.
    var socket: String { get throws { try RuntimeFolder().socket(ofPort: board.port) } }
}
