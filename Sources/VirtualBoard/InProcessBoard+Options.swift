// What a board in this process is made of, and how its port goes about its work.

import CBridgeProtocol

extension InProcessBoard {
    /// What the board is made of.
    public struct Options: Sendable {
        /// Chip: 3 (DRV2605) or 7 (DRV2605L); others to test refusal.
        public var chipID: UInt8 = 7
        /// Actuators, 1 to ``InProcessBoard/mostActuators``: several share the bus behind a TCA9548A.
        public var actuators = 1
        /// Streams; nil: as many as actuators.
        public var streams: Int?
        /// Stored configuration of each actuator (SPEC 8, 48 bytes); nil: never configured.
        public var configuration: [UInt8]?
        /// Those of actuators that have another one, by their numbers.
        public var configurations: [UInt8: [UInt8]] = [:]
        /// 64-bit board id; 0: none given.
        public var boardID: UInt64 = 0x0123_4567_89AB_CDEF
        /// Why the board reset, as `bridge_reset_cause`.
        public var resetCause = BRIDGE_RESET_POWER
        /// Boots since power was applied, this one included.
        public var bootCount: UInt16 = 1
        /// Bits per second on the line, ten to a byte; 0: bytes take no time.
        public var baud = Int64(BRIDGE_BAUD)
        /// How the port polls the core.
        public var port = Port.attentive

        public init() {}
    }

    /// A port's main loop.
    public struct Port: Sendable, Equatable {
        /// Longest time between two rounds of the loop: the bytes that have arrived, polls until
        /// there is nothing more to do, and a transfer.
        public var interval: BoardTime
        /// Whether each byte that arrives makes it go round, and each moment at which a transfer
        /// ends or a write is due. Else only a transfer does whose result matters, or a pin that has
        /// just moved; timed writes go out by interrupts as ever.
        public var isAttentive: Bool
        /// Polls in a round at most.
        public var pollsMost: Int
        /// By how much the clock may be older than the stamps of the bytes, which an interrupt takes,
        /// as it is read before they are handed over.
        public var clockLag: BoardTime

        public init(
            interval: BoardTime, isAttentive: Bool, pollsMost: Int = .max, clockLag: BoardTime = 0
        ) {
            self.interval = interval
            self.isAttentive = isAttentive
            self.pollsMost = pollsMost
            self.clockLag = clockLag
        }

        /// As on the chip, where rounds follow each other at once.
        public static let attentive = Port(interval: 100, isAttentive: true)
    }
}
