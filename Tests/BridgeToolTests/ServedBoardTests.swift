// Tests in which several programs use one board that a separate program serves.

import BridgeLink
import Foundation
import SerialPorts
import TestSupport
import Testing

@testable import BoardEngine
@testable import BoardSharing
@testable import HapticBoards
@testable import HapticBridge

@Suite(.virtualTool) struct ServedBoardTests {
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

    @Test func stopInfoAndMonitorWorkWhoeverPlays() throws {
        let shared = try SharedBoard()
        let server = try shared.server()
        let isOver = LockedValue(false)
        try shared.holding().player.completionHandler = { _ in isOver.withLock { $0 = true } }
        let info = try shared.bridge("info", "--json")
        #expect(info.status == 0 && info.output.contains("\"driving\""), "\(info)")
        #expect(info.output.contains("\"accelerometer\":\"none\""), "\(info)")
        let monitor = try shared.bridge("monitor", "--count", "2")
        #expect(monitor.status == 0 && monitor.output.contains("stream playing"), "\(monitor)")
        let set = try shared.bridge("actuator", "set", "VG1040003D")
        let holder = "\(ProcessInfo.processInfo.processName) (process"
        #expect(set.status == 75 && set.errors.contains(holder), "\(set)")
        let beside = try shared.bridge("play", "success", "--json")
        #expect(beside.status == 0 && beside.output.contains("\"played\""), "\(beside)")
        #expect(wait { shared.board.level == 128 }, "the other program continues to play")
        let stop = try shared.bridge("stop")
        #expect(stop.status == 0 && stop.output.contains("1 actuator at rest"), "\(stop)")
        #expect(shared.board.isAtRest)
        #expect(wait { isOver.withLock { $0 } }, "the player of the other program has ended")
        server.signal(SIGTERM)
        #expect(server.outcome().status == SIGTERM)
    }

    @Test func monitorEndsLikeOnADirectlyConnectedBoardWhenTheBoardIsReset() throws {
        let shared = try SharedBoard()
        func monitorOfAReset() throws -> Outcome {
            let monitor = try RunningTool(
                Tool.executable("bridge"), ["monitor", "--port", shared.board.port],
                environment: ["XDG_CONFIG_HOME": shared.folder.url.path])
            #expect(wait { monitor.output.contains("no faults") })
            shared.board.reset()
            return monitor.outcome()
        }
        let direct = try monitorOfAReset()
        let server = try shared.server()
        for outcome in [direct, try monitorOfAReset()] {
            #expect(outcome.status == 74, "\(outcome)")
            #expect(outcome.errors.contains("the board was reset ("), "\(outcome)")
            #expect(outcome.errors.contains("and is at rest"), "\(outcome)")
            #expect(outcome.errors.contains("check its supply"), "\(outcome)")
        }
        server.signal(SIGTERM)
        #expect(server.outcome().wasKilled)
    }

    @Test(arguments: [true, false])
    func monitorReportsThatTheBoardIsLost(isServed: Bool) throws {
        let shared = try SharedBoard()
        let server = isServed ? try shared.server() : nil
        let monitor = try RunningTool(
            Tool.executable("bridge"), ["monitor", "--port", shared.board.port],
            environment: ["XDG_CONFIG_HOME": shared.folder.url.path])
        #expect(wait { monitor.output.contains("no faults") })
        shared.board.end()
        let outcome = monitor.outcome()
        #expect(outcome.status == 74, "\(outcome)")
        #expect(outcome.errors.contains("\(shared.board.port): unplugged"), "\(outcome)")
        #expect(outcome.errors.contains("plug the board in again"), "\(outcome)")
        _ = server?.outcome()
    }

