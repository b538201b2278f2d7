// Tests of complete event streams in the device, with arbitrary contents in portions of arbitrary
// size.

import CBridgeFirmware
import HapticCompiler
import TestSupport
import Testing

@Suite struct EventStreamTests {
    @Test func anEventThatIsNotWholeChangesNothing() {
        let whole: [[UInt8]] = [
            [0x91, 0xE4, 0x00, 0xFF, 0x80], [0xA1, 0x64, 0x98], [0x80, 0x98],
            [0xB1, 0xFF, 0x7F, 0xC8],
            [0xC1, 0x80, 0x80, 0x01, 0x10, 0x20], [0xD1, 0x05, 0x40, 0xE8, 0x87, 0x01],
            [0xE0, 0x40, 0xFF, 0x7F], [0xF1, 0x64, 0x00], [0xF0, 0x32, 0x80, 0xE4, 0x00],
            [0xF1, 0x64, 0x03], [0xF3, 0x81, 0x01], [0xFF, 0xE0],
            [0xF0, 0xF9] + [UInt8](repeating: 7, count: 15),
        ]
        for code in whole {
            let events = DeviceEvents()
            _ = events.feed([0x90, 10, 20, 0xF1, 9, 0x03])
            while events.next() != nil {}
            for length in 1..<code.count {
                #expect(events.feed([code[length - 1]]))
                let before = events.state
                #expect(events.next() == nil, "\(code) at \(length)")
                #expect(events.state == before, "\(code) at \(length)")
            }
            #expect(events.feed([code[code.count - 1]]))
            #expect(events.next() != nil, "\(code)")
        }
    }

    @Test(arguments: 0..<40)
    func whatTheHostEncodesTheDeviceDecodes(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let listing = Self.listing(count: 300, using: &random)
        let code = EventStreamEncoder.encode(listing)
        #expect(try EventStreamDecoder.decode(code) == listing)
        #expect(DeviceEvents.decode(code).compactMap(\.listed) == listing)
        // The stream has the minimum memory. The test fills it byte by byte.
        #expect(DeviceEvents.decode(code, capacity: 32).compactMap(\.listed) == listing)
    }

    @Test(arguments: 0..<20)
    func codeThatIsCutAnywhereDecodesAlike(seed: Int) {
        var random = SeededGenerator(seed: UInt64(1_000 + seed))
        let code = EventStreamEncoder.encode(Self.listing(count: 60, using: &random))
        let whole = DeviceEvents.decode(code)
        let events = DeviceEvents()
        var (decoded, rest): ([DeviceEvent], ArraySlice<UInt8>) = ([], code[...])
        while !rest.isEmpty {
            let portion = rest.prefix(Int.random(in: 1...9, using: &random))
            rest = rest.dropFirst(portion.count)
            #expect(events.feed(portion))
            while let event = events.next() { decoded.append(event) }
        }
        #expect(decoded == whole)
    }

    @Test func garbageIsDecodedToTheEndWithinItsMemory() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            let events = DeviceEvents(capacity: 64)
            for _ in 0..<20 {
                _ = events.feed(random.bytes(min(events.room, 40)))
                var count = 0
                while events.next() != nil, count < 5_000 { count += 1 }
                #expect(events.used <= 64)
            }
        }
    }

    @Test func noEventIsTooLongForTheSmallestMemory() {
        // A special event of the maximum length with the longest delta: 20 bytes.
        let code: [UInt8] = [0xF1, 0xFF, 0xFF, 0x7F, 0xFF] + [UInt8](repeating: 0, count: 15)
        #expect(
            DeviceEvents.decode(code, capacity: 32) == [
                DeviceEvent(EVENT_SKIPPED, 0, 0, at: 0x1F_FFFF)
            ])
    }

    /// Returns a random stream with enough repetition to use slots and copies.
    private static func listing(count: Int, using random: inout SeededGenerator) -> [StreamEvent] {
        let contents = (0..<10).map { _ in content(using: &random) }
        let deltas = [0, 1, 40, 40, 127, 128, 20_000, 70_000, 2_097_151]
        var (events, tick): ([StreamEvent], Int) = ([], 0)
        while events.count < count {
            let cycle = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                (deltas.randomElement(using: &random)!, contents.randomElement(using: &random)!)
            }
            for (delta, content) in (0..<Int.random(in: 1...80, using: &random)).flatMap({ _ in
                cycle
            })
            where events.count < count {
                tick += delta
                events.append(StreamEvent(content, at: tick))
            }
            events.append(StreamEvent(content(using: &random), at: tick))
        }
        return events + [StreamEvent(.end, at: tick + 5_000_000)]
    }

    private static func content(using random: inout SeededGenerator) -> StreamEvent.Content {
        let values = random.bytes(2)
        let duration = [0, 1, 127, 16_384, 65_535, 65_536, 2_097_151].randomElement(using: &random)!
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1: return .tap(intensity: values[0], sharpness: values[1])
        case 2: return .level(values[0])
        case 3: return .levelSharpness(level: values[0], sharpness: values[1])
        case 4: return .levelRamp(to: values[0], duration: duration)
        case 5: return .sharpnessRamp(to: values[0], duration: duration)
        default: return .tapGain(to: values[0], duration: duration)
        }
    }
}
