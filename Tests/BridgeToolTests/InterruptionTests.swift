// The motor comes to rest whatever ends the tool in the middle of a pattern.

import Foundation
import TestSupport
import Testing

@Suite struct InterruptionTests {
    let folder = Folder()

    /// Starts a pattern of ten minutes over a port and returns as soon as the actuator is driven.
    private func playing(on board: LiveBoard) throws -> RunningTool {
        let path = try folder.write("long.ahap", Samples.buzz(seconds: 600))
        let tool = try RunningTool(
            Tool.executable("bridge"), ["play", "--json", "--port", board.port, path])
        #expect(wait { board.level > 0 })
        return tool
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func aSignalStopsTheMotorFirstAndThenEndsTheTool(signal: Int32) throws {
        let board = try LiveBoard()
        let tool = try playing(on: board)
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

    @Test func aSecondHostIsRefusedWhileTheFirstPlays() throws {
        let board = try LiveBoard()
        let tool = try playing(on: board)
        let second = try Tool.bridge("calibrate", "--port", board.port)
        #expect(second.status == 75 && second.errors.contains("plays on it"), "\(second)")
        #expect(board.level > 0)
        tool.signal(SIGINT)
        #expect(tool.outcome().wasEnded(by: SIGINT))
    }

    @Test func aSecondHostAsksAndStopsWhatTheFirstPlays() throws {
        let board = try LiveBoard()
        let tool = try playing(on: board)
        let info = try Tool.bridge("info", "--port", board.port)
        #expect(info.status == 0 && info.output.contains("state         driving"), "\(info)")
        #expect(board.level > 0)
        let stop = try Tool.bridge("stop", "--port", board.port)
        #expect(stop.status == 0 && stop.output.contains("1 actuator at rest"), "\(stop)")
        #expect(board.isAtRest)
        let outcome = tool.outcome()
        #expect(outcome.status == 0 && outcome.output.contains("stopped"), "\(outcome)")
    }

    @Test func aKilledHostLeavesTheMotorToTheDeadMan() throws {
        let board = try LiveBoard()
        let tool = try playing(on: board)
        tool.signal(SIGKILL)
        #expect(tool.outcome().wasKilled)
        #expect(wait { board.isAtRest })
        // KilledHostTests measures on the board's own clock how soon the actuator is at rest.
        let info = try Tool.bridge("info", "--json", "--port", board.port)
        let status = info.objects.first?["status"] as? [String: Any]
        #expect(status?["dead_man_trips"] as? Int == 1, "\(info)")
    }

    @Test func aHostThatIsSuspendedFindsTheMotorAtRestAndSaysWhy() throws {
        let board = try LiveBoard()
        let tool = try playing(on: board)
        tool.signal(SIGSTOP)
        #expect(wait { board.isAtRest })
        sleep(5)
        #expect(board.isAtRest)
        tool.signal(SIGCONT)
        let outcome = tool.outcome()
        #expect(outcome.status == 74 && outcome.errors.contains("dead-man"))
        #expect(board.isAtRest)
    }

    @Test func aBoardThatGoesAwayIsAnError() throws {
        let board = try LiveBoard()
        let tool = try playing(on: board)
        #expect(board.end() == 0)
        let outcome = tool.outcome()
        #expect(outcome.status == 74 && outcome.errors.contains("unplugged"))
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
