// DeviceEvents: the event decoder of the core, as a Swift value.

import CBridgeFirmware
import HapticCompiler

/// An event as the device decodes it.
public struct DeviceEvent: Equatable {
    public var kind: event_kind
    public var first: UInt8
    public var second: UInt32
    public var tick: UInt32

    public init(_ kind: event_kind, _ first: UInt8, _ second: UInt32, at tick: UInt32) {
        (self.kind, self.first, self.second, self.tick) = (kind, first, second, tick)
    }

    /// The event in the host's representation; nil for an event that listings do not contain.
    public var listed: StreamEvent? {
        let ticks = Int(second)
        let content: StreamEvent.Content? =
            switch kind {
            case EVENT_TAP: .tap(intensity: first, sharpness: UInt8(second))
            case EVENT_LEVEL: .level(first)
            case EVENT_LEVEL_SHARPNESS: .levelSharpness(level: first, sharpness: UInt8(second))
            case EVENT_LEVEL_RAMP: .levelRamp(to: first, duration: ticks)
            case EVENT_SHARPNESS_RAMP: .sharpnessRamp(to: first, duration: ticks)
            case EVENT_TAP_GAIN: .tapGain(to: first, duration: ticks)
            case EVENT_END: .end
            default: nil
            }
        return content.map { StreamEvent($0, at: Int(tick)) }
    }
}

/// A decoder with its own event memory, which receives code in portions.
public final class DeviceEvents {
    private let decoder = UnsafeMutablePointer<event_decoder>.allocate(capacity: 1)
    private var memory = event_memory()
    private let bytes: UnsafeMutablePointer<UInt8>

    public init(capacity: Int = 384) {
        bytes = .allocate(capacity: capacity)
        decoder.initialize(to: event_decoder())
        event_decoder_init(decoder)
        event_memory_init(&memory, bytes, UInt16(capacity))
    }

    deinit {
        decoder.deallocate()
        bytes.deallocate()
    }

    public var room: Int { Int(event_memory_room(&memory)) }
    public var used: Int { Int(memory.used) }

    /// The state of the decoder and of its memory, except for the address of the output event.
    /// Tests compare these bytes to check that the decoder has not changed.
    public var state: [UInt8] {
        var state = Array(
            UnsafeRawBufferPointer(start: decoder, count: MemoryLayout<event_decoder>.size))
        let place = MemoryLayout<event_decoder>.offset(of: \.event)!
        state.removeSubrange(place..<place + MemoryLayout<event>.size)
        for value in [UInt16(memory.read - bytes), memory.used] {
            state += [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)]
        }
        return state
    }

    public func feed(_ portion: some Collection<UInt8>) -> Bool {
        event_memory_append(&memory, Array(portion), UInt8(portion.count))
    }

    public func next() -> DeviceEvent? {
        guard event_decoder_next(decoder, &memory) else { return nil }
        let found = decoder.pointee.event
        let kind = event_kind(rawValue: UInt32(found.kind))
        let carries = kind != EVENT_END && kind != EVENT_WAIT && kind != EVENT_SKIPPED
        let second = UInt32(found.second_high) << 16 | UInt32(found.second)
        return DeviceEvent(
            kind, carries ? found.first : 0, carries ? second : 0, at: decoder.pointee.tick)
    }

    /// Returns all events in `code`. The decoder receives the code as fast as the decoder consumes
    /// it.
    public static func decode(_ code: [UInt8], capacity: Int = 384) -> [DeviceEvent] {
        let events = DeviceEvents(capacity: capacity)
        var decoded: [DeviceEvent] = []
        var rest = code[...]
        while true {
            let portion = rest.prefix(min(events.room, 255))
            rest = rest.dropFirst(portion.count)
            _ = events.feed(portion)
            if let event = events.next() {
                decoded.append(event)
            } else if rest.isEmpty || portion.isEmpty {
                return decoded
            }
        }
    }
}
