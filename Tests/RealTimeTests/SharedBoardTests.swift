// Tests of a user's programs that share a board: the effects on the other programs when one program
// is killed or suspended.

import BridgeLink
import Foundation
import SerialPorts
import TestSupport
import Testing

@testable import BoardSharing
@testable import HapticBoards
@testable import HapticBridge

/// A virtual board, and a user's programs that share the board.
private struct SharedBoard {
    let board: LiveBoard
    let folder = Folder()

    init() throws { board = try LiveBoard() }

    /// Starts a program that plays levels from a time that `begin` specifies later. The program
    /// holds a lock with a descriptor that its child processes might inherit.
    func client(_ name: String, _ levels: String...) throws -> RunningTool {
        let client = try RunningTool(
            URL(fileURLWithPath: "/bin/sh"),
            [
                "-c", #"exec 9>"$1"; flock 9; shift; exec "$0" "$@""#,
                Tool.executable("test-programs").path, lock(of: name), "engines", board.port,
                folder.path(name),
            ] + levels,
            environment: [
                "BRIDGE_SERVER": Tool.executable("bridge").path,
                "XDG_RUNTIME_DIR": folder.url.path, "XDG_CONFIG_HOME": folder.url.path,
            ])
        #expect(
            wait { client.output.contains("ready") || !client.isRunning },
            "\(client.output) \(client.errors)")
        return client
    }

    private func lock(of name: String) -> String { folder.path(name + ".lock") }

    /// Returns true if no process holds the lock of a program.
    func isFree(_ name: String) -> Bool {
        let descriptor = open(lock(of: name), O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        return descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }

    /// The working directory of the process that serves the board; nil if the board has no server
    /// process.
    var folderOfServer: String? {
        let files = FileManager.default
        let server = ((try? files.contentsOfDirectory(atPath: "/proc")) ?? []).first { process in
            let words = files.contents(atPath: "/proc/\(process)/cmdline")?.split(separator: 0)
                .map { String(decoding: $0, as: UTF8.self) }
            return words?.contains(board.port) == true && words?.last == "--until-idle"
        }
        return server.flatMap { try? files.destinationOfSymbolicLink(atPath: "/proc/\($0)/cwd") }
    }

    /// Makes the programs that were started with a given name begin at a time on the engine's
    /// clock.
    func begin(_ name: String, at start: HostTime) throws {
        _ = try folder.write(name, "\(Double(start.microseconds) / 1_000_000)")
    }

    /// Returns the times at which a level began, in microseconds of the trace. Ignores writes that
    /// repeat the current level because another player has changed.
    func onsets(of level: Int) -> [Int] {
        let writes = board.transactions.filter { $0.write?.register == 2 }
        return zip(writes, [nil] + writes).filter { write, before in
            write.write?.value == level && before?.write?.value != level
        }.map(\.0.start)
    }

    var lastTime: Int { board.transactions.last?.start ?? 0 }
}

@Suite(.serialized, .witnessed(tolerance: .milliseconds(80))) struct SharedBoardTests {
    /// The levels of the surviving engines on the bus. Each level has the time of the engine's
    /// first burst after the start.
    private static let others = [(level: 255, offset: 0), (204, 20_000), (153, 40_000)]

    /// Checks that bursts were played when they were due. The difference between the clock of the
    /// trace and the clock of the computer must be constant.
    private func expectUnmoved(_ shared: SharedBoard) {
        var differences: [Int] = []
        for (level, offset) in Self.others {
            let onsets = shared.onsets(of: level)
            #expect(onsets.count >= 28, "level \(level) was played only \(onsets.count) times")
            differences += onsets.map { time in
                let phase = (time - offset) % 100_000
                return phase < 0 ? phase + 100_000 : phase
            }
        }
        // The differences are calculated modulo 100 ms, the interval between bursts.
        let first = differences.first ?? 0
        let moved = differences.map { difference in
            (difference - first + 150_000) % 100_000 - 50_000
        }
        let range = (moved.max() ?? 0) - (moved.min() ?? 0)
        #expect(range <= 2_000, "onsets moved by \(range) µs")
    }

    /// The onsets of a board in real time are delayed by stalls of the computer.
    @Test(
        .witnessed(tolerance: .milliseconds(2)),
        arguments: [(SIGKILL, 300_000), (SIGSTOP, 450_000)])
    func aProgramThatDiesOrHangsTakesOnlyItsOwnPlayersWithIt(
        signal: Int32, limit: Int
    ) throws {
        let shared = try SharedBoard()
        let one = try shared.client("one", "1.0", "0.8")
        let two = try shared.client("two", "0.6")
        let victim = try shared.client("victim", "=0.1", "=0.05")
        let start = Link.now() + 1_000_000
        for name in ["one", "victim"] { try shared.begin(name, at: start) }
        // The bursts of the second program follow the bursts of the first program.
        try shared.begin("two", at: start + 40_000)
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
            }, "the board is released once no program uses it")
    }

    @Test func aSuspendedProgramIsInformedWhenItContinues() throws {
        let shared = try SharedBoard()
        let client = try shared.client("start", "=0.5")
        try shared.begin("start", at: Link.now())
        #expect(wait { shared.board.level == 128 })
        client.signal(SIGSTOP)
        #expect(wait { shared.board.level == 0 })
        client.signal(SIGCONT)
        #expect(client.outcome().status == 0)
        #expect(client.output.contains("stopped: applicationSuspended"), "\(client.output)")
        #expect(
            client.output.contains("ended: the program did not run for 0.25 s"), "\(client.output)")
        #expect(shared.isFree("start"), "the server has inherited no descriptor")
        #expect(shared.folderOfServer == "/")
    }

    /// Checks a server that has no free descriptors while many connections are pending. The server
    /// must wait without busy polling, and must then end.
    @Test func aServerThatDiesIsALostBoardAndAnotherOneTakesItsPlace() throws {
        let shared = try SharedBoard()
        let server = try RunningTool(
            URL(fileURLWithPath: "/bin/sh"),
            [
                "-c", #"ulimit -n 24; exec "$0" serve --port "$1""#,
                Tool.executable("bridge").path, shared.board.port,
            ],
            environment: ["XDG_CONFIG_HOME": shared.folder.url.path])
        #expect(wait { server.output.contains("served") || !server.isRunning })
        try expectRest(
            of: server, besideACrowdAt: RuntimeFolder().socket(ofPort: shared.board.port))
        let engine = HapticEngine(device: .port(shared.board.port))
        engine.reconnects = true
        try engine.start()
        let file = try shared.folder.write("held.ahap", BoardSamples.held)
        let player = try engine.makePlayer(
            with: CHHapticPattern(contentsOf: URL(fileURLWithPath: file)))
        try player.start(atTime: CHHapticTimeImmediate)
        #expect(wait { shared.board.level == 128 })
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

    private func expectRest(of server: RunningTool, besideACrowdAt socket: String) throws {
        let crowd = (0..<40).compactMap { _ in LocalSocket.connected(to: socket) }
        #expect(crowd.count == 40)
        let begun = server.processorTime
        pause(1_000_000)
        let taken = server.processorTime - begun
        #expect(taken < 0.4, "\(taken) s of processor time while no connection can be accepted")
        withExtendedLifetime(crowd) {}
    }
}