    /// Checks that a board that is released and served again has the same addresses as before.
    @Test(arguments: [[], ["--tcp", "0"], ["--osc", "0"]])
    func aReleasedBoardIsServedAgain(options: [String]) throws {
        let shared = try SharedBoard()
        let server = try shared.server(options)
        let set = try shared.bridge("actuator", "set", "VG1040003D")
        #expect(set.status == 0, "\(set)")
        #expect(server.isRunning)
        let lines = { server.output.split(separator: "\n").filter { $0.contains("served") } }
        #expect(wait(seconds: 20) { lines().count == 2 }, "\(server.output) \(server.errors)")
        #expect(Set(lines()).count == 1, "\(server.output)")
        #expect(server.errors.contains("was released"))
        try shared.holding()
        server.signal(SIGTERM)
        #expect(server.outcome().wasKilled)
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
        #expect(server.outcome().status == SIGTERM, "the signal ends the server")
        #expect(wait { shared.board.isAtRest })
    }

    // MARK: Large patterns

    /// Plays taps while another program plays on the board. In the complete proof, the number of
    /// taps is the maximum that the reader accepts; in other runs, the number is smaller.
    @Test func tapsByTheHundredThousandArePlayedWithAnotherProgram() throws {
        let count = Proof.isComplete ? 100_000 : 12_000
        let shared = try SharedBoard()
        let server = try shared.server()
        try shared.holding()
        let file = try shared.folder.write("taps.ahap", Samples.taps(count, every: 5_000))
        let play = try RunningTool(
            Tool.executable("bridge"), ["play", "--json", "--port", shared.board.port, file],
            environment: ["XDG_CONFIG_HOME": shared.folder.url.path])
        let outcome = play.outcome(within: 600)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(shared.board.onsets(above: 128) == count)
        #expect(wait { shared.board.level == 128 }, "the other program continues to play")
        server.signal(SIGTERM)
        #expect(server.outcome().wasKilled)
    }

    // MARK: Several simultaneous programs

