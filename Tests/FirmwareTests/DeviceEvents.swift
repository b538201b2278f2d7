// The core's event decoder as a value.

import CBridgeFirmware
import HapticCompiler

/// One event as the device decodes it.
struct DeviceEvent: Equatable {
    var kind: event_kind
    var first: UInt8
    var second: UInt32
    var tick: UInt32

    init(_ kind: event_kind, _ first: UInt8, _ second: UInt32, at tick: UInt32) {
        (self.kind, self.first, self.second, self.tick) = (kind, first, second, tick)
    }

    /// The same event in the host's words; nil for what a listing does not show.
    var listed: StreamEvent? {
        let ticks = Int(second)
        let content: StreamEvent.Content? =
            switch kind {
            case EVENT_TAP: .tap(intensity: first, sharpness: UInt8(second))
            case EVENT_LEVEL: .level(first)
            case EVENT_LEVEL_SHARPNESS: .levelSharpness(level: first, sharpness: UInt8(second))
            case EVENT_LEVEL_RAMP: .levelRamp(to: first, duration: ticks)
            case EVENT_SHARPNESS_RAMP: .sharpnessRamp(to: first, duration: ticks)
            case EVENT_TAP_GAIN: .tapGain(to: first, duration: ticks)
            case EVENT_EFFECT: .effect(first)
            case EVENT_END: .end
            default: nil
            }
        return content.map { StreamEvent($0, at: Int(tick)) }
    }
}

/// A decoder with an event memory of its own, fed in portions.
final class DeviceEvents {
    private var decoder = event_decoder()
    private var memory = event_memory()
    private let bytes: UnsafeMutablePointer<UInt8>

    init(capacity: Int = 384) {
        bytes = .allocate(capacity: capacity)
        event_decoder_init(&decoder)
        event_memory_init(&memory, bytes, UInt16(capacity))
    }

    deinit { bytes.deallocate() }

    var room: Int { Int(event_memory_room(&memory)) }
    var used: Int { Int(memory.used) }

    /// Decoder and memory as bytes, to see that nothing has changed.
    var state: [UInt8] {
        withUnsafeBytes(of: decoder) { Array($0) } + [memory.read, memory.used].flatMap(\.bytes)
    }

    func feed(_ portion: some Collection<UInt8>) -> Bool {
        event_memory_append(&memory, Array(portion), UInt8(portion.count))
    }

    func next() -> DeviceEvent? {
        var found = event()
        guard event_decoder_next(&decoder, &memory, &found) else { return nil }
        let kind = event_kind(rawValue: UInt32(found.kind))
        let carries = kind != EVENT_END && kind != EVENT_WAIT && kind != EVENT_SKIPPED
        return DeviceEvent(
            kind, carries ? found.first : 0, carries ? found.second : 0, at: decoder.tick)
    }

    /// Everything that `code` holds, fed as fast as it is consumed.
    static func decode(_ code: [UInt8], capacity: Int = 384) -> [DeviceEvent] {
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
