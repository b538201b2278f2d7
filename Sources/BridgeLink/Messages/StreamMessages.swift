// The messages of class SEQUENCED that control streams (SPEC 4.4, 6).

import CBridgeProtocol

/// The message OPEN, which assigns actuators and event memory to a stream.
public struct Open: PayloadCoding {
    /// The number of the stream.
    public var stream: UInt8
    /// The actuators of the stream.
    public var actuators: ActuatorMask
    /// The event memory in bytes; 0 to request all free memory.
    public var memory: UInt16

    /// Creates an OPEN from its fields.
    public init(stream: UInt8, actuators: ActuatorMask, memory: UInt16 = 0) {
        self.stream = stream
        self.actuators = actuators
        self.memory = memory
    }

    static let size = Int(BRIDGE_OPEN_SIZE)

    init(from reader: inout PayloadReader) {
        stream = reader.integer()
        actuators = ActuatorMask(rawValue: reader.integer())
        memory = reader.integer()
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(stream)
        writer.integer(actuators.rawValue)
        writer.integer(memory)
    }
}

/// The message START, which assigns a device time to tick 0 of a stream (SPEC 5).
public struct Start: PayloadCoding {
    /// The number of the stream.
    public var stream: UInt8
    /// The current generation of the stream.
    public var generation: UInt8
    /// True if `time` is relative to the time at which the last byte of this frame arrives.
    public var isRelative: Bool
    /// The device time of tick 0, in microseconds; a signed number if `isRelative` is true.
    public var time: UInt32
    /// The length of a tick from tick 0 on.
    public var scale: TickScale

    /// Creates a START from its fields.
    public init(
        stream: UInt8, generation: UInt8 = 0, isRelative: Bool, time: UInt32,
        scale: TickScale = .nominal
    ) {
        self.stream = stream
        self.generation = generation
        self.isRelative = isRelative
        self.time = time
        self.scale = scale
    }

    static let size = Int(BRIDGE_START_SIZE)

    init(from reader: inout PayloadReader) {
        stream = reader.integer()
        generation = reader.integer()
        isRelative = reader.integer(UInt8.self) & UInt8(BRIDGE_START_FLAG_RELATIVE) != 0
        time = reader.integer()
        scale = TickScale(rawValue: reader.integer())
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(stream)
        writer.integer(generation)
        writer.integer(isRelative ? UInt8(BRIDGE_START_FLAG_RELATIVE) : 0)
        writer.integer(time)
        writer.integer(scale.rawValue)
    }
}

/// The message SCALE, which changes the length of a tick from `tick` on.
public struct Scale: PayloadCoding {
    /// The number of the stream.
    public var stream: UInt8
    /// The tick at which the scale changes.
    public var tick: UInt32
    /// The length of a tick from `tick` on.
    public var scale: TickScale

    /// Creates a SCALE from its fields.
    public init(stream: UInt8, tick: UInt32, scale: TickScale) {
        self.stream = stream
        self.tick = tick
        self.scale = scale
    }

    static let size = Int(BRIDGE_SCALE_SIZE)

    init(from reader: inout PayloadReader) {
        stream = reader.integer()
        tick = reader.integer()
        scale = TickScale(rawValue: reader.integer())
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(stream)
        writer.integer(tick)
        writer.integer(scale.rawValue)
    }
}

/// The message EVENTS, which appends event bytes to one generation of a stream (SPEC 7).
public struct Events: PayloadCoding {
    /// The number of the stream.
    public var stream: UInt8
    /// The generation to which the events belong.
    public var generation: UInt8
    /// The event bytes.
    public var bytes: [UInt8]

    /// Creates an EVENTS message from its fields.
    public init(stream: UInt8, generation: UInt8 = 0, bytes: [UInt8]) {
        self.stream = stream
        self.generation = generation
        self.bytes = bytes
    }

    static let size = Int(BRIDGE_EVENTS_SIZE)

    init(from reader: inout PayloadReader) {
        stream = reader.integer()
        generation = reader.integer()
        bytes = reader.readRest()
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(stream)
        writer.integer(generation)
        writer.append(bytes)
    }
}

/// The message REVISE, which starts a new segment that replaces the current segment at `time` (SPEC
/// 6).
public struct Revise: PayloadCoding {
    /// The number of the stream.
    public var stream: UInt8
    /// The generation that follows the current generation: the current generation plus 1, modulo
    /// 256.
    public var generation: UInt8
    /// The device time at which the new segment begins, in microseconds. If the time is in the
    /// past, the segment begins immediately.
    public var time: UInt32
    /// The level at `time`.
    public var level: UInt8
    /// The sharpness at `time`.
    public var sharpness: UInt8
    /// The first event bytes of the new segment.
    public var bytes: [UInt8]

    /// Creates a REVISE from its fields.
    public init(
        stream: UInt8, generation: UInt8, time: UInt32, level: UInt8, sharpness: UInt8,
        bytes: [UInt8]
    ) {
        self.stream = stream
        self.generation = generation
        self.time = time
        self.level = level
        self.sharpness = sharpness
        self.bytes = bytes
    }

    static let size = Int(BRIDGE_REVISE_SIZE)

    init(from reader: inout PayloadReader) {
        stream = reader.integer()
        generation = reader.integer()
        time = reader.integer()
        level = reader.integer()
        sharpness = reader.integer()
        bytes = reader.readRest()
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(stream)
        writer.integer(generation)
        writer.integer(time)
        writer.integer(level)
        writer.integer(sharpness)
        writer.append(bytes)
    }
}
