// Tests of `bridge serve --osc`: messages from other programs, and the resulting writes to the
// board's chip.

import BridgeLink
import Foundation
import TestSupport
import Testing

/// A board that is served to programs that send OSC messages.
private final class OSCBoard {
    let board: LiveBoard
    let sender: MessageSender
    let tool: RunningTool
    private let folder = Folder()
    private let configuration = Folder()

    init(_ arguments: String..., settings: String? = nil) throws {
        board = try LiveBoard()
        if let settings {
            let path = configuration.url.appendingPathComponent("haptic-bridge")
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
            try Data(settings.utf8).write(to: path.appendingPathComponent("settings.json"))
        }
        let tool = try RunningTool(
            Tool.executable("bridge"),
            ["serve", "--osc", "0", "--json", "--port", board.port] + arguments,
            environment: [
                "XDG_RUNTIME_DIR": folder.url.path, "XDG_CONFIG_HOME": configuration.url.path,
            ])
        self.tool = tool
        guard wait(until: { tool.output.contains("\n") || !tool.isRunning }) else {
            throw Failure()
        }
        let address = tool.output.components(separatedBy: "127.0.0.1:").last ?? ""
        sender = MessageSender(port: Int(address.prefix { $0.isNumber }) ?? 0)
    }

    struct Failure: Error {}

    /// The environment variables that allow the user's other programs to find the server.
    var environment: [String: String] { ["XDG_RUNTIME_DIR": folder.url.path] }

    deinit { _ = end() }

    /// Ends the tool, and returns the last line of its output.
    func end() -> String {
        tool.signal(SIGTERM)
        return String(tool.outcome().output.split(separator: "\n").last ?? "")
    }

    var level: Int { board.level }
}

@Suite(.virtualTool) struct ServeOSCTests {
    /// Checks that a user can try messages with only the tool, without a board.
    @Test func aVirtualBoardPlaysWhatIsSent() throws {
        let folder = Folder()
        let tool = try RunningTool(
            Tool.executable("bridge"),
            ["serve", "--virtual", "--trace", folder.path("trace"), "--osc", "0", "--json"],
            environment: ["XDG_RUNTIME_DIR": folder.url.path])
        #expect(wait { tool.output.contains("\n") || !tool.isRunning }, "\(tool.errors)")
        let line = try #require(tool.output.components(separatedBy: "127.0.0.1:").last)
        let sender = MessageSender(port: Int(line.prefix { $0.isNumber }) ?? 0)
        sender.send("/haptic/level", 1)
        // The level is written to the register of the chip.
        func levels() -> [Substring] {
            // A transaction that writes the level has three bytes; a transaction that reads the
            // level has more.
            folder.text("trace").split(separator: "\n").compactMap { $0.split(separator: " ").last }
                .filter { $0.count == 6 && $0.hasPrefix("b402") }
        }
        #expect(wait { levels().last == "b402ff" }, "\(tool.output)")
        tool.signal(SIGTERM)
        let outcome = tool.outcome()
        #expect(outcome.output.contains("\"messages\":1"), "\(outcome)")
        #expect(levels().last == "b40200", "\(levels().suffix(5))")
    }

    @Test func aLevelPlaysAgainAfterAStopAndAfterAReset() throws {
        let board = try OSCBoard()
        board.sender.send("/haptic/level", 0.8)
        #expect(wait { board.level > 0 })
        let stop = try Tool.bridge(
            "stop", "--port", board.board.port, environment: board.environment)
        #expect(stop.status == 0 && board.board.isAtRest, "\(stop)")
        board.sender.send("/haptic/level", 0.6)
        #expect(wait { board.level > 0 })
        board.board.reset()
        #expect(wait { board.tool.errors.contains("the board was reset") })
        pause(1_000_000)
        board.sender.send("/haptic/level", 0.7)
        #expect(wait { board.level > 0 })
    }

