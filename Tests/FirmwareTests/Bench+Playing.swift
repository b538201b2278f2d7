// Bench+Playing: boards that can play, and the messages for streams.

import BridgeLink
import CBridgeProtocol
import DRV2605
import TestSupport
import Testing
import VirtualBoard

extension Bench {
    // MARK: Playing

    /// Sends OPEN, then the event code in one or more EVENTS frames.
    func load(_ events: [UInt8], memory: UInt16 = 0) {
        #expect(command(0x40, [0, 1, 0] + memory.bytes) == nil)
        if !events.isEmpty { append(events) }
    }

    func append(_ events: [UInt8], generation: UInt8 = 0) {
        for start in Swift.stride(from: 0, to: events.count, by: 56) {
            let portion = Array(events[start..<min(start + 56, events.count)])
            #expect(command(0x44, [0, generation] + portion) == nil)
        }
    }

    /// Sends START, so that tick 0 is at a given board time. By default, a tick lasts 250 us.
    @discardableResult
    func start(at time: BoardTime, scale: UInt32 = 250 << 24) -> Reject? {
        command(0x42, [0, 0, 0] + board.deviceClock(at: time).bytes + scale.bytes)
    }

    /// Connects if necessary, loads `events`, clears the trace, and starts the stream. Returns the
    /// start time.
    @discardableResult
    func play(_ events: [UInt8], scale: UInt32 = 250 << 24) -> BoardTime {
        if core.receiver.session == 0 { connect() }
        load(events)
        forget()
        let start = now + 30_000
        #expect(self.start(at: start, scale: scale) == nil)
        return start
    }

    @discardableResult
    func revise(
        generation: UInt8, at time: BoardTime, level: UInt8, _ events: [UInt8] = []
    ) -> Reject? {
        command(
            0x45, [0, generation] + board.deviceClock(at: time).bytes + [level, 0] + events)
    }

    /// Sends STOP with the current values of the bench's counters.
    @discardableResult
    func stop(id: UInt8) -> Reject? { ask(0x10, [id, sequence] + linkTotal.bytes) }

    func isAtRest() -> Bool { UInt32(actuator.state) == BRIDGE_ACTUATOR_AT_REST.rawValue }

    @discardableResult
    func runToRest(limit: BoardTime = 2_000_000) -> Bool { run(limit: limit, until: isAtRest) }
}

extension InProcessBoard {
    /// Returns a board with an actuator of ``ActuatorConfiguration/testLRA``.
    static func tested(_ change: (inout Options) -> Void = { _ in }) -> InProcessBoard {
        .configured {
            $0.configuration = ActuatorConfiguration.testLRA.bytes
            change(&$0)
        }
    }
}

extension ActuatorConfiguration {
    /// A configuration of the coin LRA in which taps last 1 to 4 cycles of the resonance.
    static let testLRA: ActuatorConfiguration = {
        var configuration = coinLRA
        configuration.tapDull = 23_529
        return configuration
    }()

    /// A configuration of the coin LRA with signed levels.
    static let signedLRA: ActuatorConfiguration = {
        var configuration = testLRA
        configuration.image[0x1C] |= 0x80
        configuration.image[0x1D] &= ~0x08
        return configuration
    }()

    /// A configuration of the coin LRA in open-loop operation.
    static let openLRA = ActuatorConfiguration(
        kind: .lra, resonance: 170, rated: 2_500, overdrive: 3_540, chip: .drv2605L, loop: .open)
}

extension Bench {
    /// Returns a connected board whose actuator has the given configuration and is at rest.
    static func connected(
        _ configuration: ActuatorConfiguration = .testLRA,
        _ port: InProcessBoard.Port = .attentive
    ) -> Bench {
        let bench = Bench(
            .tested {
                $0.configuration = configuration.bytes
                $0.port = port
            })
        bench.connect()
        bench.run(for: 30_000)
        return bench
    }
}
