// Tests of `bridge serve --rumble`: the effects of games, and the levels on the board's bus.
// Tests/UsbGuest tests the service with the kernel's uinput and with SDL.

import BridgeLink
import Foundation
import HapticCompiler
import SerialPorts
import TestSupport
import Testing
import ToolSupport

@testable import bridge

/// A board that is served to a game.
private final class RumbleBoard {
    let board: LiveBoard
    let tool: RunningTool
    let gamepad: FakeGamepad
    private let configuration = Folder()

    struct Failure: Error {}

    init(_ arguments: String..., settings: String? = nil) throws {
        board = try LiveBoard()
        if let settings {
            let path = configuration.url.appendingPathComponent("haptic-bridge")
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
            try Data(settings.utf8).write(to: path.appendingPathComponent("settings.json"))
        }
        let made = LockedValue<FakeGamepad?>(nil)
        let tool = try RunningTool(
            Tool.executable("bridge"),
            ["serve", "--rumble", "--json", "--port", board.port] + arguments,
            environment: ["XDG_CONFIG_HOME": configuration.url.path],
            entry: .init(
                run: { arguments in
                    Bridge.run(arguments) { command in
                        guard let serve = command as? Serve else { return }
                        try serve.run { name in
                            let gamepad = try FakeGamepad(name: name)
                            made.withLock { $0 = gamepad }
                            return gamepad
                        }
                    }
                }, signal: { Interruption.record($0) }))
        self.tool = tool
        guard wait(until: { tool.output.contains("\n") || !tool.isRunning }),
            let gamepad = made.withLock(\.self)
        else { throw Failure() }
        self.gamepad = gamepad
    }

    deinit { end() }

    func end() {
        tool.signal(SIGTERM)
        _ = tool.outcome()
    }

    var level: Int { board.level }

    /// Waits until the board plays a level. Returns true if the board plays it within 10 ms.
    func plays(_ level: Int) -> Bool { wait(seconds: 0.01) { board.level == level } }
}

@Suite(.virtualTool) struct ServeRumbleTests {
    private static let rumble: UInt16 = 0x50
    private static let periodic: UInt16 = 0x51
    private static let constant: UInt16 = 0x52
    private static let ramp: UInt16 = 0x57

    @Test func theGamepadIsNamedAndItsPathIsPrinted() throws {
        let rig = try RumbleBoard()
        #expect(rig.gamepad.name == "Haptic Bridge")
        #expect(rig.tool.output.contains(#""rumble":"/dev/input/event9""#), "\(rig.tool.output)")
    }

    @Test func levelsAreOnTheBusWithin10Milliseconds() throws {
        let rig = try RumbleBoard()
        #expect(rig.gamepad.upload(Self.rumble, 0, length: 0, 0xFFFF, 0))
        #expect(rig.gamepad.upload(Self.rumble, 1, length: 0, 0, 0x8080))
        #expect(rig.gamepad.upload(Self.periodic, 2, length: 0, 0x5A, 1000, -0x4000, 0, 0))
        #expect(rig.gamepad.upload(Self.constant, 3, length: 0, 0x2000))
        for (id, level) in [(0, 255), (1, 128), (2, 128), (3, 64)] {
            rig.gamepad.play(id)
            #expect(rig.plays(level), "\(id): \(rig.level)")
            rig.gamepad.play(id, 0)
            #expect(rig.plays(0), "\(id): \(rig.level)")
            pause(50_000)
        }
    }

    @Test func anEffectLastsAsLongAsItsGameHasSpecified() throws {
        let rig = try RumbleBoard()
        #expect(rig.gamepad.upload(Self.rumble, 0, length: 500, delay: 100, 0xFFFF, 0))
        rig.gamepad.play(0, 2)
        pause(2_000_000)
        // The writes of the level, which is turned on and off twice.
        let writes = rig.board.transactions.compactMap { transaction in
            transaction.write.flatMap { $0.register == 2 ? (transaction.start, $0.value) : nil }
        }
        let changes = writes.reduce(into: [(Int, Int)]()) { changes, write in
            if changes.last?.1 ?? 0 != write.1 { changes.append(write) }
        }
        #expect(changes.map(\.1) == [255, 0, 255, 0])
        let times = zip(changes, changes.dropFirst()).map { $1.0 - $0.0 }
        for (found, expected) in zip(times, [500_000, 100_000, 500_000]) {
            #expect(abs(found - expected) <= 10_000, "\(times)")
        }
    }

    @Test func aRampIsFollowedWithin1JND() throws {
        let rig = try RumbleBoard()
        #expect(rig.gamepad.upload(Self.ramp, 0, length: 1000, 0, 0x7FFF))
        rig.gamepad.play(0)
        pause(5_000)
        for step in 1..<20 {
            pause(50_000)
            let due = (0.005 + 0.05 * Double(step)) * 255
            let jnd = Fidelity.jnd(level: Double(rig.level), for: due)
            #expect(jnd <= 1, "\(step): \(rig.level) instead of \(due)")
        }
    }

    @Test func severalEffectsAddUpAndTheGainAppliesToAll() throws {
        let rig = try RumbleBoard()
        #expect(rig.gamepad.upload(Self.constant, 0, length: 0, 0x2000))
        #expect(rig.gamepad.upload(Self.constant, 1, length: 0, 0x4000))
        rig.gamepad.play(0)
        #expect(rig.plays(64))
        rig.gamepad.play(1)
        #expect(rig.plays(191))
        rig.gamepad.setGain(0x8000)
        #expect(rig.plays(96))
        rig.gamepad.setGain(0)
        #expect(rig.plays(0))
        rig.gamepad.setGain(0xFFFF)
        #expect(rig.plays(191))
        rig.gamepad.erase(1)
        #expect(rig.plays(64))
    }