    @Test func aVirtualBoardThatNobodyCanReachIsRefused() throws {
        let outcome = try Tool.bridge("serve", "--virtual")
        #expect(
            outcome.status == 64
                && outcome.errors.contains(
                    "needs --osc, --buttplug, --websocket, --rumble or --tcp"),
            "\(outcome)")
    }

    @Test func aLevelIsHeldAndFollowsItsSender() throws {
        let rig = try OSCBoard()
        rig.sender.send("/haptic/level", 0.5)
        #expect(wait { rig.level == 128 }, "\(rig.tool.output) \(rig.tool.errors)")
        rig.sender.send("/haptic/level", 1)
        #expect(wait { rig.level == 255 })
        rig.sender.send("/haptic/gain", 0.5)
        #expect(wait { rig.level == 128 })
        rig.sender.send("/haptic/level", 0)
        #expect(wait { rig.level == 0 })
    }

    @Test func aStopAndTheEndOfTheToolAreRest() throws {
        let rig = try OSCBoard()
        rig.sender.send("/haptic/level", 1)
        #expect(wait { rig.level == 255 })
        rig.sender.send("/haptic/stop")
        #expect(wait { rig.level == 0 })
        rig.sender.send("/haptic/level", 1)
        #expect(wait { rig.level == 255 })
        let report = rig.end()
        #expect(report.contains(#""messages":3"#), "\(report)")
        #expect(rig.level == 0)
    }

    @Test func aLevelThatIsNotRenewedFallsToRest() throws {
        let rig = try OSCBoard("--osc-hold", "0.4")
        rig.sender.send("/haptic/level", 1)
        #expect(wait { rig.level == 255 })
        #expect(wait { rig.level == 0 })
        #expect(rig.end().contains(#""expired":1"#))
    }

    @Test func theMapOfVRChatComesToRestWithAnotherAvatar() throws {
        let rig = try OSCBoard("--osc-rules", "vrchat")
        rig.sender.send("/avatar/parameters/proximity_01", 1)
        #expect(wait { rig.level == 255 })
        rig.sender.send("/avatar/change", "avtr_00000000")
        #expect(wait { rig.level == 0 })
    }

    @Test func aClipOfReaHapticIsPlayed() throws {
        let rig = try OSCBoard("--osc-rules", "reahaptic")
        let clip =
            #"{"amplitude":[{"time":0,"amplitude":1},{"time":5,"amplitude":1}],"frequency":[]}"#
        rig.sender.send("/InstantHapticJson", "name: hit\n" + clip)
        #expect(wait { rig.level == 255 })
        rig.sender.send("/StartStop", "stopped")
        #expect(wait { rig.level == 0 })
    }

    @Test func aClipOfReaHapticWaitsForTheCursorOfREAPER() throws {
        let rig = try OSCBoard("--osc-rules", "reahaptic")
        let clip = #"{"amplitude":[{"time":0,"amplitude":1},{"time":5,"amplitude":1}],}"#
        rig.sender.send("/StartStop", "started")
        rig.sender.send("/CursorPos", 2)
        rig.sender.send("/HapticJson", "SendTime: 3.0\n" + clip)
        pause(300_000)
        #expect(!rig.board.hasDriven)
        #expect(wait { rig.level == 255 })
        rig.sender.send("/StartStop", "moved")
        #expect(wait { rig.level == 0 })
        #expect(rig.end().contains(#""unknown":0"#))
    }

    @Test func bundlesWaitForTheirTimeAndLateOrTooEarlyOnesAreReported() throws {
        let rig = try OSCBoard()
        rig.sender.send("/haptic/level", 1, in: 1)
        pause(300_000)
        #expect(rig.level == 0)
        #expect(wait { rig.level == 255 })
        rig.sender.send("/haptic/level", 0.5, in: -2)
        #expect(wait { rig.level == 128 })
        rig.sender.send("/haptic/level", 0, in: 60)
        let report = rig.end()
        #expect(report.contains(#""late":1"#) && report.contains(#""refused":1"#), "\(report)")
    }

    @Test func whatTheUserHasOffStaysOff() throws {
        let rig = try OSCBoard(settings: #"{"haptics": false}"#)
        for _ in 0..<20 {
            rig.sender.send("/haptic/level", 1)
            rig.sender.send("/haptic/gain", 1)
            rig.sender.send("/haptic/tap", 1)
            pause(10_000)
        }
        #expect(rig.end().contains(#""messages":60"#))
        #expect(!rig.board.hasDriven)
    }

    @Test func aFloodIsSurvivedAndItsLastLevelIsFelt() throws {
        let rig = try OSCBoard()
        var generator = SeededGenerator(seed: 27)
        for _ in 0..<20_000 {
            rig.sender.send("/haptic/level", Float.random(in: 0...1, using: &generator))
            rig.sender.send("/haptic/tap", 1)
            rig.sender.send((0..<40).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
        // Sends the message again if the system has dropped it, like the next message from a real
        // sender.
        #expect(
            wait {
                rig.sender.send("/haptic/level", 1)
                return rig.level == 255
            })
        rig.sender.send("/haptic/stop")
        #expect(wait { rig.level == 0 })
        #expect(rig.tool.isRunning)
    }

    @Test(arguments: [
        (["--osc", "70000"], 64, "a port from 0 to 65535"),
        (["--osc", "localhost:1:2"], 64, "a port from 0 to 65535"),
        (["--osc", "0", "--osc-hold", "0"], 64, "--osc-hold"),
        (["--osc-rules", "vrchat"], 64, "--osc-rules needs --osc"),
        (["--osc", "0", "--until-idle"], 64, "cannot be combined"),
        (["--osc", "0", "--osc-rules", "no-such-file"], 66, "no such file"),
    ])
    func optionsThatAreWrongAreRefused(arguments: [String], status: Int32, expected: String) throws
    {
        let outcome = try RunningTool(
            Tool.executable("bridge"), ["serve", "--port", "/dev/null"] + arguments
        ).outcome()
        #expect(outcome.status == status, "\(outcome)")
        #expect(outcome.errors.contains(expected), "\(outcome)")
    }

    @Test func rulesThatAreWrongAreRefusedWithTheirPlace() throws {
        let folder = Folder()
        let rules = try folder.write(
            "rules.json",
            #"{"rules": [{"address": "/a", "mode": "pattern", "pattern": "sucess"}]}"#)
        let outcome = try Tool.bridge("serve", "--osc", "0", "--osc-rules", rules)
        #expect(outcome.status == 65 && outcome.errors.contains("there is no pattern sucess"))
        let broken = try folder.write(
            "broken.json", #"{"rules": [{"address": 1, "mode": "stop"}]}"#)
        let other = try Tool.bridge("serve", "--osc", "0", "--osc-rules", broken)
        #expect(
            other.status == 65 && other.errors.contains("broken.json:1:24: a string is expected"))
    }
}
