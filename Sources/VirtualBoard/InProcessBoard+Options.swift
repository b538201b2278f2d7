// The parts of a board in this process, and the behaviour of its port.

import CBridgeProtocol

extension InProcessBoard {
    /// The parts and properties of a board.
    public struct Options: Sendable {
        /// The id of the chips: 3 (DRV2605) or 7 (DRV2605L). Other ids serve to test that they are
        /// refused.
        public var chipID: UInt8 = 7
        /// The number of actuators, 1 to ``InProcessBoard/mostActuators``. If there are several,
        /// they share the bus behind a TCA9548A.
        public var actuators = 1
        /// The number of streams; nil stands for as many as there are actuators.
        public var streams: Int?
        /// The stored configuration of each actuator (SPEC 8, 56 bytes); nil if the actuators were
        /// never configured.
        public var configuration: [UInt8]?
        /// The stored configurations of those actuators that have another one, by their numbers.
        public var configurations: [UInt8: [UInt8]] = [:]
        /// The 64-bit id of the board; 0 if none has been given.
        public var boardID: UInt64 = 0x0123_4567_89AB_CDEF
        /// The board that it says that it is, as `bridge_board_kind`.
        public var kind = BRIDGE_BOARD_VIRTUAL
        /// The reason for the reset of the board, as `bridge_reset_cause`.
        public var resetCause = BRIDGE_RESET_POWER
        /// The number of boots since power was applied, including this one.
        public var bootCount: UInt16 = 1
        /// The number of bits per second on the line, ten of them to a byte; 0 if bytes take no
        /// time.
        public var baud = Int64(BRIDGE_BAUD)
        /// The way in which the port polls the core.
        public var port = Port.attentive

        /// Creates the default options.
        public init() {}
    }

    /// The main loop of a port.
    public struct Port: Sendable, Equatable {
        /// The longest time between two rounds of the loop, in microseconds. A round handles the
        /// bytes that have arrived, polls until there is nothing more to do, and starts a transfer.
        public var interval: BoardTime
        /// True if the loop makes a round for each byte that arrives and at each moment at which a
        /// transfer ends or a write is due. Otherwise it does so early only after a transfer whose
        /// result matters or when a pin has just moved; interrupts still send timed writes.
        public var isAttentive: Bool
        /// The greatest number of polls in a round.
        public var pollsMost: Int
        /// The greatest age of the clock reading of a round relative to the stamps of the bytes, in
        /// microseconds. An interrupt takes the stamps, and the loop reads the clock before the
        /// bytes are handed over.
        public var clockLag: BoardTime

        /// Creates the main loop of a port from its properties.
        public init(
            interval: BoardTime, isAttentive: Bool, pollsMost: Int = .max, clockLag: BoardTime = 0
        ) {
            self.interval = interval
            self.isAttentive = isAttentive
            self.pollsMost = pollsMost
            self.clockLag = clockLag
        }

        /// A port as on the chip, where rounds follow each other at once.
        public static let attentive = Port(interval: 100, isAttentive: true)
    }
}
