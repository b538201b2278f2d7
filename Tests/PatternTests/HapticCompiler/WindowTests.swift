// Tests of compilation in windows: the events that the compiler emits for each window, and the
// independence of the result from the size of the windows.

import HapticCompiler
import HapticPatterns
import TestSupport
import Testing

@Suite struct WindowTests {
    private func taps(_ times: [Microseconds]) -> HapticPattern {
        HapticPattern(
            events: times.map {
                HapticEvent(.hapticTransient, time: $0, intensity: 1, sharpness: 1)
            })
    }

    @Test func eventsLeaveOnceNothingEarlierCanCome() {
        let pattern = HapticPattern(
            events: (0..<10).map {
                HapticEvent(
                    .hapticContinuous, time: $0 * 1_000_000, duration: 500_000,
                    intensity: 0.1 * Double($0 + 1), sharpness: 0.5)
            })
        var compiler = HapticCompiler(voices: [PatternVoice(pattern)], isLive: true)
        for second in 0..<10 {
            let segment = compiler.nextSegment(duration: 1_000_000)
            #expect(segment.events.count >= (second == 0 ? 1 : 2), "second \(second)")
            #expect(segment.events.allSatisfy { $0.tick <= 4_000 * (second + 1) })
        }
    }

    @Test func compilerSaysWhenItHasEndedAndStaysSo() {
        var compiler = HapticCompiler(voices: [PatternVoice(taps([5_000]))])
        #expect(!compiler.nextSegment(duration: 5_000).hasEnded)
        let last = compiler.nextSegment(duration: 1_000)
        #expect(last.hasEnded)
        #expect(last.events.last?.content == .end)
        let after = compiler.nextSegment(duration: 1_000)
        #expect(after == EventSegment(hasEnded: true))
    }

    @Test func endlessVoiceNeverEnds() {
        let pattern = HapticPattern(events: [HapticEvent(.hapticContinuous, time: 0)])
        var compiler = HapticCompiler(voices: [PatternVoice(pattern)])
        for _ in 0..<100 { #expect(!compiler.nextSegment(duration: 10_000_000).hasEnded) }
    }

    @Test func voicesMixAndTheLaterTapOfAnInstantComesLast() throws {
        let loud = HapticPattern(events: [
            HapticEvent(.hapticContinuous, time: 0, duration: 100_000, intensity: 1, sharpness: 0.2)
        ])
        let soft = HapticPattern(events: [
            HapticEvent(
                .hapticContinuous, time: 0, duration: 200_000, intensity: 0.4, sharpness: 0.6),
            HapticEvent(.hapticTransient, time: 0, intensity: 0.4, sharpness: 1),
        ])
        var compiler = HapticCompiler(
            voices: [PatternVoice(loud), PatternVoice(soft), PatternVoice(taps([0]))])
        #expect(
            compiler.nextSegment(duration: 1_000_000).events == [
                StreamEvent(.tap(intensity: 102, sharpness: 255), at: 0),
                StreamEvent(.tap(intensity: 255, sharpness: 255), at: 0),
                StreamEvent(.levelSharpness(level: 255, sharpness: 51), at: 0),
                StreamEvent(.levelSharpness(level: 102, sharpness: 153), at: 400),
                StreamEvent(.end, at: 800),
            ])
    }

    @Test(arguments: 1...12) func bytesDoNotDependOnTheWindow(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pattern = RandomPattern.pattern(using: &generator)
        let whole = HapticCompiler.compile(pattern)
        for window: Microseconds in [997, 7_000, 100_000, 10_000_000] {
            var compiler = HapticCompiler(voices: [PatternVoice(pattern, endless: .limited)])
            var code: [UInt8] = []
            var events: [StreamEvent] = []
            var hasEnded = false
            while !hasEnded {
                let segment = compiler.nextSegment(duration: window)
                code += segment.bytes
                events += segment.events
                hasEnded = segment.hasEnded
            }
            #expect(code == whole.bytes, "window of \(window) us")
            #expect(events == whole.events)
        }
    }

    @Test(arguments: 100..<160) func staysWithinTwoStepsOfTheLevel(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pattern = RandomPattern.pattern(using: &generator)
        let errors = LevelErrors(HapticCompiler.compile(pattern), of: pattern)
        #expect(errors.level <= 2, "at \(errors.levelAt) ms")
        #expect(errors.sharpness <= 255 * 2 / 127, "at \(errors.sharpnessAt) ms")
        #expect(errors.brokenSilence == nil)
    }
}