    @Test func aGameThatIsKilledIsRest() throws {
        let rig = try RumbleBoard()
        for id in 0...1 { #expect(rig.gamepad.upload(Self.rumble, id, length: 0, 0xFFFF, 0)) }
        for id in 0...1 { rig.gamepad.play(id) }
        #expect(rig.plays(255))
        rig.gamepad.killGame(0, 1)
        #expect(rig.plays(0))
        #expect(wait { rig.board.isAtRest })
        // The next game can play.
        #expect(rig.gamepad.upload(Self.rumble, 0, length: 0, 0, 0xFFFF))
        rig.gamepad.play(0)
        #expect(wait { rig.level == 255 })
    }

    @Test func aGamepadThatIsRemovedIsRest() throws {
        let rig = try RumbleBoard()
        #expect(rig.gamepad.upload(Self.rumble, 0, length: 0, 0xFFFF, 0))
        rig.gamepad.play(0)
        #expect(rig.plays(255))
        rig.gamepad.remove()
        #expect(wait(seconds: 0.3) { rig.board.isAtRest })
        #expect(rig.tool.errors.contains("the gamepad was removed; its effects have ended"))
        #expect(rig.tool.isRunning)
    }

    @Test func theEndOfTheToolIsRest() throws {
        let rig = try RumbleBoard()
        #expect(rig.gamepad.upload(Self.rumble, 0, length: 0, 0xFFFF, 0))
        rig.gamepad.play(0)
        #expect(rig.plays(255))
        rig.end()
        #expect(rig.board.isAtRest)
    }

    @Test func aGameThatHangsIsRestAfterAMinute() throws {
        let rig = try RumbleBoard()
        #expect(rig.gamepad.upload(Self.rumble, 0, length: 0, 0x8080, 0))
        rig.gamepad.play(0)
        pause(59_900_000)
        #expect(rig.level == 128)
        pause(200_000)
        #expect(rig.level == 0)
    }

    @Test func anEffectPlaysAfterAReset() throws {
        let rig = try RumbleBoard()
        #expect(rig.gamepad.upload(Self.rumble, 0, length: 0, 0xFFFF, 0))
        rig.gamepad.play(0)
        #expect(rig.plays(255))
        rig.board.reset()
        #expect(wait { rig.tool.errors.contains("the board was reset") })
        pause(1_000_000)
        #expect(rig.level == 0)
        rig.gamepad.play(0, 0)
        pause(20_000)
        rig.gamepad.play(0)
        #expect(wait { rig.level == 255 })
    }

    @Test func anEffectOfAnotherTypeIsRefused() throws {
        let rig = try RumbleBoard()
        #expect(!rig.gamepad.upload(0x53, 0, length: 0, 0xFFFF, 0))
        rig.gamepad.play(0)
        #expect(!rig.plays(255) && !rig.board.hasDriven)
    }

    @Test func whatTheUserHasOffStaysOff() throws {
        let rig = try RumbleBoard(settings: #"{"haptics": false}"#)
        #expect(rig.gamepad.upload(Self.rumble, 0, length: 0, 0xFFFF, 0xFFFF))
        for _ in 0..<20 {
            rig.gamepad.setGain(0xFFFF)
            rig.gamepad.play(0)
            pause(10_000)
        }
        #expect(!rig.board.hasDriven)
    }

    @Test func aFloodIsSurvivedAndItsLastLevelIsFelt() throws {
        let rig = try RumbleBoard()
        #expect(rig.gamepad.upload(Self.constant, 0, length: 0, 0x4000))
        var generator = SeededGenerator(seed: 50)
        for number in 0..<20_000 {
            rig.gamepad.send(
                UInt16.random(in: 0...0x1F, using: &generator),
                UInt16.random(in: 0...0x5F, using: &generator),
                UInt32.random(in: 0...(.max), using: &generator))
            rig.gamepad.setGain(UInt32.random(in: 0...0xFFFF, using: &generator))
            // The number of events in the socket's buffer is limited.
            if number % 50 == 0 { pause(1_000) }
        }
        rig.gamepad.setGain(0xFFFF)
        rig.gamepad.play(0)
        #expect(wait { rig.level == 128 })
        rig.gamepad.play(0, 0)
        #expect(wait { rig.level == 0 })
        #expect(rig.tool.isRunning)
    }

    @Test func rumbleCannotEndWithTheLastProgram() throws {
        let outcome = try Tool.bridge("serve", "--port", "/dev/null", "--rumble", "--until-idle")
        #expect(
            outcome.status == 64
                && outcome.errors.contains("--until-idle and --rumble cannot be combined"),
            "\(outcome)")
    }

    @Test(arguments: [
        (EACCES, 77, "no permission to create a gamepad\n  install the rule"),
        (ENOENT, 74, "the kernel's module uinput is not loaded\n  load it: sudo modprobe uinput"),
        (EIO, 74, "/dev/uinput: Input/output error"),
    ])
    func theReasonWhyThereIsNoGamepadIsNamed(code: Int32, status: Int32, expected: String) {
        let error = ToolError(openingUInput: code)
        #expect(error.status.rawValue == status)
        #expect(error.text.contains(expected), "\(error.text)")
    }
}
