// Tests of engines whose boards are unplugged and plugged in again.

import Foundation
import HapticPatterns
import SerialPorts
import TestSupport
import Testing

@testable import HapticBoards
@testable import HapticBridge

@Suite(.virtualTime) struct EngineReturnTests {
    private let folder = Folder()
    private let calls = CallLog()
    private var path: String { folder.path("port") }

    /// Plugs in a board and creates a symbolic link to its port, as udev does. The link is needed
    /// because the next board may be assigned the same pseudo-terminal number.
    private func plugIn() throws -> LiveBoard {
        let board = try LiveBoard()
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: board.port)
        return board
    }

    private func pull(_ board: LiveBoard) throws {
        _ = board.end()
        try FileManager.default.removeItem(atPath: path)
    }

    private func engine(reconnects: Bool) -> HapticEngine {
        let engine = HapticEngine(device: .port(path))
        engine.stoppedHandler = { [calls] in calls.record("stopped \($0)") }
        engine.reconnects = reconnects
        return engine
    }

    @Test func anEngineWhoseBoardIsPluggedInAgainContinues() async throws {
        let first = try plugIn()
        let engine = engine(reconnects: true)
        var events = engine.events.makeAsyncIterator()
        try await engine.start()
        let player = try engine.makePlayer(with: .held(0.5))
        try player.start(atTime: CHHapticTimeImmediate)
        #expect(wait { first.level == 128 })
        try pull(first)
        #expect(wait { calls.all == ["stopped systemError"] && !engine.isRunning })

        let second = try plugIn()
        #expect(wait { engine.isRunning })
        try player.start(atTime: CHHapticTimeImmediate)
        #expect(
            wait { second.level == 128 },
            "a player created before the loss of the board plays again")
        try await engine.stop()
        var words: [String] = []
        while let event = await events.next() {
            words.append(String("\(event)".prefix { $0 != "(" }))
            if words.last == "stopped", words.count > 3 { break }
        }
        #expect(words == ["started", "boardLost", "stopped", "started", "stopped"])
    }

    @Test func aHandlerMayWaitForATaskThatStartsItsEngine() async throws {
        let first = try plugIn()
        let engine = HapticEngine(device: .port(path))
        let isOver = LockedValue(false)
        engine.stoppedHandler = { [weak engine, calls] _ in
            let isStarted = hostClock.makeSemaphore()
            Task(executorPreference: taskExecutor) {
                do { try await engine?.start() } catch { calls.record("failed") }
                isStarted.signal()
            }
            isStarted.wait()
            isOver.withLock { $0 = true }
        }
        try await engine.start()
        try pull(first)
        #expect(wait { isOver.withLock { $0 } })
        #expect(calls.all == ["failed"])
    }

    @Test func anEngineThatIsNotToReconnectStaysStopped() async throws {
        let first = try plugIn()
        let engine = engine(reconnects: false)
        try await engine.start()
        try pull(first)
        #expect(wait { calls.all == ["stopped systemError"] })
        let second = try plugIn()
        #expect(!wait(seconds: 1) { engine.isRunning })
        #expect(second.end() == 0)
    }

    @Test func aStopEndsTheWaitForTheBoard() async throws {
        let first = try plugIn()
        let engine = engine(reconnects: true)
        try await engine.start()
        try pull(first)
        #expect(wait { calls.all == ["stopped systemError"] })
        try await engine.stop()
        let second = try plugIn()
        #expect(!wait(seconds: 1) { engine.isRunning })
        #expect(second.end() == 0)
    }

    @Test func anEngineThatWaitsForItsBoardMayBeReleased() async throws {
        let first = try plugIn()
        var engine: HapticEngine? = engine(reconnects: true)
        weak let core = engine?.core
        try await engine?.start()
        try pull(first)
        #expect(wait { calls.all == ["stopped systemError"] })
        engine = nil
        #expect(wait { core == nil })
    }

    @Test func whatIsPluggedInInsteadIsNotTheBoard() throws {
        let tree = try PortTree()
        try tree.plugIn("ttyUSB0", .adapter, leadingTo: "/dev/null")
        let path = tree.path("ttyUSB0")
        let identity = try #require(PortList.port(at: path, in: tree.system)?.identity)
        let place = BoardEndpoint(path: path, identity: identity, system: tree.system)
        #expect(place.hasBoard(isNamed: true) && place.hasBoard(isNamed: false))
        try tree.unplug("ttyUSB0")
        #expect(!place.hasBoard(isNamed: true) && !place.hasBoard(isNamed: false))
        try tree.plugIn("ttyUSB0", .uno, socket: "1-2", leadingTo: "/dev/zero")
        #expect(!place.hasBoard(isNamed: true) && !place.hasBoard(isNamed: false))
        try tree.plugIn("ttyUSB1", .adapter, leadingTo: "/dev/null")
        #expect(
            !place.hasBoard(isNamed: true), "a board at a different path is not the specified board"
        )
        #expect(place.hasBoard(isNamed: false))
    }
}
