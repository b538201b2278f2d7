// ImageRig: an image on a simulated microcontroller with a host, for tests of faults that only an
// image can have.

import BridgeLink
import DRV2605
import Foundation
import HapticCompiler
import TestSupport
import VirtualBoard

/// A board in lock-step with the test. The board has one actuator, and its sessions follow one
/// another.
final class ImageRig {
    let board: LockStepBoard
    private(set) var link: IdealLink
    private static let millisecond: BoardTime = 1_000

    struct Failure: Error, CustomStringConvertible { let description: String }

    /// Connects and configures the board's actuator.
    init(
        _ simulator: BoardSimulator, _ configuration: ActuatorConfiguration = .coinLRA,
        options: [String] = []
    ) throws {
        board = try LockStepBoard(simulator, options: options)
        link = IdealLink(board)
        try connect()
        try configure(configuration)
    }

    var welcome: Welcome? { link.session.welcome }

    /// Connects to the board. Begins a new session if the board has had a session before.
    func connect() throws {
        if link.session.phase != .connecting {
            link = IdealLink(board, sessionID: link.session.sessionID &+ 1)
        }
        guard link.connect(limit: 4_000_000) else {
            throw Failure(description: board.failure ?? "does not connect")
        }
    }

    func configure(_ configuration: ActuatorConfiguration) throws {
        if let reject = try link.carryOut(.configure(configuration, actuator: 0)) {
            throw Failure(description: "\(reject)")
        }
        link.run(for: 60 * Self.millisecond)
    }

    /// Sends SAVE, and waits for the maximum time that storing the configuration takes.
    func save() throws {
        if let reject = try link.carryOut(.save(actuator: 0)) {
            throw Failure(description: "\(reject)")
        }
        link.run(for: 300 * Self.millisecond)
    }

    // MARK: Playing

    /// Begins to play a level for `time` microseconds.
    func hold(_ level: UInt8, for time: BoardTime) {
        let events = [
            StreamEvent(.level(level), at: 0), StreamEvent(.end, at: Ticks(time / 250)),
        ]
        link.begin(EventStreamEncoder.encode(events))
    }

    /// Plays a level for `time` microseconds, and waits until it has ended.
    func play(_ level: UInt8, for time: BoardTime) throws {
        hold(level, for: time)
        link.run(limit: time + 1_000_000) { $0.current?.outcome != nil }
        guard try link.current?.outcome?.get() == .played else {
            throw Failure(description: "did not play: \(String(describing: link.current?.outcome))")
        }
    }

    /// Begins to play a level every `spacing` microseconds for `time` microseconds. Each level
    /// differs from the previous level.
    func playDensely(every spacing: Int, for time: BoardTime) {
        var events: [UInt8] = [0xB1, 1, 40, 0xB4, 90]
        for _ in 0...Int(time) / spacing / 98 { events += [0xFF, 0xE1] }
        link.begin(events + [0xF3, 1], tick: spacing)
    }

    // MARK: The drive

    /// Returns the time for which the chip was driven harder than `level` since `start`, in
    /// microseconds. The trace must include this entire period.
    func timeAbove(_ level: Int, since start: BoardTime) -> BoardTime {
        var (total, last): (BoardTime, (time: BoardTime, drive: Int)) = (0, (start, 0))
        for change in board.driveChanges where change.time > start {
            if last.drive.magnitude > level { total += change.time - last.time }
            last = (change.time, change.drive)
        }
        return total + (last.drive.magnitude > level ? board.now - last.time : 0)
    }
}