    @Test func playFailsIfTheDeadManTripsWhileItPlays() throws {
        let shared = try SharedBoard()
        let (meddling, hasEnded) = shared.meddling()
        let pattern = try shared.folder.write(
            "long.ahap",
            #"{"Pattern":[{"Event":{"EventType":"HapticContinuous","EventDuration":3}}]}"#)
        let play = try RunningTool(
            Tool.executable("bridge"), ["play", "--port", shared.board.port, pattern],
            environment: ["XDG_CONFIG_HOME": shared.folder.url.path])
        #expect(wait { shared.board.level > 0 })
        meddling.isDeaf.withLock { $0 = true }
        #expect(wait { shared.board.level == 0 })
        meddling.isDeaf.withLock { $0 = false }
        let outcome = play.outcome()
        #expect(outcome.status == 74, "\(outcome)")
        #expect(outcome.output.contains("long.ahap: "), "\(outcome)")
        #expect(outcome.errors.contains("dead-man"), "\(outcome)")
        #expect(outcome.errors.contains("sent nothing for 250 ms"), "\(outcome)")
        try BoardServerClient.release(port: shared.board.port)
        #expect(wait { hasEnded.withLock { $0 } })
    }

    @Test func aStopEndsTheStartAtAComputerThatDoesNotAnswer() throws {
        let (listener, path) = try NetworkAddress.listen(at: "0")
        defer { close(listener) }
        let folder = Folder()
        _ = try RemoteKey(madeAt: folder.path("key"))
        HostProgram.current.setVariable(RemoteKey.variable, to: folder.path("key"))
        defer { HostProgram.current.setVariable(RemoteKey.variable, to: "") }
        let engine = HapticEngine(device: .port(path))
        let answers = LockedValue(0)
        engine.start { _ in answers.withLock { $0 += 1 } }
        pause(300_000)
        let begun = Link.now()
        engine.stop { _ in answers.withLock { $0 += 1 } }
        #expect(wait { answers.withLock { $0 } == 2 })
        #expect(Link.now() - begun < 250_000)
    }

    /// Checks a command that needs exclusive use of the board. The last program has ended, but the
    /// server has not: the command must wait for the end of the server.
    @Test func aServerThatServesNobodyIsWaitedFor() throws {
        let shared = try SharedBoard()
        let lingering = try RunningTool(
            Tool.executable("bridge"), ["serve", "--until-idle", "--port", shared.board.port],
            environment: ["XDG_CONFIG_HOME": shared.folder.url.path])
        #expect(wait { lingering.output.contains("served") })
        let alone = try shared.bridge("play", "success", "--actuator", "0")
        #expect(alone.status == 0, "\(alone)")
        #expect(lingering.outcome().status == 0)
    }

    /// Checks that a program that starts no server process shares a board with the process that
    /// already serves the board.
    @Test func aProgramLearnsWhoServesItsBoard() throws {
        let shared = try SharedBoard()
        func check(_ server: HapticDevice.Server, isElsewhere: Bool) throws {
            let device = HapticDevice.port(shared.board.port).served(by: server)
            let engine = HapticEngine(device: device)
            #expect(engine.isServedByAnotherProgram == nil)
            try engine.start()
            #expect(engine.isServedByAnotherProgram == isElsewhere, "\(server)")
            let hasStopped = LockedValue(false)
            engine.stop { _ in hasStopped.withLock { $0 = true } }
            #expect(wait { hasStopped.withLock { $0 } })
        }
        try check(.ownProgram, isElsewhere: false)
        try check(.tool(URL(fileURLWithPath: "/nothing")), isElsewhere: false)
        let server = try shared.server()
        try check(.ownProgram, isElsewhere: true)
        server.signal(SIGTERM)
        #expect(server.outcome().wasKilled)
    }

    @Test func playNamesTheProgramThatUsesThePort() throws {
        let port = FakePort.silent()
        let (holder, pipe) = (Process(), Pipe())
        holder.executableURL = URL(fileURLWithPath: "/bin/sh")
        holder.arguments = [
            "-c", #"exec flock --no-fork "$0" sh -c 'echo locked && exec sleep 100000'"#, port.path,
        ]
        holder.standardOutput = pipe
        try holder.run()
        // The process that holds the lock may have inherited a signal mask that blocks SIGTERM.
        defer { kill(holder.processIdentifier, SIGKILL) }
        #expect(pipe.fileHandleForReading.availableData == Data("locked\n".utf8))
        let play = try RunningTool(
            Tool.executable("bridge"), ["play", "--port", port.path, "success"],
            environment: PortOwner.server.environment
        ).outcome()
        #expect(play.status == 75, "\(play)")
        let lines = play.errors.split(separator: "\n").filter {
            $0.contains("in use by sleep (process \(holder.processIdentifier))")
        }
        #expect(lines.count == 2, "\(play)")
        #expect(lines.first?.contains("; waiting until that program") == true, "\(play)")
    }

    /// Checks a server process that never starts an engine. The process sends keep-alive messages,
    /// or sends nothing, like a suspended process.
    @Test(arguments: [true, false]) func aServerThatStartsNoEngineIsGivenUp(isAlive: Bool) throws {
        let port = try SharedBoard().board.port
        let listener = try UnixListener(port: port)
        defer { listener.close() }
        let (isOver, answer) = (LockedValue(false), LockedValue<HapticError?>(nil))
        Thread.start("server", qualityOfService: .default) {
            var connections: [MessageConnection] = []
            while !isOver.withLock({ $0 }) {
                connections += listener.acceptedConnections().map(\.connection)
                for connection in connections where isAlive {
                    try? connection.send(ServerMessage(.alive))
                }
                pause(50_000)
            }
        }
        defer { isOver.withLock { $0 = true } }
        let begun = Link.now()
        let engine = HapticEngine(device: .port(port))
        engine.start { error in
            answer.withLock { $0 = error as? HapticError }
        }
        #expect(wait(seconds: 20) { answer.withLock { $0 } != nil })
        let error = try #require(answer.withLock { $0 })
        let elapsed = Link.now() - begun
        guard !isAlive else {
            #expect(error.code == .engineStartTimeout, "\(error.message)")
            #expect((8_000_000...8_200_000).contains(elapsed))
            return
        }
        #expect(error.code == .serverInitFailed && error.message.contains("it may be suspended"))
        #expect((4_000_000...4_300_000).contains(elapsed), "\(elapsed)")
    }

    @Test func aServerToWhichNobodyCouldConnectDoesNotSayThatItServes() throws {
        let shared = try SharedBoard()
        let folder = try RuntimeFolder(["XDG_RUNTIME_DIR": shared.folder.url.path]).path
        #expect(chmod(folder, 0o755) == 0)
        let server = try RunningTool(
            Tool.executable("bridge"), ["serve", "--port", shared.board.port],
            environment: ["XDG_RUNTIME_DIR": shared.folder.url.path]
        ).outcome()
        #expect(server.status == 75 && server.errors.contains("chmod 700"), "\(server)")
        #expect(!server.output.contains("served"))
    }

    @Test func anEventWithoutAnEndLastsForHalfAMinuteOnAServedBoardToo() throws {
        let shared = try SharedBoard()
        let server = try shared.server()
        let endless = try shared.folder.write(
            "endless.ahap",
            #"{"Pattern":[{"Event":{"EventType":"HapticContinuous","Time":0}}]}"#)
        let begun = Link.now()
        let play = try RunningTool(
            Tool.executable("bridge"), ["play", "--port", shared.board.port, endless]
        ).outcome(within: 120)
        #expect(play.status == 0 && shared.board.isAtRest, "\(play)")
        #expect((29_000_000...33_000_000).contains(Link.now() - begun))
        server.signal(SIGTERM)
        #expect(server.outcome().wasKilled)
    }

    @Test func aStopEndsAllFilesOfAPlay() throws {
        let shared = try SharedBoard()
        let server = try shared.server()
        let file = try shared.folder.write("long.ahap", Samples.buzz(seconds: 600))
        let play = try RunningTool(
            Tool.executable("bridge"), ["play", "--port", shared.board.port, file, file])
        #expect(wait { shared.board.level > 0 })
        let stop = try shared.bridge("stop")
        #expect(stop.status == 0, "\(stop)")
        #expect(play.outcome().status == 0)
        pause(1_000_000)
        #expect(shared.board.isAtRest)
        server.signal(SIGTERM)
        #expect(server.outcome().wasKilled)
    }

    @Test func aRuntimeFolderWithALongNameIsNoObstacle() throws {
        let shared = try SharedBoard()
        let long = shared.folder.path(String(repeating: "r", count: 90))
        try FileManager.default.createDirectory(atPath: long, withIntermediateDirectories: true)
        for path in [long, shared.folder.path("nothing")] {
            let environment = ["XDG_RUNTIME_DIR": path]
            let server = try RunningTool(
                Tool.executable("bridge"), ["serve", "--port", shared.board.port],
                environment: environment)
            #expect(wait { server.output.contains("served") || !server.isRunning })
            let info = try Tool.bridge(
                "info", "--port", shared.board.port, environment: environment)
            #expect(info.status == 0, "\(info)")
            server.signal(SIGTERM)
            #expect(server.outcome().wasKilled)
        }
    }

    /// Checks that the tool reports an invalid message from a server.
    @Test(arguments: ["play", "info"])
    func whatAServerSaysAndIsNotUnderstoodIsNamed(verb: String) throws {
        let shared = try SharedBoard()
        let listener = try UnixListener(port: shared.board.port)
        defer { listener.close() }
        let isOver = LockedValue(false)
        Thread.start("server", qualityOfService: .default) {
            var connections: [MessageConnection] = []
            while !isOver.withLock({ $0 }) {
                connections += listener.acceptedConnections().map(\.connection)
                for connection in connections {
                    _ = connection.socket.write([0, 0, 0, 2] + Array("[]".utf8))
                }
                pause(50_000)
            }
        }
        defer { isOver.withLock { $0 = true } }
        let file = try shared.folder.write("tap.ahap", Samples.tap)
        let outcome = try verb == "play" ? shared.bridge(verb, file) : shared.bridge(verb)
        #expect(outcome.status == 75, "\(outcome)")
        #expect(outcome.errors.contains("invalid message"), "\(outcome)")
    }
}
