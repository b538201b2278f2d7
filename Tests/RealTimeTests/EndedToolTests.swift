// Tests that the actuator comes to rest when the tool ends or is suspended during a pattern, for
// any reason.

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .witnessed(tolerance: .milliseconds(80))) struct EndedToolTests {
    let folder = Folder()

    /// Starts a pattern of ten minutes over a port. Returns as soon as the actuator is driven.
    private func playing(
        on board: LiveBoard, by owner: PortOwner = .player
    ) throws -> RunningTool {
        let path = try folder.write("long.ahap", BoardSamples.buzz)
        let tool = try RunningTool(
            Tool.executable("bridge"), ["play", "--json", "--port", board.port, path],
            environment: owner.environment)
        #expect(wait { board.level > 0 })
        return tool
    }

    /// Checks that the signal itself terminates the tool, because a shell continues its loop if a
    /// program handles the signal and exits normally.
    @Test func ctrlCEndsAShellsLoopToo() throws {
        let board = try LiveBoard()
        let path = try folder.write("long.ahap", BoardSamples.buzz)
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

    /// Runs `body` with SIGINT neither ignored nor blocked. A shell inherits the signals that are
    /// ignored or blocked in the thread that starts the shell, and a thread pool may block signals.
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
    func aKilledHostLeavesTheMotorAtRest(owner: PortOwner) throws {
        let board = try LiveBoard()
        let tool = try playing(on: board, by: owner)
        tool.signal(SIGKILL)
        #expect(tool.outcome().wasKilled)
        #expect(wait { board.isAtRest })
        // KilledHostTests measures the time until the actuator is at rest, on the board's own
        // clock.
        let info = try Tool.bridge("info", "--json", "--port", board.port)
        let status = info.objects.first?["status"] as? [String: Any]
        // A process that serves the board detects the end of a program before the dead-man timer
        // trips.
        #expect(status?["dead_man_trips"] as? Int == (owner == .player ? 1 : 0), "\(info)")
    }

    @Test(arguments: PortOwner.allCases)
    func aHostThatIsSuspendedFindsTheMotorAtRestAndSaysWhy(owner: PortOwner) throws {
        let board = try LiveBoard()
        let tool = try playing(on: board, by: owner)
        tool.signal(SIGSTOP)
        #expect(wait { board.isAtRest })
        pause(2_000_000)
        #expect(board.isAtRest)
        tool.signal(SIGCONT)
        let outcome = tool.outcome()
        let reason = owner == .player ? "dead-man" : "suspended"
        #expect(outcome.status == 74 && outcome.errors.contains(reason), "\(outcome)")
        #expect(board.isAtRest)
    }

    /// Returns the process that serves a board, or nil if no process serves it.
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

    @Test func aPipeThatIsClosedStopsTheMotor() throws {
        let board = try LiveBoard()
        let path = try folder.write("pattern.ahap", BoardSamples.tap)
        let play = "\(Tool.executable("bridge").path) play --port \(board.port) \(path)"
        let shell = try RunningTool(URL(fileURLWithPath: "/bin/sh"), ["-c", "\(play) | true"])
        #expect(wait { !shell.isRunning })
        #expect(wait { board.hasDriven && board.isAtRest })
    }

    @Test func avrdudeIsKilledIfItIgnoresThatItIsToEnd() throws {
        let uno = try SimulatedUno()
        let script = "#!/bin/sh\ntrap '' TERM; echo $$ >$0.id; while :; do sleep 0.1; done"
        try folder.writeProgram("avrdude", script)
        let tool = try uno.run(
            Tool.executable("bridge"), ["flash", "--board", "uno", "--port", uno.port],
            environment: ["PATH": "\(folder.url.path):/usr/bin:/bin"])
        #expect(wait { folder.text("avrdude.id").hasSuffix("\n") })
        tool.signal(SIGTERM)
        let outcome = tool.outcome()
        #expect(outcome.wasEnded(by: SIGTERM), "\(outcome)")
        #expect(outcome.errors.contains("nothing was written"), "\(outcome)")
        let id = pid_t(folder.text("avrdude.id").dropLast()) ?? 0
        #expect(id > 0 && kill(id, 0) == -1 && errno == ESRCH)
    }
}
