// Several programs on one board, which a process of its own serves.

import BridgeLink
import Foundation
import SerialPorts
import TestSupport
import Testing

@testable import HapticBridge

/// A virtual board, and the programs of a user that share it.
private final class SharedBoard {
    let board: LiveBoard
    let folder = Folder()
    private var held: (engine: HapticEngine, player: any HapticPatternPlayer)?

    init() throws { board = try LiveBoard() }

    /// Programs find the tool that serves, and a folder for sockets that no other test uses.
    var environment: [String: String] {
        [
            "BRIDGE_SERVER": Tool.executable("bridge").path, "XDG_RUNTIME_DIR": folder.url.path,
            "XDG_CONFIG_HOME": folder.url.path,
        ]
    }

    /// Starts a program that plays levels from a time of the engine's clock on.
    func client(at start: HostTime, _ levels: String...) throws -> RunningTool {
        let client = try RunningTool(
            Tool.executable("engine-client"), [board.port, "\(start.seconds)"] + levels,
            environment: environment)
        #expect(
            wait { client.output.contains("ready") || !client.isRunning },
            "\(client.output) \(client.errors)")
        return client
    }

    func bridge(_ arguments: String...) throws -> Outcome {
        try RunningTool(
            Tool.executable("bridge"), arguments + ["--port", board.port], environment: environment
        ).outcome()
    }

    /// Serves the board by a program that is found by this process too.
    func server() throws -> RunningTool {
        let server = try RunningTool(
            Tool.executable("bridge"), ["serve", "--port", board.port],
            environment: ["XDG_CONFIG_HOME": folder.url.path])
        #expect(wait { server.output.contains("served") || !server.isRunning })
        return server
    }

    /// Starts an engine of this process, which lives as long as the board, and holds the level 128.
    @discardableResult
    func holding() throws -> (engine: HapticEngine, player: any HapticPatternPlayer) {
        let engine = HapticEngine(device: .port(board.port))
        try engine.start() as Void
        let player = try engine.makePlayer(with: .held(0.5))
        try player.start(atTime: CHHapticTimeImmediate)
        #expect(wait { self.board.level == 128 })
        held = (engine, player)
        return (engine, player)
    }

    /// Returns the times at which a level began, in microseconds of the trace. A change of another
    /// player writes the present level again.
    func onsets(of level: Int) -> [Int] {
        let writes = board.transactions.filter { $0.write?.register == 2 }
        return zip(writes, [nil] + writes).filter { write, before in
            write.write?.value == level && before?.write?.value != level
        }.map(\.0.start)
    }

    var lastTime: Int { board.transactions.last?.start ?? 0 }
}

@Suite(.serialized) struct ServedBoardTests {
    /// The levels of the engines that live on, as the chip gets them, with the time of the first
    /// burst after the start.
    private static let others = [(level: 255, offset: 0), (204, 20_000), (153, 40_000)]

    /// Checks that bursts came when they were due, all by the same difference between the clock of
    /// the trace and that of the computer.
    private func expectUnmoved(_ shared: SharedBoard) {
        var differences: [Int] = []
        for (level, offset) in Self.others {
            let onsets = shared.onsets(of: level)
            #expect(onsets.count >= 28, "\(level) was starved: \(onsets.count)")
            differences += onsets.map { time in
                let phase = (time - offset) % 100_000
                return phase < 0 ? phase + 100_000 : phase
            }
        }
        // Differences are those of a circle of 100 ms.
        let first = differences.first ?? 0
        let moved = differences.map { difference in
            (difference - first + 150_000) % 100_000 - 50_000
        }
        let range = (moved.max() ?? 0) - (moved.min() ?? 0)
        #expect(range <= 2_000, "onsets moved by \(range) µs")
    }

