// InProcessBoard+Options: the components of a board in this process, and the operation of its main
// loop.

import CBridgeProtocol
import CDRV2605Model

extension InProcessBoard {
    /// The components and properties of a board.
    public struct Options: Sendable {
        /// The id of the chips: 3 (DRV2605) or 7 (DRV2605L). Tests use other ids to check that such
        /// chips are rejected.
        public var chipID: UInt8 = 7
        /// The number of actuators, 1 to ``InProcessBoard/mostActuators``. Several actuators share
        /// the bus through a TCA9548A multiplexer.
        public var actuators = 1
        /// The number of streams; nil to use the number of actuators.
        public var streams: Int?
        /// The stored configuration of all actuators (SPEC 8, 56 bytes); nil if the actuators have
        /// not been configured.
        public var configuration: [UInt8]?
        /// The stored configurations of actuators that differ from ``configuration``, by actuator
        /// number.
        public var configurations: [UInt8: [UInt8]] = [:]
        /// The accelerometer on the bus of the chips.
        public var sensor = ACCELEROMETER_NONE
        /// The 64-bit id of the board; 0 if no id has been assigned.
        public var boardID: UInt64 = 0x0123_4567_89AB_CDEF
        /// The kind of board that the board reports, as a `bridge_board_kind`.
        public var kind = BRIDGE_BOARD_VIRTUAL
        /// The cause that the board reports for its last reset, as a `bridge_reset_cause`.
        public var resetCause = BRIDGE_RESET_POWER
        /// The number of boots since the board was powered on, including the latest boot.
        public var bootCount: UInt16 = 1
        /// The baud rate of the serial line, with ten bits per byte; 0 if the transfer of bytes
        /// takes no time.
        public var baud = Int64(BRIDGE_BAUD)
        /// The behavior of the port's main loop.
        public var port = Port.attentive

        /// Creates the default options.
        public init() {}
    }

    /// The main loop of a port of the firmware.
    public struct Port: Sendable, Equatable {
        /// The maximum time between two iterations of the loop, in microseconds. An iteration
        /// handles the received bytes, polls the core until it has nothing more to do, and starts a
        /// transfer.
        public var interval: BoardTime
        /// True if the loop starts an iteration for each received byte, at the end of each
        /// transfer, and whenever a write is due. If false, an iteration starts early only after a
        /// change of a pin, or after a transfer whose result the core needs; interrupts still send
        /// timed writes.
        public var isAttentive: Bool
        /// The maximum number of polls in an iteration.
        public var pollsMost: Int
        /// The maximum age of an iteration's clock reading relative to the timestamps of the
        /// received bytes, in microseconds. An interrupt records the timestamps. The loop reads the
        /// clock before it passes the bytes to the core.
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

        /// A port like that of a microcontroller: the iterations of its loop follow each other
        /// immediately.
        public static let attentive = Port(interval: 100, isAttentive: true)
    }
}
