// The contract of a board that a test or a tool steps through time by hand.

/// Microseconds of board time since power-up; never wraps.
public typealias BoardTime = Int64

/// One completed I2C transaction, as the bus saw it.
public struct BusTransaction: Sendable, Equatable {
    /// When START began, in board time.
    public var start: BoardTime
    /// When STOP ended.
    public var end: BoardTime
    /// Which actuator's chip was addressed.
    public var actuator: Int
    /// Every byte after START in order, address bytes included; a repeated START is not marked.
    public var bytes: [UInt8]
    /// False if any byte was not acknowledged.
    public var isAcknowledged: Bool
    /// What the chip drives afterwards, -255...255, decoded by the chip model's own table.
    public var drive: Int

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

/// A change of what a chip puts on its actuator, decoded by the chip model's own table.
public struct DriveChange: Sendable, Equatable {
    public var time: BoardTime
    public var actuator: Int
    /// -255...255 of full scale; 0 is no drive.
    public var drive: Int

    public init(time: BoardTime, actuator: Int, drive: Int) {
        self.time = time
        self.actuator = actuator
        self.drive = drive
    }
}

/// A byte that the board has sent, with the time its stop bit ended.
public struct SentByte: Sendable, Equatable {
    public var time: BoardTime
    public var byte: UInt8

    public init(time: BoardTime, byte: UInt8) {
        self.time = time
        self.byte = byte
    }
}

/// A board stepped by hand: bytes and time in; bytes, bus transactions and drive out.
/// In virtual time it is deterministic: the same calls give the same trace.
public protocol SteppedBoard: AnyObject {
    /// Board time reached so far.
    var now: BoardTime { get }
    /// Puts bytes on the line to the board, from `time` on (not before `now`), at the line's pace.
    func send(_ bytes: [UInt8], at time: BoardTime)
    /// Runs the board up to a time.
    func advance(to time: BoardTime)
    /// What the board has sent since the last call.
    func takeSent() -> [SentByte]
    /// Every bus transaction since power-up, or since `forgetTrace`.
    var transactions: [BusTransaction] { get }
    /// Every change of drive since power-up, or since `forgetTrace`.
    var driveChanges: [DriveChange] { get }
    /// Drops the trace so far, for long runs.
    func forgetTrace()
}