    @Test(arguments: [(SIGKILL, 300_000), (SIGSTOP, 450_000)])
    func aProgramThatDiesOrHangsTakesOnlyItsOwnPlayersWithIt(
        signal: Int32, limit: Int
    ) throws {
        let shared = try SharedBoard()
        let start = Link.now() + 3_000_000
        let one = try shared.client(at: start, "1.0", "0.8")
        // The bursts of another program follow those of the first.
        let two = try shared.client(at: start + 40_000, "0.6")
        let victim = try shared.client(at: start, "=0.1", "=0.05")
        #expect(wait { shared.onsets(of: 26).count > 10 })
        victim.signal(signal)
        let killedAt = shared.lastTime
        #expect(one.outcome().status == 0 && two.outcome().status == 0)
        let last = shared.onsets(of: 26).last ?? 0
        #expect(last - killedAt < limit, "its level was held for \(last - killedAt) µs more")
        #expect(!shared.onsets(of: 0).filter { $0 > last }.isEmpty)
        victim.signal(SIGKILL)
        expectUnmoved(shared)
        #expect(wait { shared.board.isAtRest })
        #expect(
            wait(seconds: 10) {
                (try? HapticBoard(openPort(shared.board.port)))?.close() != nil
            }, "the board is let go once nobody needs it")
    }

    @Test func playSaysWhatTheSettingsHaveDoneMeanwhile() throws {
        let shared = try SharedBoard()
        let server = try shared.server()
        let settings = shared.folder.url.path + "/haptic-bridge/settings.json"
        try HapticSettings.change(in: settings) { $0.isOn = false }
        let pattern = try shared.folder.write(
            "long.ahap",
            #"{"Pattern":[{"Event":{"EventType":"HapticContinuous","EventDuration":4}}]}"#)
        let play = try RunningTool(
            Tool.executable("bridge"), ["play", "--json", "--port", shared.board.port, pattern],
            environment: ["XDG_CONFIG_HOME": shared.folder.url.path])
        #expect(wait { play.errors.contains("haptics are off") })
        _ = try shared.folder.write("haptic-bridge/settings.json", "{")
        #expect(wait { play.errors.contains("settings.json:1:2: ") }, "\(play.errors)")
        _ = try shared.folder.write("haptic-bridge/settings.json", "{}")
        #expect(wait { play.errors.contains("haptics are felt again") })
        let outcome = play.outcome()
        #expect(outcome.objects.last?["unfelt"] is NSNull, "\(outcome)")
        server.signal(SIGTERM)
        #expect(server.outcome().wasKilled)
    }

    @Test func aProgramThatGoesOnAfterItWasSuspendedHearsOfIt() throws {
        let shared = try SharedBoard()
        let client = try shared.client(at: Link.now() + 100_000, "=0.5")
        #expect(wait { shared.board.level == 128 })
        client.signal(SIGSTOP)
        #expect(wait { shared.board.level == 0 })
        client.signal(SIGCONT)
        #expect(client.outcome().status == 0)
        #expect(client.output.contains("stopped: applicationSuspended"), "\(client.output)")
        #expect(client.output.contains("ended: the program stood still"), "\(client.output)")
    }

    @Test func stopInfoAndMonitorWorkWhoeverPlays() throws {
        let shared = try SharedBoard()
        let client = try shared.client(at: Link.now() + 500_000, "=0.5")
        #expect(wait { shared.board.level == 128 })
        let info = try shared.bridge("info", "--json")
        #expect(info.status == 0 && info.output.contains("\"driving\""), "\(info)")
        let monitor = try shared.bridge("monitor", "--count", "2")
        #expect(monitor.status == 0 && monitor.output.contains("stream playing"), "\(monitor)")
        let set = try shared.bridge("actuator", "set", "VG1040003D")
        #expect(set.status == 75 && set.errors.contains("engine-client (process"), "\(set)")
        let beside = try shared.bridge("play", "success", "--json")
        #expect(beside.status == 0 && beside.output.contains("\"played\""), "\(beside)")
        #expect(wait { shared.board.level == 128 }, "the other program plays on")
        let stop = try shared.bridge("stop")
        #expect(stop.status == 0 && stop.output.contains("1 actuator at rest"), "\(stop)")
        #expect(shared.board.isAtRest)
        #expect(client.outcome().status == 0, "its player is over")
    }

    @Test func settingsApplyAtOnceToWhatPlays() throws {
        let shared = try SharedBoard()
        let server = try shared.server()
        try shared.holding()
        let settings = shared.folder.url.appending(path: "haptic-bridge/settings.json")
        try FileManager.default.createDirectory(
            at: settings.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(#"{ "gain": 0.5 }"#.utf8).write(to: settings)
        #expect(wait(seconds: 3) { shared.board.level == 64 })
        try Data(#"{ "haptics": false }"#.utf8).write(to: settings)
        #expect(wait(seconds: 3) { shared.board.level == 0 })
        try FileManager.default.removeItem(at: settings)
        #expect(wait(seconds: 3) { shared.board.level == 128 })
        server.signal(SIGTERM)
        #expect(server.outcome().status == SIGTERM, "it ends by the signal")
        #expect(wait { shared.board.isAtRest })
    }

    @Test func aServerThatDiesIsALostBoardAndAnotherOneTakesItsPlace() throws {
        let shared = try SharedBoard()
        let server = try shared.server()
        let (engine, player) = try shared.holding()
        engine.reconnects = true
        let killedAt = shared.lastTime
        server.signal(SIGKILL)
        #expect(wait { shared.board.isAtRest })
        let rest = shared.onsets(of: 0).last ?? 0
        #expect(rest - killedAt < 400_000, "the dead-man stops the actuator: \(rest - killedAt)")
        #expect(wait { engine.isRunning })
        try player.start(atTime: CHHapticTimeImmediate)
        #expect(wait { shared.board.level == 128 })
        engine.stop(completionHandler: nil)
        #expect(wait { shared.board.isAtRest })
    }

    // MARK: Strangers

    @Test func nonsenseIsRefusedAndDisturbsNobody() throws {
        let shared = try SharedBoard()
        let server = try shared.server()
        let engine = try shared.holding().engine
        let path = try RuntimeFolder().socket(ofPort: shared.board.port)
        let nonsense: [[UInt8]] = [
            [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 2, 0x7B, 0x7D], [0, 0, 0, 0],
            Array(repeating: 0x55, count: 100_000), [0, 0, 0],
        ]
        for bytes in nonsense {
            let socket = try #require(LocalSocket.connected(to: path))
            _ = socket.write(bytes)
            if bytes.count > 3 { #expect(wait(seconds: 5) { isClosed(socket) }, "\(bytes.count)") }
        }
        let refused = try reply(to: #"{"version":2,"purpose":"anything"}"#, at: path)
        #expect(refused.contains("version 1, and this one version 2"), "\(refused)")
        let hello = #"{"version":1,"program":"test","purpose":{"engine":{"_0":"all"}}}"#
        let late =
            #"{"perform":{"_0":{"start":{"at":{"microseconds":9223372036854775807}}},"#
            + #""_1":{"engine":0,"number":1}}}"#
        let outOfRange = try reply(to: hello, late, at: path)
        #expect(outOfRange.contains("out of range"), "\(outOfRange)")
        #expect(shared.board.level == 128)
        engine.stop(completionHandler: nil)
        #expect(wait { shared.board.isAtRest })
        server.signal(SIGTERM)
        #expect(server.outcome().status == SIGTERM, "it ends by the signal")
    }

    private func isClosed(_ socket: LocalSocket) -> Bool {
        if case .end = socket.read() { true } else { false }
    }

    /// Returns everything that the server answers until it closes the connection.
    private func reply(to messages: String..., at path: String) throws -> String {
        let socket = try #require(LocalSocket.connected(to: path))
        for message in messages {
            let length = UInt8(message.utf8.count)
            _ = socket.write([0, 0, 0, length] + Array(message.utf8))
        }
        var answer: [UInt8] = []
        #expect(
            wait(seconds: 5) {
                switch socket.read() {
                case .bytes(let bytes): answer += bytes
                case .nothing: break
                case .end: return true
                }
                return false
            })
        return String(decoding: answer, as: UTF8.self)
    }

    @Test func onlyTheSameUserIsAccepted() {
        #expect(BoardServer.accepts(1_000, servedBy: 1_000))
        #expect(!BoardServer.accepts(1_001, servedBy: 1_000))
        #expect(!BoardServer.accepts(0, servedBy: 1_000))
        #expect(!BoardServer.accepts(nil, servedBy: 1_000))
        #expect(RuntimeFolder.isPrivate(owner: 1_000, mode: 0o700, for: 1_000))
        #expect(!RuntimeFolder.isPrivate(owner: 1_001, mode: 0o700, for: 1_000))
        #expect(!RuntimeFolder.isPrivate(owner: 1_000, mode: 0o710, for: 1_000))
    }

    @Test func theSystemTellsWhoIsAtTheOtherEnd() throws {
        let folder = Folder()
        let path = folder.url.appending(path: "socket").path
        let listener = try #require(LocalSocket.listening(at: path))
        let client = try #require(LocalSocket.connected(to: path))
        let server = try #require(listener.accepted())
        #expect(server.peer == geteuid() && client.peer == geteuid())
    }

    @Test func aFolderThatOthersMayEnterIsRefused() throws {
        let folder = Folder()
        let own = try RuntimeFolder(["XDG_RUNTIME_DIR": folder.url.path])
        #expect(own.path == folder.url.path + "/haptic-bridge")
        #expect(chmod(own.path, 0o755) == 0)
        #expect(throws: RuntimeFolder.Refusal.self) {
            try RuntimeFolder(["XDG_RUNTIME_DIR": folder.url.path])
        }
    }
}
