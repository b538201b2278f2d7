// SteppedBoard: the interface of a board whose time is advanced by a test or a tool.

/// A board time in microseconds since power-up, which never wraps.
public typealias BoardTime = Int64

/// A completed transaction on the I2C bus.
public struct BusTransaction: Sendable, Equatable {
    /// The board time at which the START condition began.
    public var start: BoardTime
    /// The board time at which the STOP condition ended.
    public var end: BoardTime
    /// The number of the actuator whose chip was addressed.
    public var actuator: Int
    /// The bytes after START, in order and including address bytes. A repeated START is not marked.
    public var bytes: [UInt8]
    /// True if every byte was acknowledged.
    public var isAcknowledged: Bool
    /// The drive of the chip after the transaction, -255...255, according to the chip model.
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

/// A change of the drive of an actuator or of its frequency, according to the chip model.
public struct DriveChange: Sendable, Equatable {
    /// The board time of the change, in microseconds.
    public var time: BoardTime
    /// The number of the actuator.
    public var actuator: Int
    /// The new drive, -255...255 of full scale; 0 means that the actuator is not driven.
    public var drive: Int
    /// The frequency of the drive in hertz, for an LRA that the chip drives in open loop; otherwise
    /// 0.
    public var frequency: Double

    /// Creates a change of drive from its properties.
    public init(time: BoardTime, actuator: Int, drive: Int, frequency: Double = 0) {
        self.time = time
        self.actuator = actuator
        self.drive = drive
        self.frequency = frequency
    }
}

/// A byte that the board has sent, and the time at which its stop bit ended.
public struct SentByte: Sendable, Equatable {
    /// The board time of the end of the stop bit, in microseconds.
    public var time: BoardTime
    /// The value of the byte.
    public var byte: UInt8

    /// Creates a sent byte from its properties.
    public init(time: BoardTime, byte: UInt8) {
        self.time = time
        self.byte = byte
    }
}

/// A board whose time advances only when a method is called. The inputs of the board are bytes and
/// times; its outputs are bytes, bus transactions and drives. A board in virtual time is
/// deterministic: the same calls always produce the same trace.
public protocol SteppedBoard: AnyObject {
    /// The current board time.
    var now: BoardTime { get }
    /// Sends bytes to the board at the rate of the serial line, starting at `time` (not before
    /// `now`).
    func send(_ bytes: [UInt8], at time: BoardTime)
    /// Runs the board up to a time.
    func advance(to time: BoardTime)
    /// Returns the bytes that the board has sent since the last call.
    func drainSent() -> [SentByte]
    /// The bus transactions since power-up, or since `forgetTrace`.
    var transactions: [BusTransaction] { get }
    /// The changes of the drive since power-up, or since `forgetTrace`.
    var driveChanges: [DriveChange] { get }
    /// Discards the recorded trace, to save memory in long runs.
    func forgetTrace()
}

/// A board whose reset pin is accessible.
public protocol ResettableBoard: SteppedBoard, SendableMetatype {
    /// Pulls the reset pin.
    func reset()
}
