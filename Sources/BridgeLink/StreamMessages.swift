// Class SEQUENCED, the messages about streams (SPEC 4.4, 6).

import CBridgeProtocol

/// OPEN: gives a stream its actuators and event memory.
public struct Open: PayloadCoding {
    public var stream: UInt8
    public var actuators: ActuatorMask
    /// Bytes of event memory; 0: all that is free.
    public var memory: UInt16

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

/// START: anchors tick 0 of a stream in device time (SPEC 5).
public struct Start: PayloadCoding {
    public var stream: UInt8
    public var generation: UInt8
    /// Whether `time` counts from this frame's last byte.
    public var isRelative: Bool
    /// Device microseconds.
    public var time: UInt32
    public var scale: TickScale

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

/// SCALE: changes the length of a tick from `tick` on.
public struct Scale: PayloadCoding {
    public var stream: UInt8
    public var tick: UInt32
    public var scale: TickScale

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

/// EVENTS: more event bytes of one generation (SPEC 7).
public struct Events: PayloadCoding {
    public var stream: UInt8
    public var generation: UInt8
    public var bytes: [UInt8]

    public init(stream: UInt8, generation: UInt8 = 0, bytes: [UInt8]) {
        self.stream = stream
        self.generation = generation
        self.bytes = bytes
    }

    static let size = Int(BRIDGE_EVENTS_SIZE)

    init(from reader: inout PayloadReader) {
        stream = reader.integer()
        generation = reader.integer()
        bytes = reader.takeRest()
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(stream)
        writer.integer(generation)
        writer.append(bytes)
    }
}

/// REVISE: a new segment that replaces the present one at `time` (SPEC 6).
public struct Revise: PayloadCoding {
    public var stream: UInt8
    /// The present generation plus 1, modulo 256.
    public var generation: UInt8
    /// Device microseconds; in the past means now.
    public var time: UInt32
    public var level: UInt8
    public var sharpness: UInt8
    /// The first event bytes of the new segment.
    public var bytes: [UInt8]

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
        bytes = reader.takeRest()
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
