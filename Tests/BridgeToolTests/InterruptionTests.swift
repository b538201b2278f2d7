// The motor comes to rest whatever ends the tool in the middle of a pattern.

import Foundation
import TestSupport
import Testing

@Suite struct InterruptionTests {
    let folder = Folder()

    /// Starts a pattern of ten minutes over a port and returns as soon as the actuator is driven.
    private func playing(
        on board: LiveBoard, by owner: PortOwner = .player
    ) throws -> RunningTool {
        let path = try folder.write("long.ahap", Samples.buzz(seconds: 600))
        let tool = try RunningTool(
            Tool.executable("bridge"), ["play", "--json", "--port", board.port, path],
            environment: owner.environment)
        #expect(wait { board.level > 0 })
        return tool
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP], PortOwner.allCases)
    func aSignalStopsTheMotorFirstAndThenEndsTheTool(signal: Int32, owner: PortOwner) throws {
        let board = try LiveBoard()
        let tool = try playing(on: board, by: owner)
        tool.signal(signal)
        let outcome = tool.outcome()
        #expect(outcome.wasEnded(by: signal), "\(outcome)")
        #expect(outcome.objects.first?["ending"] as? String == "stopped")
        // The pattern lasts ten minutes.
        #expect((outcome.objects.first?["played_us"] as? Int).map { $0 < 60_000_000 } == true)
        #expect(outcome.errors.contains("at rest"))
        #expect(wait { board.isAtRest })
    }

    /// Checks that the tool dies of the signal: a shell continues its loop if a program handles the
    /// signal and exits normally.
    @Test func ctrlCEndsAShellsLoopToo() throws {
        let board = try LiveBoard()
        let path = try folder.write("long.ahap", Samples.buzz(seconds: 600))
        let log = folder.path("log")
        let play = "\(Tool.executable("bridge").path) play --port \(board.port) \(path)"
        let loop = "for i in 1 2; do echo $i >>\(log); \(play); done"
        let shell = try heedingSIGINT {
            try RunningTool(URL(fileURLWithPath: "/bin/bash"), ["-c", loop])
        }
        #expect(wait { board.level > 0 })
        let group = shell.process.processIdentifier
        try #require(getpgid(group) == group)
        kill(-group, SIGINT)
        #expect(shell.outcome().wasEnded(by: SIGINT))
        #expect(folder.text("log") == "1\n")
        #expect(wait { board.isAtRest })
    }

    /// Runs `body` with SIGINT neither ignored nor blocked. A shell keeps the signals that were
    /// ignored or blocked when it was started, for example by a thread of a pool.
    private func heedingSIGINT<Result>(_ body: () throws -> Result) rethrows -> Result {
        signal(SIGINT, SIG_DFL)
        var mask = sigset_t()
        var before = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, SIGINT)
        pthread_sigmask(SIG_UNBLOCK, &mask, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return try body()
    }

    @Test(arguments: PortOwner.allCases)
    func aSecondHostIsRefusedWhileTheFirstPlays(owner: PortOwner) throws {
        let board = try LiveBoard()
        let tool = try playing(on: board, by: owner)
        let second = try Tool.bridge("calibrate", "--port", board.port)
        #expect(second.status == 75 && second.errors.contains("plays on it"), "\(second)")
        #expect(board.level > 0)
        tool.signal(SIGINT)
        #expect(tool.outcome().wasEnded(by: SIGINT))
    }

    @Test(arguments: PortOwner.allCases)
    func aSecondHostAsksAndStopsWhatTheFirstPlays(owner: PortOwner) throws {
        let board = try LiveBoard()
        let tool = try playing(on: board, by: owner)
        let info = try Tool.bridge("info", "--port", board.port)
        #expect(info.status == 0 && info.output.contains("state         driving"), "\(info)")
        #expect(board.level > 0)
        let stop = try Tool.bridge("stop", "--port", board.port)
        #expect(stop.status == 0 && stop.output.contains("1 actuator at rest"), "\(stop)")
        #expect(board.isAtRest)
        let outcome = tool.outcome()
        #expect(outcome.status == 0 && outcome.output.contains("stopped"), "\(outcome)")
    }

    @Test(arguments: PortOwner.allCases)
    func aKilledHostLeavesTheMotorAtRest(owner: PortOwner) throws {
        let board = try LiveBoard()
        let tool = try playing(on: board, by: owner)
        tool.signal(SIGKILL)
        #expect(tool.outcome().wasKilled)
        #expect(wait { board.isAtRest })
        // KilledHostTests measures on the board's own clock how soon the actuator is at rest.
        let info = try Tool.bridge("info", "--json", "--port", board.port)
        let status = info.objects.first?["status"] as? [String: Any]
        // A process that serves the board notices the end of a program before the dead-man does.
        #expect(status?["dead_man_trips"] as? Int == (owner == .player ? 1 : 0), "\(info)")
    }

    @Test(arguments: PortOwner.allCases)
    func aHostThatIsSuspendedFindsTheMotorAtRestAndSaysWhy(owner: PortOwner) throws {
        let board = try LiveBoard()
        let tool = try playing(on: board, by: owner)
        tool.signal(SIGSTOP)
        #expect(wait { board.isAtRest })
        sleep(5)
        #expect(board.isAtRest)
        tool.signal(SIGCONT)
        let outcome = tool.outcome()
        let reason = owner == .player ? "dead-man" : "stood still"
        #expect(outcome.status == 74 && outcome.errors.contains(reason), "\(outcome)")
        #expect(board.isAtRest)
    }

    @Test(arguments: PortOwner.allCases)
    func aBoardThatGoesAwayIsAnError(owner: PortOwner) throws {
        let board = try LiveBoard()
        let tool = try playing(on: board, by: owner)
        #expect(board.end() == 0)
        let outcome = tool.outcome()
        #expect(outcome.status == 74, "\(outcome)")
        #expect(outcome.errors.hasPrefix("bridge: \(board.port): unplugged"), "\(outcome)")
    }

    @Test func twoHostsAreMixed() throws {
        let board = try LiveBoard()
        let tool = try playing(on: board, by: .server)
        let path = try folder.write("tap.ahap", Samples.tap)
        let second = try Tool.bridge(
            "play", "--port", board.port, path, environment: PortOwner.server.environment)
        #expect(second.status == 0 && second.output.contains("played"), "\(second)")
        #expect(board.level > 0, "the first goes on")
        tool.signal(SIGINT)
        #expect(tool.outcome().wasEnded(by: SIGINT))
        #expect(wait { board.isAtRest })
    }

    /// Returns the process that serves a board; nil if there is none.
    private func server(of board: LiveBoard) throws -> pid_t? {
        let words = "serve\0--port\0\(board.port)\0--until-idle\0"
        return try FileManager.default.contentsOfDirectory(atPath: "/proc")
            .compactMap { pid_t($0) }
            .first { process in
                let line = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")
                return line.map { String(decoding: $0, as: UTF8.self).hasSuffix(words) } ?? false
            }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self"), "there is no /proc"))
    func aServerThatIsKilledIsAnErrorOfTheHost() throws {
        let board = try LiveBoard()
        let tool = try playing(on: board, by: .server)
        let server = try server(of: board)
        kill(try #require(server), SIGKILL)
        let outcome = tool.outcome()
        #expect(outcome.status == 74, "\(outcome)")
        #expect(outcome.errors.contains("the process that serves the board has ended"))
        #expect(wait { board.isAtRest })
    }

    @Test func aClosedPipeIsNoReasonToLeaveTheMotorRunning() throws {
        let board = try LiveBoard()
        let path = try folder.write("tap.ahap", Samples.tap)
        let tool = Tool.executable("bridge").path
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", "\(tool) play --port \(board.port) \(path) | true"]
        try shell.run()
        shell.waitUntilExit()
        #expect(wait { board.hasDriven && board.isAtRest })
    }

    @Test func aPipeThatIsClosedWhileItIsMonitoredStopsTheMotor() throws {
        let board = try LiveBoard()
        let path = try folder.write("long.ahap", Samples.buzz(seconds: 60))
        let tool = Tool.executable("bridge").path
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = [
            "-c", "\(tool) play --monitor --port \(board.port) \(path) | head -n 2 >/dev/null",
        ]
        try shell.run()
        #expect(wait { !shell.isRunning }, "it would play for 60 s")
        shell.terminate()
        shell.waitUntilExit()
        #expect(wait { board.hasDriven && board.isAtRest })
    }
}
