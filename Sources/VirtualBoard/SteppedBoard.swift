// SteppedBoard: the interface of a board that a test or a tool steps through time by hand.

/// A number of microseconds of board time since power-up, which never wraps.
public typealias BoardTime = Int64

/// A completed I2C transaction, as the bus carried it.
public struct BusTransaction: Sendable, Equatable {
    /// The board time at which START began.
    public var start: BoardTime
    /// The board time at which STOP ended.
    public var end: BoardTime
    /// The number of the actuator whose chip was addressed.
    public var actuator: Int
    /// Every byte after START in order, address bytes included; a repeated START is not marked.
    public var bytes: [UInt8]
    /// True if every byte was acknowledged.
    public var isAcknowledged: Bool
    /// The drive of the chip afterwards, -255...255, decoded by the chip model's own table.
    public var drive: Int

    /// Creates a transaction from its properties.
    public init(
        start: BoardTime, end: BoardTime, actuator: Int, bytes: [UInt8], isAcknowledged: Bool,
        drive: Int
    ) {
        self.start = start
        self.end = end
        self.actuator = actuator
        self.bytes = bytes
        self.isAcknowledged = isAcknowledged
        self.drive = drive
    }
}

/// A change of the drive that a chip puts on its actuator, decoded by the chip model's own table.
public struct DriveChange: Sendable, Equatable {
    /// The board time of the change, in microseconds.
    public var time: BoardTime
    /// The number of the actuator.
    public var actuator: Int
    /// The new drive, -255...255 of full scale; 0 is no drive.
    public var drive: Int

    /// Creates a change of drive from its properties.
    public init(time: BoardTime, actuator: Int, drive: Int) {
        self.time = time
        self.actuator = actuator
        self.drive = drive
    }
}

/// A byte that the board has sent, with the time at which its stop bit ended.
public struct SentByte: Sendable, Equatable {
    /// The board time at which the stop bit ended, in microseconds.
    public var time: BoardTime
    /// The value of the byte.
    public var byte: UInt8

    /// Creates a sent byte from its properties.
    public init(time: BoardTime, byte: UInt8) {
        self.time = time
        self.byte = byte
    }
}

/// A board that is stepped by hand: bytes and time go in; bytes, bus transactions and drive come
/// out. In virtual time it is deterministic: the same calls give the same trace.
public protocol SteppedBoard: AnyObject {
    /// The board time reached so far.
    var now: BoardTime { get }
    /// Puts bytes on the line to the board, from `time` on (not before `now`), at the rate of the
    /// line.
    func send(_ bytes: [UInt8], at time: BoardTime)
    /// Runs the board up to a time.
    func advance(to time: BoardTime)
    /// Returns the bytes that the board has sent since the last call.
    func takeSent() -> [SentByte]
    /// Every bus transaction since power-up, or since `forgetTrace`.
    var transactions: [BusTransaction] { get }
    /// Every change of drive since power-up, or since `forgetTrace`.
    var driveChanges: [DriveChange] { get }
    /// Discards the trace so far, for long runs.
    func forgetTrace()
}
