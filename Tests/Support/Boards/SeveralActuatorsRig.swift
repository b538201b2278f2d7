// A board with several actuators, configured, with a host session.

import BridgeLink
import DRV2605
import HapticCompiler
import VirtualBoard

/// A rig that plays one stream on all actuators of a stepped board.
public final class SeveralActuatorsRig<Board: SteppedBoard> {
    public let board: Board
    public let link: IdealLink

    /// The reason why there is no board to test.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// Connects and configures each actuator.
    public init(_ board: Board, stride: BoardTime = 500) throws {
        self.board = board
        board.advance(to: 1_000_000)
        link = IdealLink(board, stride: stride)
        guard link.connect() else { throw Failure(description: "does not connect") }
        for actuator in 0..<(link.session.welcome?.actuators ?? 0) {
            try link.carryOut(.configure(.coinLRA, actuator: actuator))
            link.run(for: 50_000)
        }
        board.forgetTrace()
    }

    /// The mask of all actuators.
    public var mask: ActuatorMask {
        (0..<Int(link.session.welcome?.actuators ?? 0)).reduce(into: []) {
            $0.insert(ActuatorMask(index: $1))
        }
    }

    /// Begins to play events on some of the actuators, or on all.
    public func begin(_ events: [StreamEvent], on actuators: ActuatorMask? = nil, end: Ticks = 0) {
        let last = max(end, (events.last?.tick ?? 0) + 400)
        let bytes = EventStreamEncoder.encode(events + [StreamEvent(.end, at: last)])
        link.begin(bytes, on: actuators ?? mask, start: .after(50_000))
    }

    /// Plays events to their end.
    public func play(_ events: [StreamEvent], on actuators: ActuatorMask? = nil) throws {
        begin(events, on: actuators)
        link.run(limit: 10_000_000) { $0.current?.outcome != nil }
        guard try link.current?.outcome?.get() == .played else {
            throw Failure(description: "did not play: \(String(describing: link.current?.outcome))")
        }
    }
}
