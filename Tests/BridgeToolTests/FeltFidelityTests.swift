// Tests that compare a predicted acceleration with its pattern.

import AHAP
import DRV2605
import HapticBridge
import HapticCompiler
import HapticPatterns
import Prediction
import TestSupport
import Testing

@testable import ToolSupport

@Suite struct FeltFidelityTests {
    private static let tap = HapticEvent(.hapticTransient, time: 100_000, intensity: 1)
    private static let hum = HapticEvent(
        .hapticContinuous, time: 400_000, duration: 300_000, intensity: 0.4)

    private func felt(_ events: [HapticEvent]) throws -> (FeltAcceleration, FeltFidelity) {
        let document = try AHAPDocument(of: HapticPattern(events: events))
        let file = PatternFile(
            name: "", try AHAPReader.read(document), DeviceProfile(of: .coinERM), CompilerOptions())
        let felt = FeltAcceleration(
            of: file.events, tick: file.tick, on: .coinERM,
            for: file.renderedDuration + FeltFidelity.tail)
        let fidelity = FeltFidelity(
            felt, of: file, try #require(file.pattern), on: .coinERM, options: CompilerOptions())
        return (felt, fidelity)
    }

    private func later(_ events: [HapticEvent], by time: Microseconds) -> [HapticEvent] {
        events.map { event in
            var event = event
            event.time += time
            return event
        }
    }

    @Test func aSilenceAddsNoWorkAndChangesNothing() throws {
        let events = [Self.tap, Self.hum]
        let (short, near) = try felt(events + later(events, by: 3_000_000))
        let (long, far) = try felt(events + later(events, by: 3_600_000_000))
        #expect(near.events.map(\.?.jnd) == far.events.map(\.?.jnd))
        #expect(near.events.map(\.?.felt) == far.events.map(\.?.felt))
        func samples(_ felt: FeltAcceleration, _ last: Microseconds) -> Int {
            let pattern = HapticPattern(events: events + later(events, by: last))
            return ComparedSamples(
                felt, after: 0, full: felt.rated, against: MixedPattern(pattern),
                tapWindow: 100_000
            ).felt.count
        }
        #expect(samples(short, 3_000_000) == samples(long, 3_600_000_000))
    }

    /// A motor that turns slowly is driven until it has reached the intensity of the last tap.
    @Test func aStrongTapAtTheEndOfATextureIsFeltAsDesigned() throws {
        let weak = HapticEvent(.hapticTransient, time: 55_000, intensity: 0.2)
        let (_, fidelity) = try felt([weak, Self.tap])
        for event in fidelity.events { #expect(try #require(event).jnd < 0.5) }
    }

    @Test func theGreatestOfARangeIsThatOfItsValues() {
        var generator = SeededGenerator(seed: 5)
        for count in [1, 2, 3, 10, 255, 256, 1_000] {
            let values = (0..<count).map { _ in Double.random(in: 0...1, using: &generator) }
            let greatest = GreatestValues(values)
            #expect(greatest.greatest(in: 0..<0) == 0)
            for _ in 0..<50 {
                let first = Int.random(in: 0..<count, using: &generator)
                let end = Int.random(in: first...count, using: &generator)
                #expect(greatest.greatest(in: first..<end) == values[first..<end].max() ?? 0)
            }
        }
    }
}
