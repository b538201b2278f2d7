// ImageRig: the image on the simulated ATmega328P with a host at it, for what only an image can do wrong.

import BridgeLink
import Foundation
import HapticCompiler
import TestSupport
import VirtualBoard

/// A board of its own in lock-step, one session after the other, and one actuator.
final class ImageRig {
    let board: LockStepBoard
    private(set) var link: SteppedLink
    private static let millisecond: BoardTime = 1_000

    struct Failure: Error, CustomStringConvertible { let description: String }

    /// Connects and tells the board what its actuator is.
    init(
        _ configuration: ActuatorConfiguration = .coinLRA, image: URL = LockStepBoard.image,
        options: [String] = []
    ) throws {
        board = try LockStepBoard(
            program: LockStepBoard.simulator, image: image, options: options)
        link = SteppedLink(board)
        try connect()
        try configure(configuration)
    }

    var welcome: Welcome? { link.session.welcome }

    /// Begins another session if there was one.
    func connect() throws {
        if link.session.phase != .connecting {
            link = SteppedLink(board, sessionID: link.session.sessionID &+ 1)
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

    /// SAVE, and the time in which it has to be stored.
    func save() throws {
        if let reject = try link.carryOut(.save(actuator: 0)) {
            throw Failure(description: "\(reject)")
        }
        link.run(for: 300 * Self.millisecond)
    }

    // MARK: Playing

    /// Begins a level that is held for so many microseconds.
    func hold(_ level: UInt8, for time: BoardTime) {
        let events = [
            StreamEvent(.level(level), at: 0), StreamEvent(.end, at: Ticks(time / 250)),
        ]
        link.begin(EventStreamEncoder.encode(events))
    }

    /// Plays a level for so long, to its end.
    func play(_ level: UInt8, for time: BoardTime) throws {
        hold(level, for: time)
        link.run(limit: time + 1_000_000) { $0.current?.outcome != nil }
        guard try link.current?.outcome?.get() == .played else {
            throw Failure(description: "did not play: \(String(describing: link.current?.outcome))")
        }
    }

    /// Begins levels that differ, each so many microseconds after the one before, for so long.
    func playDensely(every spacing: Int, for time: BoardTime) {
        var events: [UInt8] = [0xB1, 1, 40, 0xB4, 90]
        for _ in 0...Int(time) / spacing / 98 { events += [0xFF, 0xE1] }
        link.begin(events + [0xF3, 1], tick: spacing)
    }

    // MARK: What was driven

    /// For how long the chip was driven harder than `level` since a moment that the trace reaches.
    func timeAbove(_ level: Int, since start: BoardTime) -> BoardTime {
        var (total, last): (BoardTime, (time: BoardTime, drive: Int)) = (0, (start, 0))
        for change in board.driveChanges where change.time > start {
            if last.drive.magnitude > level { total += change.time - last.time }
            last = (change.time, change.drive)
        }
        return total + (last.drive.magnitude > level ? board.now - last.time : 0)
    }
}
